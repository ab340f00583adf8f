"""The beta distribution and those that are made of it: of odds, ratios of squares, Student's t."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.constructs.own_derivatives import with_partials
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    transformed,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import Function
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import by_smaller_share
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    beta_density,
    digamma_difference,
    floats,
    formula,
    log1p_square,
    log_beta,
    log_beta_below,
    log_beta_density,
    log_beta_where_tiny,
    log_normal_density,
    rarely,
    xlogy,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp
from mlirad.rules.incomplete_functions import stdtr_by_freedom


def _tiny_point(log_below: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return where a point is so near 0 that the share below it is x^a / (a beta(a, b)), and its logarithm
    there.
    """
    logarithm = (log_below + xp.log(a) + log_beta(a, b)) / a
    is_tiny = xp.less(logarithm, -60.0 - xp.log1p(b))
    return is_tiny, xp.where(is_tiny, logarithm, 0.0)


def _lower(q: Any, a: Any, b: Any) -> Any:
    """The point with a share q below it; near 0, where `betaincinv` may be NaN, by a power."""
    is_tiny, logarithm = _tiny_point(xp.log(q), a, b)
    found = special("betaincinv", a, b, xp.where(is_tiny, 0.5, q))
    return xp.where(is_tiny, xp.exp(logarithm), found)


def _upper(q: Any, a: Any, b: Any) -> Any:
    """The point with a share q above it; near 0 by a power, near 1, where it may be NaN, by the rest."""
    is_tiny, logarithm = _tiny_point(xp.log1p(-q), a, b)
    is_high = xp.less(q, 1e-100)
    found = special("betainccinv", a, b, xp.where(is_tiny | is_high, 0.5, q))
    found = xp.where(is_tiny, xp.exp(logarithm), found)
    return rarely(is_high, lambda: 1.0 - _lower(xp.where(is_high, q, 0.5), b, a), found)


BETA = Distribution(
    log_beta_density, shapes=("a", "b"), density=beta_density,
    cdf=lambda x, a, b: special("betainc", a, b, x), sf=lambda x, a, b: special("betaincc", a, b, x),
    log_cdf=lambda x, a, b: log_beta_below(x, 1.0 - x, a, b),
    log_sf=lambda x, a, b: log_beta_below(1.0 - x, x, b, a),
    ppf=_lower, isf=_upper, low=0.0, high=1.0, mean=lambda a, b: a / (a + b),
    var=lambda a, b: a * b / (a + b) ** 2 / (a + b + 1.0),
)  # fmt: skip


# Of odds: y / (1 - y) --------------------------------------------------------------------------------


def odds_part(first: str, second: str) -> Any:
    """A function of the beta distribution at x / (1 + x), by 1 / (1 + x) where that is smaller."""

    def part(x: Any, a: Any, b: Any) -> Any:
        is_small = xp.less(x, 1)
        small = special(first, a, b, xp.where(is_small, x, 0.0) / (1.0 + x))
        return xp.where(is_small, small, special(second, b, a, 1.0 / (1.0 + x)))

    return part


def _odds(q: Any, a: Any, b: Any, lower: Function, upper: Function) -> Any:
    """The odds of a quantile, by the quantile of the rest where that is smaller."""
    share, rest = lower(q, a, b), upper(q, b, a)
    return xp.where(xp.less(share, 0.5), share / (1.0 - share), (1.0 - rest) / rest)


def log_odds_density(x: Any, a: Any, b: Any, log_slope: Any = 0.0) -> Any:
    """log(slope x^(a - 1) (1 + x)^-(a + b) / beta(a, b))."""
    plain = xlogy(a - 1.0, x) - (a + b) * xp.log1p(x) + (log_slope - log_beta(a, b))
    is_large = xp.greater(a, 10) & xp.greater(b, 10) & xp.greater(x, 1e-3) & xp.less(x, 1e3)
    point = xp.where(is_large, x, 1.0)
    share = point / (1.0 + point)
    large = log_beta_density(share, xp.where(is_large, a, 11.0), xp.where(is_large, b, 11.0))
    return xp.where(is_large, large - 2.0 * xp.log1p(point) + log_slope, plain)


def odds_density(x: Any, a: Any, b: Any, log_slope: Any = 0.0) -> Any:
    is_near = xp.less(x, 1)
    point = xp.where(is_near, x, 1.0)
    rest = (log_slope - log_beta(a, b)) - (a + b) * xp.log1p(point)
    near = xp.power(point, a - 1.0) * xp.exp(rest)
    return xp.where(is_near & xp.less(a, 10), near, xp.exp(log_odds_density(x, a, b, log_slope)))


