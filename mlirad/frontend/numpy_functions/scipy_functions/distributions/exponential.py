"""The exponential distribution and those that are made of it: of powers, logarithms, extremes."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    both_sides,
    mirrored,
    near_0,
    transformed,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import Function
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import by_smaller_share
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    by_power_near_0,
    expm1_ratio,
    less_exp,
    log1mexp,
    log1mexp_of,
    log1p_ratio,
    sides,
    xlogy,
)
from mlirad.frontend.tracing.operations import xp

EULER = 0.5772156649015329

EXPON = Distribution(
    lambda x: -x, log_sf=lambda x: -x, cdf=lambda x: -xp.expm1(-x), low=0.0,
    ppf=lambda q: -xp.log1p(-q), isf=lambda q: -xp.log(q), mean=lambda: 1.0, var=lambda: 1.0,
)  # fmt: skip

LAPLACE = both_sides(EXPON, log_density=lambda x: -xp.abs(x) - log(2), var=lambda: 2.0)


# Powers and logarithms ----------------------------------------------------------------------------


def _gamma(x: Any) -> Any:
    return special("gamma", x)


def _weibull_var(c: Any) -> Any:
    return _gamma(1.0 + 2.0 / c) - _gamma(1.0 + 1.0 / c) ** 2


WEIBULL_MIN = transformed(
    EXPON, xp.power, lambda x, c: xp.log(c) + xlogy(c - 1.0, x), lambda y, c: xp.power(y, 1.0 / c),
    shapes=("c",), low=0.0, density=by_power_near_0(
        lambda x, c: c * xp.power(x, c - 1.0) * xp.exp(-xp.power(x, c)),
        lambda x, c: xp.log(c) + (c - 1.0) * xp.log(x) - xp.power(x, c),
    ),
    log_cdf=lambda x, c: log1mexp_of(c * xp.log(x)),
    mean=lambda c: _gamma(1.0 + 1.0 / c), var=_weibull_var,
)  # fmt: skip
WEIBULL_MAX = mirrored(WEIBULL_MIN)
DWEIBULL = both_sides(WEIBULL_MIN, var=lambda c: _gamma(1.0 + 2.0 / c))

INVWEIBULL = transformed(
    EXPON, lambda x, c: xp.power(x, -c), lambda x, c: xp.log(c) - (c + 1.0) * xp.log(x),
    lambda y, c: xp.power(y, -1.0 / c), decreases=True, shapes=("c",), low=0.0,
    low_is_open=True, log_sf=lambda x, c: log1mexp_of(-c * xp.log(x)),
    mean=lambda c: xp.where(xp.greater(c, 1), _gamma(1.0 - 1.0 / c), xp.inf),
    var=lambda c: xp.where(xp.greater(c, 2), _gamma(1.0 - 2.0 / c) - _gamma(1.0 - 1.0 / c) ** 2, xp.inf),
)  # fmt: skip

RAYLEIGH = Distribution(
    lambda x: xp.log(x) - 0.5 * x * x, density=lambda x: x * xp.exp(-0.5 * x * x), low=0.0,
    log_sf=lambda x: -0.5 * x * x, log_cdf=lambda x: log1mexp_of(2.0 * xp.log(x) - log(2)),
    ppf=lambda q: xp.sqrt(-2.0 * xp.log1p(-q)),
    isf=lambda q: xp.sqrt(-2.0 * xp.log(q)), mean=lambda: (pi / 2) ** 0.5, var=lambda: 2 - pi / 2,
)  # fmt: skip


def _log_exponweib(x: Any, a: Any, c: Any) -> Any:
    """The density by the power of x, and that of 1 - e^-x^c, which near 0 are one."""
    power = xp.power(x, c)
    is_near = xp.less(x, 1)
    below = log1mexp_of(c * xp.log(xp.where(is_near, 1.0, x)))
    far = xlogy(c - 1.0, xp.where(is_near, 1.0, x)) + (a - 1.0) * below
    ratio = expm1_ratio(-xp.where(is_near, power, 0.0))
    near = xlogy(a * c - 1.0, xp.where(is_near, x, 1.0)) + (a - 1.0) * xp.log(ratio)
    return xp.log(a * c) + xp.where(is_near, near, far) - power


def _exponweib_quantile(log_q: Any, a: Any, c: Any) -> Any:
    """(-log(1 - q^(1/a)))^(1/c), far down q^(1 / (a c)), where q^(1/a) may vanish."""
    y = -log_q / a
    is_far = xp.greater(y, 40)
    usual = xp.power(-log1mexp(xp.where(is_far, 1.0, y)), 1.0 / c)
    return xp.where(is_far, xp.exp(-xp.where(is_far, y, 0.0) / c), usual)


EXPONWEIB = near_0(Distribution(
    _log_exponweib, shapes=("a", "c"), density=by_power_near_0(
        lambda x, a, c: a * c * xp.power(x, a * c - 1.0) * xp.exp(-xp.power(x, c))
        * xp.power(expm1_ratio(-xp.power(x, c)), a - 1.0),
        _log_exponweib,
    ),
    log_cdf=lambda x, a, c: a * log1mexp_of(c * xp.log(x)),
    log_sf=lambda x, a, c: _log_one_less_power(c * xp.log(x), a),
    ppf=lambda q, a, c: _exponweib_quantile(xp.log(q), a, c),
    isf=lambda q, a, c: _exponweib_quantile(xp.log1p(-q), a, c), low=0.0,
), below=lambda x, a, c: xp.power(x, a * c) * xp.power(expm1_ratio(-xp.power(x, c)), a))  # fmt: skip


def _log_one_less_power(log_y: Any, a: Any) -> Any:
    """log(1 - (1 - e^-y)^a), for large y log(a) - y."""
    is_far = xp.greater(log_y, 4)
    usual = log1mexp(-a * log1mexp_of(xp.where(is_far, 0.0, log_y)))
    return xp.where(is_far, xp.log(a) - xp.exp(xp.where(is_far, log_y, 0.0)), usual)


EXPONPOW = transformed(
    EXPON, lambda x, b: xp.expm1(xp.power(x, b)), lambda x, b: xp.log(b) + xlogy(b - 1.0, x) + xp.power(x, b),
    lambda y, b: xp.power(xp.log1p(y), 1.0 / b), shapes=("b",), low=0.0,
    log_density=lambda x, b: xp.log(b) + xlogy(b - 1.0, x) + _grown_less(xp.power(x, b)),
    log_cdf=lambda x, b: _log_grown_below(b * xp.log(x)),
)  # fmt: skip


def _log_grown_below(log_y: Any) -> Any:
    """log(1 - e^-(e^y - 1))."""
    is_near = xp.less(log_y, 0)
    near = xp.where(is_near, log_y, 0.0)
    far = xp.expm1(xp.exp(xp.where(is_near, 0.0, log_y)))
    return xp.where(is_near, log1mexp_of(near + xp.log(expm1_ratio(xp.exp(near)))), log1mexp(far))


def _grown_less(y: Any) -> Any:
    """y - (e^y - 1)."""
    return xp.where(xp.less(y, 700), y - xp.expm1(xp.minimum(y, 700.0)), -xp.exp(y))


GOMPERTZ = transformed(
    EXPON, lambda x, c: c * xp.expm1(x), lambda x, c: xp.log(c) + x, lambda y, c: xp.log1p(y / c),
    shapes=("c",), low=0.0,
    log_density=lambda x, c: xp.log(c) + xp.where(xp.less(x, 700), x, 700.0) - c * xp.expm1(x),
)  # fmt: skip

GENEXPON = Distribution(
    lambda x, a, b, c: xp.log(a - b * xp.expm1(-c * x)) - _hazard(x, a, b, c), shapes=("a", "b", "c"),
    log_sf=lambda x, a, b, c: -_hazard(x, a, b, c), low=0.0,
)  # fmt: skip


def _hazard(x: Any, a: Any, b: Any, c: Any) -> Any:
    """(a + b) x - b (1 - e^-cx) / c, in which nothing cancels."""
    return a * x + b * x * (1.0 - expm1_ratio(-c * x))


PARETO = transformed(
    EXPON, lambda x, b: b * xp.log(x), lambda x, b: xp.log(b) - xp.log(x), lambda y, b: xp.exp(y / b),
    shapes=("b",), low=1.0,
    mean=lambda b: xp.where(xp.greater(b, 1), b / (b - 1.0), xp.inf),
    var=lambda b: xp.where(xp.greater(b, 2), b / (b - 2.0) / (b - 1.0) ** 2, xp.inf),
)  # fmt: skip
LOMAX = transformed(
    EXPON, lambda x, c: c * xp.log1p(x), lambda x, c: xp.log(c) - xp.log1p(x), lambda y, c: xp.expm1(y / c),
    shapes=("c",), low=0.0, mean=lambda c: xp.where(xp.greater(c, 1), 1.0 / (c - 1.0), xp.inf),
    var=lambda c: xp.where(xp.greater(c, 2), c / (c - 2.0) / (c - 1.0) ** 2, xp.inf),
)  # fmt: skip


def _any(*shapes: Any) -> Any:
    """Return whether the shapes are numbers."""
    return xp.isfinite(shapes[0])


def _end(c: Any, sign: float) -> Any:
    """sign / c where that is positive, else infinity."""
    ends = xp.greater(sign * c, 0)
    return xp.where(ends, sign / xp.where(ends, c, sign), xp.inf)


GENPARETO = transformed(
    EXPON, lambda x, c: x * log1p_ratio(c * x), lambda x, c: -xp.log1p(c * x),
    lambda y, c: y * expm1_ratio(c * y), shapes=("c",), low=0.0, high=lambda c: _end(c, -1.0), allows=_any,
    log_density=lambda x, c: -(1.0 + c) * x * log1p_ratio(c * x),
    mean=lambda c: xp.where(xp.less(c, 1), 1.0 / (1.0 - c), xp.inf),
    var=lambda c: xp.where(xp.less(c, 0.5), 1.0 / ((1.0 - c) ** 2 * (1.0 - 2.0 * c)), xp.inf),
)  # fmt: skip

POWERLAW = near_0(Distribution(
    lambda x, a: xp.log(a) + xlogy(a - 1.0, x), shapes=("a",), density=lambda x, a: a * xp.power(x, a - 1.0),
    cdf=xp.power, log_cdf=lambda x, a: a * xp.log(x), sf=lambda x, a: -xp.expm1(a * xp.log(x)),
    ppf=lambda q, a: xp.power(q, 1.0 / a), isf=lambda q, a: xp.exp(xp.log1p(-q) / a), low=0.0, high=1.0,
    mean=lambda a: a / (a + 1.0), var=lambda a: a / ((a + 2.0) * (a + 1.0) ** 2),
), below=xp.power)  # fmt: skip


def _loglaplace(x: Any, c: Any) -> tuple[Any, Any]:
    """c times the logarithm on either side of 1."""
    low, high = sides(xp.log(x))
    return c * low, c * high


def _loglaplace_below(x: Any, c: Any) -> Any:
    """Return what is below numbers under 1."""
    return 0.5 * xp.power(xp.where(xp.less(x, 1), x, 1.0), c)


LOGLAPLACE = Distribution(
    lambda x, c: xp.log(0.5 * c) + xlogy(xp.where(xp.less(x, 1), c, -c) - 1.0, x), shapes=("c",),
    density=lambda x, c: 0.5 * c * xp.where(
        xp.less(x, 1), xp.power(xp.where(xp.less(x, 1), x, 1.0), c - 1.0),
        xp.power(xp.where(xp.less(x, 1), 1.0, x), -c - 1.0),
    ),
    cdf=lambda x, c: xp.where(
        xp.less(x, 1), _loglaplace_below(x, c),
        1.0 - 0.5 * xp.exp(-_loglaplace(x, c)[1])
    ),
    sf=lambda x, c: xp.where(
        xp.less(x, 1), 1.0 - _loglaplace_below(x, c), 0.5 * xp.exp(-_loglaplace(x, c)[1])
    ),
    log_cdf=lambda x, c: xp.where(
        xp.less(x, 1), _loglaplace(x, c)[0] - log(2), xp.log1p(-0.5 * xp.exp(-_loglaplace(x, c)[1]))
    ),
    log_sf=lambda x, c: xp.where(
        xp.less(x, 1), xp.log1p(-_loglaplace_below(x, c)), -_loglaplace(x, c)[1] - log(2)
    ),
    ppf=lambda q, c: xp.power(xp.where(xp.less(q, 0.5), 2.0 * q, 0.5 / (1.0 - q)), 1.0 / c),
    isf=lambda q, c: xp.power(xp.where(xp.greater(q, 0.5), 2.0 * (1.0 - q), 0.5 / q), 1.0 / c), low=0.0,
    mean=lambda c: xp.where(xp.greater(c, 1), c * c / (c * c - 1.0), xp.inf),
    var=lambda c: xp.where(
        xp.greater(c, 2), c * c / (c * c - 4.0) - (c * c / (c * c - 1.0)) ** 2, xp.inf
    ),
)  # fmt: skip


def _asymmetric(x: Any, kappa: Any) -> tuple[Any, Any, Any]:
    """Exponents on both sides, which are not above 0, and the share of what is below 0."""
    low, high = sides(x)
    return low / kappa, -high * kappa, kappa * kappa / (1.0 + kappa * kappa)


def _asymmetric_log_below(x: Any, kappa: Any) -> Any:
    low, high, share = _asymmetric(x, kappa)
    return xp.where(xp.less(x, 0), xp.log(share) + low, xp.log1p(-(1.0 - share) * xp.exp(high)))


def _asymmetric_below(x: Any, kappa: Any) -> Any:
    low, high, share = _asymmetric(x, kappa)
    return xp.where(xp.less(x, 0), share * xp.exp(low), 1.0 - xp.exp(high) / (1.0 + kappa * kappa))


def _asymmetric_quantile(q: Any, kappa: Any) -> Any:
    square = kappa * kappa
    share = square / (1.0 + square)
    is_below = xp.less(q, share)
    above = -xp.log1p(square - xp.where(is_below, share, q) * (1.0 + square)) / kappa
    return xp.where(is_below, kappa * xp.log(q / share), above)


def _asymmetric_upper_quantile(q: Any, kappa: Any) -> Any:
    square = kappa * kappa
    rest = 1.0 / (1.0 + square)
    is_above = xp.less(q, rest)
    below = kappa * xp.log1p((1.0 - xp.where(is_above, rest, q) * (1.0 + square)) / square)
    return xp.where(is_above, -xp.log(q / rest) / kappa, below)


LAPLACE_ASYMMETRIC = Distribution(
    lambda x, kappa: sum(_asymmetric(x, kappa)[:2]) - xp.log(kappa + 1.0 / kappa), shapes=("kappa",),
    cdf=_asymmetric_below, sf=lambda x, kappa: _asymmetric_below(-x, 1.0 / kappa),
    log_cdf=_asymmetric_log_below, log_sf=lambda x, kappa: _asymmetric_log_below(-x, 1.0 / kappa),
    **by_smaller_share(_asymmetric_quantile, _asymmetric_upper_quantile),
    mean=lambda kappa: 1.0 / kappa - kappa, var=lambda kappa: 1.0 / kappa**2 + kappa**2,
)  # fmt: skip


# Cut --------------------------------------------------------------------------------------------


def _cut_quantile(q: Any, width: Any) -> Any:
    """The point up to `width` with a share q, of what decays as e^-x, below it."""
    return -xp.log1p(q * xp.expm1(-width))


def _cut_upper_quantile(q: Any, width: Any) -> Any:
    """The same by the share above it, which is not above 1/2: by that below it where both are of one size."""
    is_narrow = xp.less(width, 1)
    far = -xp.log(xp.exp(-width) - q * xp.expm1(-width))
    return xp.where(is_narrow, _cut_quantile(1.0 - q, xp.where(is_narrow, width, 1.0)), far)


TRUNCEXPON = Distribution(
    lambda x, b: -x - xp.log(-xp.expm1(-b)), shapes=("b",), cdf=lambda x, b: xp.expm1(-x) / xp.expm1(-b),
    sf=lambda x, b: xp.exp(-x) * xp.expm1(x - b) / xp.expm1(-b),
    **by_smaller_share(_cut_quantile, _cut_upper_quantile),
    low=0.0, high=lambda b: b,
    mean=lambda b: 1.0 - b / xp.expm1(b),
    var=lambda b: 1.0 - b * b * xp.exp(b) / xp.expm1(b) ** 2,
)  # fmt: skip

TRUNCPARETO = Distribution(
    lambda x, b, c: xp.log(b / -xp.expm1(-b * xp.log(c))) - (b + 1.0) * xp.log(x), shapes=("b", "c"),
    cdf=lambda x, b, c: xp.expm1(-b * xp.log(x)) / xp.expm1(-b * xp.log(c)),
    sf=lambda x, b, c: xp.exp(-b * xp.log(x)) * xp.expm1(b * xp.log(x / c)) / xp.expm1(-b * xp.log(c)),
    **by_smaller_share(
        lambda q, b, c: xp.exp(_cut_quantile(q, b * xp.log(c)) / b),
        lambda q, b, c: xp.exp(_cut_upper_quantile(q, b * xp.log(c)) / b),
    ),
    low=1.0, high=lambda b, c: c, allows=lambda b, c: xp.not_equal(b, 0) & xp.greater(c, 1),
    mean=lambda b, c: _cut_power(b, c, 1.0),
    var=lambda b, c: _cut_power(b, c, 2.0) - _cut_power(b, c, 1.0) ** 2,
)  # fmt: skip


def _cut_power(b: Any, c: Any, n: float) -> Any:
    """The mean of x^n."""
    logarithm = xp.log(c)
    return logarithm * b * expm1_ratio((n - b) * logarithm) / -xp.expm1(-b * logarithm)


def _cut_weibull(x: Any, c: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """The powers of the point and of the ends."""
    return xp.power(x, c), xp.power(a, c), xp.power(b, c)


def _cut_weibull_below(x: Any, c: Any, a: Any, b: Any) -> Any:
    y, low, high = _cut_weibull(x, c, a, b)
    return xp.expm1(low - y) / xp.expm1(low - high)


def _cut_weibull_above(x: Any, c: Any, a: Any, b: Any) -> Any:
    y, low, high = _cut_weibull(x, c, a, b)
    return xp.exp(low - y) * xp.expm1(y - high) / xp.expm1(low - high)


def _cut_weibull_log(x: Any, c: Any, a: Any, b: Any) -> Any:
    y, low, high = _cut_weibull(x, c, a, b)
    return xp.log(c) + xlogy(c - 1.0, x) + (low - y) - log1mexp(high - low)


def _cut_weibull_point(quantile: Function, q: Any, c: Any, a: Any, b: Any) -> Any:
    low = xp.power(a, c)
    return xp.power(low + quantile(q, xp.power(b, c) - low), 1.0 / c)


TRUNCWEIBULL_MIN = Distribution(
    _cut_weibull_log, shapes=("c", "a", "b"), cdf=_cut_weibull_below, sf=_cut_weibull_above,
    **by_smaller_share(
        lambda q, c, a, b: _cut_weibull_point(_cut_quantile, q, c, a, b),
        lambda q, c, a, b: _cut_weibull_point(_cut_upper_quantile, q, c, a, b),
    ),
    low=lambda c, a, b: a, high=lambda c, a, b: b,
    allows=lambda c, a, b: xp.greater_equal(a, 0) & xp.greater(b, a) & xp.greater(c, 0),
)  # fmt: skip

LOGUNIFORM = Distribution(
    lambda x, a, b: -xp.log(x) - xp.log(xp.log(b / a)), shapes=("a", "b"),
    cdf=lambda x, a, b: xp.log(x / a) / xp.log(b / a), sf=lambda x, a, b: xp.log(b / x) / xp.log(b / a),
    ppf=lambda q, a, b: a * xp.exp(q * xp.log(b / a)), isf=lambda q, a, b: b * xp.exp(-q * xp.log(b / a)),
    low=lambda a, b: a, high=lambda a, b: b, allows=lambda a, b: xp.greater(a, 0) & xp.greater(b, a),
    mean=lambda a, b: (b - a) / xp.log(b / a),
    var=lambda a, b: 0.5 * (b - a) * (b + a) / xp.log(b / a) - ((b - a) / xp.log(b / a)) ** 2,
)  # fmt: skip


def _bradford_rest(x: Any, c: Any) -> Any:
    """log((1 + c) / (1 + c x))."""
    return xp.log1p(c * (1.0 - x) / (1.0 + c * x))


def _bradford_var(c: Any) -> Any:
    k = xp.log1p(c)
    return ((c + 2.0) * k - 2.0 * c) / (2.0 * c * k * k)


BRADFORD = near_0(Distribution(
    lambda x, c: xp.log(c) - xp.log1p(c * x) - xp.log(xp.log1p(c)), shapes=("c",),
    cdf=lambda x, c: xp.log1p(c * x) / xp.log1p(c), sf=lambda x, c: _bradford_rest(x, c) / xp.log1p(c),
    ppf=lambda q, c: xp.expm1(q * xp.log1p(c)) / c, isf=lambda q, c: xp.expm1((1.0 - q) * xp.log1p(c)) / c,
    low=0.0, high=1.0, mean=lambda c: (c - xp.log1p(c)) / (c * xp.log1p(c)), var=_bradford_var,
), below=lambda x, c: xp.log1p(c * x) / xp.log1p(c))  # fmt: skip


# Extremes -----------------------------------------------------------------------------------------

GUMBEL_R = transformed(
    EXPON, lambda x: xp.exp(-x), lambda x: -x, lambda y: -xp.log(y), decreases=True,
    log_density=lambda x: less_exp(-x), log_sf=lambda x: log1mexp_of(-x), mean=lambda: EULER,
    var=lambda: pi**2 / 6,
)  # fmt: skip
GUMBEL_L = mirrored(GUMBEL_R)


def _extreme(x: Any, c: Any) -> Any:
    """-log(1 - c x) / c."""
    return x * log1p_ratio(-c * x)


def _extreme_moment(c: Any, n: float) -> Any:
    return _gamma(1.0 + n * c)


def _extreme_mean(c: Any) -> Any:
    """(1 - gamma(1 + c)) / c, by the exponential of what gamma is."""
    power = special("gammaln", 1.0 + c)
    near = xp.where(xp.equal(c, 0), EULER, -expm1_ratio(power) * power / xp.where(xp.equal(c, 0), 1.0, c))
    return xp.where(xp.greater(c, -1), near, xp.inf)


def _extreme_var(c: Any) -> Any:
    safe = xp.where(xp.less(xp.abs(c), 1e-5), 1.0, c)
    found = (_extreme_moment(safe, 2.0) - _extreme_moment(safe, 1.0) ** 2) / safe**2
    found = xp.where(xp.less(xp.abs(c), 1e-5), pi**2 / 6, found)
    return xp.where(xp.greater(c, -0.5), found, xp.inf)


GENEXTREME = transformed(
    GUMBEL_R, _extreme, lambda x, c: -xp.log1p(-c * x), lambda y, c: y * expm1_ratio(-c * y),
    shapes=("c",), low=lambda c: -_end(c, -1.0), high=lambda c: _end(c, 1.0), allows=_any,
    mean=_extreme_mean, var=_extreme_var,
)  # fmt: skip

UNIFORM = Distribution(
    xp.zeros_like, density=xp.ones_like, cdf=lambda x: x, sf=lambda x: 1.0 - x, ppf=lambda q: q,
    isf=lambda q: 1.0 - q, low=0.0, high=1.0, mean=lambda: 0.5, var=lambda: 1 / 12,
)  # fmt: skip

DISTRIBUTIONS = {
    "expon": EXPON, "laplace": LAPLACE, "weibull_min": WEIBULL_MIN, "weibull_max": WEIBULL_MAX,
    "dweibull": DWEIBULL, "invweibull": INVWEIBULL, "rayleigh": RAYLEIGH, "exponweib": EXPONWEIB,
    "exponpow": EXPONPOW, "gompertz": GOMPERTZ, "genexpon": GENEXPON, "pareto": PARETO, "lomax": LOMAX,
    "genpareto": GENPARETO, "powerlaw": POWERLAW, "loglaplace": LOGLAPLACE,
    "laplace_asymmetric": LAPLACE_ASYMMETRIC, "truncexpon": TRUNCEXPON, "truncpareto": TRUNCPARETO,
    "truncweibull_min": TRUNCWEIBULL_MIN, "loguniform": LOGUNIFORM, "reciprocal": LOGUNIFORM,
    "bradford": BRADFORD, "gumbel_r": GUMBEL_R, "gumbel_l": GUMBEL_L, "genextreme": GENEXTREME,
    "uniform": UNIFORM,
}  # fmt: skip
