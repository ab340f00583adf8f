"""Derivatives of special functions of orders 1 to 3, against mpmath, which differentiates numerically.

Each function is called once, on all points; what is not listed here has no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.dialects.array.own_functions import OWN_FUNCTIONS
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.array.special_functions import RESULTS_OF, SPECIAL_FUNCTIONS
from mlirad.errors import DifferentiationError
from mlirad.frontend.numpy_functions.meanings.special import OF_KNOWN_ORDERS
from mlirad.frontend.numpy_functions.meanings.special import special as traced_special
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array
from mlirad.packages import special_ufunc
from mlirad.rules.special_derivatives.table import DEFINITIONS, SPECIAL_DERIVATIVES
from tests.sweep.functions import wave_equations

Exact = Callable[..., Any]


def _lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def _beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def _inverse(f: Exact, start: Exact) -> Exact:
    """The inverse of a function in its last argument."""
    return lambda *args: mp.findroot(lambda x: f(*args[:-1], x) - args[-1], start(*args), tol=1e-30)


def _of_ufunc(name: str) -> Exact:
    """A start for a root, by SciPy."""
    return lambda *args: mp.mpf(float(special_ufunc(name)(*map(float, args))))


def _spence(x: Any) -> Any:
    return mp.polylog(2, 1 - x)


def _boxcox(x: Any, lmbda: Any) -> Any:
    return mp.log(x) if lmbda == 0 else mp.expm1(lmbda * mp.log(x)) / lmbda


def _inv_boxcox(y: Any, lmbda: Any) -> Any:
    return mp.exp(y) if lmbda == 0 else mp.exp(mp.log1p(lmbda * y) / lmbda)


def _owens(h: Any, a: Any) -> Any:
    return mp.quad(lambda t: mp.exp(-(h**2) * (1 + t**2) / 2) / (1 + t**2), [0, a]) / (2 * mp.pi)


def _scaled(value: Any, x: Any) -> Any:
    """Times e to 2/3 |x|^1.5, or to minus that for -x; Airy functions below 0 are not scaled."""
    return value * mp.exp(mp.sign(x) * mp.mpf(2) / 3 * abs(x) ** mp.mpf(1.5))


def _student(df: Any, t: Any) -> Any:
    tail = _beta(df / 2, mp.mpf(1) / 2, df / (df + t * t)) / 2
    return 1 - tail if t > 0 else tail


def _exprel(x: Any) -> Any:
    return mp.hyp1f1(1, 2, x)


def _dawson(x: Any) -> Any:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _erfcx(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def _huber_by_delta(d: Any, r: Any) -> Any:
    size = mp.hypot(d, r)
    return (size - d) ** 2 / size


def _sinc_slope(x: Any) -> Any:
    return -x * mp.hyp0f1(2.5, -x * x / 4) / 3


def _gamma_power(j: Any, a: Any, x: Any) -> Any:
    return x ** (a - 1 - j) * mp.exp(-x) / mp.gamma(a)


def _beta_power(i: Any, j: Any, a: Any, b: Any, x: Any) -> Any:
    return x ** (a - 1 - i) * (1 - x) ** (b - 1 - j) / mp.beta(a, b)


def _binomial_power(i: Any, j: Any, k: Any, m: Any, x: Any) -> Any:
    return mp.binomial(k + m, k) * x ** (k - i) * (1 - x) ** (m - j)


_EXPONENTS = [(0.0, 2.5, 0.7), (1.0, 30.0, 25.0), (2.0, 200.0, 210.0), (0.0, 0.3, 1e-3)]
_POWERS = [(0.0, 0.0, 2.5, 3.5, 0.3), (1.0, 0.0, 0.5, 1.0, 0.9), (1.0, 1.0, 100.0, 200.0, 0.35)]
_COUNTS = [(0.0, 0.0, 3.0, 17.0, 0.3), (1.0, 0.0, 0.0, 4.0, 0.9), (1.0, 2.0, 100.0, 200.0, 0.35)]


def _series(x: Any, start: int) -> Any:
    return mp.hyp0f1(start / 2 + 1, -x * x / 4) / mp.fac2(start)


def _ellipk_slope(m: Any) -> Any:
    return mp.pi / 8 * mp.hyp2f1(1.5, 1.5, 2, m)


def _f(dfn: Any, dfd: Any, x: Any) -> Any:
    return _beta(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x))


_ROOT = mp.sqrt(2)

_AROUND_ONE = [(0.0,), (0.4,), (2.5,), (6.0,), (-0.7,)]
_CYLINDERS = [(0.5, 0.7), (2.0, 0.4), (-1.5, 1.3), (1.5, -0.8)]
_FROM_ONE = {"y0": mp.mpf("0.39527290169929329977"), "k0": mp.mpf("0.2085182909001294927382536")}
"""The integrals of y0(t) / t and of k0(t) / t over t from 1 on, by `mp.quadosc` and `mp.quad`."""


def _series_of_logarithms(x: Any, sign: int, power: int) -> Any:
    """An integral of t^(power - 1) times the series of pi / 2 y0(t), with sign -1, or of -k0(t)."""
    logarithm = mp.log(x / 2) + mp.euler
    total = logarithm * (logarithm / 2) if power == 0 else x**power / power * (logarithm - mp.mpf(1) / power)
    factor, harmonic = mp.mpf(1), mp.mpf(0)
    for k in range(1, 60):
        factor, harmonic, p = factor * sign / (4 * k * k), harmonic + mp.mpf(1) / k, 2 * k + power
        total += factor * x**p / p * (logarithm - harmonic - mp.mpf(1) / p)
    return total


def _gamma_shape(a: Any, p: Any, x: Any) -> Any:
    start = special.gdtrib(float(a), float(p), float(x))
    return mp.findroot(lambda b: _lower(b, a * x) - p, mp.mpf(float(start)))


def _beta_shape(p: Any, b: Any, x: Any) -> Any:
    start = special.btdtria(float(p), float(b), float(x))
    return mp.findroot(lambda a: _beta(a, b, x) - p, mp.mpf(float(start)))


def _root(name: str, equation: Exact) -> Exact:
    """The root of equation(r, *args), from SciPy's value on."""
    return lambda *args: mp.findroot(lambda r: equation(r, *args), _of_ufunc(name)(*args))


