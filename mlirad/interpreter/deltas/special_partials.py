"""Partial derivatives of the special functions, as numbers, by the derivatives that SciPy has, or textbooks.

    special_partials("jv", (v, x), r)      (NaN, scipy.special.jvp(v, x))

The factor of a parameter without a derivative is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, sqrt
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.dialects.array.special_values import special_values
from mlirad.float_modes import silent
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.deltas.complex_partials import COMPLEX_PARTIALS
from mlirad.interpreter.deltas.family_partials import FAMILY_PARTIALS


class _Special:
    """Ufuncs of `scipy.special` by attribute, imported when called for; several results are a sequence."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def function(*operands: Any) -> Any:
            found = special_values(name, *map(np.asarray, operands))
            return found[0] if len(found) == 1 else found

        return function


_s = _Special()


@silent
def special_partials(function: str, operands: Sequence[Array], result: Array) -> tuple[Array, ...]:
    """A factor per operand of a function of `mlirad.dialects.array.special_functions`."""
    found = cast("Callable[..., _Found]", _PARTIALS[function])(*operands, result)
    last = found if isinstance(found, tuple) else (found,)
    missing = np.full_like(result, np.nan)
    return (*[missing] * (len(operands) - len(last)), *last)


def _gamma_density(a: Array, x: Array) -> Array:
    return np.exp(_s.xlogy(a - 1, x) - x - _s.gammaln(a))


def _beta_density(a: Array, b: Array, x: Array) -> Array:
    return np.power(x, a - 1) * np.power(1 - x, b - 1) / _s.beta(a, b)


def _normal(x: Array) -> Array:
    return np.exp(-x * x / 2) / sqrt(2 * pi)


def _digamma_differences(a: Array, b: Array) -> tuple[Array, Array]:
    return _s.psi(a) - _s.psi(a + b), _s.psi(b) - _s.psi(a + b)


def _log_powers(i: Array, j: Array, a: Array, b: Array, x: Array, less: float) -> tuple[Array, ...]:
    """The slopes of the logarithm of x^(a - 1 - i) (1 - x)^(b - 1 - j) / beta(a, b) / (a + b - 1)^less."""
    by_a, by_b = (d + less / (a + b - 1) for d in _digamma_differences(a, b))
    first, second = np.log(x), np.log1p(-x)
    by_x = (a - 1 - i) / x - (b - 1 - j) / (1 - x)
    return -first, -second, first - by_a, second - by_b, by_x


def _log_gamma_power(j: Array, a: Array, x: Array) -> tuple[Array, ...]:
    return -np.log(x), np.log(x) - _s.psi(a), (a - 1 - j) / x - 1


def _times(slopes: tuple[Array, ...], r: Array) -> tuple[Array, ...]:
    return tuple(slope * r for slope in slopes)


def _beta(a: Array, b: Array, r: Array) -> tuple[Array, Array]:
    by_a, by_b = _digamma_differences(a, b)
    return r * by_a, r * by_b


def _log_ndtr(x: Array) -> Array:
    tail: Array = sqrt(2 / pi) / _s.erfcx(-x / sqrt(2))
    return np.where(x > -5, _normal(x) / _s.ndtr(x), tail)


def _rgamma(x: Array, r: Array) -> Array:
    whole = (x <= 0) & (x == np.floor(x))
    inside: Array = -_s.psi(np.where(whole, 0.5, x)) * r
    return np.where(whole, np.cos(pi * x) * _s.gamma(1 - x), inside)


def _expn(n: Array, x: Array, r: Array) -> Array:
    return np.where(n == 0, -np.exp(-x) * (1 / x + 1 / x**2), -_s.expn(np.maximum(n - 1, 0), x))


def _boxcox(x: Array, lmbda: Array, r: Array) -> tuple[Array, Array]:
    power = np.power(x, lmbda)
    logarithm = np.log(x)
    safe = np.where(lmbda == 0, 1.0, lmbda)
    by_lmbda = np.where(lmbda == 0, logarithm**2 / 2, (power * logarithm - r) / safe)
    return power / x, by_lmbda


