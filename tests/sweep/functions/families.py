"""Orthogonal polynomials, Kelvin and parabolic cylinder functions, integrals of Bessel functions, and inverses of
distribution functions by each of their parameters.

by_each("gdtrix", exact, ((1.5, 2.5, 0.3),), {0: POSITIVE, 1: SHAPE, 2: SHARE})      three cases
"""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case
from tests.sweep.functions.bessel_functions import BY_ORDER
from tests.sweep.functions.special_calls import HALF_LINE, UNIT, integer_or, part, special

Exact = Callable[..., Any]


def of_last(f: Exact) -> Exact:
    """A function of its last argument first."""
    return lambda x, *others: f(*map(integer_or, others), x)


def by_each(
    name: str, exact: Exact, points: Sequence[tuple[float, ...]], where: Mapping[int, Mapping[str, Any]]
) -> tuple[Case, ...]:
    """A case for each argument, around the points."""

    def along(k: int) -> Exact:
        return lambda x, *others: exact(*others[:k], x, *others[k:])

    return tuple(
        special(name, along(k), argument=k, others=tuple((*p[:k], *p[k + 1 :]) for p in points), **stated)
        for k, stated in where.items()
    )


def inverse(name: str, f: Exact) -> Exact:
    """The root r of f(r, *arguments), from the value of SciPy's function on."""

    def value(*arguments: Any) -> Any:
        start = float(getattr(scipy.special, name)(*map(float, arguments)))
        if not np.isfinite(start):
            raise ValueError
        return mp.findroot(lambda r: f(r, *arguments), mpf(start))

    return value


# Orthogonal polynomials ---------------------------------------------------------------------------

WAVES = {"waves": True, "slow": True, "most": 20}
UPWARD = {"usual": (-1, 3), "domain": (-1.0, np.inf), "reach": (-0.95, 4.0), "exponents": (-8, 1), **WAVES}
ALONG = {"usual": (-1, 1), "exponents": (-30, 10), "special": (1.0, -1.0), **WAVES}
ORDERS = ((0.5,), (2.5,), (7.3,))
WHOLE = ((0.0,), (1.0,), (2.0,), (7.0,))


def _with(others: Sequence[tuple[float, ...]], *parameters: float) -> tuple[tuple[float, ...], ...]:
    return tuple((*o, *parameters) for o in others)


def of_whole(name: str, exact: Exact, others: Sequence[tuple[float, ...]], **kw: Any) -> Case:
    """A polynomial, whose order is an integer."""

    def call(x: Any, n: Any, *parameters: Any) -> Any:
        return getattr(scipy.special, name)(n.astype(np.int64), *parameters, x)

    argument = len(others[0])
    return Case(
        name=f"special.{name}", label="of whole order", argument=argument, call=call, exact=of_last(exact),
        others=others, **kw,
    )  # fmt: skip


def _chebyc(n: Any, x: Any) -> Any:
    return 2 * mp.chebyt(n, x / 2)


def _chebys(n: Any, x: Any) -> Any:
    return mp.chebyu(n, x / 2)


def _shifted(f: Exact) -> Exact:
    return lambda n, x: f(n, 2 * x - 1)


def _gegenbauer(n: Any, a: Any, x: Any) -> Any:
    """The polynomial of whole order by recurrence: mpmath's own calls itself without end for large x."""
    before, found = mpf(0), mpf(1)
    for k in range(1, int(n) + 1):
        before, found = found, (2 * x * (k + a - 1) * found - (k + 2 * a - 2) * before) / k
    return found


def _jacobi(n: Any, a: Any, b: Any, x: Any) -> Any:
    """The polynomial of whole order as a sum of powers, likewise."""
    low, high, n = (x - 1) / 2, (x + 1) / 2, int(n)
    return mp.fsum(
        mp.binomial(n + a, n - s) * mp.binomial(n + b, s) * low**s * high ** (n - s) for s in range(n + 1)
    )


def _sh_jacobi_of_whole(n: Any, p: Any, q: Any, x: Any) -> Any:
    return _jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)


def _sh_jacobi(n: Any, p: Any, q: Any, x: Any) -> Any:
    return mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)


def _hermitenorm(n: Any, x: Any) -> Any:
    return mp.hermite(n, x / mp.sqrt(2)) / mp.power(2, mpf(n) / 2)