def _tukey(p: Any, x: Any, c: Any) -> Any:
    return (p**c - (1 - p) ** c) / c - x


def _cylinder_slope(v: Any, x: Any) -> Any:
    a = -v - mp.mpf(1) / 2
    return x / 2 * mp.pcfv(a, x) + (a - mp.mpf(1) / 2) * mp.pcfv(a - 1, x)


def _wright(a: Any, b: Any, x: Any) -> Any:
    return mp.fsum(x**k / mp.factorial(k) * mp.rgamma(a * k + b) for k in range(80))


_OFF_THE_LINE = [(0.0, 0.0), (0.7, 0.2), (-1.3, 0.4), (0.3, -2.0), (2.5, 1e-9), (14.0, 0.5), (-0.5, 15.0)]

OFF_THE_AXES = [(0.7, 0.4), (-0.6, 1.3), (1.2, -2.5)]


def _part(function: Callable[..., Any], part: str) -> Callable[..., Any]:
    """A part of a function of real numbers and of a complex one, by the parts of this."""

    def value(*operands: Any) -> Any:
        *orders, x, y = operands
        return getattr(function(*orders, mp.mpc(x, y)), part)

    return value


OF_COMPLEX: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "gamma": (mp.gamma, ()),
    "rgamma": (mp.rgamma, ()),
    "loggamma": (mp.loggamma, ()),
    "psi": (mp.digamma, ()),
    "zeta": (mp.zeta, (3.0,)),
    "expi": (mp.ei, ()),
    "exp1": (mp.e1, ()),
    "log_ndtr": (lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2), ()),
    "spence": (lambda z: mp.polylog(2, 1 - z), ()),
    "wrightomega": (
        lambda z: mp.lambertw(mp.exp(z), int(mp.ceil((mp.im(z) - mp.pi) / (2 * mp.pi)))),
        (),
    ),
    "sici_si": (mp.si, ()),
    "sici_ci": (mp.ci, ()),
    "shichi_shi": (mp.shi, ()),
    "shichi_chi": (mp.chi, ()),
    "fresnel_s": (mp.fresnels, ()),
    "fresnel_c": (mp.fresnelc, ()),
    "airy_ai": (mp.airyai, ()),
    "airy_aip": (lambda z: mp.airyai(z, derivative=1), ()),
    "airy_bi": (mp.airybi, ()),
    "airy_bip": (lambda z: mp.airybi(z, derivative=1), ()),
    "jv": (mp.besselj, (1.5,)),
    "yv": (mp.bessely, (0.3,)),
    "iv": (mp.besseli, (1.5,)),
    "kv": (mp.besselk, (0.3,)),
    "hankel1": (mp.hankel1, (1.5,)),
    "hankel2": (mp.hankel2, (0.3,)),
    "hyp0f1": (mp.hyp0f1, (1.5,)),
    "hyp2f1": (mp.hyp2f1, (0.5, 1.5, 2.2)),
}
"""The functions of a complex number by name, and orders for them."""


def _wave_cases() -> dict[str, tuple[Exact, int, Sequence[tuple[float, ...]]]]:
    """Mathieu functions by x."""
    at = {"angle": 30.0, "modified": 0.7}
    found: dict[str, tuple[Exact, int, Sequence[tuple[float, ...]]]] = {}
    for name, (exact, where) in wave_equations.EXACT.items():
        others = wave_equations.ORDERS
        points = [(*o, at.get(where, 0.3)) for o in others]
        for ending, is_slope in (("y", False), ("yp", True)):
            found[f"{name}_{ending}"] = (partial(exact, is_slope=is_slope), len(others[0]), points)
    return found


