"""Formulas that many distributions are made of, accurate in the whole range of what they are functions of.

log1mexp(x)            log(1 - e^-x)
log1p_ratio(x)         log(1 + x) / x, 1 at 0
log_beta(a, b)         log(beta(a, b))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import log, pi, sqrt
from typing import Any

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import integer
from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import (
    Formula,
    Function,
    Shares,
    called,
)
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, inexact, xp
from mlirad.ir import formulas
from mlirad.rules import gamma_formulas, incomplete_functions, quadratures

HALF_LOG_2PI = 0.5 * log(2 * pi)

DECAY = 42.0
"""Values of an integrand below e^-42 of the largest are left out of a logarithm."""


def formula(function: Callable[..., formulas.Formula], *operands: Any) -> Array:
    """A formula of derivative rules, of traced arrays that are broadcast."""
    b = emitting()
    alike = xp.broadcast_arrays(*floats(*operands))
    return made(function(*(formulas.Formula(b, x.value) for x in alike)).value)


def own_special(name: str, *operands: Any) -> Array:
    """A special function that SciPy does not have, of numbers that are broadcast."""

    def function(*arguments: formulas.Formula) -> formulas.Formula:
        return formulas.special(name, *arguments)

    return formula(function, *operands)


def floats(*operands: Any) -> list[Array]:
    """Operands as arrays of floats, each of its own shape: shapes that are numbers stay numbers."""
    return [inexact(as_array(x)) for x in operands]


def log1mexp(x: Any) -> Any:
    """log(1 - e^-x) of positive numbers."""
    return xp.where(xp.less(x, log(2)), xp.log(-xp.expm1(-x)), xp.log1p(-xp.exp(-x)))


def log1mexp_of(log_x: Any) -> Any:
    """log(1 - e^-x) by the logarithm of x, where x itself may vanish."""
    is_tiny = xp.less(log_x, -40)
    usual = log1mexp(xp.exp(xp.where(is_tiny, 0.0, log_x)))
    return xp.where(is_tiny, log_x, usual)


def logs(log_cdf: Formula, log_sf: Formula) -> Shares:
    """The four functions of a distribution, by logarithms that are accurate where they are not near 0."""

    def better(own: Function, other: Function) -> Function:
        def logarithm(*operands: Any) -> Any:
            rest = other(*operands)
            return xp.where(xp.less(rest, -log(2)), xp.log1p(-xp.exp(rest)), own(*operands))

        return logarithm

    def probability(own: Function, other: Function) -> Function:
        def exponential(*operands: Any) -> Any:
            rest = other(*operands)
            return xp.where(xp.less(rest, -log(2)), 1.0 - xp.exp(rest), xp.exp(own(*operands)))

        return exponential

    low, high = called(log_cdf), called(log_sf)
    low, high = better(low, high), better(high, low)
    return Shares(cdf=probability(low, high), sf=probability(high, low), log_cdf=low, log_sf=high)


def log_of_rest(formula: Callable[..., Any], rest: Callable[..., Any]) -> Callable[..., Any]:
    """The logarithm of a probability, by that of the rest where it is near 1."""

    def logarithm(*operands: Any) -> Any:
        found, other = formula(*operands), rest(*operands)
        return xp.where(xp.less(other, 0.5), xp.log1p(-other), xp.log(found))

    return logarithm


def xlogy(x: Any, y: Any) -> Any:
    """x log(y), 0 where x is 0."""
    return special("xlogy", x, y)


def xlog1py(x: Any, y: Any) -> Any:
    """x log(1 + y), 0 where x is 0."""
    return special("xlog1py", x, y)


def log1p_ratio(x: Any) -> Any:
    """log(1 + x) / x, 1 at 0, where it is a hypergeometric function."""
    is_near = xp.less(xp.abs(x), 0.25)
    near = special("hyp2f1", 1.0, 1.0, 2.0, -xp.where(is_near, x, 0.0))
    return xp.where(is_near, near, xp.log1p(x) / x)


def expm1_ratio(x: Any) -> Any:
    """(e^x - 1) / x, 1 at 0."""
    return special("exprel", x)


def softplus(x: Any) -> Any:
    """log(1 + e^x)."""
    return -special("log_expit", -x)


def log_softplus(x: Any) -> Any:
    """log(log(1 + e^x)), x far below 0."""
    is_far = xp.less(x, -40)
    return xp.where(is_far, x, xp.log(softplus(xp.where(is_far, 0.0, x))))


def log1p_square(x: Any) -> Any:
    """log(1 + x^2), also where the square overflows: it is 2 log(1 + |x|) where 1 is far below the square."""

    def value(x: Array) -> Array:
        square = x * x
        is_far = xp.greater(square, 2.0 ** (1020 if x.dtype == np.float64 else 124))
        found = xp.log1p(xp.where(is_far, xp.abs(x), square))
        return xp.where(is_far, found + found, found)

    def derivative(x: Array, _: Array, dx: Array) -> Array:
        least, shrunk = (511, -600) if x.dtype == np.float64 else (63, -80)
        unit = xp.where(xp.greater(xp.abs(x), 2.0**least), 2.0**shrunk, 1.0)
        y = x * unit
        return 2.0 * unit * y / (unit * unit + y * y) * dx

    return with_derivative(value, derivative, *floats(x))


def power_of_size(x: Any, p: Any) -> Any:
    """|x|^p, smooth at 0 as far as it is: for p = 2 it is x^2."""

    def value(x: Array, p: Array) -> Array:
        return xp.abs(x) ** p

    def derivative(x: Array, p: Array, power: Array, dx: Array, dp: Array) -> Array:
        size = xp.abs(x)
        smooth = x * size ** xp.where(xp.greater_equal(p, 2), p - 2.0, 0.0)
        slope = p * xp.where(xp.greater_equal(p, 2), smooth, xp.sign(x) * size ** (p - 1.0))
        return slope * dx + xlogy(power, size) * dp

    return with_derivative(value, derivative, *floats(x, p))


def log_sech(x: Any) -> Any:
    """-log(cosh(x)), smooth at 0 too."""

    def value(x: Array) -> Array:
        size = xp.abs(x)
        return log(2) - size - xp.log1p(xp.exp(-2.0 * size))

    def derivative(x: Array, _: Array, dx: Array) -> Array:
        return -xp.tanh(x) * dx

    return with_derivative(value, derivative, as_array(x))


def trigamma(x: Any) -> Any:
    """The second derivative of log(gamma(x))."""
    return made(emitting().apply_elementwise(ew.PolygammaOp, (as_array(x).value,), {"order": integer(1)}))


def by_power_near_0(near: Formula, log_density: Formula) -> Formula:
    """A density of positive numbers by powers where they are below 1, which have derivatives at 0."""
    power, logarithm = called(near), called(log_density)

    def density(x: Any, *shapes: Any) -> Any:
        is_near = xp.less(x, 1)
        far = xp.exp(logarithm(xp.where(is_near, 1.0, x), *shapes))
        return xp.where(is_near, power(xp.where(is_near, x, 1.0), *shapes), far)

    return density


def less_exp(x: Any) -> Any:
    """x - e^x, with a derivative that keeps its digits near 0."""

    def value(x: Array) -> Array:
        return x - xp.exp(x)

    def derivative(x: Array, _: Array, dx: Array) -> Array:
        return -xp.expm1(x) * dx

    return with_derivative(value, derivative, as_array(x))


def sides(x: Any) -> tuple[Any, Any]:
    """A number below 0 and one above it: x on its side, 0 on the other."""
    is_below = xp.less(x, 0)
    return xp.where(is_below, x, 0.0), xp.where(is_below, 0.0, x)


# Integrals ----------------------------------------------------------------------------------------


@cache
def _gauss() -> tuple[Any, Any]:
    """Nodes between -1 and 1, and weights, of Gauss's formula with 15 nodes."""
    return np.polynomial.legendre.leggauss(15)