def _odds_mean(a: Any, b: Any) -> Any:
    return xp.where(xp.greater(b, 1), a / (b - 1.0), xp.inf)


def _odds_var(a: Any, b: Any) -> Any:
    return xp.where(xp.greater(b, 2), a * (a + b - 1.0) / ((b - 2.0) * (b - 1.0) ** 2), xp.inf)


BETAPRIME = Distribution(
    log_odds_density, shapes=("a", "b"), density=odds_density, cdf=odds_part("betainc", "betaincc"),
    sf=odds_part("betaincc", "betainc"), ppf=lambda q, a, b: _odds(q, a, b, _lower, _upper),
    isf=lambda q, a, b: _odds(q, a, b, _upper, _lower), low=0.0, mean=_odds_mean, var=_odds_var,
    log_cdf=lambda x, a, b: log_beta_below(x / (1.0 + x), 1.0 / (1.0 + x), a, b),
    log_sf=lambda x, a, b: log_beta_below(1.0 / (1.0 + x), x / (1.0 + x), b, a),
)  # fmt: skip


def _f_var(dfn: Any, dfd: Any) -> Any:
    found = 2.0 * dfd**2 * (dfn + dfd - 2.0) / (dfn * (dfd - 2.0) ** 2 * (dfd - 4.0))
    return xp.where(xp.greater(dfd, 4), found, xp.where(xp.greater(dfd, 2), xp.inf, xp.nan))


def _of_odds(formula: Any) -> Any:
    """A density of odds at x dfn / dfd, with the slope of that."""

    def density(x: Any, dfn: Any, dfd: Any) -> Any:
        a, b = 0.5 * dfn, 0.5 * dfd
        return formula(x * (dfn / dfd), a, b, xp.log(a) - xp.log(b))

    return density


F = transformed(
    BETAPRIME, lambda x, dfn, dfd: x * (dfn / dfd), lambda x, dfn, dfd: xp.log(dfn / dfd),
    lambda y, dfn, dfd: y * (dfd / dfn), base_shapes=lambda dfn, dfd: (0.5 * dfn, 0.5 * dfd),
    shapes=("dfn", "dfd"), low=0.0, log_density=_of_odds(log_odds_density),
    density=_of_odds(odds_density),
    mean=lambda dfn, dfd: xp.where(xp.greater(dfd, 2), dfd / (dfd - 2.0), xp.inf), var=_f_var,
)  # fmt: skip


# Symmetric ------------------------------------------------------------------------------------------


def _log_student(x: Any, df: Any) -> Any:
    is_normal = xp.isinf(df)
    freedom = xp.where(is_normal, 1.0, df)
    normaliser = log_beta(0.5 * freedom, 0.5) + 0.5 * xp.log(freedom)
    found = -0.5 * (freedom + 1.0) * log1p_square(x * (1.0 / xp.sqrt(freedom))) - normaliser
    return xp.where(is_normal, log_normal_density(x), found)


def _log_far_student(x: Any, df: Any) -> Any:
    """The logarithm of what is below x, where df / (df + x^2) vanishes in 1 plus it."""
    return df * (0.5 * xp.log(df) - xp.log(-x)) - xp.log(df) - log_beta(0.5 * df, 0.5)


def _is_far(x: Any, df: Any) -> Any:
    return xp.less(x, -1e20 * xp.sqrt(df))


def _student_below(x: Any, df: Any) -> Any:
    def value(x: Array, df: Array) -> Array:
        is_far = _is_far(x, df)
        near = special("stdtr", df, xp.where(is_far, 0.0, x))
        return rarely(is_far, lambda: xp.exp(_log_far_student(xp.where(is_far, x, -1.0), df)), near)

    def by_point(x: Array, df: Array, _: Array) -> Array:
        return xp.exp(_log_student(x, df))

    def by_freedom(x: Array, df: Array, _: Array) -> Array:
        is_far = _is_far(x, df)
        near = formula(stdtr_by_freedom, df, xp.where(is_far, 0.0, x))

        def far() -> Any:
            point = xp.where(is_far, x, -1.0)
            change = (
                0.5 * xp.log(df) - xp.log(-point) + 0.5 - 1.0 / df + 0.5 * digamma_difference(0.5 * df, 0.5)
            )
            return xp.exp(_log_far_student(point, df)) * change

        return rarely(is_far, far, near)

    return with_partials(value, (by_point, by_freedom), *floats(x, df))