_WAVES = _wave_cases()
CASES: dict[str, tuple[Exact, int, Sequence[tuple[float, ...]]]] = {
    "gamma": (mp.gamma, 0, [(0.7,), (4.2,), (-2.3,)]),
    "rgamma": (mp.rgamma, 0, [(0.7,), (4.2,), (-2.3,), (0.0,), (-2.0,), (-3.0,)]),
    "beta": (mp.beta, 0, [(0.7, 2.1), (3.5, 1.2)]),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), 1, [(0.7, 2.1), (30.5, 1.2)]),
    "binom": (mp.binomial, 1, [(7.5, 2.2), (3.0, 1.0), (2.0, 3.0), (3.0, 6.0), (3.0, -1.0)]),
    "poch": (mp.rf, 0, [(2.5, 1.7), (0.4, 3.0), (0.0, 3.0), (-2.0, 4.5)]),
    "gammainc": (_lower, 1, [(2.5, 1.7), (1.0, 0.3), (0.6, 4.0)]),
    "gammaincc": (lambda a, x: 1 - _lower(a, x), 1, [(2.5, 1.7), (1.0, 0.3)]),
    "gammaincinv": (_inverse(_lower, _of_ufunc("gammaincinv")), 1, [(2.5, 0.3), (0.8, 0.9)]),
    "gammainccinv": (
        _inverse(lambda a, x: 1 - _lower(a, x), _of_ufunc("gammainccinv")), 1, [(2.5, 0.3), (0.8, 0.9)]
    ),
    "betainc": (_beta, 2, [(2.5, 1.7, 0.3), (1.0, 1.0, 0.6), (0.6, 4.0, 0.2)]),
    "betaincc": (lambda a, b, x: 1 - _beta(a, b, x), 2, [(2.5, 1.7, 0.3), (1.0, 1.0, 0.6)]),
    "betaincinv": (_inverse(_beta, _of_ufunc("betaincinv")), 2, [(2.5, 1.7, 0.3), (1.5, 1.0, 0.6)]),
    "betainccinv": (
        _inverse(lambda a, b, x: 1 - _beta(a, b, x), _of_ufunc("betainccinv")), 2, [(2.5, 1.7, 0.3)]
    ),
    "log_ndtr": (lambda x: mp.log(mp.erfc(-x / _ROOT) / 2), 0, [(0.4,), (-3.0,), (-60.0,), (5.0,)]),
    "ndtri": (_inverse(mp.ncdf, _of_ufunc("ndtri")), 0, [(0.3,), (0.97,)]),
    "ndtri_exp": (_inverse(lambda x: mp.log(mp.ncdf(x)), _of_ufunc("ndtri_exp")), 0, [(-0.3,), (-20.0,)]),
    "stdtr": (_student, 1, [(2.5, 0.7), (4.0, -1.3)]),
    "fdtr": (_f, 2, [(2.5, 1.7, 0.3), (3.0, 8.0, 2.1)]),
    "fdtrc": (lambda m, n, x: 1 - _f(m, n, x), 2, [(2.5, 1.7, 0.3), (3.0, 8.0, 2.1)]),
    "erfcinv": (lambda x: mp.erfinv(1 - x), 0, [(0.3,), (1.6,)]),
    "erfcx": (_erfcx, 0, [(0.0,), (0.7,), (-1.3,), (15.0,), (100.0,), (1e4,)]),
    "erfi": (mp.erfi, 0, [(0.0,), (0.7,), (-1.3,)]),
    "dawsn": (_dawson, 0, [(0.0,), (0.7,), (-1.3,), (15.0,), (-100.0,), (1e4,)]),
    **{
        f"{name}_{part}": (lambda x, y, f=f, part=part: getattr(f(mp.mpc(x, y)), part), 0, _OFF_THE_LINE)
        for name, f in {
            "faddeeva": lambda z: mp.exp(-z * z) * mp.erfc(-1j * z),
            "complex_erf": mp.erf,
            "complex_erfc": mp.erfc,
            "complex_dawson": _dawson,
        }.items()
        for part in ("real", "imag")
    },
    **{
        f"complex_{name}_{part}": (_part(f, part), len(orders), [(*orders, x, y) for x, y in OFF_THE_AXES])
        for name, (f, orders) in OF_COMPLEX.items()
        for part in ("real", "imag")
    },
    "owens_t": (_owens, 1, [(0.7, 0.4), (1.2, -1.5), (0.0, 0.5)]),
    "expi": (mp.ei, 0, [(0.7,), (5.0,), (-1.3,)]),
    "exp1": (mp.e1, 0, [(0.7,), (5.0,)]),
    "exp_over": (lambda x: mp.exp(x) / x, 0, [(0.7,), (5.0,), (-1.3,)]),
    "expn": (mp.expint, 1, [(2, 0.7), (0, 1.4), (1, 3.0)]),
    "exprel": (_exprel, 0, [(0.0,), (1e-5,), (2.5,), (-30.0,)]),
    "cosm1": (lambda x: mp.cos(x) - 1, 0, [(0.0,), (0.7,)]),
    "powm1": (lambda x, y: mp.power(x, y) - 1, 0, [(1.7, 2.3), (0.4, -1.2)]),
    "spence": (_spence, 0, [(1.0,), (0.8,), (0.1,), (4.0,)]),
    "spence_slope": (lambda x: mp.log(x) / (1 - x), 0, [(1.001,), (0.8,), (0.1,), (4.0,)]),
    "lambert_w": (lambda x: mp.lambertw(x).real, 0, [(0.0,), (3.0,), (-0.2,), (-0.367,)]),
    "lambert_w_lower": (lambda x: mp.lambertw(x, -1).real, 0, [(-0.1,), (-0.3,), (-0.367,)]),
    "wrightomega": (lambda x: mp.lambertw(mp.exp(x)).real, 0, [(0.0,), (3.0,), (-4.0,)]),
    "boxcox": (_boxcox, 0, [(1.7, 0.5), (0.4, -1.3)]),
    "boxcox1p": (lambda x, lmbda: _boxcox(1 + x, lmbda), 0, [(1.7, 0.5), (-0.4, -1.3)]),
    "inv_boxcox": (_inv_boxcox, 0, [(1.7, 0.5), (0.4, -1.3)]),
    "inv_boxcox1p": (lambda y, lmbda: _inv_boxcox(y, lmbda) - 1, 0, [(1.7, 0.5), (0.4, -1.3)]),
    "j0": (lambda x: mp.besselj(0, x), 0, [(0.0,), (0.7,), (-12.0,)]),
    "j1": (lambda x: mp.besselj(1, x), 0, [(0.0,), (0.7,), (-12.0,)]),
    "jv": (mp.besselj, 1, [(2.0, 0.0), (1.5, 0.7), (3.0, -12.0), (0.3, 4.0)]),
    "y0": (lambda x: mp.bessely(0, x), 0, [(0.7,), (12.0,)]),
    "y1": (lambda x: mp.bessely(1, x), 0, [(0.7,), (12.0,)]),
    "yn": (mp.bessely, 1, [(2.0, 0.7), (0.0, 12.0)]),
    "yv": (mp.bessely, 1, [(1.5, 0.7), (0.3, 4.0)]),
    "i0": (lambda x: mp.besseli(0, x), 0, [(0.0,), (0.7,), (-3.0,)]),
    "i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), 0, [(0.7,), (-3.0,), (40.0,)]),
    "i1": (lambda x: mp.besseli(1, x), 0, [(0.0,), (0.7,), (-3.0,)]),
    "i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), 0, [(0.7,), (-3.0,), (40.0,)]),
    "iv": (mp.besseli, 1, [(2.0, 0.0), (1.5, 0.7), (0.3, 4.0)]),
    "ive": (lambda v, x: mp.exp(-abs(x)) * mp.besseli(v, x), 1, [(1.5, 0.7), (2.0, -3.0)]),
    "k0": (lambda x: mp.besselk(0, x), 0, [(0.7,), (5.0,)]),
    "k0e": (lambda x: mp.exp(x) * mp.besselk(0, x), 0, [(0.7,), (3.0,)]),
    "k1": (lambda x: mp.besselk(1, x), 0, [(0.7,), (5.0,)]),
    "k1e": (lambda x: mp.exp(x) * mp.besselk(1, x), 0, [(0.7,), (3.0,)]),
    "kn": (mp.besselk, 1, [(2.0, 0.7), (0.0, 5.0)]),
    "kv": (mp.besselk, 1, [(1.5, 0.7), (0.3, 4.0)]),
    "kve": (lambda v, x: mp.exp(x) * mp.besselk(v, x), 1, [(1.5, 0.7), (0.3, 4.0)]),
    "struve": (mp.struveh, 1, [(1.5, 0.7), (0.3, 4.0)]),
    "modstruve": (mp.struvel, 1, [(1.5, 0.7), (0.3, 4.0)]),
    "hyp0f1": (mp.hyp0f1, 1, [(1.5, 0.0), (2.3, -4.0)]),
    "hyp1f1": (mp.hyp1f1, 2, [(1.5, 2.2, 0.0), (0.3, 1.4, -4.0)]),
    "hyperu": (mp.hyperu, 2, [(1.5, 2.2, 0.7), (0.3, 1.4, 4.0)]),
    "hyp2f1": (mp.hyp2f1, 3, [(1.5, 2.2, 3.1, 0.0), (0.3, 1.4, 2.6, -4.0), (0.5, 0.5, 1.0, 0.6)]),
    "ellipk": (mp.ellipk, 0, [(0.0,), (0.05,), (0.6,), (-3.0,)]),
    "ellipkm1": (lambda p: mp.ellipk(1 - p), 0, [(1.0,), (0.3,), (0.01,)]),
    "ellipe": (mp.ellipe, 0, [(0.0,), (0.05,), (0.6,), (-3.0,)]),
    "ellipk_slope": (_ellipk_slope, 0, [(0.0,), (0.05,), (0.6,), (-3.0,)]),
    "ellipkm1_slope": (lambda p: -_ellipk_slope(1 - p), 0, [(1.0,), (0.3,), (0.01,)]),
    "ellipe_slope": (lambda m: -mp.pi / 8 * mp.hyp2f1(0.5, 1.5, 2, m), 0, [(0.0,), (0.05,), (0.6,), (-3.0,)]),
    "ellipkinc": (lambda phi, m: mp.ellipf(phi, m), 0, [(0.7, 0.4)]),
    "ellipeinc": (lambda phi, m: mp.ellipe(phi, m), 0, [(0.7, 0.4)]),
    "agm": (mp.agm, 0, [(1.0, 1.0), (0.4, 3.0), (2.0, 1.9), (3.0, 1e-3)]),
    "agm_slope": (
        lambda a, b: mp.diff(lambda x: mp.agm(x, b), a, h=mp.mpf(10) ** (-mp.mp.dps // 3)),
        0, [(1.0, 1.0), (0.4, 3.0), (2.0, 1.9), (3.0, 1e-3), (1.0, 2.0)],
    ),
    "sindg": (lambda x: mp.sin(mp.radians(x)), 0, [(30.0,)]),
    "cosdg": (lambda x: mp.cos(mp.radians(x)), 0, [(30.0,)]),
    "tandg": (lambda x: mp.tan(mp.radians(x)), 0, [(30.0,)]),
    "cotdg": (lambda x: mp.cot(mp.radians(x)), 0, [(30.0,)]),
    "zetac": (lambda x: mp.zeta(x) - 1, 0, [(3.5,), (-1.3,), (0.2,)]),
    "riemann_zeta": (mp.zeta, 0, [(3.5,), (-1.3,), (0.2,)]),
    "zeta": (mp.zeta, 1, [(2.5, 0.7), (4.0, 2.0)]),
    "airy_ai": (mp.airyai, 0, [(0.0,), (1.2,), (-3.0,)]),
    "airy_aip": (lambda x: mp.airyai(x, derivative=1), 0, [(0.0,), (1.2,), (-3.0,)]),
    "airy_bi": (mp.airybi, 0, [(0.0,), (1.2,), (-3.0,)]),
    "airy_bip": (lambda x: mp.airybi(x, derivative=1), 0, [(0.0,), (1.2,), (-3.0,)]),
    "airye_ai": (lambda x: _scaled(mp.airyai(x), x), 0, [(0.3,), (1.2,), (20.0,)]),
    "airye_aip": (lambda x: _scaled(mp.airyai(x, derivative=1), x), 0, [(0.3,), (1.2,), (20.0,)]),
    "airye_bi": (lambda x: _scaled(mp.airybi(x), -max(x, 0)), 0, [(0.3,), (1.2,), (-3.0,), (20.0,)]),
    "airye_bip": (lambda x: _scaled(mp.airybi(x, derivative=1), -max(x, 0)), 0, [(0.3,), (1.2,), (-3.0,)]),
    "ellipj_sn": (lambda u, m: mp.ellipfun("sn", u, m=m), 0, [(0.0, 0.3), (0.7, 0.4), (-2.3, 0.9)]),
    "ellipj_cn": (lambda u, m: mp.ellipfun("cn", u, m=m), 0, [(0.0, 0.3), (0.7, 0.4), (-2.3, 0.9)]),
    "ellipj_dn": (lambda u, m: mp.ellipfun("dn", u, m=m), 0, [(0.0, 0.3), (0.7, 0.4), (-2.3, 0.9)]),
    "ellipj_am": (lambda u, m: mp.asin(mp.ellipfun("sn", u, m=m)), 0, [(0.0, 0.3), (0.7, 0.4)]),
    "sici_si": (mp.si, 0, [(0.0,), (0.4,), (5.0,)]),
    "sici_ci": (mp.ci, 0, [(0.4,), (5.0,)]),
    "shichi_shi": (mp.shi, 0, [(0.0,), (0.4,), (5.0,)]),
    "shichi_chi": (mp.chi, 0, [(0.4,), (5.0,)]),
    "square_sine": (lambda x: mp.sinpi(x * x / 2), 0, [(0.0,), (0.7,), (-3.2,)]),
    "square_cosine": (lambda x: mp.cospi(x * x / 2), 0, [(0.0,), (0.7,), (-3.2,)]),
    "fresnel_s": (mp.fresnels, 0, [(0.0,), (0.7,)]),
    "fresnel_c": (mp.fresnelc, 0, [(0.0,), (0.7,)]),
    "xlogy": (lambda x, y: x * mp.log(y), 1, [(0.7, 2.3), (0.0, 0.4), (-1.2, 3.0)]),
    "xlog1py": (lambda x, y: x * mp.log1p(y), 1, [(0.7, 2.3), (0.0, 0.4), (-1.2, -0.3)]),
    "entr": (lambda x: -x * mp.log(x), 0, [(0.3,), (4.0,)]),
    "log_ratio": (lambda x, y: mp.log(x / y), 0, [(0.3, 0.7), (4.0, 3.9), (1.0, 2e5)]),
    "rel_entr": (lambda x, y: x * mp.log(x / y), 0, [(0.3, 0.7), (4.0, 3.9), (1.0, 1.0)]),
    "kl_div": (lambda x, y: x * mp.log(x / y) - x + y, 0, [(0.3, 0.7), (4.0, 3.9), (1.0, 1.0)]),
    "pseudo_huber": (
        lambda d, r: d * (mp.hypot(d, r) - d), 1, [(0.5, 0.0), (0.5, 2.0), (3.0, -0.1), (1.0, 1e-3)]
    ),
    "pseudo_huber_by_delta": (_huber_by_delta, 1, [(0.5, 0.0), (0.5, 2.0), (3.0, -0.1)]),
    "pseudo_huber_by_r": (lambda d, r: d * r / mp.hypot(d, r), 1, [(0.5, 0.0), (0.5, 2.0), (3.0, -0.1)]),
    "gamma_power": (_gamma_power, 2, _EXPONENTS),
    "log_gamma_power": (lambda *p: mp.log(_gamma_power(*p)), 2, _EXPONENTS),
    "beta_power": (_beta_power, 4, _POWERS),
    "log_beta_power": (lambda *p: mp.log(_beta_power(*p)), 4, _POWERS),
    "binomial_power": (_binomial_power, 4, _COUNTS),
    "log_binomial_power": (lambda *p: mp.log(_binomial_power(*p)), 4, _COUNTS),
    "log_beta": (lambda a, b: mp.log(mp.beta(a, b)), 1, [(0.3, 0.7), (2.0, 30.0), (1e4, 3.5)]),
    "sinc": (mp.sinc, 0, [(0.0,), (0.3,), (0.999,), (1.001,), (-7.0,)]),
    "sinc_slope": (_sinc_slope, 0, [(0.0,), (0.3,), (0.999,), (1.001,), (-7.0,)]),
    "sinc_series": (lambda x: _series(x, 3), 0, [(0.0,), (0.3,), (-0.9,)]),
    "sinc_series_slope": (lambda x: _series(x, 5), 0, [(0.0,), (0.3,), (-0.9,)]),
    "sincpi": (mp.sincpi, 0, [(0.0,), (0.1,), (0.3,), (0.35,), (-3.2,)]),
    "sincpi_reduced": (mp.sincpi, 0, [(0.0,), (0.1,), (0.3,), (0.35,), (-3.2,)]),
    "stdtrit": (_inverse(_student, _of_ufunc("stdtrit")), 1, [(2.5, 0.3), (4.0, 0.9)]),
    "gdtrib": (_gamma_shape, 1, [(1.0, 0.3, 2.0), (0.5, 0.8, 3.0)]),
    "tklmbda": (_root("tklmbda", _tukey), 0, [(0.4, 0.5), (-0.3, -0.7), (0.9, 0.14)]),
    "pdtrik": (_root("pdtrik", lambda k, p, m: 1 - _lower(k + 1, m) - p), 0, [(0.6, 3.0), (0.9, 1.5)]),
    "bdtrik": (
        _root("bdtrik", lambda k, y, n, p: 1 - _beta(k + 1, n - k, p) - y),
        0, [(0.6, 10.0, 0.4), (0.8, 5.0, 0.3)]
    ),
    "bdtrin": (
        _root("bdtrin", lambda n, k, y, p: 1 - _beta(k + 1, n - k, p) - y),
        1, [(3.0, 0.4, 0.3), (1.5, 0.7, 0.2)]
    ),
    "nbdtrik": (
        _root("nbdtrik", lambda k, y, n, p: _beta(n, k + 1, p) - y),
        0, [(0.6, 5.0, 0.4), (0.8, 2.0, 0.3)]
    ),
    "nbdtrin": (
        _root("nbdtrin", lambda n, k, y, p: _beta(n, k + 1, p) - y),
        1, [(3.0, 0.4, 0.3), (1.5, 0.7, 0.2)]
    ),
    "btdtria": (_beta_shape, 0, [(0.3, 2.0, 0.4), (0.8, 0.7, 0.6)]),
    "btdtrib": (
        lambda a, p, x: mp.findroot(
            lambda b: _beta(a, b, x) - p, mp.mpf(float(special.btdtrib(float(a), float(p), float(x))))
        ),
        1, [(2.0, 0.3, 0.4), (0.7, 0.8, 0.6)],
    ),
    "elliprf": (mp.elliprf, 0, [(0.3, 1.5, 0.8), (2.0, 2.0, 2.0), (1.0, 1.0, 30.0)]),
    "elliprg": (mp.elliprg, 0, [(0.3, 1.5, 0.8), (2.0, 2.0, 2.0), (1.0, 1.0, 30.0)]),
    "ber": (lambda x: mp.ber(0, x), 0, _AROUND_ONE),
    "bei": (lambda x: mp.bei(0, x), 0, _AROUND_ONE),
    "ker": (lambda x: mp.ker(0, x), 0, _AROUND_ONE[1:4]),
    "kei": (lambda x: mp.kei(0, x), 0, _AROUND_ONE[1:4]),
    "berp": (lambda x: (mp.ber(1, x) + mp.bei(1, x)) / _ROOT, 0, _AROUND_ONE),
    "beip": (lambda x: (mp.bei(1, x) - mp.ber(1, x)) / _ROOT, 0, _AROUND_ONE),
    "kerp": (lambda x: (mp.ker(1, x) + mp.kei(1, x)) / _ROOT, 0, _AROUND_ONE[1:4]),
    "keip": (lambda x: (mp.kei(1, x) - mp.ker(1, x)) / _ROOT, 0, _AROUND_ONE[1:4]),
    "itj0y0_j": (lambda x: x * mp.hyper([0.5], [1, 1.5], -x * x / 4), 0, _AROUND_ONE),
    "itj0y0_y": (lambda x: 2 / mp.pi * _series_of_logarithms(x, -1, 1), 0, _AROUND_ONE[1:4]),
    "it2j0y0_j": (lambda x: x * x / 8 * mp.hyper([1, 1], [2, 2, 2], -x * x / 4), 0, _AROUND_ONE),
    "it2j0y0_y": (
        lambda x: _FROM_ONE["y0"] + 2 / mp.pi * (
            _series_of_logarithms(mp.mpf(1), -1, 0) - _series_of_logarithms(x, -1, 0)
        ),
        0, _AROUND_ONE[1:4],
    ),
    "iti0k0_i": (lambda x: x * mp.hyper([0.5], [1, 1.5], x * x / 4), 0, _AROUND_ONE),
    "iti0k0_k": (lambda x: -_series_of_logarithms(x, 1, 1), 0, _AROUND_ONE[1:4]),
    "it2i0k0_i": (lambda x: x * x / 8 * mp.hyper([1, 1], [2, 2, 2], x * x / 4), 0, _AROUND_ONE),
    "it2i0k0_k": (
        lambda x: _FROM_ONE["k0"] - (
            _series_of_logarithms(mp.mpf(1), 1, 0) - _series_of_logarithms(x, 1, 0)
        ),
        0, _AROUND_ONE[1:4],
    ),
    "itstruve0": (lambda x: x * x / mp.pi * mp.hyper([1, 1], [1.5, 1.5, 2], -x * x / 4), 0, _AROUND_ONE),
    "it2struve0": (
        lambda x: mp.pi / 2 - 2 * x / mp.pi * mp.hyper([1, 0.5], [1.5, 1.5, 1.5], -x * x / 4), 0, _AROUND_ONE
    ),
    "itmodstruve0": (lambda x: x * x / mp.pi * mp.hyper([1, 1], [1.5, 1.5, 2], x * x / 4), 0, _AROUND_ONE),
    "itairy_ai": (lambda x: mp.airyai(x, derivative=-1), 0, _AROUND_ONE),
    "itairy_bi": (lambda x: mp.airybi(x, derivative=-1), 0, _AROUND_ONE),
    "itairy_ai_below": (lambda x: -mp.airyai(-x, derivative=-1), 0, _AROUND_ONE),
    "itairy_bi_below": (lambda x: -mp.airybi(-x, derivative=-1), 0, _AROUND_ONE),
    "besselpoly": (
        lambda a, lmb, nu: mp.quad(lambda x: x**lmb * mp.besselj(nu, 2 * a * x), [0, 1]),
        0, [(0.7, 0.0, 0.0), (1.5, 1.5, 2.0), (2.5, 0.5, 1.3)],
    ),
    "lpmv": (
        lambda m, v, x: mp.legenp(v, m, x, type=2), 2, [(0.0, 2.5, 0.3), (2.0, 4.5, -0.4), (3.0, 3.0, 0.2)]
    ),
    **_WAVES,
    "stdtridf": (_root("stdtridf", lambda df, p, t: _student(df, t) - p), 1, [(0.3, -0.6), (0.25, -0.9)]),
    "fdtridfd": (
        _root("fdtridfd", lambda dfd, dfn, p, x: _beta(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)) - p),
        1, [(3.0, 0.8, 2.0), (2.0, 0.7, 1.5)],
    ),
    "pbwa_w": (mp.pcfw, 1, _CYLINDERS),
    "pbwa_wp": (lambda a, x: mp.diff(lambda y: mp.pcfw(a, y), x), 1, _CYLINDERS),
    "pbdv_d": (mp.pcfd, 1, _CYLINDERS),
    "pbdv_dp": (lambda v, x: x / 2 * mp.pcfd(v, x) - mp.pcfd(v + 1, x), 1, _CYLINDERS),
    "pbvv_v": (lambda v, x: mp.pcfv(-v - mp.mpf(1) / 2, x), 1, _CYLINDERS),
    "pbvv_vp": (_cylinder_slope, 1, _CYLINDERS),
    "wright_bessel": (_wright, 2, [(0.5, 1.5, 2.0), (1.0, 2.0, 0.0), (0.0, 1.0, 3.0)]),
    "log_wright_bessel": (lambda *p: mp.log(_wright(*p)), 2, [(0.5, 1.5, 2.0), (1.0, 2.0, 3.0)]),
    "eval_legendre": (mp.legendre, 1, [(2.5, 0.3), (3.5, 0.9), (0.0, 0.3)]),
    "eval_chebyt": (mp.chebyt, 1, [(2.5, 0.3), (3.5, 0.9), (0.0, 0.3)]),
    "eval_chebyu": (mp.chebyu, 1, [(2.5, 0.3), (3.5, 0.9), (0.0, 0.3)]),
    "eval_gegenbauer": (mp.gegenbauer, 2, [(2.5, 1.5, 0.3), (3.5, 0.3, 0.9), (0.0, 0.7, 0.3)]),
    "eval_jacobi": (mp.jacobi, 3, [(2.5, 1.5, 0.3, 0.2), (3.5, 0.3, 0.7, 0.9)]),
    "eval_genlaguerre": (mp.laguerre, 2, [(2.5, 1.5, 0.3), (3.5, 0.3, 5.0), (0.0, 0.7, 0.3)]),
    "whole_eval_legendre": (mp.legendre, 1, [(7.0, 0.3), (2.0, -1.0), (0.0, 0.3), (-4.0, 0.3)]),
    "whole_eval_chebyt": (mp.chebyt, 1, [(7.0, 0.3), (2.0, -1.0), (0.0, 0.3), (-4.0, 0.3)]),
    "whole_eval_chebyu": (mp.chebyu, 1, [(7.0, 0.3), (2.0, -1.0), (0.0, 0.3), (-4.0, 0.3)]),
    "whole_eval_gegenbauer": (mp.gegenbauer, 2, [(7.0, 1.5, 0.3), (2.0, 0.3, -1.0), (0.0, 1.5, 0.3)]),
    "whole_eval_jacobi": (mp.jacobi, 3, [(7.0, 1.5, 0.3, 0.2), (2.0, 0.3, 0.7, -1.0), (0.0, 1.5, 0.3, 0.2)]),
    "whole_eval_genlaguerre": (mp.laguerre, 2, [(7.0, 1.5, 3.0), (2.0, 0.3, 0.0), (0.0, 1.5, 0.3)]),
    "whole_eval_hermite": (mp.hermite, 1, [(7.0, 0.3), (2.0, -1.0), (0.0, 0.3), (1.0, 0.0)]),
    "whole_eval_hermitenorm": (
        lambda n, x: mp.hermite(n, x / _ROOT) / mp.power(2, n / 2), 1, [(7.0, 0.3), (2.0, -1.0), (0.0, 0.3)]
    ),
    "sincpi_slope": (lambda x: mp.pi * _sinc_slope(mp.pi * x), 0, [(0.0,), (0.1,), (0.35,), (-3.2,)]),
}  # fmt: skip
"""The functions by name, the argument that is differentiated in, and points."""

