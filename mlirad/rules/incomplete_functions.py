"""Derivatives of the incomplete gamma and beta functions in their shapes.

With the density f of the gamma distribution, and c = digamma(a), the derivative of gammainc(a, x) in a is the
integral of f(t) (log(t) - c) over t from 0 to x, or minus that over t from x on, as the whole integral is 0.
Where x is below e^c the first has terms of one sign, else the second, so that neither cancels. The scale at
which the terms fall off from x is known, so a fixed number of nodes gives the integral. Where a is small the
first is that of a + 1, by the recurrence gammainc(a, x) = x^a e^-x / gamma(a + 1) + gammainc(a + 1, x).

The beta distribution is alike, with c = digamma(a) - digamma(a + b), and t or 1 - t as variable.

For shapes from 1e-8 to 1e4 first derivatives are accurate to 1e-11, second ones to 1e-10; where the other
shape of a beta distribution is below 1e-3, to 1e-8. By x they are differentiated as f(x) (log(x) - c).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, TypeAlias

from xdsl.dialects.builtin import f64

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import Value, element_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.formulas import Formula, absolute, exp, expm1, log, log1p, maximum, minimum, sqrt, where
from mlirad.rules.gamma_formulas import (
    digamma_difference,
    log_beta_weight,
    log_gamma_weight,
    log_less_digamma,
)
from mlirad.rules.quadratures import half_line

_OfX: TypeAlias = Callable[[Formula], Formula]


def gammainc_by_shape(a: Formula, x: Formula) -> Formula:
    """The derivative of gammainc(a, x) in a."""
    a, x, like = _in_double(a, x)

    def value(x: Formula) -> Formula:
        return _gamma_integral(a, x)

    def slope(x: Formula) -> Formula:
        return exp(log_gamma_weight(a, x)) / x * log_less_digamma(x, a)

    return _inside(x, 0.0, inf, like, value, slope)


def betainc_by_shapes(a: Formula, b: Formula, x: Formula) -> tuple[Formula, Formula]:
    """The derivatives of betainc(a, b, x) in a and in b."""
    a, b, x, like = _in_double(a, b, x)

    def by_first(x: Formula) -> Formula:
        return _beta_integral(a, b, x, 1 - x)

    def slope_by_first(x: Formula) -> Formula:
        return _beta_density(a, b, x) * (_logarithm(x, 1 - x) + digamma_difference(a, b))

    def by_second(x: Formula) -> Formula:
        return -_beta_integral(b, a, 1 - x, x)

    def slope_by_second(x: Formula) -> Formula:
        return _beta_density(a, b, x) * (_logarithm(1 - x, x) + digamma_difference(b, a))

    return (
        _inside(x, 0.0, 1.0, like, by_first, slope_by_first),
        _inside(x, 0.0, 1.0, like, by_second, slope_by_second),
    )


def stdtr_by_freedom(df: Formula, t: Formula) -> Formula:
    """The derivative of stdtr(df, t) in df: that of betainc(df / 2, 1 / 2, df / (df + t^2)) / 2 for t < 0."""
    df, t, like = _in_double(df, t)
    half = df * 0.5

    def value(t: Formula) -> Formula:
        is_middle = t == 0
        t = where(is_middle, t.like(1.0), t)
        square = t * t
        total = df + square
        by_shape = 0.25 * _beta_integral(half, half.like(0.5), df / total, square / total)
        below = by_shape + _student_density(df, t) * absolute(t) / (2 * df)
        return where(is_middle, t.like(0.0), where(t < 0, below, -below))

    def slope(t: Formula) -> Formula:
        ratio = t * t / df
        normaliser = 0.5 * (digamma_difference(half, half.like(0.5)) - 1 / df)
        change = normaliser - 0.5 * log1p(ratio) + (df + 1) / (2 * df) * (ratio / (1 + ratio))
        return _student_density(df, t) * change

    return _inside(t, -inf, inf, like, value, slope)


# Logarithms ---------------------------------------------------------------------------------------


def log_gammainc(a: Formula, x: Formula) -> Formula:
    """The logarithm of gammainc(a, x), where x is below a."""

    def relative(x: Formula) -> Formula:
        """The function over x^a e^-x / gamma(a)."""
        scale = 1 / (maximum(a - x, 0.0) + sqrt(a))

        def integrand(v: Formula, a: Formula, x: Formula) -> Formula:
            return exp(-a * v - x * expm1(-v))

        return half_line(scale, integrand, a, x)

    def value(x: Formula) -> Formula:
        return log_gamma_weight(a, x) + log(relative(x))

    return _with_slope(x.b, x, value, lambda x: 1 / (x * relative(x)))


def log_gammaincc(a: Formula, x: Formula) -> Formula:
    """The logarithm of gammaincc(a, x), where x is above a."""

    def relative(x: Formula) -> Formula:
        """The function over x^(a - 1) e^-x / gamma(a)."""
        scale = 1 / (maximum(1 - (a - 1) / x, 0.0) + 1 / sqrt(maximum(x, 1.0)))

        def integrand(w: Formula, a: Formula, x: Formula) -> Formula:
            return exp((a - 1) * log1p(w / x) - w)

        return half_line(scale, integrand, a, x)

    def value(x: Formula) -> Formula:
        return log_gamma_weight(a, x) - log(x) + log(relative(x))

    return _with_slope(x.b, x, value, lambda x: -1 / relative(x))


def log_betainc(a: Formula, b: Formula, odds: Formula) -> Formula:
    """The logarithm of betainc(a, b, odds / (1 + odds)), where the odds are below a / b."""

    def relative(odds: Formula) -> Formula:
        """The function over x^a (1 - x)^(b - 1) / beta(a, b)."""

        def at(v: Formula, a: Formula, b: Formula, odds: Formula) -> Formula:
            return exp((b - 1) * log1p(-odds * expm1(-v)) - a * v)

        return half_line(_scale(a, b, odds), at, a, b, odds)

    def value(odds: Formula) -> Formula:
        rest = 1 / (1 + odds)
        return log_beta_weight(a, b, odds * rest, rest) + log1p(odds) + log(relative(odds))

    return _with_slope(odds.b, odds, value, lambda odds: 1 / (odds * (1 + odds) * relative(odds)))


# Integrals ----------------------------------------------------------------------------------------


def _gamma_integral(a: Formula, x: Formula) -> Formula:
    is_small = a < 1
    shape = where(is_small, a + 1, a)
    excess = log_less_digamma(x, shape)
    scale = 1 / (maximum(shape - x, 0.0) + sqrt(shape))

    def below(v: Formula, shape: Formula, x: Formula, excess: Formula) -> Formula:
        """At t = x e^-v."""
        return exp(-shape * v - x * expm1(-v)) * (v - excess)

    weight = exp(log_gamma_weight(shape, x))
    lower = -weight * half_line(scale, below, shape, x, excess)
    lower = where(is_small, lower + weight / x * excess, lower)
    start, change = where(is_small, 1 + a * excess, excess), where(is_small, a, a.like(1.0))
    scale = 1 / (maximum(1 - (a - 1) / x, 0.0) + 1 / sqrt(maximum(x, 1.0)))

    def above(w: Formula, a: Formula, x: Formula, start: Formula, change: Formula) -> Formula:
        """At t = x + w."""
        logarithm = log1p(w / x)
        return exp((a - 1) * logarithm - w) * (start + change * logarithm)

    weight = where(is_small, weight / x, weight)
    upper = -weight / x * half_line(scale, above, a, x, start, change)
    # Before 1.5 the pole of the logarithm, at t = 0, is too near to the nodes above.
    return where((excess > 0) & (x > 1.5), upper, lower)


def _beta_integral(a: Formula, b: Formula, x: Formula, y: Formula) -> Formula:
    is_small = a < 1
    shape = where(is_small, a + 1, a)
    excess = _logarithm(x, y) + digamma_difference(shape, b)

    def below(v: Formula, shape: Formula, b: Formula, ratio: Formula, excess: Formula) -> Formula:
        """At t = x e^-v."""
        return exp((b - 1) * log1p(-ratio * expm1(-v)) - shape * v) * (v - excess)

    weight = exp(log_beta_weight(shape, b, x, y))
    lower = -weight / y * half_line(_scale(shape, b, x / y), below, shape, b, x / y, excess)
    step, rest = weight / ((a + b) * x), excess - 1 / (a + b)
    lower = where(is_small, lower + step * rest, lower)
    start, change = where(is_small, 1 + a * rest, excess), where(is_small, a, a.like(1.0))

    def above(v: Formula, a: Formula, b: Formula, ratio: Formula, start: Formula, change: Formula) -> Formula:
        """At 1 - t = y e^-v."""
        logarithm = log1p(-ratio * expm1(-v))
        return exp((a - 1) * logarithm - b * v) * (start + change * logarithm)

    upper = half_line(_scale(b, a, y / x), above, a, b, y / x, start, change)
    upper = -where(is_small, step, weight) / x * upper
    return where(excess > 0, upper, lower)


def _scale(shape: Formula, other: Formula, ratio: Formula) -> Formula:
    """The v at which the density at e^-v falls off: by its slope at v = 0, or by its curvature."""
    growth = maximum(other - 1, 0.0) * ratio
    curvature = minimum(growth * (1 + ratio), shape * shape)
    return 1 / (maximum(shape - growth, 0.0) + sqrt(curvature))


def _logarithm(x: Formula, y: Formula) -> Formula:
    """log(x), where x + y = 1."""
    return where(x > 0.5, log1p(-y), log(x))


def _beta_density(a: Formula, b: Formula, x: Formula) -> Formula:
    return exp(log_beta_weight(a, b, x, 1 - x)) / (x * (1 - x))


def _student_density(df: Formula, t: Formula) -> Formula:
    """The density by the weight of the beta distribution of df / (df + t^2), at t = 1."""
    at_one = log_beta_weight(df * 0.5, df.like(0.5), df / (df + 1), 1 / (df + 1))
    return exp(at_one + (df + 1) * 0.5 * (log1p(1 / df) - log1p(t * t / df)))


# Questions of the quadratures ---------------------------------------------------------------------


def _in_double(*arguments: Formula) -> tuple[Any, ...]:
    """Arguments in double precision, and one as it was given."""
    double = [Formula(x.b, x.b.convert(x.value, f64)) for x in arguments]
    return (*double, arguments[0])


def _inside(x: Formula, low: float, high: float, like: Formula, value: _OfX, slope: _OfX) -> Formula:
    """A function between `low` and `high`, which is 0 at these ends, given with its derivative in x."""
    middle = x.like(0.5)
    safe = where(x > low, where(x < high, x, middle), middle)
    b = x.b
    found = _with_slope(b, safe, value, slope)
    beside = where(x == x, x.like(0.0), x)
    found = where(x > low, where(x < high, found, beside), beside)
    return Formula(b, b.convert(found.value, element_of(like.value.type)))


def _with_slope(b: ArrayBuilder, x: Formula, value: _OfX, slope: _OfX) -> Formula:
    """A function of x that is differentiated by `slope` in x, and as it is written in what it reads else."""

    def body(x: Value) -> list[Value]:
        return [value(Formula(b, x)).value]

    def rule(x: Value, dx: Value) -> list[Value]:
        return [b.mul(slope(Formula(b, x)).value, dx)]

    type_ = x.value.type
    regions = [b.region([type_], body), b.region([type_, type_], rule)]
    return Formula(b, b.insert(CustomOp, [x.value], [type_], None, regions).results[0])