def _log_student_tail(x: Any, df: Any) -> Any:
    """The logarithm for negative x: if the tail vanishes by the beta distribution of df / (df + x^2), or far
    out, by a power.
    """
    is_far = _is_far(x, df)
    found = special("stdtr", df, xp.where(is_far, 0.0, x))
    is_tiny = xp.less(found, 1e-150)

    def tiny() -> Any:
        point = xp.where(is_far | ~is_tiny, -1.0 - xp.sqrt(df), x)
        near = log_beta_where_tiny(df / (point * point), 0.5 * df, 0.5) - log(2)
        return xp.where(is_far, _log_far_student(xp.where(is_far, x, -1.0), df), near)

    return rarely(is_tiny | is_far, tiny, xp.log(found))


def _student_log_below(x: Any, df: Any) -> Any:
    is_low = xp.less(x, 0)
    log_tail = _log_student_tail(xp.where(is_low, x, -x), df)
    return xp.where(is_low, log_tail, xp.log1p(-xp.exp(log_tail)))


def _student_quantile(q: Any, df: Any) -> Any:
    """The quantile by the beta distribution of df / (df + x^2), or if that is near 1 by the rest."""
    is_low = xp.less(q, 0.5)
    tail = 2.0 * xp.where(is_low, q, 1.0 - q)
    is_tiny, logarithm = _tiny_point(xp.log(tail), 0.5 * df, 0.5)
    share = special("betaincinv", 0.5 * df, 0.5, xp.where(is_tiny, 0.5, tail))
    rest = special("betaincinv", 0.5, 0.5 * df, 1.0 - tail)
    is_far = xp.less(share, 0.5)
    ratio = xp.where(is_far, (1.0 - share) / share, rest / (1.0 - rest))
    size = xp.where(is_tiny, xp.sqrt(df) * xp.exp(-0.5 * logarithm), xp.sqrt(df * ratio))
    return xp.where(is_low, -size, size)


def _student_mean(df: Any) -> Any:
    return xp.where(xp.greater(df, 1), 0.0, xp.inf)


def _student_var(df: Any) -> Any:
    finite = xp.where(xp.isinf(df), 1.0, df / (df - 2.0))
    return xp.where(xp.greater(df, 2), finite, xp.where(xp.greater(df, 1), xp.inf, xp.nan))


T = Distribution(
    _log_student, shapes=("df",), cdf=_student_below, log_cdf=_student_log_below, ppf=_student_quantile,
    is_symmetric=True, mean=_student_mean, var=_student_var,
)  # fmt: skip

ARCSINE = Distribution(
    lambda x: -log(pi) - 0.5 * xp.log(x) - 0.5 * xp.log1p(-x),
    cdf=lambda x: 2 / pi * xp.arctan2(xp.sqrt(x), xp.sqrt(1.0 - x)),
    density=lambda x: 1.0 / (pi * xp.sqrt(x) * xp.sqrt(1.0 - x)),
    sf=lambda x: 2 / pi * xp.arctan2(xp.sqrt(1.0 - x), xp.sqrt(x)),
    low=0.0, high=1.0, mean=lambda: 0.5, var=lambda: 0.125,
    **by_smaller_share(lambda q: xp.sin(0.5 * pi * q) ** 2, lambda q: xp.cos(0.5 * pi * q) ** 2),
)  # fmt: skip


def _log_ball(x: Any, c: Any) -> Any:
    """log((1 - x^2)^(c / 2 - 1) / beta(1 / 2, c / 2))."""
    return xlogy(0.5 * c - 1.0, (1.0 - x) * (1.0 + x)) - log_beta(0.5, 0.5 * c)


def _ball_below(x: Any, c: Any) -> Any:
    return special("betainc", 0.5 * c, 0.5 * c, 0.5 * (1.0 + x))


RDIST = Distribution(
    _log_ball, shapes=("c",),
    density=lambda x, c: xp.power((1.0 - x) * (1.0 + x), 0.5 * c - 1.0) * xp.exp(-log_beta(0.5, 0.5 * c)),
    cdf=_ball_below, ppf=lambda q, c: 2.0 * special("betaincinv", 0.5 * c, 0.5 * c, q) - 1.0,
    is_symmetric=True, low=-1.0, high=1.0, var=lambda c: 1.0 / (c + 1.0),
)  # fmt: skip

