"""Families with Bessel functions in their densities: generalized inverse Gaussian and hyperbolic numbers.

Logarithms of K are those of its integral, so orders have derivatives and neither overflows. Shares are
integrals of the density from the point outwards.
"""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    above_zero,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    DECAY,
    formula,
    half_line,
    logs,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.ir.formulas import Formula
from mlirad.rules.bessel_orders import log_scaled_k
from mlirad.rules.quadratures import after_decay, area_cosine, between, fixed

# Inverse Gaussian -------------------------------------------------------------------------------------


def _log_k(p: Any, x: Any) -> Any:
    """log(e^x K_p(x))."""
    return formula(log_scaled_k, p, x)


def _log_inverse(x: Any, p: Any, b: Any) -> Any:
    root = xp.sqrt(x)
    distance = root - 1.0 / root
    return (p - 1.0) * xp.log(x) - 0.5 * b * distance * distance - log(2) - _log_k(p, b)


def _reaches(p: Formula, b: Formula) -> tuple[Formula, Formula, Formula]:
    """Return where p t - b cosh(t) is largest, and how far to the left and to the right it is `DECAY`
    less.
    """
    size, order = formulas.hypot(p, b), formulas.absolute(p)
    fast = area_cosine(DECAY / size)
    slow = area_cosine(DECAY / formulas.maximum(b * (b / (size + order)), 1e-100))
    slow = formulas.minimum(after_decay(order, DECAY), slow)
    is_rising = p > 0
    left, right = formulas.where(is_rising, slow, fast), formulas.where(is_rising, fast, slow)
    return formulas.arcsinh(p / b), left, right


def _log_share_below(y: Formula, p: Formula, b: Formula) -> Formula:
    """The logarithm of the integral of e^(p t - b (cosh(t) - 1)) up to y."""
    peak, left, right = map(fixed, _reaches(p, b))
    is_beyond = y > peak
    y = formulas.minimum(y, peak + right)
    rate = formulas.maximum(p - b * formulas.sinh(y), 0.0)
    rise = b * formulas.maximum(formulas.sinh(y), 0.0)
    bend = b * formulas.where(y > 0, formulas.exp(-formulas.absolute(y)), formulas.cosh(y))
    reach = formulas.minimum(after_decay(rise, DECAY), area_cosine(DECAY / formulas.maximum(bend, 1e-100)))
    reach = formulas.minimum(reach, DECAY / formulas.maximum(rate, 1e-100))
    nodes = between(128, y * 0.0, formulas.where(is_beyond, y - peak + left, reach))
    half = formulas.sinh(0.5 * y)
    v, start, order, scale = nodes.points, nodes.spread(y), nodes.spread(p), nodes.spread(b)
    exponent = 2 * scale * formulas.sinh(start - 0.5 * v) * formulas.sinh(0.5 * v) - order * v
    top = fixed(formulas.where(is_beyond, (peak - y) * p + b * (formulas.cosh(y) - formulas.cosh(peak)), 0.0))
    total = nodes.total(formulas.exp(exponent - nodes.spread(top)))
    return p * y - 2 * b * half * half + top + formulas.log(total)


def _log_below(x: Any, p: Any, b: Any) -> Any:
    return formula(_log_share_below, xp.log(x), p, b) - log(2) - _log_k(p, b)


def _log_above(x: Any, p: Any, b: Any) -> Any:
    """That below 1 / x of 1 / (a number), which has the other sign of p."""
    return _log_below(1.0 / x, -p, b)


def _k_ratio(p: Any, step: float, x: Any) -> Any:
    """K of order p + step over that of order p."""
    return xp.exp(_log_k(p + step, x) - _log_k(p, x))


def _inverse_mean(p: Any, b: Any) -> Any:
    return _k_ratio(p, 1.0, b)


GENINVGAUSS = Distribution(
    _log_inverse, shapes=("p", "b"), **logs(_log_below, _log_above), low=0.0, low_is_open=True,
    allows=lambda p, b: xp.isfinite(p) & above_zero(b), mean=_inverse_mean,
    var=lambda p, b: _k_ratio(p, 2.0, b) - _inverse_mean(p, b) ** 2,
)  # fmt: skip

# Hyperbolic -------------------------------------------------------------------------------------------


def _exponent(x: Formula, a: Formula, b: Formula) -> tuple[Formula, Formula, Formula]:
    """r = sqrt(1 + x^2), the root of a^2 - b^2, and a r - b x less that root."""
    root = formulas.hypot(x.like(1.0), x)
    rate = formulas.sqrt((a - b) * (a + b))
    distance = a * x - b * root
    return root, rate, distance * (distance / (a * root - b * x + rate))


def _log_hyperbolic(x: Formula, p: Formula, a: Formula, b: Formula) -> Formula:
    """The logarithm of the density."""
    root, rate, exponent = _exponent(x, a, b)
    scale = p * formulas.log(rate) - (p - 0.5) * formulas.log(a / root) - 0.5 * log(2 * pi)
    return scale + log_scaled_k(p - 0.5, a * root) - log_scaled_k(p, rate) - exponent


def _relative_hyperbolic(v: Formula, x: Formula, p: Formula, a: Formula, b: Formula) -> Formula:
    """The density at x - v over that at x, without what both have in common."""
    first, second = _varying(x - v, p, a, b), _varying(x, p, a, b)
    return formulas.exp(first - second)


def _varying(x: Formula, p: Formula, a: Formula, b: Formula) -> Formula:
    root, _, exponent = _exponent(x, a, b)
    return (p - 0.5) * formulas.log(root) + log_scaled_k(p - 0.5, a * root) - exponent


def _hyperbolic_mean(p: Any, a: Any, b: Any) -> Any:
    rate = xp.sqrt((a - b) * (a + b))
    return b / rate * _k_ratio(p, 1.0, rate)


def _hyperbolic_var(p: Any, a: Any, b: Any) -> Any:
    rate = xp.sqrt((a - b) * (a + b))
    first, second = _k_ratio(p, 1.0, rate), _k_ratio(p, 2.0, rate)
    return first / rate + (b / rate) ** 2 * (second - first * first)


def _log_below_hyperbolic(x: Any, p: Any, a: Any, b: Any) -> Any:
    """The share by an integral of the density, from a point not far above the mean if x is beyond that."""
    spread = xp.sqrt(_hyperbolic_var(p, a, b)) + 1.0 / (a + b)
    x = xp.minimum(x, stop_gradient(_hyperbolic_mean(p, a, b) + 2.0 * spread))
    scale = 1.0 / (xp.maximum(b - a * x / xp.hypot(1.0, x), 0.0) + 1.0 / spread)
    ratio = half_line(scale, _relative_hyperbolic, x, p, a, b)
    return formula(_log_hyperbolic, x, p, a, b) + xp.log(ratio)


GENHYPERBOLIC = Distribution(
    lambda x, p, a, b: formula(_log_hyperbolic, x, p, a, b), shapes=("p", "a", "b"),
    **logs(_log_below_hyperbolic, lambda x, p, a, b: _log_below_hyperbolic(-x, p, a, -b)),
    allows=lambda p, a, b: xp.isfinite(p) & xp.greater(a, xp.abs(b)),
    mean=_hyperbolic_mean, var=_hyperbolic_var,
)  # fmt: skip

DISTRIBUTIONS = {"geninvgauss": GENINVGAUSS, "genhyperbolic": GENHYPERBOLIC}
