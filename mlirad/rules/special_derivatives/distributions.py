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
    absolute,
    absorbing,
    exp,
    lgamma,
    log,
    log1p,
    special,
    sqrt,
    where,
)
from mlirad.rules.gamma_formulas import (
    digamma_difference,
    log_beta,
    log_beta_power,
    log_binomial_power,
    log_gamma_power,
    log_less_digamma,
)
from mlirad.rules.incomplete_functions import betainc_by_shapes, gammainc_by_shape, stdtr_by_freedom
from mlirad.rules.special_derivatives.parts import INFINITY, Definition, Derivatives, quotient

_NEAR = 1e-10
"""Quantiles that are less are the first two terms of their series, relative to 1e-20."""


def _may_underflow(power: Formula, size: Formula) -> Condition:
    """Return whether a power may underflow where its product with e^-size does not, by its logarithm."""
    return (power < -600.0) & (size < -100.0)


# The gamma distribution ---------------------------------------------------------------------------


def _gamma_density(a: Formula, x: Formula) -> Formula:
    """x^(a - 1) e^-x / gamma(a)."""
    return special("gamma_power", 0.0, a, x)


def _gamma_power_by_x(j: Formula, a: Formula, x: Formula) -> Formula:
    """By x^e e^-x, below 1 with an exponent that is less by 1, unless e is 0."""
    e = a - 1 - j
    is_flat, is_near = e == 0, x < 1
    less = where(is_flat, 0.0, where(is_near, j.like(1.0), 0.0))
    factor = where(is_flat, -1.0, (e - x) / where(is_near, 1.0, x))
    return absorbing(factor, special("gamma_power", j + less, a, x))


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
    return special("beta_power", 0.0, 0.0, a, b, x)


def _log_beta_slope(a: Formula, b: Formula) -> Formula:
    """By a: digamma(a) - digamma(a + b), for large b by a + 1, which leaves 1 / a alone for b = 1."""
    step = where(b > 0.5, b.like(1.0), 0.0)
    return -(digamma_difference(a + step, b - step) + step / a)


def _powers_by_x(
    name: str, i: Formula, j: Formula, a: Formula, b: Formula, x: Formula, less: float
) -> Formula:
    """By x^e (1 - x)^f with exponents that are less by 1, except for those that are 0."""
    e, f = a - less - i, b - less - j
    is_low, is_high = e == 0, f == 0
    first, second = i + where(is_low, 0.0, i.like(1.0)), j + where(is_high, 0.0, j.like(1.0))
    factor = where(is_low, -f, where(is_high, e, e * (1 - x) - f * x))
    return absorbing(factor, special(name, first, second, a, b, x))


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
    return exp((df + 1) * -0.5 * log1p(t * t * (1 / df)) - normaliser) * (1 / sqrt(df))


# Inverses by shapes -------------------------------------------------------------------------------


def _gamma_shape(a: Formula, x: Formula, r: Formula) -> tuple[Formula, Formula, Formula]:
    """Partial derivatives of the b with gammainc(b, a x) = p by a, p and x."""
    by_shape, density = gammainc_by_shape(r, a * x), _gamma_density(r, a * x)
    return -x * density / by_shape, 1 / by_shape, -a * density / by_shape


def _student_quantile_by_freedom(df: Formula, t: Formula) -> Formula:
    return -(stdtr_by_freedom(df, t) / _student_density(df, t))


def _quotient_of_shapes(a: Formula, b: Formula, x: Formula, k: int) -> Formula:
    """The derivative by the other shape of the shape number k with betainc(a, b, x) = p."""
    by_shapes = betainc_by_shapes(a, b, x)
    return -(by_shapes[1 - k] / by_shapes[k])


def _by_count(k: Formula, n: Formula, p: Formula) -> Formula:
    """The derivative of betainc(k + 1, n - k, p) by k."""
    by_shapes = betainc_by_shapes(k + 1, n - k, p)
    return by_shapes[0] - by_shapes[1]


def _tukey_density(x: Formula, lmbda: Formula, r: Formula) -> Formula:
    """1 over the derivative of the quantile (p^lmbda - (1 - p)^lmbda) / lmbda; 0 outside of the support."""
    above = special("tklmbda", -x, lmbda)
    slope = exp(special("xlogy", lmbda - 1, r)) + exp(special("xlogy", lmbda - 1, above))
    return where((lmbda > 0) & (absolute(x) * lmbda > 1), 0.0, 1 / slope)