HALVED = UPWARD | {"usual": (0, 2), "domain": (0.0, np.inf), "reach": (0.05, 2.5)}
TO_INFINITY = {"usual": (0, 5), "exponents": (-8, 1), "reach": (-5.0, 20.0), **WAVES}

OF_ONE: tuple[tuple[str, Exact, Mapping[str, Any]], ...] = (
    ("legendre", mp.legendre, UPWARD), ("chebyt", mp.chebyt, UPWARD), ("chebyu", mp.chebyu, UPWARD),
    ("chebyc", _chebyc, UPWARD | {"domain": (-2.0, np.inf), "reach": (-1.8, 6.0)}),
    ("chebys", _chebys, UPWARD | {"domain": (-2.0, np.inf), "reach": (-1.8, 6.0)}),
    ("sh_legendre", _shifted(mp.legendre), HALVED), ("sh_chebyt", _shifted(mp.chebyt), HALVED),
    ("sh_chebyu", _shifted(mp.chebyu), HALVED), ("laguerre", lambda n, x: mp.laguerre(n, 0, x), TO_INFINITY),
)  # fmt: skip

POLYNOMIALS = (
    *(special(f"eval_{name}", of_last(f), argument=1, others=ORDERS, **where) for name, f, where in OF_ONE),
    *(of_whole(f"eval_{name}", f, WHOLE, **ALONG) for name, f, _ in OF_ONE),
    special("eval_gegenbauer", of_last(mp.gegenbauer), argument=2, others=_with(ORDERS, 0.7), **UPWARD),
    special("eval_jacobi", of_last(mp.jacobi), argument=3, others=_with(ORDERS, 0.3, 1.7), **UPWARD),
    special("eval_sh_jacobi", of_last(_sh_jacobi), argument=3, others=_with(ORDERS, 2.3, 1.7), **HALVED),
    special("eval_genlaguerre", of_last(mp.laguerre), argument=2, others=_with(ORDERS, 0.7), **TO_INFINITY),
    of_whole("eval_gegenbauer", _gegenbauer, _with(WHOLE, 0.7), **ALONG),
    of_whole("eval_jacobi", _jacobi, _with(WHOLE, 0.3, 1.7), **ALONG),
    of_whole("eval_sh_jacobi", _sh_jacobi_of_whole, _with(WHOLE, 2.3, 1.7), **ALONG),
    of_whole("eval_genlaguerre", mp.laguerre, _with(WHOLE, 0.7), **ALONG),
    of_whole("eval_hermite", mp.hermite, WHOLE, **ALONG),
    of_whole("eval_hermitenorm", _hermitenorm, WHOLE, **ALONG),
)

# Kelvin, Bessel, parabolic cylinder, Wright -------------------------------------------------------

ROUND_ZERO = {
    "usual": (-10, 10),
    "exponents": (-30, 1),
    "reach": (-20.0, 20.0),
    "special": (1.0, -1.0, 0.999),
    **WAVES,
}
FROM_ZERO = ROUND_ZERO | {"usual": (0, 10), "domain": HALF_LINE}


def _first_order(f: Exact, g: Exact, sign: int) -> Exact:
    """Kelvin functions of order 1, as derivatives of those of order 0."""
    return lambda x: (f(1, x) + sign * g(1, x)) / mp.sqrt(2)


def _wright(x: Any, a: Any, b: Any) -> Any:
    return mp.nsum(
        lambda k: mp.power(x, int(k)) / mp.factorial(int(k)) * mp.rgamma(a * k + b), [0, mp.inf], method="d"
    )


SERIES = {"usual": (0, 5), "domain": HALF_LINE, "reach": (0.0, 10.0), "exponents": (-8, 1), "slow": True, "most": 6,
          "others": ((0.5, 1.5), (1.0, 2.0))}  # fmt: skip

CYLINDER = {
    "argument": 1,
    "usual": (-3, 3),
    "exponents": (-8, 1),
    "reach": (-4.0, 4.0),
    "others": ((0.5,), (2.0,), (-1.5,)),
    **WAVES,
}


def _besselpoly(a: Any, lmb: Any, nu: Any) -> Any:
    first = (lmb + nu + 1) / 2
    return mp.power(a, nu) * mp.rgamma(nu + 1) / (2 * first) * mp.hyp1f2(first, nu + 1, first + 1, -a * a)


def _lpmv(x: Any, m: Any, v: Any) -> Any:
    return mp.legenp(v, m, x, type=2)


