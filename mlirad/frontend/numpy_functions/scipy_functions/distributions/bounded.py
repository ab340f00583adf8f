"""Distributions between two ends: triangles, trapezoids, Argus's, Tukey's of a quantile function."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import fori_loop
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import called
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import by_smaller_share
from mlirad.frontend.numpy_functions.scipy_functions.distributions.searching import searched
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    expm1_ratio,
    integral,
    log1mexp,
    log_gamma_below,
    log_of_rest,
    log_sech,
    logs,
    rarely,
)
from mlirad.frontend.tracing.operations import xp


def _in_trapezoid(x: Any, c: Any, d: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return whether x is on the left, or the right slope, x over c there, 1 - x over 1 - d there, the
    height.
    """
    is_left, is_right = xp.less(x, c), xp.greater(x, d)
    left = xp.where(is_left, x, 0.0) / xp.where(is_left, c, 1.0)
    right = xp.where(is_right, 1.0 - x, 0.0) / xp.where(is_right, 1.0 - d, 1.0)
    return is_left, is_right, left, right, 2.0 / (d - c + 1.0)


def _trapezoid(x: Any, c: Any, d: Any) -> Any:
    is_left, is_right, left, right, height = _in_trapezoid(x, c, d)
    return height * xp.where(is_left, left, xp.where(is_right, right, 1.0))


def _log_trapezoid(x: Any, c: Any, d: Any) -> Any:
    is_left, is_right, left, right, height = _in_trapezoid(x, c, d)
    slope = xp.where(is_left, left, xp.where(is_right, right, 1.0))
    return xp.log(height) + xp.log(slope)


def _trapezoid_below(x: Any, c: Any, d: Any) -> Any:
    """The share below x, by the rest near the upper end, so that derivatives keep their digits there."""
    is_left, is_right, left, right, height = _in_trapezoid(x, c, d)
    middle = xp.where(is_right, d, x) - 0.5 * c
    slope = 0.5 * xp.where(is_right, x - d, 0.0) * (1.0 + right)
    found = height * xp.where(is_left, 0.5 * left * left * c, middle + slope)
    return xp.where(is_right & xp.less(right, 0.5), 1.0 - 0.5 * height * right * right * (1.0 - d), found)


def _trapezoid_above(x: Any, c: Any, d: Any) -> Any:
    is_left, is_right, left, right, height = _in_trapezoid(x, c, d)
    middle = 0.5 * (1.0 + d) - xp.where(is_left, c, x)
    slope = 0.5 * xp.where(is_left, c - x, 0.0) * (1.0 + left)
    found = height * xp.where(is_right, 0.5 * right * right * (1.0 - d), middle + slope)
    return xp.where(is_left & xp.less(left, 0.5), 1.0 - 0.5 * height * left * left * c, found)


def _trapezoid_log_below(x: Any, c: Any, d: Any) -> Any:
    is_left, _, left, _, height = _in_trapezoid(x, c, d)
    is_left = is_left & xp.less(left, 0.1)
    slope = xp.log(0.5 * height * xp.where(is_left, c, 1.0)) + 2.0 * xp.log(xp.where(is_left, left, 1.0))
    return xp.where(is_left, slope, log_of_rest(_trapezoid_below, _trapezoid_above)(x, c, d))


def _trapezoid_log_above(x: Any, c: Any, d: Any) -> Any:
    _, is_right, _, right, height = _in_trapezoid(x, c, d)
    is_right = is_right & xp.less(right, 0.1)
    slope = xp.log(0.5 * height * xp.where(is_right, 1.0 - d, 1.0)) + 2.0 * xp.log(
        xp.where(is_right, right, 1.0)
    )
    return xp.where(is_right, slope, log_of_rest(_trapezoid_above, _trapezoid_below)(x, c, d))


def _trapezoid_quantile(q: Any, c: Any, d: Any) -> Any:
    height = 2.0 / (d - c + 1.0)
    is_left, is_right = xp.less(q, 0.5 * height * c), xp.greater(q, height * (d - 0.5 * c))
    left = xp.sqrt(xp.where(is_left, q * (2.0 * c / height), 1.0))
    right = 1.0 - xp.sqrt(xp.where(is_right, (1.0 - q) * (2.0 * (1.0 - d) / height), 1.0))
    return xp.where(is_left, left, xp.where(is_right, right, q / height + 0.5 * c))


def _trapezoid_upper_quantile(q: Any, c: Any, d: Any) -> Any:
    return 1.0 - _trapezoid_quantile(q, 1.0 - d, 1.0 - c)


def _trapezoid_mean(c: Any, d: Any) -> Any:
    return (1.0 + d + d * d - c * c) / (3.0 * (d - c + 1.0))