OF_SHAPES = {
    "stdtridf",
    "fdtridfd",
    "gdtrib",
    "btdtria",
    "btdtrib",
    "pdtrik",
    "bdtrik",
    "bdtrin",
    "nbdtrik",
    "nbdtrin",
}
"""Functions whose values are shapes: each order integrates once more over the density, so two are tested."""

ROUGH = {name for name in SPECIAL_FUNCTIONS if name.startswith("itairy")}
"""Functions whose values have few digits in SciPy, such as 3 of the integral of Ai up to 6."""

VALUES = {"mathieu_a", "mathieu_b"}
"""Characteristic values, which have derivatives where orders are known: `tests/sweep` has them."""

OF_RELATED = {"unit", "lambert_w_slope", "lambert_w_lower_slope"}
"""Functions whose last argument is made of the others: `tests/sweep` has `hypot` and `lambertw`."""


def scipys(name: str) -> Callable[..., Any]:
    """A special function as users call it."""
    known = SPECIAL_FUNCTIONS[name]
    if not known.ufunc or known.is_of_whole or known.ufunc in OF_KNOWN_ORDERS:
        return lambda *args: called(name, *args)
    ufunc = special_ufunc(known.ufunc)
    if known.ufunc in RESULTS_OF:
        return lambda *args: ufunc(*args)[known.output]
    if name in ("zeta", "riemann_zeta"):
        return lambda *args: special.zeta(*args)
    return ufunc