def _pcfd_slope(x: Any, v: Any) -> Any:
    return x / 2 * mp.pcfd(v, x) - mp.pcfd(v + 1, x)


def _pcfv_slope(x: Any, v: Any) -> Any:
    a = -v - mpf(1) / 2
    return x / 2 * mp.pcfv(a, x) + (a - mpf(1) / 2) * mp.pcfv(a - 1, x)


def _of_complex(name: str, k: int, exact: Exact, **kw: Any) -> Case:
    """The sum of the parts of result number k."""

    def call(x: Any) -> Any:
        found = getattr(scipy.special, name)(x)[k]
        return found.real + found.imag

    def both(x: Any) -> Any:
        found = exact(x)
        return found.real + found.imag

    return Case(name=f"special.{name}", label=f"[{k}]", call=call, exact=both, **kw)


def _fresnel(x: Any) -> Any:
    """The integral of e^(i t^2) from x on."""
    return mp.sqrt(mp.pi) / 2 * mp.expjpi(0.25) * mp.erfc(mp.expjpi(-0.25) * x)


def _fresnel_scaled(x: Any) -> Any:
    return mp.expj(-x * x) * mp.expjpi(-0.25) / mp.sqrt(mp.pi) * _fresnel(x)


FRESNEL = {"usual": (-5, 5), "exponents": (-30, 2), "reach": (-100.0, 100.0), **WAVES}

BESSEL = (
    *(_of_complex(name, k, lambda x, f=f, turn=turn: turn(f(x)), **FRESNEL)
      for name, turn in (("modfresnelp", mp.mpc), ("modfresnelm", mp.conj)) for k, f in enumerate((_fresnel, _fresnel_scaled))),
    _of_complex("kelvin", 0, lambda x: mp.mpc(mp.ber(0, x), mp.bei(0, x)), **ROUND_ZERO),
    _of_complex("kelvin", 1, lambda x: mp.mpc(mp.ker(0, x), mp.kei(0, x)), **FROM_ZERO),
    special("ber", lambda x: mp.ber(0, x), **ROUND_ZERO),
    special("bei", lambda x: mp.bei(0, x), **ROUND_ZERO),
    special("ker", lambda x: mp.ker(0, x), **FROM_ZERO),
    special("kei", lambda x: mp.kei(0, x), **FROM_ZERO),
    special("berp", _first_order(mp.ber, mp.bei, 1), **ROUND_ZERO),
    special("beip", _first_order(mp.bei, mp.ber, -1), **ROUND_ZERO),
    special("kerp", _first_order(mp.ker, mp.kei, 1), **FROM_ZERO),
    special("keip", _first_order(mp.kei, mp.ker, -1), **FROM_ZERO),
    part("itj0y0", 0, slope=lambda x: mp.besselj(0, x), **ROUND_ZERO),
    part("itj0y0", 1, slope=lambda x: mp.bessely(0, x), **FROM_ZERO),
    part("it2j0y0", 0, slope=lambda x: (1 - mp.besselj(0, x)) / x, **ROUND_ZERO),
    part("it2j0y0", 1, slope=lambda x: -mp.bessely(0, x) / x, **FROM_ZERO),
    part("iti0k0", 0, slope=lambda x: mp.besseli(0, x), **ROUND_ZERO),
    part("iti0k0", 1, slope=lambda x: mp.besselk(0, x), **FROM_ZERO),
    part("it2i0k0", 0, slope=lambda x: (mp.besseli(0, x) - 1) / x, **ROUND_ZERO),
    part("it2i0k0", 1, slope=lambda x: -mp.besselk(0, x) / x, **FROM_ZERO),
    special("itstruve0", slope=lambda x: mp.struveh(0, x), **ROUND_ZERO),
    special("it2struve0", slope=lambda x: -mp.struveh(0, x) / x, **ROUND_ZERO),
    special("itmodstruve0", slope=lambda x: mp.struvel(0, x), **ROUND_ZERO),
    part("itairy", 0, slope=mp.airyai, **ROUND_ZERO),
    part("itairy", 1, slope=mp.airybi, **ROUND_ZERO),
    part("itairy", 2, slope=lambda x: mp.airyai(-x), **ROUND_ZERO),
    part("itairy", 3, slope=lambda x: mp.airybi(-x), **ROUND_ZERO),
    part("pbwa", 0, lambda x, a: mp.pcfw(a, x), **CYLINDER),
    part("pbwa", 1, slope=lambda x, a: (a - x * x / 4) * mp.pcfw(a, x), **CYLINDER),
    special("besselpoly", _besselpoly, **FROM_ZERO | {"usual": (0, 5), "reach": (0.0, 8.0), "exponents": (-8, 1),
            "others": ((0.0, 0.0), (1.5, 2.0), (0.5, 0.3))}),
    special("lpmv", _lpmv, argument=2, usual=(-1, 1), reach=(-0.99, 0.99), domain=(-1.0, 1.0), exponents=(-4, 0),
            others=((0.0, 2.5), (1.0, 3.0), (2.0, 4.5), (3.0, 3.0)), **WAVES | {"most": 6}),
    part("pbdv", 0, lambda x, v: mp.pcfd(v, x), **CYLINDER),
    part("pbdv", 1, _pcfd_slope, **CYLINDER),
    part("pbvv", 0, lambda x, v: mp.pcfv(-v - mpf(1) / 2, x), **CYLINDER),
    part("pbvv", 1, _pcfv_slope, **CYLINDER),
    special("wright_bessel", _wright, argument=2, **SERIES),
    special("log_wright_bessel", lambda *p: mp.log(_wright(*p)), argument=2, **SERIES),
    *(special(name, of_last(f), argument=1, others=((0.0,), (1.0,), (2.5,)), usual=(0, 20), domain=HALF_LINE,
              exponents=(-8, 2), **WAVES) for name, f in (("jve", mp.besselj), ("yve", mp.bessely))),
    *(special(name, f, waves=True, **BY_ORDER) for name, f in (("jve", mp.besselj), ("yve", mp.bessely))),
)  # fmt: skip

