"""Normal numbers with other random numbers added, or as variances, and what comes of that."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    above_zero,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    floats,
    formula,
    half_line,
    log1mexp,
    log_mills,
    log_normal_density,
    logs,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.ir.formulas import Formula

# Normal and Laplace: the logarithm of the double Pareto lognormal ------------------------------------


def _log_tilted(z: Any, rate: Any) -> Any:
    """log(density(z)) + log(what is above rate - z over the density there), which far out is a line."""
    is_far = xp.greater(z, rate)
    far = xp.where(is_far, z, rate)
    line = rate * (0.5 * rate - far) + special("log_ndtr", far - rate)
    return xp.where(is_far, line, log_normal_density(z) + log_mills(xp.where(is_far, 0.0, rate - z)))


def _log_pareto(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z = (xp.log(x) - u) / s
    return xp.log(a * b / (a + b)) - xp.log(x) + xp.logaddexp(_log_tilted(z, a * s), _log_tilted(-z, b * s))


def _log_side(z: Any, near: Any, far: Any) -> Any:
    """The logarithm of what is beyond z, from 0 on, by rates of the decay on this side and the other."""
    is_beyond = xp.greater(z, 0)
    point = xp.where(is_beyond, z, 0.0)
    share = near / (near + far)
    less = xp.exp(log_mills(point)) - share * xp.exp(log_mills(far + point))
    own = log_normal_density(point) + xp.log(less)
    return is_beyond, xp.logaddexp(own, xp.log1p(-share) + _log_tilted(point, near))


def _log_pareto_below(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z = (xp.log(x) - u) / s
    is_below, below = _log_side(-z, b * s, a * s)
    return xp.where(is_below, below, log1mexp(-_log_side(z, a * s, b * s)[1]))


def _log_pareto_above(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z = (xp.log(x) - u) / s
    is_above, above = _log_side(z, a * s, b * s)
    return xp.where(is_above, above, log1mexp(-_log_side(-z, b * s, a * s)[1]))


def _pareto_moment(n: float, u: Any, s: Any, a: Any, b: Any) -> Any:
    exists = xp.greater(a, n)
    found = a * b / (xp.where(exists, a - n, 1.0) * (b + n)) * xp.exp(n * u + 0.5 * (n * s) ** 2)
    return xp.where(exists, found, xp.inf)


DPARETO_LOGNORM = Distribution(
    _log_pareto, shapes=("u", "s", "a", "b"), **logs(_log_pareto_below, _log_pareto_above), low=0.0,
    low_is_open=True, allows=lambda u, s, a, b: xp.isfinite(u) & above_zero(s, a, b),
    mean=lambda u, s, a, b: _pareto_moment(1.0, u, s, a, b),
    var=lambda u, s, a, b: _pareto_moment(2.0, u, s, a, b) - _pareto_moment(1.0, u, s, a, b) ** 2,
)  # fmt: skip


# Normal with an inverse Gaussian variance -------------------------------------------------------------


def _log_inverse_mixture(x: Formula, a: Formula, b: Formula) -> Formula:
    """log(a / pi) + log(k1(a r) / r) + sqrt(a^2 - b^2) + b x with r = sqrt(1 + x^2)."""
    root = formulas.hypot(x.like(1.0), x)
    rate = formulas.sqrt((a - b) * (a + b))
    distance = a * x - b * root
    exponent = distance * (distance / (a * root - b * x + rate))
    return formulas.log(a * (1 / pi) * formulas.special("k1e", a * root)) - formulas.log(root) - exponent


def _log_below_inverse_mixture(x: Any, a: Any, b: Any) -> Any:
    """The share by an integral of the density, if x is not above the mean."""

    def relative(v: Formula, x: Formula, a: Formula, b: Formula) -> Formula:
        return formulas.exp(_log_inverse_mixture(x - v, a, b) - _log_inverse_mixture(x, a, b))

    spread = xp.sqrt(a * a / ((a - b) * (a + b)) ** 1.5) + 1.0 / (a + b)
    scale = 1.0 / (xp.maximum(b - a * x / xp.hypot(1.0, x), 0.0) + 1.0 / spread)
    return formula(_log_inverse_mixture, x, a, b) + xp.log(half_line(scale, relative, x, a, b))


def _inverse_mixture_below(x: Any, a: Any, b: Any) -> Any:
    mean = b / xp.sqrt((a - b) * (a + b))
    is_low = xp.less(x, mean)
    low = _log_below_inverse_mixture(xp.where(is_low, x, mean), a, b)
    high = _log_below_inverse_mixture(xp.where(is_low, -mean, -x), a, -b)
    return xp.where(is_low, low, log1mexp(-high))


NORMINVGAUSS = Distribution(
    lambda x, a, b: formula(_log_inverse_mixture, x, a, b), shapes=("a", "b"),
    **logs(_inverse_mixture_below, lambda x, a, b: _inverse_mixture_below(-x, a, -b)),
    allows=lambda a, b: xp.greater(a, xp.abs(b)), mean=lambda a, b: b / xp.sqrt((a - b) * (a + b)),
    var=lambda a, b: a * a / ((a - b) * (a + b)) ** 1.5,
)  # fmt: skip

# The length of a vector of two normal numbers ---------------------------------------------------------


def _rice_mean(b: Any) -> Any:
    quarter = 0.25 * b * b
    even, odd = special("i0e", quarter), special("i1e", quarter)
    return (pi / 2) ** 0.5 * (even + 2.0 * quarter * (even + odd))


def _log_ring(x: Any, b: Any) -> Any:
    """-(x^2 + b^2) / 2 + log(i0(x b)), smooth at b = 0 too."""

    def value(x: Array, b: Array) -> Array:
        return -0.5 * (x - b) ** 2 + xp.log(special("i0e", x * b))

    def derivative(x: Array, b: Array, _: Array, dx: Array, db: Array) -> Array:
        ratio = special("i1e", x * b) / special("i0e", x * b)
        return (b * ratio - x) * dx + (x * ratio - b) * db

    return with_derivative(value, derivative, *floats(x, b))


RICE = Distribution(
    lambda x, b: xp.log(x) + _log_ring(x, b), shapes=("b",), density=lambda x, b: x * xp.exp(_log_ring(x, b)),
    low=0.0, allows=lambda b: xp.greater_equal(b, 0), mean=_rice_mean,
    var=lambda b: 2.0 + b * b - _rice_mean(b) ** 2,
)  # fmt: skip


# The largest deviation of a Brownian bridge -----------------------------------------------------------


def _bridge_parts(x: Any) -> tuple[Any, Any, Any]:
    """Return whether x is small, x there, and elsewhere."""
    is_near = xp.less(x, 0.9)
    return is_near, xp.where(is_near, x, 0.9), xp.where(is_near, 0.9, x)


def _log_bridge(x: Any) -> Any:
    is_near, near, far = _bridge_parts(x)
    w, rate = 4.0 / pi**2 * near * near, xp.minimum(pi * pi / near / near, 1e300)
    terms = sum((k * k - w) * xp.exp(-0.125 * (k * k - 1) * rate) for k in (1, 3, 5, 7))
    low = 0.5 * log(2 * pi) + log(pi**2 / 4) - 4.0 * xp.log(near) - 0.125 * rate + xp.log(terms)
    waves = sum((-1) ** (k - 1) * k * k * xp.exp(-2.0 * (k * k - 1) * far * far) for k in range(1, 7))
    return xp.where(is_near, low, log(8) + xp.log(far) - 2.0 * far * far + xp.log(waves))


def _log_bridge_below(x: Any) -> Any:
    is_near, near, far = _bridge_parts(x)
    rate = xp.minimum(pi * pi / near / near, 1e300)
    terms = sum(xp.exp(-0.125 * (k * k - 1) * rate) for k in (1, 3, 5, 7))
    low = 0.5 * log(2 * pi) - xp.log(near) - 0.125 * rate + xp.log(terms)
    return xp.where(is_near, low, log1mexp(-_log_far_bridge_above(far)))


def _log_far_bridge_above(x: Any) -> Any:
    waves = sum((-1) ** (k - 1) * xp.exp(-2.0 * (k * k - 1) * x * x) for k in range(1, 7))
    return log(2) - 2.0 * x * x + xp.log(waves)


def _log_bridge_above(x: Any) -> Any:
    is_near, near, far = _bridge_parts(x)
    return xp.where(is_near, log1mexp(-_log_bridge_below(near)), _log_far_bridge_above(far))


KSTWOBIGN = Distribution(
    _log_bridge, **logs(_log_bridge_below, _log_bridge_above), low=0.0, low_is_open=True,
    mean=lambda: (pi / 2) ** 0.5 * log(2), var=lambda: pi**2 / 12 - pi / 2 * log(2) ** 2,
)  # fmt: skip

DISTRIBUTIONS = {
    "dpareto_lognorm": DPARETO_LOGNORM, "norminvgauss": NORMINVGAUSS, "rice": RICE,
    "kstwobign": KSTWOBIGN,
}  # fmt: skip