def integral(function: Callable[..., Any], low: Any, high: Any, *parameters: Any) -> Any:
    """The integral of a smooth `function(x, *parameters)` over an interval in which it hardly varies."""
    nodes, weights = _gauss()
    ends = [as_array(x)[..., None] for x in (low, high)]
    half = 0.5 * (ends[1] - ends[0])
    points = ends[0] + half * (1.0 + nodes)
    values = function(points, *(as_array(p)[..., None] for p in parameters))
    return xp.sum(half * values * weights, axis=-1)


# Normal -------------------------------------------------------------------------------------------


def log_normal_density(x: Any) -> Any:
    return x * x * -0.5 - HALF_LOG_2PI


def normal_density(x: Any) -> Any:
    return xp.exp(log_normal_density(x))


def log_mills(x: Any) -> Any:
    """The logarithm of what is above x over the density, of numbers that are not far below 0."""
    return xp.log(special("erfcx", x / sqrt(2))) + 0.5 * log(pi / 2)


def log_mills_less(x: Any, step: Any) -> Any:
    """The logarithm of the difference of `log_mills` without logarithms at x and x + step, for x from 0 on.

    It is the integral of e^(-x s - s^2 / 2) (1 - e^(-step s)).
    """

    def change(s: formulas.Formula, x: formulas.Formula, step: formulas.Formula) -> formulas.Formula:
        return formulas.exp(-(x + s * 0.5) * s) * -formulas.expm1(-step * s)

    return xp.log(half_line(1.0 / (1.0 + x), change, x, step))