def called(name: str, *args: Any) -> Any:
    """A special function by its op."""
    arrays = np.broadcast_arrays(*map(as_array, args))
    return made(traced_special(emitting(), name, *(a.value for a in arrays)))


def derivatives(name: str, k: int, points: np.ndarray, orders: int, **options: Any) -> list[np.ndarray]:
    """The value and the derivatives in argument k, at all points."""

    def along(x: Any, level: int) -> Any:
        arguments = [points[:, j] if j != k else x for j in range(points.shape[1])]
        if not level:
            return scipys(name)(*arguments)
        return ad.jvp(lambda z: along(z, level - 1), (x,), (np.ones(len(points)),))[1]

    every = ad.jit(lambda x: tuple(along(x, level) for level in range(orders + 1)), **options)
    return [np.asarray(v) for v in every(points[:, k].copy())]


def test_every_function_is_here():
    assert set(CASES) | OF_RELATED | VALUES == set(SPECIAL_FUNCTIONS) == set(SPECIAL_DERIVATIVES)
    for name, known in SPECIAL_FUNCTIONS.items():
        assert len(SPECIAL_DERIVATIVES[name]) == known.arity
        if known.ufunc_of_complex:
            loop = special_ufunc(known.ufunc_of_complex)
            assert (loop.nin, loop.nout) == (known.arity - 1, known.outputs)
            assert name in OWN_FUNCTIONS
            continue
        assert known.ufunc or (name in DEFINITIONS and name in OWN_FUNCTIONS)
        own = (
            special_ufunc(known.ufunc) if known.ufunc else np.frompyfunc(OWN_FUNCTIONS[name], known.arity, 1)
        )
        assert (own.nin, own.nout) == (known.arity, known.outputs)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_orders_up_to_three(name):
    exact, k, points = CASES[name]
    table = np.array(points, float)
    found = derivatives(name, k, table, 2 if name in OF_SHAPES else 3, interpret=True)
    with mp.workdps(40):
        for level, values in enumerate(found):
            for value, point in zip(values, points, strict=True):
                arguments = [mp.mpf(p) for p in point]

                def along(x: Any, arguments: list[Any] = arguments) -> Any:
                    return exact(*arguments[:k], x, *arguments[k + 1 :])

                step = {"h": mp.mpf(10) ** -8} if level else {}
                want = mp.diff(along, arguments[k], level, **step) if level else along(arguments[k])
                atol = 1e-3 if name in ROUGH and not level else 1e-11
                np.testing.assert_allclose(
                    value, float(want), rtol=1e-7, atol=atol, err_msg=f"order {level} at {point}"
                )


