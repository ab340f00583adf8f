"""The Cauchy distribution, folded at 0, with sides of different widths, and that of a resonance."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import (
    by_smaller_share,
    cotangent,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    floats,
    integral,
    log1p_square,
    log_of_rest,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp


def _peak(x: Any) -> Any:
    """1 / (1 + x^2), where the square may overflow."""
    root = 1.0 / xp.hypot(1.0, x)
    return root * root


def _above(x: Any) -> Any:
    """Return what is above a point of the Cauchy distribution."""
    return xp.arctan2(1.0, x) / pi


CAUCHY = Distribution(
    lambda x: -log(pi) - log1p_square(x), density=lambda x: _peak(x) / pi, sf=_above, is_symmetric=True,
    isf=cotangent, mean=lambda: float("nan"), var=lambda: float("nan"),
)  # fmt: skip

HALFCAUCHY = Distribution(
    lambda x: log(2 / pi) - log1p_square(x), density=lambda x: 2 / pi * _peak(x),
    cdf=lambda x: 2 / pi * xp.arctan(x), sf=lambda x: 2.0 * _above(x),
    **by_smaller_share(lambda q: xp.tan(0.5 * pi * q), lambda q: 1.0 / xp.tan(0.5 * pi * q)),
    low=0.0, mean=lambda: float("inf"), var=lambda: float("inf"),
)  # fmt: skip


# Folded -------------------------------------------------------------------------------------------


def _fold_scale(x: Any, c: Any) -> Any:
    """1 over x - c, or over 1 where that is larger: in this unit squares overflow nowhere."""
    return stop_gradient(1.0 / xp.maximum(1.0, xp.abs(x - c)))


def _poles(x: Any, c: Any, r: Any) -> Any:
    """(1 + (x - c)^2) (1 + (x + c)^2) r^4, with slopes in which the poles do not cancel."""

    def value(x: Array, c: Array, r: Array) -> Array:
        less, more = (x - c) * r, (x + c) * r
        return (r * r + less * less) * (r * r + more * more)

    def derivative(x: Array, c: Array, r: Array, _: Array, dx: Array, dc: Array, __: Array) -> Array:
        both = ((x - c) * r) * ((x + c) * r)
        return 4.0 * r * ((x * r) * (r * r + both) * dx + (c * r) * (r * r - both) * dc)

    return with_derivative(value, derivative, *floats(x, c, r))


def _fold_parts(x: Any, c: Any) -> tuple[Any, Any, Any]:
    """(1 + x^2 + c^2) r^2, the poles, and r."""
    r = _fold_scale(x, c)
    return r * r + (x * r) ** 2 + (c * r) ** 2, _poles(x, c, r), r


def _folded(x: Any, c: Any) -> Any:
    square, poles, r = _fold_parts(x, c)
    return 2 / pi * (square / poles) * r * r


def _log_folded(x: Any, c: Any) -> Any:
    square, poles, r = _fold_parts(x, c)
    return log(2 / pi) + (xp.log(square) - xp.log(poles)) + 2.0 * xp.log(r)


def _fold_slope(x: Any, c: Any, dx: Any, dc: Any, weight: Any) -> Any:
    """The tangent of what is below x, times a weight over r."""
    square, poles, r = _fold_parts(x, c)
    return 2 / pi * (square * dx - 2.0 * (x * r) * (c * r) * dc) / poles * r * weight


def _fold_below(x: Any, c: Any) -> Any:
    def value(x: Array, c: Array) -> Array:
        r = _fold_scale(x, c)
        return xp.arctan2(2.0 * (x * r) * r, r * r - ((x - c) * r) * ((x + c) * r)) / pi

    def derivative(x: Array, c: Array, _: Array, dx: Array, dc: Array) -> Array:
        return _fold_slope(x, c, dx, dc, _fold_scale(x, c))

    return with_derivative(value, derivative, *floats(x, c))


def _fold_above(x: Any, c: Any) -> Any:
    def value(x: Array, c: Array) -> Array:
        return _above(x - c) + _above(x + c)

    def derivative(x: Array, c: Array, _: Array, dx: Array, dc: Array) -> Array:
        return -_fold_slope(x, c, dx, dc, _fold_scale(x, c))

    return with_derivative(value, derivative, *floats(x, c))


def _log_fold_above(x: Any, c: Any) -> Any:
    def value(x: Array, c: Array) -> Array:
        below = _fold_below(x, c)
        return xp.where(xp.less(below, 0.5), xp.log1p(-below), xp.log(_fold_above(x, c)))

    def derivative(x: Array, c: Array, _: Array, dx: Array, dc: Array) -> Array:
        return -_fold_slope(x, c, dx, dc, _fold_scale(x, c) / _fold_above(x, c))

    return with_derivative(value, derivative, *floats(x, c))


def _fold_quantile(cotangent: Any, c: Any) -> Any:
    """The x with (1 + c^2 - x^2) / 2x = cotangent."""
    root = xp.hypot(cotangent, xp.hypot(1.0, c))
    positive = xp.greater(cotangent, 0)
    size = xp.abs(cotangent)
    return xp.where(positive, (1.0 + c * c) / (size + root), size + root)


FOLDCAUCHY = Distribution(
    _log_folded, shapes=("c",), density=_folded, cdf=_fold_below, sf=_fold_above, log_sf=_log_fold_above,
    ppf=lambda q, c: _fold_quantile(cotangent(q), c), isf=lambda q, c: _fold_quantile(-cotangent(q), c),
    low=0.0, allows=lambda c: xp.greater_equal(c, 0),
    mean=lambda c: xp.full_like(c, xp.inf), var=lambda c: xp.full_like(c, xp.inf),
)  # fmt: skip


# Skewed -------------------------------------------------------------------------------------------


def _skewed_part(x: Any, a: Any) -> tuple[Any, Any, Any]:
    """Return where x is below 0, and what 1 + a sign(x) is there and elsewhere."""
    is_below = xp.less(x, 0)
    return is_below, 1.0 - a, 1.0 + a


def _skew_below(x: Any, a: Any) -> Any:
    is_below, less, more = _skewed_part(x, a)
    below = less * _above(-xp.where(is_below, x, 0.0) / less)
    return xp.where(is_below, below, 1.0 - more * _above(xp.where(is_below, 0.0, x) / more))


def _skew_quantile(q: Any, a: Any) -> Any:
    less, more = 1.0 - a, 1.0 + a
    is_below = xp.less(q, 0.5 * less)
    below = -less * cotangent(xp.where(is_below, q, 0.25 * less) / less)
    above = more * cotangent(xp.where(is_below, 0.25 * more, 1.0 - q) / more)
    return xp.where(is_below, below, above)


SKEWCAUCHY = Distribution(
    lambda x, a: -log(pi) - log1p_square(x / xp.where(xp.less(x, 0), 1.0 - a, 1.0 + a)), shapes=("a",),
    density=lambda x, a: _peak(x / xp.where(xp.less(x, 0), 1.0 - a, 1.0 + a)) / pi, cdf=_skew_below,
    sf=lambda x, a: _skew_below(-x, -a), ppf=_skew_quantile, isf=lambda q, a: -_skew_quantile(q, -a),
    allows=lambda a: xp.less(xp.abs(a), 1), mean=lambda a: xp.full_like(a, xp.nan),
    var=lambda a: xp.full_like(a, xp.nan),
)  # fmt: skip


# Of resonances ----------------------------------------------------------------------------------------


def _width(rho: Any) -> tuple[Any, Any, Any]:
    """The size of the pole sqrt(rho^2 + i rho), and its parts: the density is C / (|x^2 - pole^2|^2)."""
    square = rho * xp.hypot(rho, 1.0)
    real = xp.sqrt(0.5 * (square + rho * rho))
    return square, real, 0.5 * rho / real


def _detuning(x: Any, rho: Any) -> Any:
    """(x^2 - rho^2) / rho."""

    def value(x: Array, rho: Array) -> Array:
        return (x - rho) * ((x + rho) / rho)

    def derivative(x: Array, rho: Array, _: Array, dx: Array, drho: Array) -> Array:
        return 2.0 * (x / rho) * dx - (1.0 + (x / rho) ** 2) * drho

    return with_derivative(value, derivative, *floats(x, rho))


def _resonance_peak(rho: Any) -> Any:
    square, _, imaginary = _width(rho)
    return 4 / pi * (square / rho) * (imaginary / rho)


def _log_resonance(x: Any, rho: Any) -> Any:
    is_far = xp.greater(x, 1e100)
    near = -log1p_square(_detuning(xp.where(is_far, 1.0, x), rho))
    far = 2.0 * xp.log(rho) - 4.0 * xp.log(xp.where(is_far, x, 1.0))
    return xp.log(_resonance_peak(rho)) + xp.where(is_far, far, near)


def _resonance(x: Any, rho: Any) -> Any:
    return _resonance_peak(rho) * _peak(_detuning(x, rho))


def _near_resonance(x: Any, rho: Any) -> tuple[Any, Any]:
    """A flag for x up to twice the pole, and x cut off there."""
    end = 2.0 * xp.sqrt(_width(rho)[0])
    is_near = xp.less(x, end)
    return is_near, xp.where(is_near, x, end)


def _resonance_parts(x: Any, rho: Any) -> tuple[Any, Any, Any]:
    """An angle by its sine and cosine, up to a factor, and what else is below x, both times pi."""
    square, real, imaginary = _width(rho)
    rest = imaginary / (2.0 * real) * xp.log1p(4.0 * real * x / ((x - real) ** 2 + imaginary * imaginary))
    return 2.0 * x * imaginary, square - x * x, rest


def _log_beyond_resonance(x: Any, rho: Any) -> Any:
    """The logarithm beyond twice the pole: the integral over what is above, by w = x / (what is above)."""
    is_near, _ = _near_resonance(x, rho)
    point = xp.where(is_near, 2.0 * xp.sqrt(_width(rho)[0]), x)
    found = integral(_beyond, 0.0, 1.0, rho / point, 1.0 / point)
    return xp.log(_resonance_peak(rho)) + 2.0 * xp.log(rho) - 3.0 * xp.log(point) + xp.log(found)


def _beyond(w: Any, ratio: Any, inverse: Any) -> Any:
    square = w * w
    return square / ((1.0 - ratio * ratio * square) ** 2 + (ratio * inverse * square) ** 2)


def _below_resonance(x: Any, rho: Any) -> Any:
    is_near, point = _near_resonance(x, rho)
    sine, cosine, rest = _resonance_parts(point, rho)
    far = 1.0 - xp.exp(_log_beyond_resonance(x, rho))
    return xp.where(is_near, (xp.arctan2(sine, cosine) + rest) / pi, far)


def _above_resonance(x: Any, rho: Any) -> Any:
    is_near, point = _near_resonance(x, rho)
    sine, cosine, rest = _resonance_parts(point, rho)
    far = xp.exp(_log_beyond_resonance(x, rho))
    return xp.where(is_near, (xp.arctan2(sine, -cosine) - rest) / pi, far)


def _log_above_resonance(x: Any, rho: Any) -> Any:
    is_near, point = _near_resonance(x, rho)
    near = log_of_rest(_above_resonance, _below_resonance)(point, rho)
    return xp.where(is_near, near, _log_beyond_resonance(x, rho))


def _resonance_mean(rho: Any) -> Any:
    return 0.5 * rho * _resonance_peak(rho) * (0.5 * pi + xp.arctan(rho))


REL_BREITWIGNER = Distribution(
    _log_resonance, shapes=("rho",), density=_resonance, cdf=_below_resonance, sf=_above_resonance,
    log_sf=_log_above_resonance, low=0.0, mean=_resonance_mean,
    var=lambda rho: _width(rho)[0] - _resonance_mean(rho) ** 2,
)  # fmt: skip

DISTRIBUTIONS = {
    "cauchy": CAUCHY, "halfcauchy": HALFCAUCHY, "foldcauchy": FOLDCAUCHY, "skewcauchy": SKEWCAUCHY,
    "rel_breitwigner": REL_BREITWIGNER,
}  # fmt: skip
