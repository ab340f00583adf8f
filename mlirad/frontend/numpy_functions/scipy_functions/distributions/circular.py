"""Distributions on a circle, and others of trigonometric functions."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import by_smaller_share
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import floats
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp

# On an interval of the sine ----------------------------------------------------------------------------


def _from_low(x: Any, low: float, rest: float) -> Any:
    """x less a negative number that is the sum of two."""
    return (x - low) - rest


ANGLIT = Distribution(
    lambda x: xp.log(xp.cos(2.0 * x)), density=lambda x: xp.cos(2.0 * x),
    cdf=lambda x: xp.sin(_from_low(x, -pi / 4, -3.061616997868383e-17)) ** 2,
    ppf=lambda q: 0.5 * xp.arctan2(2.0 * q - 1.0, 2.0 * xp.sqrt(q * (1.0 - q))), is_symmetric=True,
    low=-pi / 4, high=pi / 4, var=lambda: pi**2 / 16 - 0.5,
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


def _wrapped_sides(x: Any, c: Any) -> tuple[Any, Any]:
    """The sine and the cosine of pi times what is below x, up to a factor."""
    return (1.0 + c) * xp.sin(0.5 * x), (1.0 - c) * xp.cos(0.5 * x)


def _wrapped_below(x: Any, c: Any) -> Any:
    sine, cosine = _wrapped_sides(x, c)
    return xp.arctan2(sine, cosine) / pi


def _wrapped_above(x: Any, c: Any) -> Any:
    sine, cosine = _wrapped_sides(x, c)
    return xp.arctan2(sine, -cosine) / pi


def _wrapped_quantile(q: Any, c: Any) -> Any:
    return 2.0 * xp.arctan2((1.0 - c) * xp.sin(pi * q), (1.0 + c) * xp.cos(pi * q))


WRAPCAUCHY = Distribution(
    _wrapped, shapes=("c",), cdf=_wrapped_below, sf=_wrapped_above,
    **by_smaller_share(_wrapped_quantile, lambda q, c: 2 * pi - _wrapped_quantile(q, c)), low=0.0,
    high=2 * pi, allows=lambda c: xp.greater(c, 0) & xp.less(c, 1),
)  # fmt: skip


def _log_von_mises(x: Any, kappa: Any) -> Any:
    """kappa cos(x) - log(2 pi i0(kappa)), smooth at kappa = 0 too, where i0e is not."""

    def value(x: Array, kappa: Array) -> Array:
        sine = xp.sin(0.5 * x)
        return -2.0 * kappa * sine * sine - log(2 * pi) - xp.log(special("i0e", kappa))

    def derivative(x: Array, kappa: Array, _: Array, dx: Array, dkappa: Array) -> Array:
        ratio = special("i1e", kappa) / special("i0e", kappa)
        return (xp.cos(x) - ratio) * dkappa - kappa * xp.sin(x) * dx

    return with_derivative(value, derivative, *floats(x, kappa))


VONMISES = Distribution(_log_von_mises, shapes=("kappa",), allows=lambda kappa: xp.greater_equal(kappa, 0))
VONMISES_LINE = Distribution(
    _log_von_mises, shapes=("kappa",), low=-pi, high=pi, allows=lambda kappa: xp.greater_equal(kappa, 0),
    mean=lambda kappa: 0.0,
)  # fmt: skip

DISTRIBUTIONS = {
    "anglit": ANGLIT, "cosine": COSINE, "wrapcauchy": WRAPCAUCHY, "vonmises": VONMISES,
    "vonmises_line": VONMISES_LINE,
}  # fmt: skip
