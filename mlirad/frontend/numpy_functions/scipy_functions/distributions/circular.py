"""The Cauchy distribution, distributions on a circle, and others of trigonometric functions."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.pieces import log1p_square
from mlirad.frontend.tracing.operations import xp


def _peak(x: Any) -> Any:
    """1 / (1 + x^2), where the square may overflow."""
    root = 1.0 / xp.hypot(1.0, x)
    return root * root


def _above(x: Any) -> Any:
    """What is above a point of the Cauchy distribution."""
    return xp.arctan2(1.0, x) / pi


def _cotangent(q: Any) -> Any:
    """cot(pi q), by the tangent of what 1/2 is more where that is less than 1/4."""
    is_middle = xp.less(xp.abs(q - 0.5), 0.25)
    middle = xp.tan(pi * (0.5 - xp.where(is_middle, q, 0.5)))
    is_low = xp.less(q, 0.5)
    end = xp.where(is_low, q, 1.0 - q)
    far = 1.0 / xp.tan(pi * xp.where(is_middle, 0.25, end))
    return xp.where(is_middle, middle, xp.where(is_low, far, -far))


CAUCHY = Distribution(
    lambda x: -log(pi) - log1p_square(x), density=lambda x: _peak(x) / pi, sf=_above, is_symmetric=True,
    isf=_cotangent, mean=lambda: float("nan"), var=lambda: float("nan"),
)  # fmt: skip

HALFCAUCHY = Distribution(
    lambda x: log(2 / pi) - log1p_square(x), density=lambda x: 2 / pi * _peak(x),
    cdf=lambda x: 2 / pi * xp.arctan(x), sf=lambda x: 2.0 * _above(x), ppf=lambda q: xp.tan(0.5 * pi * q),
    isf=lambda q: 1.0 / xp.tan(0.5 * pi * q), low=0.0, mean=lambda: float("inf"), var=lambda: float("inf"),
)  # fmt: skip


def _fold_quantile(cotangent: Any, c: Any) -> Any:
    """The x with (1 + c^2 - x^2) / 2x = cotangent."""
    root = xp.hypot(cotangent, xp.hypot(1.0, c))
    positive = xp.greater(cotangent, 0)
    size = xp.abs(cotangent)
    return xp.where(positive, (1.0 + c * c) / (size + root), size + root)


FOLDCAUCHY = Distribution(
    lambda x, c: xp.log((_peak(x - c) + _peak(x + c)) / pi), shapes=("c",),
    density=lambda x, c: (_peak(x - c) + _peak(x + c)) / pi,
    cdf=lambda x, c: xp.arctan2(2.0 * x, (1.0 + c * c) - x * x) / pi,
    sf=lambda x, c: _above(x - c) + _above(x + c),
    ppf=lambda q, c: _fold_quantile(_cotangent(q), c), isf=lambda q, c: _fold_quantile(-_cotangent(q), c),
    low=0.0, allows=lambda c: xp.greater_equal(c, 0),
    mean=lambda c: xp.full_like(c, xp.inf), var=lambda c: xp.full_like(c, xp.inf),
)  # fmt: skip


def _skewed_part(x: Any, a: Any) -> tuple[Any, Any, Any]:
    """Where x is below 0, and what 1 + a sign(x) is there and elsewhere."""
    is_below = xp.less(x, 0)
    return is_below, 1.0 - a, 1.0 + a


def _skew_below(x: Any, a: Any) -> Any:
    is_below, less, more = _skewed_part(x, a)
    below = less * _above(-xp.where(is_below, x, 0.0) / less)
    return xp.where(is_below, below, 1.0 - more * _above(xp.where(is_below, 0.0, x) / more))


def _skew_quantile(q: Any, a: Any) -> Any:
    less, more = 1.0 - a, 1.0 + a
    is_below = xp.less(q, 0.5 * less)
    below = -less / xp.tan(pi * xp.where(is_below, q, 0.25 * less) / less)
    above = more / xp.tan(pi * (1.0 - xp.where(is_below, 0.75, q)) / more)
    return xp.where(is_below, below, above)


SKEWCAUCHY = Distribution(
    lambda x, a: -log(pi) - log1p_square(x / xp.where(xp.less(x, 0), 1.0 - a, 1.0 + a)), shapes=("a",),
    density=lambda x, a: _peak(x / xp.where(xp.less(x, 0), 1.0 - a, 1.0 + a)) / pi, cdf=_skew_below,
    sf=lambda x, a: _skew_below(-x, -a), ppf=_skew_quantile, isf=lambda q, a: -_skew_quantile(q, -a),
    allows=lambda a: xp.less(xp.abs(a), 1), mean=lambda a: xp.full_like(a, xp.nan),
    var=lambda a: xp.full_like(a, xp.nan),
)  # fmt: skip


# On an interval of the sine ----------------------------------------------------------------------------


def _from_low(x: Any, low: float, rest: float) -> Any:
    """x less a negative number that is the sum of two."""
    return (x - low) - rest


ANGLIT = Distribution(
    lambda x: xp.log(xp.cos(2.0 * x)), density=lambda x: xp.cos(2.0 * x),
    cdf=lambda x: xp.sin(_from_low(x, -pi / 4, -3.061616997868383e-17)) ** 2,
    ppf=lambda q: xp.arcsin(xp.sqrt(q)) - pi / 4, is_symmetric=True, low=-pi / 4, high=pi / 4,
    var=lambda: pi**2 / 16 - 0.5,
)  # fmt: skip


def _less_sine(x: Any) -> Any:
    """x - sin(x), near 0 by its series."""
    is_near = xp.less(x, 1)
    near = xp.where(is_near, x, 0.0)
    square = near * near
    total: Any = 1.0
    for n in range(18, 3, -2):
        total = 1.0 - square / (n * (n + 1.0)) * total
    return xp.where(is_near, near * square / 6.0 * total, x - xp.sin(x))


COSINE = Distribution(
    lambda x: 2.0 * xp.log(xp.abs(xp.cos(0.5 * x))) - log(pi), density=lambda x: xp.cos(0.5 * x) ** 2 / pi,
    cdf=lambda x: _less_sine(_from_low(x, -pi, -1.2246467991473532e-16)) / (2 * pi), is_symmetric=True,
    low=-pi, high=pi, var=lambda: pi**2 / 3 - 2,
)  # fmt: skip


# Around a circle ----------------------------------------------------------------------------------------


def _wrapped(x: Any, c: Any) -> Any:
    """log((1 - c^2) / (2 pi (1 + c^2 - 2 c cos(x))))."""
    sine = xp.sin(0.5 * x)
    return xp.log1p(-c * c) - log(2 * pi) - xp.log((1.0 - c) ** 2 + 4.0 * c * sine * sine)


def _wrapped_below(x: Any, c: Any) -> Any:
    return xp.arctan2((1.0 + c) * xp.sin(0.5 * x), (1.0 - c) * xp.cos(0.5 * x)) / pi


def _wrapped_quantile(q: Any, c: Any) -> Any:
    return 2.0 * xp.arctan2((1.0 - c) * xp.sin(pi * q), (1.0 + c) * xp.cos(pi * q))


WRAPCAUCHY = Distribution(
    _wrapped, shapes=("c",), cdf=_wrapped_below, sf=lambda x, c: _wrapped_below(2 * pi - x, c),
    ppf=_wrapped_quantile, isf=lambda q, c: 2 * pi - _wrapped_quantile(q, c), low=0.0, high=2 * pi,
    allows=lambda c: xp.greater(c, 0) & xp.less(c, 1),
)  # fmt: skip


def _log_von_mises(x: Any, kappa: Any) -> Any:
    sine = xp.sin(0.5 * x)
    return -2.0 * kappa * sine * sine - log(2 * pi) - xp.log(special("i0e", kappa))


VONMISES = Distribution(_log_von_mises, shapes=("kappa",), allows=lambda kappa: xp.greater_equal(kappa, 0))
VONMISES_LINE = Distribution(
    _log_von_mises, shapes=("kappa",), low=-pi, high=pi, allows=lambda kappa: xp.greater_equal(kappa, 0),
    mean=lambda kappa: 0.0,
)  # fmt: skip

DISTRIBUTIONS = {
    "cauchy": CAUCHY, "halfcauchy": HALFCAUCHY, "foldcauchy": FOLDCAUCHY, "skewcauchy": SKEWCAUCHY,
    "anglit": ANGLIT, "cosine": COSINE, "wrapcauchy": WRAPCAUCHY, "vonmises": VONMISES,
    "vonmises_line": VONMISES_LINE,
}  # fmt: skip