# Elliptic integrals -------------------------------------------------------------------------------


def _voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    sigma, gamma = abs(sigma), abs(gamma)
    if sigma == 0:
        return gamma / mp.pi / (x * x + gamma * gamma)
    z = mp.mpc(x, gamma) / (sigma * mp.sqrt(2))
    return mp.re(mp.exp(-z * z) * mp.erfc(mp.mpc(z.imag, -z.real))) / (sigma * mp.sqrt(2 * mp.pi))


OF_DENSITIES: dict[str, Any] = {"slow": True, "exponents": (-330, 15), "most": 60}

FOR_ELLIPTIC = {
    "usual": (0, 5),
    "domain": HALF_LINE,
    "reach": (1e-6, 1e6),
    "exponents": (-6, 6),
    "slow": True,
    "most": 20,
}


def _elliprd(x: Any, y: Any, z: Any) -> Any:
    return mp.elliprd(x, y, z)


THREE = dict.fromkeys(range(3), FOR_ELLIPTIC)
TRIPLES = ((0.3, 1.5, 0.8), (2.0, 2.0, 2.0))

ELLIPTIC = (
    *by_each("elliprf", mp.elliprf, TRIPLES, THREE),
    *by_each("elliprg", mp.elliprg, TRIPLES, THREE),
    *by_each("elliprd", _elliprd, TRIPLES, THREE),
    *by_each("elliprc", mp.elliprc, ((0.3, 1.5), (2.0, 2.0)), {0: FOR_ELLIPTIC, 1: FOR_ELLIPTIC}),
    special("voigt_profile", _voigt, others=((1.0, 0.5), (0.3, 2.0), (2.0, 1e-3), (0.0, 1.5), (1.5, 0.0)),
            special=(30.0, 1e8), **OF_DENSITIES),
    special("voigt_profile", lambda s, x, g: _voigt(x, s, g), argument=1, **OF_DENSITIES,
            others=((0.5, 1.0), (3.0, 0.2), (0.0, 0.7), (20.0, 1.0))),
    special("voigt_profile", lambda g, x, s: _voigt(x, s, g), argument=2, **OF_DENSITIES,
            others=((0.5, 1.0), (3.0, 0.2), (0.0, 0.7), (20.0, 1.0))),
    *by_each("elliprj", mp.elliprj, ((0.3, 1.5, 0.8, 1.1), (2.0, 2.0, 2.0, 2.0)), dict.fromkeys(range(4), FOR_ELLIPTIC)),
    special("elliprj", lambda p, x, y, z: mp.re(mp.elliprj(x, y, z, p)), argument=3, label="principal value", others=((0.3, 1.5, 0.8),),
            **FOR_ELLIPTIC | {"usual": (-5, 0), "domain": (-np.inf, 0.0), "reach": (-1e3, -1e-3), "exponents": (-3, 3)}),
    special("elliprj", lambda x, y, z, p: mp.re(mp.elliprj(x, y, z, p)), label="principal value", others=((1.5, 0.8, -0.7),),
            **FOR_ELLIPTIC | {"knots": (0.8, 1.5), "reach": (1e-3, 1e3), "exponents": (-3, 3)}),
    special("elliprc", lambda y, x: mp.elliprc(x, y), argument=1, label="principal value", others=((0.3,), (2.0,)),
            **FOR_ELLIPTIC | {"usual": (-5, 0), "domain": (-np.inf, 0.0), "reach": (-1e6, -1e-6)}),
)  # fmt: skip

