"""Pearson's distribution of type 3: the gamma distribution of mean 0, variance 1 and a given skew.

With z = skew x / 2 and a = 4 / skew^2 the density is

    exp(x^2 phi(z)) / (1 + z) e^-c(a) / sqrt(2 pi),      phi(z) = (log(1 + z) - z) / z^2

where c is the remainder of Stirling's formula. It is smooth where the skew passes 0, as phi and c are, and
the normal density there. Of small skew the share beyond x is an integral of it, as a is too large for the
gamma distribution, where x would be a small difference; otherwise it is that of the gamma distribution.
"""

from __future__ import annotations

from typing import Any

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import called
from mlirad.frontend.numpy_functions.scipy_functions.distributions.searching import refined
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    HALF_LOG_2PI,
    formula,
    half_line,
    log1mexp,
    log_gamma_above,
    log_gamma_below,
    xlog1py,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.rules import gamma_formulas

_NEAR = 0.25
"""Up to this |z| phi is a hypergeometric function."""

_SMALL = 0.1
"""Up to this skew, shares are integrals."""

_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip
"""Coefficients of the remainder of Stirling's formula in odd powers of 1 / a."""


def _remainder(skew: Any) -> Any:
    """c(4 / skew^2), by its series for skews up to 1/2."""
    is_near = xp.less(xp.abs(skew), 0.5)
    inverse = 0.25 * xp.where(is_near, skew, 0.0) ** 2
    near, square = 0.0, inverse * inverse
    for coefficient in reversed(_STIRLING):
        near = near * square + coefficient
    far = xp.where(is_near, 1.0, skew)
    return xp.where(is_near, near * inverse, formula(gamma_formulas.stirling_error, 4.0 / (far * far)))


def _log_pearson(x: Any, skew: Any) -> Any:
    z = 0.5 * skew * x
    is_near = xp.less(xp.abs(z), _NEAR)
    close = xp.where(is_near, z, 0.0)
    near = -0.5 * x * x * special("hyp2f1", 1.0, 2.0, 3.0, -close) - xp.log1p(close)
    skew_far, x_far = xp.where(is_near, 1.0, skew), xp.where(is_near, 1.0, x)
    point = 0.5 * skew_far * x_far
    point = xp.where(xp.less(point, -1), -1.0, point)
    a = 4.0 / xp.maximum(skew_far * skew_far, 1e-300)
    far = xlog1py(a - 1.0, point) - a * point
    return xp.where(is_near, near, far) - _remainder(skew) - HALF_LOG_2PI


def _relative(q: formulas.Formula, u: formulas.Formula, skew: formulas.Formula) -> formulas.Formula:
    """The density at u + (1 + z) q over that at u, which is 0 beyond the end of the support."""
    w = 0.5 * skew * q
    is_near, is_inside = formulas.absolute(w) < _NEAR, w > -0.9999
    close = formulas.where(is_near, w, 0.0)
    near = formulas.special("hyp2f1", 1.0, 2.0, 3.0, -close) * (-0.5) * (q * q)
    skew_far = formulas.where(is_near, 1.0, skew)
    far = formulas.where(is_inside, w, 1.0)
    far_exponent = (formulas.log1p(far) - far) * (4 / (skew_far * skew_far))
    exponent = formulas.where(is_near, near, far_exponent) - u * q
    return formulas.where(is_inside, formulas.exp(exponent) / (1 + formulas.where(is_inside, w, 1.0)), 0.0)


def _log_tail(u: Any, skew: Any) -> Any:
    """The logarithm of what is above u, of a small skew: for u from -1 on if it is positive, else from 1."""
    ratio = half_line(0.5 / (1.0 + xp.maximum(u, 0.0)), _relative, u, skew)
    return _log_pearson(u, skew) + xp.log1p(0.5 * skew * u) + xp.log(ratio)