def _inv_boxcox(y: Array, lmbda: Array, r: Array) -> tuple[Array, Array]:
    base = 1 + lmbda * y
    safe = np.where(lmbda == 0, 1.0, lmbda)
    other = r * (y / (safe * base) - np.log(base) / safe**2)
    return r / base, np.where(lmbda == 0, -r * y * y / 2, other)


def _slope(f: Callable[[Array], Array], h: Array) -> Array:
    """The derivative at 0, by values at 0, h and 2 h and their negatives."""
    return (8 * (f(h) - f(-h)) - f(2 * h) + f(-2 * h)) / (12 * h)


def _agm(a: Array, b: Array, r: Array) -> tuple[Array, Array]:
    # the derivatives are homogeneous of degree 0, and the step is small enough for 1e-9
    h = 1e-3 * np.minimum(a, b)
    return _slope(lambda d: _s.agm(a + d, b), h), _slope(lambda d: _s.agm(a, b + d), h)


def _agm_curvature(a: Array, b: Array, s: Array) -> tuple[Array, Array]:
    """By a, and by b, as the slope is homogeneous of degree 0."""
    h = 1e-2 * np.minimum(a, b)
    agm, sides = _s.agm, (1, -1)
    near, far = (sum(agm(a + side * k * h, b) for side in sides) for k in (1, 2))
    found = (16 * near - far - 30 * agm(a, b)) / (12 * h * h)
    return found, -found * a / b


def _by_shapes(name: str, *shapes: Array, x: Array) -> tuple[Array, ...]:
    """The derivatives in each shape, by differences of values, accurate to some 1e-9."""
    function = getattr(_s, name)

    def by(k: int) -> Array:
        def moved(d: Array) -> Array:
            return function(*(s + d if j == k else s for j, s in enumerate(shapes)), x)

        return _slope(moved, 1e-3 * shapes[k])

    return tuple(by(k) for k in range(len(shapes)))


def _by_each(name: str, *operands: Array, which: Sequence[int] = (0,), output: int = -1) -> tuple[Array, ...]:
    """The derivatives in some arguments, which may be 0, by differences of values, accurate to some 1e-9."""
    function = getattr(_s, name)

    def by(k: int) -> Array:
        def moved(d: Array) -> Array:
            found = function(*(x + d if j == k else x for j, x in enumerate(operands)))
            return found if output < 0 else found[output]

        return _slope(moved, np.full_like(operands[k], 1e-3))

    return tuple(by(k) for k in which)


def _ellipk_slope(m: Array) -> Array:
    safe = np.where(m == 0, 0.5, m)
    other = (_s.ellipe(safe) - (1 - safe) * _s.ellipk(safe)) / (2 * safe * (1 - safe))
    return np.where(np.abs(m) < 1e-3, pi / 8 * (1 + 9 / 8 * m + 75 / 64 * m**2), other)


def _ellipe_slope(m: Array) -> Array:
    safe = np.where(m == 0, 0.5, m)
    other = (_s.ellipe(safe) - _s.ellipk(safe)) / (2 * safe)
    return np.where(np.abs(m) < 1e-3, -pi / 8 * (1 + 3 / 8 * m + 15 / 64 * m**2), other)


def _ellipj(u: Array, m: Array, first: int, second: int) -> Array:
    found = _s.ellipj(u, m)
    return found[first] * found[second]


def _ellipk_curvature(m: Array) -> Array:
    safe = np.where(m == 0, 0.5, m)
    other = (_s.ellipk(safe) / 4 - (1 - 2 * safe) * _ellipk_slope(safe)) / (safe * (1 - safe))
    return np.where(np.abs(m) < 1e-3, 9 * pi / 64 * (1 + 25 / 12 * m + 1225 / 384 * m**2), other)


def _ellipe_curvature(m: Array) -> Array:
    safe = np.where(m == 0, 0.5, m)
    other = -(_ellipe_slope(safe) + _ellipk_slope(safe)) / (2 * safe)
    return np.where(np.abs(m) < 1e-3, -3 * pi / 64 * (1 + 5 / 4 * m + 175 / 128 * m**2), other)


def _f_density(dfn: Array, dfd: Array, x: Array) -> Array:
    """The density of the F distribution."""
    total = dfd + dfn * x
    return _beta_density(dfn / 2, dfd / 2, dfn * x / total) * dfn * dfd / total**2