def half_line(scale: Any, integrand: Callable[..., formulas.Formula], *operands: Any) -> Array:
    """The integral of formulas from 0 to infinity; see `mlirad.rules.quadratures`."""

    def total(scale: formulas.Formula, *operands: formulas.Formula) -> formulas.Formula:
        return quadratures.half_line(scale, integrand, *operands)

    return formula(total, scale, *operands)


def normal_between(low: Any, high: Any) -> Any:
    """The probability of the normal distribution between two numbers, by its density where they are close."""

    def value(low: Array, high: Array) -> Array:
        a, b, close = _below_0(low, high)
        return xp.where(close, integral(normal_density, a, b), special("ndtr", b) - special("ndtr", a))

    def derivative(low: Array, high: Array, _: Array, dlow: Array, dhigh: Array) -> Array:
        return normal_density(high) * dhigh - normal_density(low) * dlow

    return with_derivative(value, derivative, *floats(low, high))


def log_normal_between(low: Any, high: Any) -> Any:
    """The logarithm of the same, far out too."""

    def value(low: Array, high: Array) -> Array:
        a, b, close = _below_0(low, high)
        above, below = special("log_ndtr", b), special("log_ndtr", a)
        middle = 0.5 * (a + b)
        near = log_normal_density(middle) + xp.log(integral(_relative_density, a, b, middle))
        return xp.where(close, near, above + log1mexp(above - below))

    def derivative(low: Array, high: Array, found: Array, dlow: Array, dhigh: Array) -> Array:
        above, below = (xp.exp(log_normal_density(end) - found) for end in (high, low))
        return above * dhigh - below * dlow

    return with_derivative(value, derivative, *floats(low, high))


def _relative_density(x: Any, middle: Any) -> Any:
    """The density over that in the middle."""
    return xp.exp(-0.5 * (x - middle) * (x + middle))


def _below_0(low: Any, high: Any) -> tuple[Any, Any, Any]:
    """An interval of the same probability, most of it below 0; whether the density hardly varies in it."""
    is_above = xp.greater(low + high, 0)
    a, b = xp.where(is_above, -high, low), xp.where(is_above, -low, high)
    return a, b, xp.less((b - a) * (1.0 - 0.5 * (a + b)), 1)


# Gamma and beta -------------------------------------------------------------------------------------