# Distributions ------------------------------------------------------------------------------------

SHAPE = {
    "usual": (0.5, 10),
    "domain": HALF_LINE,
    "reach": (0.3, 40.0),
    "exponents": (0, 1),
    "slow": True,
    "most": 5,
}
SHARE = {"usual": UNIT, "domain": UNIT, "reach": (1e-3, 0.999), "exponents": (-3, 0), "slow": True, "most": 8}
PLACE = {
    "usual": (0, 10),
    "domain": HALF_LINE,
    "reach": (1e-2, 30.0),
    "exponents": (-1, 1),
    "slow": True,
    "most": 6,
}
LINE = {"usual": (-5, 5), "exponents": (-8, 8)}
COUNT = {
    "usual": (0, 5),
    "domain": HALF_LINE,
    "reach": (1.1, 4.9),
    "exponents": (-1, 0),
    "knots": tuple(map(float, range(7))),
}
NUMBER = {
    "usual": (7, 20),
    "domain": (5.0, np.inf),
    "reach": (7.0, 40.0),
    "exponents": (0, 1),
    "slow": True,
    "most": 5,
}


def _gamma(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, True)


def _beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, True)


def _student(df: Any, t: Any) -> Any:
    tail = _beta(df / 2, mpf(1) / 2, df / (df + t * t)) / 2
    return 1 - tail if t > 0 else tail


def _tukey(x: Any, c: Any) -> Any:
    """The p at which the quantile is x."""
    if c == 0:
        return 1 / (1 + mp.exp(-x))
    start = float(scipy.special.tklmbda(float(x), float(c)))
    return mp.findroot(lambda p: (mp.power(p, c) - mp.power(1 - p, c)) / c - x, mpf(start))


def _f(m: Any, n: Any, x: Any) -> Any:
    return _beta(m / 2, n / 2, m * x / (n + m * x))


def _by_counts(name: str, rest: tuple[float, ...], order: int = 0) -> Case:
    """The case of a number that is rounded."""
    return special(name, slope=lambda *_: mpf(0), argument=order, others=(rest,), **COUNT)


BINOMIAL = ((3.0, 10.0, 0.3), (0.0, 8.0, 0.7))
NEGATIVE = ((3.0, 10.0, 0.3), (0.0, 2.0, 0.7))