def _lambert_curvature(x: Array, w: Array, s: Array) -> tuple[Array, Array]:
    """By x, along which w changes, too."""
    return -(w + 2) / (w + 1) * s * s, np.zeros_like(s)


def _spence(x: Array, r: Array) -> Array:
    return np.where(x == 1, -1.0, np.log(x) / (1 - np.where(x == 1, 0.0, x)))


def _ratio(numerator: Callable[[Array], Array], x: Array) -> Array:
    return np.where(x == 0, 1.0, numerator(x) / np.where(x == 0, 1.0, x))


def _neighbours(name: str, v: Array | float, x: Array, weight: float) -> Array:
    function = getattr(_s, name)
    return (function(v - 1, x) + weight * function(v + 1, x)) / 2


def _by_recurrence(name: str, sign: float, v: Array | float, x: Array) -> Array:
    """The derivative of a Bessel function as sign f_(v + 1) + v / x f_v; at 0 from both neighbours."""
    function = getattr(_s, name)
    safe = np.where(x == 0, 1.0, x)
    weight = -1.0 if name in ("jv", "yv") else 1.0
    overall = -1.0 if name == "kv" else 1.0
    at_zero = overall * _neighbours(name, v, x, weight)
    return np.where(x == 0, at_zero, sign * function(np.add(v, 1), x) + v / safe * function(v, x))


def _scaled(name: str, v: Array | float, x: Array) -> Array:
    """The derivative of a Bessel function that is scaled by an exponential."""
    if name == "kve":
        return _s.kve(v, x) - _neighbours(name, v, x, 1.0)
    return _neighbours(name, v, x, 1.0) - np.sign(x) * getattr(_s, name)(v, x)


def _struve(name: str, weight: float, v: Array, x: Array) -> Array:
    term = np.power(x / 2, v) * _s.rgamma(v + 1.5) / sqrt(pi)
    return _neighbours(name, v, x, weight) + term / 2


def _pseudo_huber_curvatures(d: Array, r: Array) -> tuple[Array, Array, Array]:
    """By delta twice, mixed, by r twice."""
    size = np.hypot(d, r)
    return (2 * d * (d * d + 1.5 * r * r)) / size**3 - 2, (r / size) ** 3, (d / size) ** 3


def _bessel_quotient(n: int, x: Array) -> Array:
    """The spherical Bessel function of order n over x^n."""
    return _s.hyp0f1(n + 1.5, -x * x / 4) / np.prod(np.arange(1.0, 2 * n + 2, 2))


def _height(phi: Array, m: Array) -> Array:
    return np.sqrt(1 - m * np.sin(phi) ** 2)


def _erfcx(x: Array, r: Array) -> Array:
    far = -1 / sqrt(pi) / x**2 * (1 - 3 / 2 / x**2 + 15 / 4 / x**4 - 105 / 8 / x**6)
    return np.where(x > 50, far, 2 * x * r - 2 / sqrt(pi))


def _dawsn(x: Array, r: Array) -> Array:
    far = -1 / 2 / x**2 * (1 + 3 / 2 / x**2 + 15 / 4 / x**4 + 105 / 8 / x**6)
    return np.where(np.abs(x) > 50, far, 1 - 2 * x * r)


def _powm1(x: Array, y: Array, r: Array) -> tuple[Array, Array]:
    by_exponent = np.where((x == 0) & (y > 0), 0.0, np.power(x, y) * np.log(x))
    return np.where(y == 0, 0.0, y * np.power(x, y - 1)), by_exponent


_DEGREE = pi / 180

_Found: TypeAlias = Array | tuple[Array, ...]
_Partials: TypeAlias = (
    Callable[[Array, Array], _Found]
    | Callable[[Array, Array, Array], _Found]
    | Callable[[Array, Array, Array, Array], _Found]
    | Callable[[Array, Array, Array, Array, Array], _Found]
    | Callable[[Array, Array, Array, Array, Array, Array], _Found]
)