def _trapezoid_var(c: Any, d: Any) -> Any:
    square = (1.0 + d + d * d + d**3 - c**3) / (6.0 * (d - c + 1.0))
    return square - _trapezoid_mean(c, d) ** 2


TRAPEZOID = Distribution(
    _log_trapezoid, shapes=("c", "d"), density=_trapezoid, cdf=_trapezoid_below,
    sf=_trapezoid_above, log_cdf=_trapezoid_log_below, log_sf=_trapezoid_log_above,
    **by_smaller_share(_trapezoid_quantile, _trapezoid_upper_quantile), low=0.0, high=1.0,
    allows=lambda c, d: xp.greater_equal(c, 0) & xp.greater_equal(d, c) & xp.less_equal(d, 1),
    mean=_trapezoid_mean, var=_trapezoid_var,
)  # fmt: skip

TRIANG = Distribution(
    lambda x, c: _log_trapezoid(x, c, c), shapes=("c",), density=lambda x, c: _trapezoid(x, c, c),
    cdf=lambda x, c: _trapezoid_below(x, c, c), sf=lambda x, c: _trapezoid_above(x, c, c),
    log_cdf=lambda x, c: _trapezoid_log_below(x, c, c), log_sf=lambda x, c: _trapezoid_log_above(x, c, c),
    **by_smaller_share(
        lambda q, c: _trapezoid_quantile(q, c, c), lambda q, c: _trapezoid_upper_quantile(q, c, c)
    ),
    low=0.0, high=1.0,
    allows=lambda c: xp.greater_equal(c, 0) & xp.less_equal(c, 1),
    mean=lambda c: (1.0 + c) / 3.0, var=lambda c: (1.0 - c + c * c) / 18.0,
)  # fmt: skip


# Argus --------------------------------------------------------------------------------------------


def _half_square(x: Any, chi: Any) -> Any:
    """chi^2 (1 - x^2) / 2."""
    return 0.5 * chi * chi * (1.0 - x) * (1.0 + x)


def _whole(chi: Any) -> Any:
    """gammainc(3 / 2, chi^2 / 2)."""
    return special("gammainc", 1.5, 0.5 * chi * chi)


def _log_argus(x: Any, chi: Any) -> Any:
    factor = 3.0 * xp.log(chi) - 0.5 * log(pi / 2) - xp.log(_whole(chi))
    return factor + xp.log(x) + 0.5 * xp.log((1.0 - x) * (1.0 + x)) - _half_square(x, chi)


def _argus(x: Any, chi: Any) -> Any:
    factor = chi**3 / ((pi / 2) ** 0.5 * _whole(chi))
    return factor * x * xp.sqrt((1.0 - x) * (1.0 + x)) * xp.exp(-_half_square(x, chi))


def _argus_log_above(x: Any, chi: Any) -> Any:
    near = _argus_log_near(x, chi)
    far = log_gamma_below(_half_square(x, chi), 1.5) - xp.log(_whole(chi))
    return xp.where(_is_near(x, chi), log1mexp(-near), far)


def _is_near(x: Any, chi: Any) -> Any:
    return xp.less(x, 0.5) & xp.less(chi * x, 1)


def _argus_log_near(x: Any, chi: Any) -> Any:
    """The logarithm of what is below a small x, by an integral of the density."""
    point = xp.where(_is_near(x, chi), x, 0.5 / xp.maximum(chi, 1.0))

    def relative(t: Any, point: Any, chi: Any) -> Any:
        square = (t * point) ** 2
        return t * xp.sqrt(1.0 - square) * xp.exp(0.5 * chi * chi * square)

    factor = 3.0 * xp.log(chi) - 0.5 * log(pi / 2) - xp.log(_whole(chi)) - 0.5 * chi * chi
    return factor + 2.0 * xp.log(point) + xp.log(integral(relative, 0.0, xp.ones_like(point), point, chi))


def _argus_log_below(x: Any, chi: Any) -> Any:
    """Far from 0 by what is above both ends of gamma numbers, or where that is more, below."""
    near = _is_near(x, chi)
    whole, point = 0.5 * chi * chi, _half_square(xp.where(near, 0.5, x), chi)
    above = special("gammaincc", 1.5, point) - special("gammaincc", 1.5, whole)
    below = special("gammainc", 1.5, whole) - special("gammainc", 1.5, point)
    far = xp.log(xp.where(xp.less(whole, 1.5), below, above) / _whole(chi))
    return xp.where(near, _argus_log_near(x, chi), far)


def _argus_quantile(share: Any, chi: Any) -> Any:
    """The quantile by the share above it."""
    return xp.sqrt(1.0 - 2.0 / (chi * chi) * special("gammaincinv", 1.5, share * _whole(chi)))


_ARGUS_SHARES = logs(_argus_log_below, _argus_log_above)