DISTRIBUTIONS = (
    *by_each("bdtr", lambda k, n, p: -_beta(k + 1, n - k, p), BINOMIAL, {2: SHARE}),
    *by_each("bdtrc", lambda k, n, p: _beta(k + 1, n - k, p), BINOMIAL, {2: SHARE}),
    *by_each("bdtri", inverse("bdtri", lambda p, k, n, y: 1 - _beta(k + 1, n - k, p) - y), BINOMIAL, {2: SHARE}),
    *by_each("nbdtr", lambda k, n, p: _beta(n, k + 1, p), NEGATIVE, {2: SHARE}),
    *by_each("nbdtrc", lambda k, n, p: -_beta(n, k + 1, p), NEGATIVE, {2: SHARE}),
    *by_each("nbdtri", inverse("nbdtri", lambda p, k, n, y: _beta(n, k + 1, p) - y), NEGATIVE, {2: SHARE}),
    *(_by_counts(name, (8.0, 0.3)) for name in ("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri")),
    *(_by_counts(name, (0.0, 0.3), 1) for name in ("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri")),
    *by_each("pdtrik", inverse("pdtrik", lambda k, p, m: 1 - _gamma(k + 1, m) - p), ((0.6, 3.0),), {0: SHARE | {"reach": (0.2, 0.99)}, 1: PLACE | {"reach": (0.6, 20.0)}}),
    *by_each("bdtrik", inverse("bdtrik", lambda k, y, n, p: 1 - _beta(k + 1, n - k, p) - y), ((0.6, 10.0, 0.4),),
             {0: SHARE | {"reach": (0.1, 0.95)}, 1: NUMBER | {"reach": (8.0, 30.0)}, 2: SHARE | {"reach": (0.2, 0.8)}}),
    *by_each("bdtrin", inverse("bdtrin", lambda n, k, y, p: 1 - _beta(k + 1, n - k, p) - y), ((3.0, 0.4, 0.3),),
             {0: SHAPE, 1: SHARE | {"reach": (0.05, 0.9)}, 2: SHARE | {"reach": (0.1, 0.8)}}),
    *by_each("nbdtrik", inverse("nbdtrik", lambda k, y, n, p: _beta(n, k + 1, p) - y), ((0.6, 5.0, 0.4),),
             {0: SHARE | {"reach": (0.1, 0.95)}, 1: SHAPE | {"reach": (3.0, 20.0)}, 2: SHARE | {"reach": (0.1, 0.7)}}),
    *by_each("nbdtrin", inverse("nbdtrin", lambda n, k, y, p: _beta(n, k + 1, p) - y), ((3.0, 0.4, 0.3),),
             {0: SHAPE, 1: SHARE | {"reach": (0.05, 0.9)}, 2: SHARE | {"reach": (0.1, 0.8)}}),
    *(special("tklmbda", _tukey, label=f"of {c}", waves=True, others=((c,),), usual=(-1, 1), domain=(-1 / max(c, 1e-9), 1 / max(c, 1e-9)),
              reach=(-1.0, 1.0), exponents=(-8, 0), slow=True, most=20) for c in (0.5, 0.0, -0.7, 0.14)),
    *by_each("chdtri", inverse("chdtri", lambda x, v, p: 1 - _gamma(v / 2, x / 2) - p), ((3.0, 0.3),), {0: SHAPE, 1: SHARE}),
    *by_each("chdtriv", inverse("chdtriv", lambda v, p, x: _gamma(v / 2, x / 2) - p), ((0.3, 2.0),), {0: SHARE, 1: PLACE}),
    *by_each("pdtri", inverse("pdtri", lambda m, k, y: 1 - _gamma(k + 1, m) - y), ((3.0, 0.3), (0.0, 0.6)), {1: SHARE}),
    _by_counts("pdtri", (0.3,)),
    *by_each("gdtrix", inverse("gdtrix", lambda x, a, b, p: _gamma(b, a * x) - p), ((1.5, 2.5, 0.3),), {0: PLACE, 1: SHAPE, 2: SHARE}),
    *by_each("gdtria", inverse("gdtria", lambda a, p, b, x: _gamma(b, a * x) - p), ((0.3, 2.5, 1.5),), {0: SHARE, 1: SHAPE, 2: PLACE}),
    *by_each("gdtrib", inverse("gdtrib", lambda b, a, p, x: _gamma(b, a * x) - p), ((1.5, 0.3, 2.0),), {0: PLACE, 1: SHARE, 2: PLACE}),
    *by_each("fdtri", inverse("fdtri", lambda x, m, n, p: _f(m, n, x) - p), ((3.0, 5.0, 0.3),), {0: SHAPE, 1: SHAPE, 2: SHARE}),
    *by_each("stdtrit", inverse("stdtrit", lambda t, df, p: _student(df, t) - p), ((2.5, 0.3), (8.0, 0.9)), {0: SHAPE, 1: SHARE | {"waves": True}}),
    *by_each("stdtridf", inverse("stdtridf", lambda df, p, t: _student(df, t) - p), ((0.3, -0.6),),
             {0: SHARE | {"reach": (0.28, 0.31)}, 1: LINE | {"usual": (-2.0, -0.56), "reach": (-2.0, -0.56), "domain": (-np.inf, -0.5245), "exponents": (0, 0), **WAVES, "most": 5}}),
    *by_each("fdtridfd", inverse("fdtridfd", lambda n, m, p, x: _f(m, n, x) - p), ((3.0, 0.8, 2.0),),
             {0: SHAPE | {"reach": (2.0, 5.0)}, 1: SHARE | {"reach": (0.75, 0.84)}, 2: PLACE | {"reach": (1.7, 2.3)}}),
    *by_each("btdtria", inverse("btdtria", lambda a, p, b, x: _beta(a, b, x) - p), ((0.3, 2.0, 0.4),), {0: SHARE, 1: SHAPE, 2: SHARE}),
    *by_each("btdtrib", inverse("btdtrib", lambda b, a, p, x: _beta(a, b, x) - p), ((2.0, 0.3, 0.4),), {0: SHAPE, 1: SHARE, 2: SHARE}),
    *by_each("nrdtrimn", lambda p, std, x: x - std * mp.sqrt(2) * mp.erfinv(2 * p - 1), ((0.3, 2.0, 1.0),),
             {0: SHARE | {"waves": True}, 1: LINE, 2: LINE}),
    *by_each("nrdtrisd", lambda m, p, x: (x - m) / (mp.sqrt(2) * mp.erfinv(2 * p - 1)), ((1.0, 0.3, 2.0),),
             {0: LINE, 1: SHARE | {"reach": (1e-3, 0.49), "domain": (0.0, 0.5), "usual": (0, 0.5)}, 2: LINE}),
)  # fmt: skip