SEMICIRCULAR = Distribution(
    lambda x: log(2 / pi) + 0.5 * xp.log((1.0 - x) * (1.0 + x)),
    density=lambda x: 2 / pi * xp.sqrt((1.0 - x) * (1.0 + x)), cdf=lambda x: _ball_below(x, 3.0),
    ppf=lambda q: 2.0 * special("betaincinv", 1.5, 1.5, q) - 1.0, is_symmetric=True, low=-1.0, high=1.0,
    var=lambda: 0.25,
)  # fmt: skip


# Skewed ------------------------------------------------------------------------------------------------


def _share(x: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """(1 + x / sqrt(a + b + x^2)) / 2, and 1 less that, neither a difference."""
    root = xp.hypot(xp.sqrt(a + b), x)
    is_below = xp.less(x, 0)
    size = xp.abs(x)
    less = 0.5 * (a + b) / (root * (root + size))
    return xp.where(is_below, less, 1.0 - less), xp.where(is_below, 1.0 - less, less)


def _log_less(x: Any, a: Any, b: Any) -> Any:
    """The logarithm of the lesser share, which may vanish."""
    root, size = xp.hypot(xp.sqrt(a + b), x), xp.abs(x)
    return xp.log(0.5 * (a + b)) - xp.log(root) - xp.log(root + size)


def _log_skewed(x: Any, a: Any, b: Any) -> Any:
    below, above = _share(x, a, b)
    is_below, less = xp.less(x, 0), _log_less(x, a, b) + log(2)
    log_below = xp.where(is_below, less, xp.log(xp.where(is_below, 1.0, 2.0 * below)))
    log_above = xp.where(is_below, xp.log(xp.where(is_below, 2.0 * above, 1.0)), less)
    powers = (a + 0.5) * log_below + (b + 0.5) * log_above
    return powers - (a + b - 1.0) * log(2) - log_beta(a, b) - 0.5 * xp.log(a + b)


def _log_far_skewed(x: Any, is_far: Any, a: Any, b: Any) -> Any:
    """The logarithm of what is below points that are so far down that it is a power of the lesser share."""
    return a * _log_less(xp.where(is_far, x, -1.0), a, b) - xp.log(a) - log_beta(a, b)


def _skewed_log_below(x: Any, a: Any, b: Any) -> Any:
    is_far = xp.less(x, -1e20 * xp.sqrt(a + b))
    below, above = _share(xp.where(is_far, -1.0, x), a, b)
    near = log_beta_below(below, above, a, b)
    return rarely(is_far, lambda: _log_far_skewed(x, is_far, a, b), near)


def _skewed_below(x: Any, a: Any, b: Any) -> Any:
    below, above = _share(x, a, b)
    is_low, is_far = xp.less(x, 0), xp.less(x, -1e20 * xp.sqrt(a + b))
    low = special("betainc", a, b, xp.where(is_low & ~is_far, below, 0.5))
    low = rarely(is_far, lambda: xp.exp(_log_far_skewed(x, is_far, a, b)), low)
    return xp.where(is_low, low, special("betaincc", b, a, xp.where(is_low, 0.5, above)))


def _skewed_quantile(q: Any, a: Any, b: Any) -> Any:
    is_low, log_share = _tiny_point(xp.log(q), a, b)
    is_high, log_rest = _tiny_point(xp.log1p(-q), b, a)
    inner = xp.where(is_low | is_high, 0.5, q)
    share, rest = special("betaincinv", a, b, inner), special("betainccinv", b, a, inner)
    far = xp.where(is_low, -xp.exp(-0.5 * log_share), xp.exp(-0.5 * log_rest))
    middle = (share - rest) / xp.sqrt(share * rest)
    return 0.5 * xp.sqrt(a + b) * xp.where(is_low | is_high, far, middle)


JF_SKEW_T = Distribution(
    _log_skewed, shapes=("a", "b"), cdf=_skewed_below, sf=lambda x, a, b: _skewed_below(-x, b, a),
    log_cdf=_skewed_log_below, log_sf=lambda x, a, b: _skewed_log_below(-x, b, a),
    ppf=_skewed_quantile, isf=lambda q, a, b: -_skewed_quantile(q, b, a),
)  # fmt: skip

DISTRIBUTIONS = {
    "beta": BETA, "betaprime": BETAPRIME, "f": F, "t": T, "arcsine": ARCSINE, "rdist": RDIST,
    "semicircular": SEMICIRCULAR, "jf_skew_t": JF_SKEW_T,
}  # fmt: skip
