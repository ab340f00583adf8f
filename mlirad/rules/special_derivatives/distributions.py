"""Distribution functions of the gamma, beta, F and Student's distribution, and their quantiles.

    "gammainc": (..., lambda a, x, r: _gamma_density(a, x))
    "gammaincinv": (..., lambda a, y, r: _gamma_quantile_slope(a, y, r))

Near the ends of their support densities are powers, which have the right derivatives there, times an
exponential; elsewhere exponentials of sums. Quantiles near an end are the first terms of their series.
"""

from __future__ import annotations

from mlirad.ir.formulas import (
    Condition,
    Formula,
    absorbing,
    exp,
    lgamma,
    log,
    log1p,
    minimum,
    special,
    sqrt,
    where,
)
from mlirad.rules.gamma_formulas import log_gamma_weight
from mlirad.rules.incomplete_functions import betainc_by_shapes, gammainc_by_shape, stdtr_by_freedom
from mlirad.rules.special_derivatives.parts import INFINITY, Derivatives

_LARGE = 1e300


_NEAR = 1e-10
"""Quantiles that are less are the first two terms of their series, relative to 1e-20."""


def _may_underflow(power: Formula, size: Formula) -> Condition:
    """Whether a power may underflow where its product with e^-size does not, by its logarithm."""
    return (power < -600.0) & (size < -100.0)


# The gamma distribution ---------------------------------------------------------------------------


def _gamma_density(a: Formula, x: Formula) -> Formula:
    """x^(a - 1) e^-x / gamma(a), 0 at infinity."""
    near = x ** (a - 1) * exp(-x - lgamma(a))
    x = minimum(x, _LARGE)
    return where(x < 1, near, exp(log_gamma_weight(a, x)) / x)


def _gamma_quantile_slope(a: Formula, y: Formula, x: Formula) -> Formula:
    """1 / density at the quantile x of y."""
    near = _series_slope(a, y, lgamma(a) + log(a), 1 / (a + 1))
    return where(x < _NEAR, near, _inverse_gamma_density(a, x))


def _inverse_gamma_density(a: Formula, x: Formula) -> Formula:
    """x^(1 - a) e^x gamma(a), infinite at infinity."""
    size = lgamma(a)
    exponent = where(x == INFINITY, x, x - (a - 1) * log(x))
    return where(x < 1, x ** (1 - a) * exp(x + size), exp(exponent + size))


def _series_slope(a: Formula, y: Formula, logarithm: Formula, ratio: Formula) -> Formula:
    """The derivative of w + ratio w^2, where w^a e^-logarithm = y."""
    inverse = 1 / a
    first = inverse * exp(logarithm * inverse) * y ** (inverse - 1)
    second = 2 * ratio * inverse * exp(2 * logarithm * inverse) * y ** (2 * inverse - 1)
    return first + second


# The beta distribution ----------------------------------------------------------------------------


def _beta_density(a: Formula, b: Formula, x: Formula) -> Formula:
    """x^(a - 1) (1 - x)^(b - 1) / beta(a, b)."""
    y, size = 1 - x, special("betaln", a, b)
    first, second = absorbing(a - 1, log(x)), absorbing(b - 1, log1p(-x))
    deep = exp(first + second - size)
    lower = where(_may_underflow(first, size), deep, x ** (a - 1) * exp(second - size))
    upper = where(_may_underflow(second, size), deep, y ** (b - 1) * exp(first - size))
    return where(x < 0.5, lower, upper)


def _beta_quantile_slope(a: Formula, b: Formula, y: Formula, x: Formula, rest: Formula) -> Formula:
    """1 / density at the quantile x of y; `rest` is 1 - x."""
    size = special("betaln", a, b)
    lower = x ** (1 - a) * exp(size - (b - 1) * log1p(-x))
    upper = rest ** (1 - b) * exp(size - (a - 1) * log1p(-rest))
    inner = where(x < 0.5, lower, upper)
    at_zero = _series_slope(a, y, size + log(a), (b - 1) / (a + 1))
    at_one = _series_slope(b, 1 - y, size + log(b), (a - 1) / (b + 1))
    return where(x < _NEAR, at_zero, where(rest < _NEAR, at_one, inner))


def _beta_by_quantile(a: Formula, b: Formula, y: Formula, x: Formula) -> Formula:
    rest = where(x < 0.5, 1 - x, special("betainccinv", b, a, y))
    return _beta_quantile_slope(a, b, y, x, rest)