_PARTIALS: dict[str, _Partials] = {
    **FAMILY_PARTIALS,
    "gamma": lambda x, r: r * _s.psi(x),
    "rgamma": _rgamma,
    "beta": _beta,
    "betaln": lambda a, b, r: _digamma_differences(a, b),
    "binom": lambda n, k, r: (
        r * (_s.psi(n + 1) - _s.psi(n - k + 1)),
        r * (_s.psi(n - k + 1) - _s.psi(k + 1)),
    ),
    "poch": lambda z, m, r: (r * (_s.psi(z + m) - _s.psi(z)), r * _s.psi(z + m)),
    "gammainc": lambda a, x, r: (*_by_shapes("gammainc", a, x=x), _gamma_density(a, x)),
    "gammaincc": lambda a, x, r: (*_by_shapes("gammaincc", a, x=x), -_gamma_density(a, x)),
    "gammaincinv": lambda a, y, r: (*_by_shapes("gammaincinv", a, x=y), 1 / _gamma_density(a, r)),
    "gammainccinv": lambda a, y, r: (*_by_shapes("gammainccinv", a, x=y), -1 / _gamma_density(a, r)),
    "betainc": lambda a, b, x, r: (*_by_shapes("betainc", a, b, x=x), _beta_density(a, b, x)),
    "betaincc": lambda a, b, x, r: (*_by_shapes("betaincc", a, b, x=x), -_beta_density(a, b, x)),
    "betaincinv": lambda a, b, y, r: (*_by_shapes("betaincinv", a, b, x=y), 1 / _beta_density(a, b, r)),
    "betainccinv": lambda a, b, y, r: (*_by_shapes("betainccinv", a, b, x=y), -1 / _beta_density(a, b, r)),
    "log_ndtr": lambda x, r: _log_ndtr(x),
    "ndtri": lambda p, r: 1 / _normal(r),
    "ndtri_exp": lambda y, r: np.exp(y) / _normal(r),
    "stdtr": lambda df, t, r: (
        *_by_shapes("stdtr", df, x=t),
        np.power(1 + t * t / df, -(df + 1) / 2) / (np.sqrt(df) * _s.beta(df / 2, 0.5)),
    ),
    "fdtr": lambda m, n, x, r: (*_by_shapes("fdtr", m, n, x=x), _f_density(m, n, x)),
    "fdtrc": lambda m, n, x, r: (*_by_shapes("fdtrc", m, n, x=x), -_f_density(m, n, x)),
    "erfcinv": lambda x, r: -sqrt(pi) / 2 * np.exp(r**2),
    "erfcx": _erfcx,
    **COMPLEX_PARTIALS,
    "erfi": lambda x, r: 2 / sqrt(pi) * np.exp(x * x),
    "dawsn": _dawsn,
    "owens_t": lambda h, a, r: (
        -_normal(h) * _s.erf(a * h / sqrt(2)) / 2,
        np.exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2)),
    ),
    "expi": lambda x, r: np.exp(x) / x,
    "exp1": lambda x, r: -np.exp(-x) / x,
    "exp_over": lambda x, r: r * (1 - 1 / x),
    "expn": _expn,
    "exprel": lambda x, r: np.where(
        np.abs(x) < 1e-2,
        0.5 + x / 3 + x**2 / 8 + x**3 / 30 + x**4 / 144,
        (np.exp(x) - r) / np.where(x == 0, 1.0, x),
    ),
    "cosm1": lambda x, r: -np.sin(x),
    "powm1": _powm1,
    "spence": _spence,
    "spence_slope": lambda x, r: (1 / x + r) / (1 - x),
    "lambert_w": lambda x, w: np.exp(-w) / (1 + w),
    "lambert_w_lower": lambda x, w: np.exp(-w) / (1 + w),
    "lambert_w_slope": _lambert_curvature,
    "lambert_w_lower_slope": _lambert_curvature,
    "wrightomega": lambda x, r: r / (1 + r),
    "boxcox": _boxcox,
    "boxcox1p": lambda x, lmbda, r: _boxcox(1 + x, lmbda, r),
    "inv_boxcox": _inv_boxcox,
    "inv_boxcox1p": lambda y, lmbda, r: _inv_boxcox(y, lmbda, 1 + r),
    "j0": lambda x, r: -_s.j1(x),
    "j1": lambda x, r: _by_recurrence("jv", -1.0, 1.0, x),
    "jv": lambda v, x, r: (*_by_each("jv", v, x), _by_recurrence("jv", -1.0, v, x)),
    "y0": lambda x, r: -_s.y1(x),
    "y1": lambda x, r: _by_recurrence("yv", -1.0, 1.0, x),
    "yn": lambda n, x, r: _by_recurrence("yv", -1.0, n, x),
    "yv": lambda v, x, r: (*_by_each("yv", v, x), _by_recurrence("yv", -1.0, v, x)),
    "i0": lambda x, r: _s.i1(x),
    "i0e": lambda x, r: _scaled("ive", 0.0, x),
    "i1": lambda x, r: _by_recurrence("iv", 1.0, 1.0, x),
    "i1e": lambda x, r: _scaled("ive", 1.0, x),
    "iv": lambda v, x, r: (*_by_each("iv", v, x), _by_recurrence("iv", 1.0, v, x)),
    "ive": lambda v, x, r: (*_by_each("ive", v, x), _scaled("ive", v, x)),
    "k0": lambda x, r: -_s.k1(x),
    "k0e": lambda x, r: _scaled("kve", 0.0, x),
    "k1": lambda x, r: _by_recurrence("kv", -1.0, 1.0, x),
    "k1e": lambda x, r: _scaled("kve", 1.0, x),
    "kn": lambda n, x, r: _by_recurrence("kv", -1.0, n, x),
    "kv": lambda v, x, r: (*_by_each("kv", v, x), _by_recurrence("kv", -1.0, v, x)),
    "kve": lambda v, x, r: (*_by_each("kve", v, x), _scaled("kve", v, x)),
    "struve": lambda v, x, r: _struve("struve", -1.0, v, x),
    "modstruve": lambda v, x, r: _struve("modstruve", 1.0, v, x),
    "hyp0f1": lambda b, x, r: (*_by_each("hyp0f1", b, x), _s.hyp0f1(b + 1, x) / b),
    "hyp1f1": lambda a, b, x, r: (
        *_by_each("hyp1f1", a, b, x, which=(0, 1)),
        a / b * _s.hyp1f1(a + 1, b + 1, x),
    ),
    "hyperu": lambda a, b, x, r: (
        *_by_each("hyperu", a, b, x, which=(0, 1)),
        -a * _s.hyperu(a + 1, b + 1, x),
    ),
    "hyp2f1": lambda a, b, c, x, r: (
        *_by_each("hyp2f1", a, b, c, x, which=(0, 1, 2)),
        a * b / c * _s.hyp2f1(a + 1, b + 1, c + 1, x),
    ),
    "ellipk": lambda m, r: _ellipk_slope(m),
    "ellipkm1": lambda p, r: -_ellipk_slope(1 - p),
    "ellipe": lambda m, r: _ellipe_slope(m),
    "ellipk_slope": lambda m, r: _ellipk_curvature(m),
    "ellipkm1_slope": lambda p, r: _ellipk_curvature(1 - p),
    "ellipe_slope": lambda m, r: _ellipe_curvature(m),
    "ellipkinc": lambda phi, m, r: (1 / _height(phi, m), *_by_each("ellipkinc", phi, m, which=(1,))),
    "ellipeinc": lambda phi, m, r: (_height(phi, m), *_by_each("ellipeinc", phi, m, which=(1,))),
    "agm": _agm,
    "agm_slope": _agm_curvature,
    "sindg": lambda x, r: _DEGREE * np.cos(np.deg2rad(x)),
    "cosdg": lambda x, r: -_DEGREE * np.sin(np.deg2rad(x)),
    "tandg": lambda x, r: _DEGREE / np.cos(np.deg2rad(x)) ** 2,
    "cotdg": lambda x, r: -_DEGREE / np.sin(np.deg2rad(x)) ** 2,
    "zetac": lambda x, r: _by_each("zetac", x),
    "zeta": lambda x, q, r: (*_by_each("_zeta", x, q), -x * _s._zeta(x + 1, q)),
    "riemann_zeta": lambda x, r: _by_each("_riemann_zeta", x),
    "airy_ai": lambda x, r: _s.airy(x)[1],
    "airy_aip": lambda x, r: x * _s.airy(x)[0],
    "airy_bi": lambda x, r: _s.airy(x)[3],
    "airy_bip": lambda x, r: x * _s.airy(x)[2],
    "airye_ai": lambda x, r: _s.airye(x)[1] + np.sqrt(x) * r,
    "airye_aip": lambda x, r: x * _s.airye(x)[0] + np.sqrt(x) * r,
    "airye_bi": lambda x, r: _s.airye(x)[3] - np.sqrt(np.maximum(x, 0)) * r,
    "airye_bip": lambda x, r: x * _s.airye(x)[2] - np.sqrt(np.maximum(x, 0)) * r,
    "ellipj_sn": lambda u, m, r: (_ellipj(u, m, 1, 2), *_by_each("ellipj", u, m, which=(1,), output=0)),
    "ellipj_cn": lambda u, m, r: (-_ellipj(u, m, 0, 2), *_by_each("ellipj", u, m, which=(1,), output=1)),
    "ellipj_dn": lambda u, m, r: (-m * _ellipj(u, m, 0, 1), *_by_each("ellipj", u, m, which=(1,), output=2)),
    "ellipj_am": lambda u, m, r: (_s.ellipj(u, m)[2], *_by_each("ellipj", u, m, which=(1,), output=3)),
    "sici_si": lambda x, r: _ratio(np.sin, x),
    "sici_ci": lambda x, r: np.cos(x) / x,
    "shichi_shi": lambda x, r: _ratio(np.sinh, x),
    "shichi_chi": lambda x, r: np.cosh(x) / x,
    "gamma_power": lambda j, a, x, r: _times(_log_gamma_power(j, a, x), r),
    "log_gamma_power": lambda j, a, x, r: _log_gamma_power(j, a, x),
    "beta_power": lambda i, j, a, b, x, r: _times(_log_powers(i, j, a, b, x, 0.0), r),
    "log_beta_power": lambda i, j, a, b, x, r: _log_powers(i, j, a, b, x, 0.0),
    "binomial_power": lambda i, j, k, m, x, r: _times(_log_powers(i, j, k + 1, m + 1, x, 1.0), r),
    "log_binomial_power": lambda i, j, k, m, x, r: _log_powers(i, j, k + 1, m + 1, x, 1.0),
    "log_beta": lambda a, b, r: _digamma_differences(a, b),
    "square_sine": lambda x, r: pi * x * np.cos(pi * x**2 / 2),
    "square_cosine": lambda x, r: -pi * x * np.sin(pi * x**2 / 2),
    "fresnel_s": lambda x, r: np.sin(pi * x**2 / 2),
    "fresnel_c": lambda x, r: np.cos(pi * x**2 / 2),
    "xlogy": lambda x, y, r: (np.log(y), x / y),
    "xlog1py": lambda x, y, r: (np.log1p(y), x / (1 + y)),
    "entr": lambda x, r: -np.log(x) - 1,
    "log_ratio": lambda x, y, r: (1 / x, -1 / y),
    "rel_entr": lambda x, y, r: (np.log(x / y) + 1, -x / y),
    "kl_div": lambda x, y, r: (np.log(x / y), 1 - x / y),
    "unit": lambda x, y, r, u: (y * y / r**3, -x * y / r**3, np.zeros_like(u)),
    "pseudo_huber": lambda d, r, f: (2 * f / d - f / np.hypot(d, r), r * d / np.hypot(d, r)),
    "pseudo_huber_by_delta": lambda d, r, f: _pseudo_huber_curvatures(d, r)[:2],
    "pseudo_huber_by_r": lambda d, r, f: _pseudo_huber_curvatures(d, r)[1:],
    "sinc": lambda x, r: _bessel_quotient(1, x) * -x,
    "sinc_slope": lambda x, r: x * x * _bessel_quotient(2, x) - _bessel_quotient(1, x),
    "sinc_series": lambda x, r: _bessel_quotient(2, x) * -x,
    "sinc_series_slope": lambda x, r: _bessel_quotient(3, x) * -x,
    "sincpi": lambda x, r: _bessel_quotient(1, pi * x) * (-pi * pi * x),
    "sincpi_reduced": lambda x, r: _bessel_quotient(1, pi * x) * (-pi * pi * x),
    "sincpi_slope": lambda x, r: -pi * pi * np.sinc(x) + 2 * pi * pi * _bessel_quotient(1, pi * x),
}
"""The derivatives of a function in its last parameters, those that have one, by its name."""
