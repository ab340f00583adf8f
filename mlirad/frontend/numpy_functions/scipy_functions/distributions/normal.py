"""The normal distribution, and those of functions of a normal number."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Any

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    mirrored,
    transformed,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    floats,
    log1p_square,
    log_normal_density,
    normal_density,
    rarely,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp


def normal_below(x: Any) -> Any:
    return special("ndtr", x)


def log_normal_below(x: Any) -> Any:
    return special("log_ndtr", x)


def normal_quantile(q: Any) -> Any:
    return special("ndtri", q)


NORM = Distribution(
    log_normal_density, cdf=normal_below, log_cdf=log_normal_below, ppf=normal_quantile, is_symmetric=True,
    density=normal_density, mean=lambda: 0.0, var=lambda: 1.0,
)  # fmt: skip

_FAR = 25.0
"""From here on what is above is computed by its ratio to the density."""


def _log_half_above(x: Any) -> Any:
    """log(erfc(x / sqrt(2))) of numbers from 0 on."""

    def value(x: Array) -> Array:
        is_far, scaled = xp.greater(x, _FAR), xp.minimum(x, _FAR) / sqrt(2)
        low = xp.log1p(-special("erf", scaled))
        usual = xp.where(xp.less(x, 0.5), low, xp.log(special("erfc", scaled)))
        return rarely(is_far, lambda: xp.log(special("erfcx", x / sqrt(2))) - 0.5 * x * x, usual)

    def derivative(x: Array, _: Array, dx: Array) -> Array:
        is_far, near = xp.greater(x, _FAR), xp.minimum(x, _FAR)
        usual = xp.exp(-0.5 * near * near) / special("erfc", near / sqrt(2))
        hazard = rarely(is_far, lambda: 1.0 / special("erfcx", x / sqrt(2)), usual)
        return -sqrt(2 / pi) * hazard * dx

    return with_derivative(value, derivative, *floats(x))


HALFNORM = Distribution(
    lambda x: log_normal_density(x) + log(2),
    cdf=lambda x: special("erf", x / sqrt(2)),
    sf=lambda x: 2.0 * normal_below(-x),
    log_sf=_log_half_above,
    ppf=lambda q: sqrt(2) * special("erfinv", q), isf=lambda q: -normal_quantile(0.5 * q),
    low=0.0, mean=lambda: sqrt(2 / pi), var=lambda: 1 - 2 / pi,
)  # fmt: skip


# Of logarithms and other functions ----------------------------------------------------------------


def _log_of_lognormal(x: Any, s: Any) -> Any:
    """-(log(x) / s)^2 / 2 - log(x) - ..., -inf at 0."""
    logarithm = xp.log(x)
    return -(logarithm * (logarithm / (2.0 * s * s) + 1.0)) - xp.log(s) - 0.5 * log(2 * pi)


LOGNORM = transformed(
    NORM, lambda x, s: xp.log(x) / s, lambda x, s: -xp.log(s * x), lambda y, s: xp.exp(s * y),
    shapes=("s",), log_density=_log_of_lognormal, low=0.0,
    mean=lambda s: xp.exp(0.5 * s * s), var=lambda s: xp.expm1(s * s) * xp.exp(s * s),
)  # fmt: skip

GIBRAT = transformed(
    NORM, xp.log, lambda x: -xp.log(x), xp.exp, log_density=lambda x: _log_of_lognormal(x, 1.0), low=0.0,
    mean=lambda: sqrt(2.718281828459045), var=lambda: 2.718281828459045 * 1.718281828459045,
)  # fmt: skip

JOHNSONSB = transformed(
    NORM, lambda x, a, b: a + b * special("logit", x), lambda x, a, b: xp.log(b) - xp.log(x) - xp.log1p(-x),
    lambda y, a, b: special("expit", (y - a) / b),
    shapes=("a", "b"), low=0.0, high=1.0, allows=lambda a, b: xp.greater(b, 0),
    low_is_open=True, high_is_open=True,
)  # fmt: skip


def _johnsonsu_mean(a: Any, b: Any) -> Any:
    return -xp.exp(0.5 / b**2) * xp.sinh(a / b)


JOHNSONSU = transformed(
    NORM, lambda x, a, b: a + b * xp.arcsinh(x), lambda x, a, b: xp.log(b) - 0.5 * log1p_square(x),
    lambda y, a, b: xp.sinh((y - a) / b), shapes=("a", "b"), allows=lambda a, b: xp.greater(b, 0),
    mean=_johnsonsu_mean,
    var=lambda a, b: 0.5 * xp.expm1(b**-2.0) * (xp.exp(b**-2.0) * xp.cosh(2 * a / b) + 1),
)  # fmt: skip


def _wear(x: Any, c: Any) -> Any:
    """(sqrt(x) - 1 / sqrt(x)) / c."""
    return (x - 1.0) / (c * xp.sqrt(x))


def _life(y: Any, c: Any) -> Any:
    """The root of x that is larger than 1 for positive y, and 1 over that for negative y."""
    size = 0.5 * c * xp.abs(y)
    root = size + xp.sqrt(size * size + 1.0)
    return xp.where(xp.less(y, 0), 1.0 / (root * root), root * root)


FATIGUELIFE = transformed(
    NORM, _wear, lambda x, c: xp.log1p(x) - xp.log(2.0 * c) - 1.5 * xp.log(x), _life,
    shapes=("c",), low=0.0, low_is_open=True, mean=lambda c: 1.0 + 0.5 * c**2,
    var=lambda c: c**2 * (1.0 + 1.25 * c**2),
)  # fmt: skip

LEVY = transformed(
    HALFNORM, lambda x: 1.0 / xp.sqrt(x), lambda x: -1.5 * xp.log(x) - log(2), lambda y: 1.0 / y / y,
    decreases=True, low=0.0, low_is_open=True, mean=lambda: float("inf"), var=lambda: float("inf"),
    log_density=lambda x: -0.5 * (log(2 * pi) + 1.0 / x) - 1.5 * xp.log(x),
)  # fmt: skip
LEVY_L = mirrored(LEVY)

DISTRIBUTIONS = {
    "norm": NORM, "halfnorm": HALFNORM, "lognorm": LOGNORM, "gibrat": GIBRAT, "johnsonsb": JOHNSONSB,
    "johnsonsu": JOHNSONSU, "fatiguelife": FATIGUELIFE, "levy": LEVY, "levy_l": LEVY_L,
}  # fmt: skip
