"""Functions of which some points are not yet right: a list that only becomes shorter."""

from __future__ import annotations

BEHIND: frozenset[str] = frozenset((
    "np.divide", "np.frexp", "np.i0", "np.modf",
    "np.nan_to_num", "np.nextafter", "special.agm", "special.airy", "special.airye",
    "special.beta", "special.betainc", "special.betaincc", "special.betainccinv", "special.betaincinv",
    "special.betaln", "special.binom", "special.boxcox", "special.boxcox1p", "special.chdtr",
    "special.chdtrc", "special.comb", "special.cotdg", "special.dawsn", "special.ellipe",
    "special.ellipeinc", "special.ellipj", "special.ellipk", "special.ellipkinc", "special.ellipkm1",
    "special.erfcx", "special.erfi", "special.expi", "special.expn",
    "special.factorial", "special.fdtr", "special.fdtrc", "special.fresnel", "special.gamma",
    "special.gammainc", "special.gammaincc", "special.gammainccinv", "special.gammaincinv",
    "special.gdtr", "special.gdtrc", "special.huber", "special.hyp0f1", "special.hyp1f1",
    "special.hyp2f1", "special.hyperu", "special.i0", "special.i0e", "special.i1", "special.i1e",
    "special.inv_boxcox", "special.inv_boxcox1p", "special.iv", "special.ive", "special.j0",
    "special.j1", "special.jv", "special.k0", "special.k0e", "special.k1", "special.k1e",
    "special.kn", "special.kv", "special.kve", "special.lambertw", "special.log_ndtr",
    "special.modstruve", "special.multigammaln", "special.owens_t", "special.pdtr", "special.pdtrc",
    "special.perm", "special.poch", "special.polygamma", "special.powm1", 
    "special.radian", "special.rgamma", "special.shichi", "special.sici",
    "special.spence", "special.spherical_in", "special.spherical_jn", "special.spherical_kn",
    "special.spherical_yn", "special.stdtr", "special.struve", "special.wrightomega", 
    "special.y0", "special.y1", "special.yn", "special.yv", "special.zeta", "x ** -1",
    "x ** 2", "x ** 3", "x ** 4", "x ** 40", "x ** 7",
))  # fmt: skip
