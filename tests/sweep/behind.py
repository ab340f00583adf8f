"""Functions of which some points are not yet right: a list that only becomes shorter."""

from __future__ import annotations

BEHIND: frozenset[str] = frozenset((
    "special.agm", "special.airy", "special.airye", "special.binom", "special.ellipe", "special.ellipeinc",
    "special.ellipj",
    "special.ellipk", "special.ellipkinc", "special.ellipkm1", "special.expn", "special.gammainccinv",
    "special.gdtr", "special.gdtrc", "special.hyp0f1", "special.hyp1f1", "special.hyp2f1", "special.hyperu",
    "special.i0", "special.i0e", "special.i1", "special.i1e", "special.iv", "special.ive", "special.k0",
    "special.k0e", "special.k1", "special.k1e", "special.kn", "special.kv", "special.kve",
    "special.modstruve", "special.spherical_in", "special.spherical_jn", "special.spherical_kn",
    "special.spherical_yn", "special.struve", "special.yn", "special.yv",
))  # fmt: skip