OTHERS = [
    (name, k)
    for name, formulas in SPECIAL_DERIVATIVES.items()
    for k, formula in enumerate(formulas)
    if name in CASES and formula is not None and k != CASES[name][1]
]
"""The other arguments that a function is differentiated in."""


@pytest.mark.parametrize("case", OTHERS, ids=str)
def test_the_other_arguments(case: tuple[str, int]) -> None:
    """NaN by orders where a function of an order nearby is complex."""
    name, k = case
    exact, _, points = CASES[name]
    table = np.array(points, float)
    found = derivatives(name, k, table, 2, interpret=True)
    with mp.workdps(40):
        for level, values in enumerate(found):
            for value, point in zip(values, points, strict=True):
                x = [mp.mpf(p) for p in point]
                orders = tuple(level if j == k else 0 for j in range(len(x)))
                want = mp.diff(exact, tuple(x), orders, h=mp.mpf(10) ** -8) if level else exact(*x)
                if isinstance(want, mp.mpc) and want.imag:
                    assert np.isnan(value)
                else:
                    np.testing.assert_allclose(value, float(mp.re(want)), rtol=1e-7, atol=1e-11)


def test_what_has_no_derivative_is_named():
    for name, formulas in SPECIAL_DERIVATIVES.items():
        for k, formula in enumerate(formulas):
            if formula is None:
                parameter = SPECIAL_FUNCTIONS[name].parameters[k]
                points = np.full((1, len(formulas)), 0.5)
                with pytest.raises(DifferentiationError, match=rf"no derivative in {parameter}") as error:
                    derivatives(name, k, points, 1, interpret=True)
                assert "stop_gradient" in error.value.hint