def rarely(condition: Any, rare: Callable[[], Any], common: Any) -> Any:
    """Return what is `rare` where the condition holds, which is not computed if it holds nowhere; else
    `common`.
    """
    b = emitting()
    common = as_array(common)
    anywhere = xp.any(condition).value
    (found,) = b.if_(anywhere, lambda: [xp.where(condition, rare(), common).value], lambda: [common.value])
    return made(found)


_TINY = 1e-150
"""Below this a logarithm is not that of a probability: it may vanish, and 1 over its square overflow."""


def log_gamma_below(x: Any, a: Any) -> Any:
    """log(gammainc(a, x))."""
    below, above = special("gammainc", a, x), special("gammaincc", a, x)
    plain = xp.where(xp.less(above, 0.5), xp.log1p(-above), xp.log(below))
    is_tiny = xp.less(below, _TINY) & xp.greater(x, 0)

    def tiny() -> Any:
        return formula(incomplete_functions.log_gammainc, a, xp.where(is_tiny, x, 0.5 * a))

    return rarely(is_tiny, tiny, plain)


def log_gamma_above(x: Any, a: Any) -> Any:
    """log(gammaincc(a, x))."""
    below, above = special("gammainc", a, x), special("gammaincc", a, x)
    plain = xp.where(xp.less(below, 0.5), xp.log1p(-below), xp.log(above))
    is_tiny = xp.less(above, _TINY) & xp.less(x, xp.inf)

    def tiny() -> Any:
        return formula(incomplete_functions.log_gammaincc, a, xp.where(is_tiny, x, 2.0 * a))

    return rarely(is_tiny, tiny, plain)


def log_beta_below(x: Any, y: Any, a: Any, b: Any) -> Any:
    """log(betainc(a, b, x)), given y = 1 - x."""
    below, above = special("betainc", a, b, x), special("betainc", b, a, y)
    plain = xp.where(xp.less(above, 0.5), xp.log1p(-above), xp.log(below))
    is_tiny = xp.less(below, _TINY) & xp.greater(x, 0)

    def tiny() -> Any:
        return log_beta_where_tiny(xp.where(is_tiny, x, 0.5 * a) / xp.where(is_tiny, y, b), a, b)

    return rarely(is_tiny, tiny, plain)


def log_beta_where_tiny(odds: Any, a: Any, b: Any) -> Any:
    """log(betainc(a, b, x)), given x / (1 - x), which is below a / b."""
    return formula(incomplete_functions.log_betainc, a, b, odds)


def log_gamma_density(x: Any, a: Any) -> Any:
    """log(x^(a - 1) e^-x / gamma(a))."""
    return own_special("log_gamma_power", 0.0, a, x)


def slope_of_log(a: Any, x: Any) -> Any:
    """a / x, the derivative of a log(x), which is 0 where a is."""
    return xp.where(xp.equal(a, 0), 0.0, a / xp.where(xp.equal(a, 0), 1.0, x))


def gamma_density(x: Any, a: Any) -> Any:
    """x^(a - 1) e^-x / gamma(a)."""
    return own_special("gamma_power", 0.0, a, x)


def log_beta(a: Any, b: Any) -> Any:
    """log(gamma(a) gamma(b) / gamma(a + b)), with all digits where one is much larger than the other."""
    return own_special("log_beta", a, b)


def log_beta_weight(x: Any, a: Any, b: Any) -> Any:
    """log(x^a (1 - x)^b / beta(a, b)), for large a and b."""
    return formula(gamma_formulas.log_beta_weight, a, b, x, 1.0 - x)


def digamma_difference(a: Any, b: Any) -> Any:
    """digamma(a + b) - digamma(a), with all digits for small b."""
    return formula(gamma_formulas.digamma_difference, a, b)


def log_beta_density(x: Any, a: Any, b: Any) -> Any:
    """log(x^(a - 1) (1 - x)^(b - 1) / beta(a, b))."""
    return own_special("log_beta_power", 0.0, 0.0, a, b, x)


def beta_density(x: Any, a: Any, b: Any) -> Any:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b)."""
    return own_special("beta_power", 0.0, 0.0, a, b, x)