DERIVATIVES: Derivatives = {
    "stdtrit": (
        lambda df, p, r: _student_quantile_by_freedom(df, r),
        lambda df, p, r: 1 / _student_density(df, r),
    ),
    "stdtridf": (
        lambda p, t, r: 1 / stdtr_by_freedom(r, t),
        lambda p, t, r: -(_student_density(r, t) / stdtr_by_freedom(r, t)),
    ),
    "fdtridfd": (
        lambda dfn, p, x, r: -(_f_by_dfn(dfn, r, x) / _f_by_dfd(dfn, r, x)),
        lambda dfn, p, x, r: 1 / _f_by_dfd(dfn, r, x),
        lambda dfn, p, x, r: -(_f_density(dfn, r, x) / _f_by_dfd(dfn, r, x)),
    ),
    "gdtrib": (
        lambda a, p, x, r: _gamma_shape(a, x, r)[0],
        lambda a, p, x, r: _gamma_shape(a, x, r)[1],
        lambda a, p, x, r: _gamma_shape(a, x, r)[2],
    ),
    "tklmbda": (lambda x, lmbda, r: _tukey_density(x, lmbda, r), None),
    "pdtrik": (
        lambda p, m, r: where(r > 0, -_gamma_shape(r.like(1.0), m, r + 1)[1], 0.0),
        lambda p, m, r: where(r > 0, _gamma_shape(r.like(1.0), m, r + 1)[2], 0.0),
    ),
    "bdtrik": (
        lambda y, n, p, r: -1 / _by_count(r, n, p),
        lambda y, n, p, r: -betainc_by_shapes(r + 1, n - r, p)[1] / _by_count(r, n, p),
        lambda y, n, p, r: -_beta_density(r + 1, n - r, p) / _by_count(r, n, p),
    ),
    "bdtrin": (
        lambda k, y, p, r: -_by_count(k, r, p) / betainc_by_shapes(k + 1, r - k, p)[1],
        lambda k, y, p, r: -1 / betainc_by_shapes(k + 1, r - k, p)[1],
        lambda k, y, p, r: -_beta_density(k + 1, r - k, p) / betainc_by_shapes(k + 1, r - k, p)[1],
    ),
    "nbdtrik": (
        lambda y, n, p, r: 1 / betainc_by_shapes(n, r + 1, p)[1],
        lambda y, n, p, r: -betainc_by_shapes(n, r + 1, p)[0] / betainc_by_shapes(n, r + 1, p)[1],
        lambda y, n, p, r: -_beta_density(n, r + 1, p) / betainc_by_shapes(n, r + 1, p)[1],
    ),
    "nbdtrin": (
        lambda k, y, p, r: -betainc_by_shapes(r, k + 1, p)[1] / betainc_by_shapes(r, k + 1, p)[0],
        lambda k, y, p, r: 1 / betainc_by_shapes(r, k + 1, p)[0],
        lambda k, y, p, r: -_beta_density(r, k + 1, p) / betainc_by_shapes(r, k + 1, p)[0],
    ),
    "btdtria": (
        lambda p, b, x, r: 1 / betainc_by_shapes(r, b, x)[0],
        lambda p, b, x, r: _quotient_of_shapes(r, b, x, 0),
        lambda p, b, x, r: -(_beta_density(r, b, x) / betainc_by_shapes(r, b, x)[0]),
    ),
    "btdtrib": (
        lambda a, p, x, r: _quotient_of_shapes(a, r, x, 1),
        lambda a, p, x, r: 1 / betainc_by_shapes(a, r, x)[1],
        lambda a, p, x, r: -(_beta_density(a, r, x) / betainc_by_shapes(a, r, x)[1]),
    ),
    "gamma_power": (
        lambda j, a, x, r: -absorbing(log(x), r),
        lambda j, a, x, r: absorbing(log_less_digamma(x, a), r),
        lambda j, a, x, r: _gamma_power_by_x(j, a, x),
    ),
    "log_gamma_power": (
        lambda j, a, x, r: -log(x),
        lambda j, a, x, r: log_less_digamma(x, a),
        lambda j, a, x, r: quotient(a - 1 - j, x) - 1,
    ),
    "beta_power": (
        lambda i, j, a, b, x, r: -absorbing(log(x), r),
        lambda i, j, a, b, x, r: -absorbing(log1p(-x), r),
        lambda i, j, a, b, x, r: absorbing(log(x) + digamma_difference(a, b), r),
        lambda i, j, a, b, x, r: absorbing(log1p(-x) + digamma_difference(b, a), r),
        lambda i, j, a, b, x, r: _powers_by_x("beta_power", i, j, a, b, x, 1.0),
    ),
    "log_beta_power": (
        lambda i, j, a, b, x, r: -log(x),
        lambda i, j, a, b, x, r: -log1p(-x),
        lambda i, j, a, b, x, r: log(x) + digamma_difference(a, b),
        lambda i, j, a, b, x, r: log1p(-x) + digamma_difference(b, a),
        lambda i, j, a, b, x, r: quotient(a - 1 - i, x) - quotient(b - 1 - j, 1 - x),
    ),
    "binomial_power": (
        lambda i, j, k, m, x, r: -absorbing(log(x), r),
        lambda i, j, k, m, x, r: -absorbing(log1p(-x), r),
        lambda i, j, k, m, x, r: absorbing(log(x) + digamma_difference(k + 1, m), r),
        lambda i, j, k, m, x, r: absorbing(log1p(-x) + digamma_difference(m + 1, k), r),
        lambda i, j, k, m, x, r: _powers_by_x("binomial_power", i, j, k, m, x, 0.0),
    ),
    "log_binomial_power": (
        lambda i, j, k, m, x, r: -log(x),
        lambda i, j, k, m, x, r: -log1p(-x),
        lambda i, j, k, m, x, r: log(x) + digamma_difference(k + 1, m),
        lambda i, j, k, m, x, r: log1p(-x) + digamma_difference(m + 1, k),
        lambda i, j, k, m, x, r: quotient(k - i, x) - quotient(m - j, 1 - x),
    ),
    "log_beta": (
        lambda a, b, r: _log_beta_slope(a, b),
        lambda a, b, r: _log_beta_slope(b, a),
    ),
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
        lambda a, y, r: -_gamma_quantile_slope(a, 1 - y, r),
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

DEFINITIONS: dict[str, Definition] = {
    "gamma_power": lambda j, a, x: exp(log_gamma_power(j, a, x)),
    "log_gamma_power": log_gamma_power,
    "beta_power": lambda i, j, a, b, x: exp(log_beta_power(i, j, a, b, x)),
    "log_beta_power": log_beta_power,
    "binomial_power": lambda i, j, k, m, x: exp(log_binomial_power(i, j, k, m, x)),
    "log_binomial_power": log_binomial_power,
    "log_beta": log_beta,
}