# Legendre functions and Dirichlet kernels ---------------------------------------------------------


def _of_degree_4(x: Any) -> Any:
    return (35 * x**4 - 30 * x**2 + 3) / 8


def _of_order_2(x: Any) -> Any:
    return (1 - x * x) * (105 * x * x - 15) / 2


def _on_sphere(theta: Any) -> Any:
    """The spherical harmonic of degree 3 and order 1."""
    return -mp.sqrt(21 / mp.pi) / 8 * mp.sin(theta) * (5 * mp.cos(theta) ** 2 - 1)


def _harmonic(theta: Any) -> Any:
    return _on_sphere(theta) * mp.cos(mpf(0.4))


ON_LINE = {
    "usual": (-1, 1),
    "domain": (-1.0, 1.0),
    "exponents": (-30, 0),
    "special": (1.0, -1.0),
    "waves": True,
}
ON_SPHERE = {
    "usual": (0, 3.14),
    "domain": (0.0, 3.14),
    "exponents": (-30, 0),
    "special": (0.0,),
    "waves": True,
}

LEGENDRE = tuple(
    Case(name=f"special.{name}", call=call, exact=exact, **stated)
    for name, call, exact, stated in (
        ("legendre_p", lambda x: scipy.special.legendre_p(4, x)[0], _of_degree_4, ON_LINE),
        ("legendre_p_all", lambda x: scipy.special.legendre_p_all(5, x)[0, 4], _of_degree_4, ON_LINE),
        ("assoc_legendre_p", lambda x: scipy.special.assoc_legendre_p(4, 2, x)[0], _of_order_2, ON_LINE),
        (
            "assoc_legendre_p_all",
            lambda x: scipy.special.assoc_legendre_p_all(4, 2, x)[0, 4, 2],
            _of_order_2,
            ON_LINE,
        ),
        ("sph_legendre_p", lambda x: scipy.special.sph_legendre_p(3, 1, x)[0], _on_sphere, ON_SPHERE),
        (
            "sph_legendre_p_all",
            lambda x: scipy.special.sph_legendre_p_all(3, 1, x)[0, 3, 1],
            _on_sphere,
            ON_SPHERE,
        ),
        ("sph_harm_y", lambda x: scipy.special.sph_harm_y(3, 1, x, 0.4).real, _harmonic, ON_SPHERE),
        (
            "sph_harm_y_all",
            lambda x: scipy.special.sph_harm_y_all(3, 1, x, 0.4)[3, 1].real,
            _harmonic,
            ON_SPHERE,
        ),
        (
            "diric",
            lambda x: scipy.special.diric(x, 5),
            lambda x: (1 + 2 * mp.cos(x) + 2 * mp.cos(2 * x)) / 5,
            {
                "usual": (-9, 9),
                "reach": (-20.0, 20.0),
                "exponents": (-330, 1),
                "special": (0.0,),
                "waves": True,
            },
        ),
    )
)

CASES: tuple[Case, ...] = (*POLYNOMIALS, *LEGENDRE, *BESSEL, *ELLIPTIC, *DISTRIBUTIONS)
"""Functions that have one idea each."""