def _argus_low(chi: Any) -> float:
    return 0.0


def _argus_high(chi: Any) -> float:
    return 1.0


_argus_searched = called(
    searched(
        _ARGUS_SHARES["log_cdf"],
        _ARGUS_SHARES["log_sf"],
        _log_argus,
        _argus_low,
        _argus_high,
        increases=True,
    )
)


def _argus_lower_quantile(q: Any, chi: Any) -> Any:
    """The quantile by the share below, found by search if the share above does not tell it to all digits."""
    is_small = xp.less(q, 0.01)
    usual = _argus_quantile(1.0 - xp.where(is_small, 0.25, q), chi)
    return rarely(is_small, lambda: _argus_searched(xp.where(is_small, q, 0.25), chi), usual)


ARGUS = Distribution(
    _log_argus, shapes=("chi",), density=_argus, **_ARGUS_SHARES, low=0.0,
    high=1.0, low_is_open=True, **by_smaller_share(_argus_lower_quantile, _argus_quantile),
)  # fmt: skip


# Tukey's: by the quantile function ----------------------------------------------------------------


def _log_middle(t: Any) -> Any:
    """Half the sum of the logarithms of 1 / (1 + e^-t) and 1 / (1 + e^t)."""
    return log_sech(0.5 * t) - log(2)


def _by_logit(t: Any, lam: Any) -> tuple[Any, Any]:
    """The quantile at 1 / (1 + e^-t), near 0 by t times the rest, and its slope by t."""
    is_near = xp.less(xp.abs(t), 1)
    near, far = xp.where(is_near, t, 0.0), xp.where(is_near, 1.0, t)
    middle = near * expm1_ratio(lam * near) * xp.exp(lam * (_log_middle(near) - 0.5 * near))
    below, above = special("log_expit", far), special("log_expit", -far)
    value = below * expm1_ratio(lam * below) - above * expm1_ratio(lam * above)
    return xp.where(is_near, middle, value), xp.exp(2.0 * _log_middle(t) - _log_density(t, lam))


def _log_density(t: Any, lam: Any) -> Any:
    """The logarithm of the density at the quantile: -log(p^(lam - 1) + (1 - p)^(lam - 1))."""
    power, is_near = lam - 1.0, xp.less(xp.abs(t), 1)
    middle, far = xp.where(is_near, t, 0.0), xp.where(is_near, 1.0, t)
    near = log_sech(0.5 * power * middle) - log(2) - power * _log_middle(middle)
    beyond = -xp.logaddexp(power * special("log_expit", far), power * special("log_expit", -far))
    return xp.where(is_near, near, beyond)


def _logit(x: Any, lam: Any) -> Any:
    """The logit of what is below x, by halving, with derivatives by two steps of Newton's method."""
    fixed = stop_gradient(x), stop_gradient(lam)

    def halve(_: Any, ends: Any) -> Any:
        less, more = ends
        middle = 0.5 * (less + more)
        is_above = xp.greater(_by_logit(middle, fixed[1])[0], fixed[0])
        return xp.where(is_above, less, middle), xp.where(is_above, middle, more)

    start = xp.zeros_like(x + lam)
    less, more = fori_loop(0, 64, halve, (start - 710.0, start + 710.0))
    t = stop_gradient(xp.where(xp.less(xp.abs(less), xp.abs(more)), less, more))
    for _ in range(2):
        value, slope = _by_logit(t, lam)
        t = t + (x - value) / slope
    return t


def _tukey_quantile(q: Any, lam: Any) -> Any:
    """(q^lam - (1 - q)^lam) / lam, of differences that are 0 at 1/2, also where products are fused."""
    below, above = xp.log(q), xp.log1p(-q)
    low, high = expm1_ratio(lam * below), expm1_ratio(lam * above)
    is_upper = xp.greater(q, 0.5)
    return (below - above) * xp.where(is_upper, high, low) + xp.where(is_upper, below, above) * (low - high)


def _tukey_end(lam: Any) -> Any:
    is_bounded = xp.greater(lam, 0)
    return xp.where(is_bounded, 1.0 / xp.where(is_bounded, lam, 1.0), xp.inf)


TUKEYLAMBDA = Distribution(
    lambda x, lam: _log_density(_logit(x, lam), lam), shapes=("lam",),
    cdf=lambda x, lam: special("expit", _logit(x, lam)),
    log_cdf=lambda x, lam: special("log_expit", _logit(x, lam)),
    ppf=_tukey_quantile,
    is_symmetric=True, low=lambda lam: -_tukey_end(lam), high=_tukey_end, allows=xp.isfinite,
)  # fmt: skip

DISTRIBUTIONS = {"trapezoid": TRAPEZOID, "triang": TRIANG, "argus": ARGUS, "tukeylambda": TUKEYLAMBDA}