def _beta_by_survival(a: Formula, b: Formula, y: Formula, x: Formula) -> Formula:
    """The quantile of the other tail is 1 - x."""
    rest = special("betaincinv", b, a, y)
    return -_beta_quantile_slope(b, a, y, rest, where(rest < 0.5, 1 - rest, x))


# The F and Student's distribution -----------------------------------------------------------------


def _f_density(dfn: Formula, dfd: Formula, x: Formula) -> Formula:
    """(dfn / dfd) w^(a - 1) (1 + w)^-(a + b) / beta(a, b), with halves of the degrees and w = dfn x / dfd."""
    a, b, ratio = dfn * 0.5, dfd * 0.5, dfn / dfd
    w, size = ratio * x, special("betaln", a, b)
    inverse = 1 / w
    lower, upper = absorbing(a - 1, log(w)), (b + 1) * log(inverse)
    rest_below, rest_above = -(a + b) * log1p(w) - size, -(a + b) * log1p(inverse) - size
    below = where(_may_underflow(lower, size), exp(lower + rest_below), w ** (a - 1) * exp(rest_below))
    above = where(_may_underflow(upper, size), exp(upper + rest_above), inverse ** (b + 1) * exp(rest_above))
    return ratio * where(w < 1, below, above)


def _f_by_dfn(dfn: Formula, dfd: Formula, x: Formula) -> Formula:
    scaled = dfn * x
    share = scaled / (dfd + scaled)
    return 0.5 * betainc_by_shapes(dfn * 0.5, dfd * 0.5, share)[0] + _f_density(dfn, dfd, x) * x / dfn


def _f_by_dfd(dfn: Formula, dfd: Formula, x: Formula) -> Formula:
    scaled = dfn * x
    share = scaled / (dfd + scaled)
    return 0.5 * betainc_by_shapes(dfn * 0.5, dfd * 0.5, share)[1] - _f_density(dfn, dfd, x) * x / dfd


def _student_density(df: Formula, t: Formula) -> Formula:
    normaliser = special("betaln", df * 0.5, 0.5)
    return exp((df + 1) * -0.5 * log1p(t * t / df) - normaliser) / sqrt(df)


DERIVATIVES: Derivatives = {
    "gammainc": (
        lambda a, x, r: gammainc_by_shape(a, x),
        lambda a, x, r: _gamma_density(a, x),
    ),
    "gammaincc": (
        lambda a, x, r: -gammainc_by_shape(a, x),
        lambda a, x, r: -_gamma_density(a, x),
    ),
    "gammaincinv": (
        lambda a, y, r: -(gammainc_by_shape(a, r) / _gamma_density(a, r)),
        lambda a, y, r: _gamma_quantile_slope(a, y, r),
    ),
    "gammainccinv": (
        lambda a, y, r: -(gammainc_by_shape(a, r) / _gamma_density(a, r)),
        lambda a, y, r: -_inverse_gamma_density(a, r),
    ),
    "betainc": (
        lambda a, b, x, r: betainc_by_shapes(a, b, x)[0],
        lambda a, b, x, r: betainc_by_shapes(a, b, x)[1],
        lambda a, b, x, r: _beta_density(a, b, x),
    ),
    "betaincc": (
        lambda a, b, x, r: -betainc_by_shapes(a, b, x)[0],
        lambda a, b, x, r: -betainc_by_shapes(a, b, x)[1],
        lambda a, b, x, r: -_beta_density(a, b, x),
    ),
    "betaincinv": (
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[0] / _beta_density(a, b, r)),
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[1] / _beta_density(a, b, r)),
        lambda a, b, y, r: _beta_by_quantile(a, b, y, r),
    ),
    "betainccinv": (
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[0] / _beta_density(a, b, r)),
        lambda a, b, y, r: -(betainc_by_shapes(a, b, r)[1] / _beta_density(a, b, r)),
        lambda a, b, y, r: _beta_by_survival(a, b, y, r),
    ),
    "fdtr": (
        lambda dfn, dfd, x, r: _f_by_dfn(dfn, dfd, x),
        lambda dfn, dfd, x, r: _f_by_dfd(dfn, dfd, x),
        lambda dfn, dfd, x, r: _f_density(dfn, dfd, x),
    ),
    "fdtrc": (
        lambda dfn, dfd, x, r: -_f_by_dfn(dfn, dfd, x),
        lambda dfn, dfd, x, r: -_f_by_dfd(dfn, dfd, x),
        lambda dfn, dfd, x, r: -_f_density(dfn, dfd, x),
    ),
    "stdtr": (
        lambda df, t, r: stdtr_by_freedom(df, t),
        lambda df, t, r: _student_density(df, t),
    ),
}