def test_a_constant_order_is_no_obstacle():
    gradient = ad.grad(lambda v, x: scipys("jv")(ad.stop_gradient(v), x), argnums=(0, 1))(1.5, 2.0)
    assert gradient[0] == 0
    np.testing.assert_allclose(gradient[1], float(mp.besselj(1.5, 2.0, derivative=1)), rtol=1e-13)


def test_elliptic_integrals_are_steep_at_their_poles():
    slopes = [ad.grad(f, interpret=True)(end) for f, end in ((special.ellipk, 1.0), (special.ellipkm1, 0.0))]
    assert slopes == [np.inf, -np.inf]


def test_densities_are_zero_at_infinity():
    assert ad.grad(lambda x: special.gammainc(2.5, x), interpret=True)(np.inf) == 0.0
    assert ad.grad(lambda y: special.gammaincinv(2.5, y), interpret=True)(1.0) == np.inf


def test_means_of_numbers_far_apart():
    slope = ad.grad(special.agm, interpret=True)(1e-10, 1.0)
    with mp.workdps(60):
        want = mp.diff(lambda a: mp.agm(a, 1), mp.mpf(10) ** -10, h=mp.mpf(10) ** -30)
    np.testing.assert_allclose(slope, float(want), rtol=1e-12)


POINTS = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7.0, 1e-9, 1e-200, 1e200, -1e200, np.inf, -np.inf]