def _split(x: Any, skew: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Flags for small skews, tails below x and positive skews; the tail; point and shape of gamma's.

    Of a small skew the tail is the one of the sign of x, or that of the skew where x is near 0.
    """
    is_small = xp.less(xp.abs(skew), _SMALL)
    small = xp.where(is_small, skew, 0.0)
    is_low = xp.where(xp.less(xp.abs(x), 1), xp.less(small, 0), xp.less(x, 0))
    u, own = xp.where(is_low, -x, x), xp.where(is_low, -small, small)
    is_inside = is_small & xp.greater(own * u, -1.9998)
    tail = xp.where(is_inside, _log_tail(xp.where(is_inside, u, 0.0), own), -xp.inf)
    large = xp.where(is_small, 1.0, skew)
    a = 4.0 / (large * large)
    y = xp.where(is_small, 1.0, xp.maximum(a + 2.0 * x / large, 0.0))
    return is_small, is_low, xp.greater(large, 0), tail, y, a


def _share(is_lower: bool) -> Any:
    def share(x: Any, skew: Any) -> Any:
        is_small, is_low, is_positive, tail, y, a = _split(x, skew)
        is_tail = is_low if is_lower else ~is_low
        small = xp.where(is_tail, xp.exp(tail), -xp.expm1(tail))
        is_below = is_positive if is_lower else ~is_positive
        return xp.where(
            is_small, small, xp.where(is_below, special("gammainc", a, y), special("gammaincc", a, y))
        )

    return share


_cdf = _share(True)


def _log_share(is_lower: bool) -> Any:
    def log_share(x: Any, skew: Any) -> Any:
        is_small, is_low, is_positive, tail, y, a = _split(x, skew)
        is_tail = is_low if is_lower else ~is_low
        small = xp.where(is_tail, tail, log1mexp(-tail))
        is_below = is_positive if is_lower else ~is_positive
        return xp.where(is_small, small, xp.where(is_below, log_gamma_below(y, a), log_gamma_above(y, a)))

    return log_share


def _end(skew: Any, is_upper: bool) -> Any:
    has_end = xp.less(skew, 0) if is_upper else xp.greater(skew, 0)
    return xp.where(has_end, -2.0 / xp.where(has_end, skew, 1.0), xp.inf if is_upper else -xp.inf)


def _low(skew: Any) -> Any:
    return _end(skew, False)


def _high(skew: Any) -> Any:
    return _end(skew, True)


def _start(q: Any, _: Any, skew: Any) -> Any:
    """The start by the gamma distribution, for tiny skews by Cornish and Fisher's expansion, with some of the
    digits.
    """
    is_tiny = xp.less(xp.abs(skew), 1e-5)
    large = xp.where(is_tiny, 1.0, skew)
    a = 4.0 / (large * large)
    y = xp.where(xp.greater(large, 0), special("gammaincinv", a, q), special("gammainccinv", a, q))
    z = special("ndtri", q)
    return xp.where(is_tiny, z + (z * z - 1.0) * skew / 6.0, 0.5 * large * (y - a))


_low_quantile = refined(
    _start, lambda x, skew: xp.log(_cdf(x, skew)), lambda x, skew: xp.log1p(-_cdf(x, skew)), _log_pearson,
    _low, _high, True,
)  # fmt: skip


def _quantile(q: Any, skew: Any) -> Any:
    """The quantile by the nearer tail: by that of the other skew if it is the upper one."""
    is_low = xp.less(q, 0.5)
    found = called(_low_quantile)(xp.where(is_low, q, 1.0 - q), xp.where(is_low, skew, -skew))
    return xp.where(is_low, found, -found)


PEARSON3 = Distribution(
    _log_pearson, shapes=("skew",), cdf=_cdf, sf=_share(False), log_cdf=_log_share(True),
    log_sf=_log_share(False), ppf=_quantile, isf=lambda q, skew: -_quantile(q, -skew), low=_low, high=_high,
    allows=lambda skew: xp.isfinite(skew), mean=lambda skew: xp.zeros_like(skew),
    var=lambda skew: xp.ones_like(skew),
)  # fmt: skip

DISTRIBUTIONS = {"pearson3": PEARSON3}