LEVELS, SHAPES, SHARES = [0.0, 1.0], [1.0, 2.5, 7.0, 40.0], [0.0, 1e-200, 0.3, 0.999, 1.0]

DOMAINS = {
    "gamma_power": (LEVELS, [0.3, *SHAPES, 100.0], [0.0, 1e-200, 0.7, 2.0, 90.0, np.inf]),
    "beta_power": (LEVELS, LEVELS, [0.3, *SHAPES], [0.3, *SHAPES, 80.0], SHARES),
    "binomial_power": (LEVELS, LEVELS, [0.0, 1.0, 2.0, 30.0], [0.0, 1.0, 5.0, 70.0], SHARES),
    "log_beta": ([1e-9, 0.3, *SHAPES], [1e-9, 0.3, *SHAPES]),
}
_ZETA = ([2.0, 3.0, 6.0], [1e-3, 0.3, 1.0, 2.5, 40.0, 1e9], [0.0, 1e-9, -1.0, 2.5, 1e9])
DOMAINS |= {f"complex_zeta_{part}": _ZETA for part in ("real", "imag")}
DOMAINS |= {f"log_{name}": domain for name, domain in DOMAINS.items() if "power" in name}
"""The points for functions that are defined for positive shapes alone, or whole orders above 1."""


def arguments_of(name: str) -> list[np.ndarray]:
    """Points of the domain of a function, with the infinite ones."""
    if name in DOMAINS:
        return [v.ravel() for v in np.meshgrid(*DOMAINS[name])]
    inner = [x for x in POINTS if abs(x) <= 1] if "series" in name else POINTS
    if name == "log_ratio":
        inner = [x for x in POINTS if x > 0]
    arity = SPECIAL_FUNCTIONS[name].arity
    columns = [v.ravel() for v in np.meshgrid(*[inner] * (2 if name == "unit" else arity))]
    return [*columns, np.hypot(*columns)] if name == "unit" else columns


@pytest.mark.parametrize("name", DEFINITIONS)
def test_formulas_compute_the_function(name):
    """Also at infinity; NaN comes out of NaN. Where SciPy has a value at all, as its quotients overflow."""
    for dtype in (np.float64, np.float32):
        with np.errstate(over="ignore"):
            given = [c.astype(dtype) for c in arguments_of(name)]
        want = np.asarray(SCALARS["special"](*given, function=name))
        found = np.asarray(ad.jit(lambda *args: called(name, *args))(*given))
        known = np.isfinite(want)
        rtol, atol = (1e-13, 1e-14) if dtype is np.float64 else (1e-5, 1e-5)
        np.testing.assert_allclose(found[known], want[known], rtol=rtol, atol=atol)
        nans = [np.full(1, np.nan, dtype)] * len(given)
        assert np.isnan(np.asarray(ad.jit(lambda *args: called(name, *args))(*nans))).all()


def test_derivatives_of_what_is_chosen_in_no_way_are_0() -> None:
    """binom(n, 0) is 1, so no rounding is left of its derivatives by n; these have derivatives by k."""
    n = np.array([-2.7, -1.5, -0.9, -0.3, -7.5e-10, -1.5e-11, -0.0, 0.0, 1e-300, 0.4, 1.0, 5.5, 1e10, np.inf])
    none = np.zeros_like(n)

    def first(n: Any, k: Any) -> Any:
        return ad.grad(lambda n: np.sum(special.binom(n, k)))(n)

    np.testing.assert_array_equal(first(n, none), none)
    np.testing.assert_array_equal(ad.jvp(lambda n: first(n, none), (n,), (none + 1,))[1], none)
    some = n[:4]
    mixed = ad.jvp(lambda k: first(some, k), (0 * some,), (np.ones(4),))[1]
    np.testing.assert_allclose(mixed, special.polygamma(1, some + 1), rtol=1e-9)
