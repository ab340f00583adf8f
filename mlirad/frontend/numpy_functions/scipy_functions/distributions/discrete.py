"""Discrete distributions. Distribution functions are given whole numbers."""

from __future__ import annotations

from typing import Any

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    digamma_difference,
    expm1_ratio,
    floats,
    gamma_density,
    half_line,
    log_beta,
    log_beta_weight,
    log_gamma_above,
    log_gamma_below,
    log_gamma_density,
    own_special,
    sides,
    slope_of_log,
    softplus,
    xlog1py,
    xlogy,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.ir.formulas import Formula
from mlirad.rules.special_derivatives.parts import EULER_MACLAURIN

_TERMS = 9
"""The number of terms of Euler and Maclaurin's formula that are taken."""


def _is_probability(p: Any) -> Any:
    return xp.greater_equal(p, 0) & xp.less_equal(p, 1)


def is_count(n: Any) -> Any:
    """Return whether n is a whole number that is not negative."""
    return xp.greater_equal(n, 0) & xp.equal(n, xp.floor(n))


def _rest_to_the(k: Any, p: Any) -> Any:
    """(1 - p)^k: a power, which has derivatives at p = 1, where 1 - p has all digits."""
    is_small = xp.less(p, 0.5)
    small = xp.exp(k * xp.log1p(-xp.where(is_small, p, 0.0)))
    return xp.where(is_small, small, xp.power(1.0 - xp.where(is_small, 1.0, p), k))


def _one_less_rest_to_the(k: Any, p: Any) -> Any:
    """1 - (1 - p)^k."""
    is_small = xp.less(p, 0.5)
    small = -xp.expm1(k * xp.log1p(-xp.where(is_small, p, 0.0)))
    return xp.where(is_small, small, 1.0 - xp.power(1.0 - xp.where(is_small, 1.0, p), k))


# Trials -------------------------------------------------------------------------------------------


def log_ways(n: Any, k: Any) -> Any:
    """log(binom(n, k)), 0 at both ends."""
    return xp.where(xp.equal(k, 0) | xp.equal(k, n), 0.0, -log_beta(k + 1.0, n - k + 1.0) - xp.log1p(n))


def _log_binomial(k: Any, n: Any, p: Any) -> Any:
    """log(binom(n, k) p^k (1 - p)^(n - k))."""
    return own_special("log_binomial_power", 0.0, 0.0, k, n - k, p)


def _binomial(k: Any, n: Any, p: Any) -> Any:
    return own_special("binomial_power", 0.0, 0.0, k, n - k, p)


def _binomial_share(function: str, at_most: float, k: Any, n: Any, p: Any) -> Any:
    """The share of what is up to k, or above it; there is nothing above n."""
    is_last = xp.greater_equal(k, n)
    return xp.where(is_last, at_most, special(function, k + 1.0, xp.where(is_last, 1.0, n - k), p))


BINOM = Distribution(
    _log_binomial, shapes=("n", "p"), density=_binomial,
    cdf=lambda k, n, p: _binomial_share("betaincc", 1.0, k, n, p),
    sf=lambda k, n, p: _binomial_share("betainc", 0.0, k, n, p),
    low=0.0, high=lambda n, p: n, is_discrete=True, allows=lambda n, p: is_count(n) & _is_probability(p),
    mean=lambda n, p: n * p, var=lambda n, p: n * p * (1.0 - p),
)  # fmt: skip

BERNOULLI = Distribution(
    lambda k, p: xlogy(k, p) + xlog1py(1.0 - k, -p), shapes=("p",),
    density=lambda k, p: xp.where(xp.less(k, 1), 1.0 - p, p),
    cdf=lambda k, p: xp.where(xp.less(k, 1), 1.0 - p, 1.0), sf=lambda k, p: xp.where(xp.less(k, 1), p, 0.0),
    low=0.0, high=1.0, is_discrete=True, allows=_is_probability,
    mean=lambda p: p, var=lambda p: p * (1.0 - p),
)  # fmt: skip

GEOM = Distribution(
    lambda k, p: xlog1py(k - 1.0, -p) + xp.log(p), shapes=("p",),
    density=lambda k, p: p * _rest_to_the(k - 1.0, p), cdf=_one_less_rest_to_the, sf=_rest_to_the,
    log_sf=lambda k, p: xlog1py(k, -p), low=1.0, is_discrete=True,
    allows=lambda p: xp.greater(p, 0) & xp.less_equal(p, 1),
    mean=lambda p: 1.0 / p, var=lambda p: (1.0 - p) / (p * p),
)  # fmt: skip


def _log_negative(k: Any, n: Any, p: Any) -> Any:
    """log(binom(n + k - 1, k) p^n (1 - p)^k), by the distance to the mode where n and k are large."""

    def value(k: Array, n: Array, p: Array) -> Array:
        is_middle = _is_negative_middle(k, n, p)
        failures, successes, share = (xp.where(is_middle, v, w) for v, w in ((k, 20.0), (n, 20.0), (p, 0.5)))
        middle = log_beta_weight(share, successes, failures) - xp.log(failures)
        return xp.where(is_middle, middle, log_orders(k, n) + xlogy(n, p) + xlog1py(k, -p))

    def derivative(k: Array, n: Array, p: Array, _: Array, dk: Array, dn: Array, dp: Array) -> Array:
        by_p = slope_of_log(n, p) - slope_of_log(k, 1.0 - p)
        by_n = digamma_difference(n, k) + xp.log(p)
        by_k = special("psi", n + k) - special("psi", k + 1.0) + xp.log1p(-p)
        return by_p * dp + by_n * dn + by_k * dk

    return with_derivative(value, derivative, *floats(k, n, p))


def _is_negative_middle(k: Any, n: Any, p: Any) -> Any:
    return xp.greater(k, 10) & xp.greater(n, 10) & xp.greater(p, 0) & xp.less(p, 1)


def log_orders(k: Any, n: Any) -> Any:
    """log(binom(n + k - 1, k)), 0 for k = 0."""
    return xp.where(xp.equal(k, 0), 0.0, -log_beta(n, k + 1.0) - xp.log(n + k))


def _negative(k: Any, n: Any, p: Any) -> Any:
    by_powers = xp.exp(log_orders(k, n)) * xp.power(p, n) * _rest_to_the(k, p)
    return xp.where(_is_negative_middle(k, n, p), xp.exp(_log_negative(k, n, p)), by_powers)


NBINOM = Distribution(
    _log_negative, shapes=("n", "p"), density=_negative,
    cdf=lambda k, n, p: special("betainc", n, k + 1.0, p),
    sf=lambda k, n, p: special("betaincc", n, k + 1.0, p), low=0.0, is_discrete=True,
    allows=lambda n, p: xp.greater(n, 0) & xp.greater(p, 0) & xp.less_equal(p, 1),
    mean=lambda n, p: n * (1.0 - p) / p, var=lambda n, p: n * (1.0 - p) / (p * p),
)  # fmt: skip


# Events -------------------------------------------------------------------------------------------

POISSON = Distribution(
    lambda k, mu: log_gamma_density(mu, k + 1.0), shapes=("mu",),
    density=lambda k, mu: gamma_density(mu, k + 1.0),
    cdf=lambda k, mu: special("gammaincc", k + 1.0, mu), sf=lambda k, mu: special("gammainc", k + 1.0, mu),
    log_cdf=lambda k, mu: log_gamma_above(mu, k + 1.0), log_sf=lambda k, mu: log_gamma_below(mu, k + 1.0),
    low=0.0, is_discrete=True, allows=lambda mu: xp.greater_equal(mu, 0),
    mean=lambda mu: mu, var=lambda mu: mu,
)  # fmt: skip


# Exponentials -------------------------------------------------------------------------------------

PLANCK = Distribution(
    lambda k, lambda_: xp.log(-xp.expm1(-lambda_)) - lambda_ * k, shapes=("lambda_",),
    log_sf=lambda k, lambda_: -lambda_ * (k + 1.0), low=0.0, is_discrete=True,
    mean=lambda lambda_: 1.0 / xp.expm1(lambda_),
    var=lambda lambda_: xp.exp(-lambda_) / xp.expm1(-lambda_) ** 2,
)  # fmt: skip


def _cut_above(k: Any, lambda_: Any, N: Any) -> Any:
    """The share of what is above k, which is below N."""
    return xp.exp(-lambda_ * (k + 1.0)) * xp.expm1(-lambda_ * (N - k - 1.0)) / xp.expm1(-lambda_ * N)


def _cut_mean(lambda_: Any, N: Any) -> Any:
    return 1.0 / xp.expm1(lambda_) - N / xp.expm1(lambda_ * N)


def _cut_var(lambda_: Any, N: Any) -> Any:
    one, all_ = 2.0 * xp.sinh(0.5 * lambda_), 2.0 * xp.sinh(0.5 * lambda_ * N)
    return 1.0 / one**2 - (N / all_) ** 2


BOLTZMANN = Distribution(
    lambda k, lambda_, N: xp.log(xp.expm1(-lambda_) / xp.expm1(-lambda_ * N)) - lambda_ * k,
    shapes=("lambda_", "N"),
    cdf=lambda k, lambda_, N: xp.expm1(-lambda_ * (k + 1.0)) / xp.expm1(-lambda_ * N),
    sf=_cut_above, low=0.0, high=lambda lambda_, N: N - 1.0, is_discrete=True,
    allows=lambda lambda_, N: xp.greater(lambda_, 0) & xp.greater(N, 0) & xp.equal(N, xp.floor(N)),
    mean=_cut_mean, var=_cut_var,
)  # fmt: skip


def _double_log_below(k: Any, a: Any) -> Any:
    """The logarithm, for positive a: e^(a (k + 1)) / (e^a + 1) below 0, 1 less such a share from 0 on."""
    low, high = sides(k)
    below = a * low - softplus(-a)
    return xp.where(xp.less(k, 0), below, xp.log1p(-xp.exp(-a * high - softplus(a))))


DLAPLACE = Distribution(
    lambda k, a: xp.log(xp.tanh(0.5 * a)) - a * xp.abs(k), shapes=("a",), is_discrete=True,
    log_cdf=_double_log_below, log_sf=lambda k, a: _double_log_below(-k - 1.0, a),
    mean=lambda a: xp.zeros_like(a), var=lambda a: 0.5 / xp.sinh(0.5 * a) ** 2,
)  # fmt: skip


# Uniform, powers and logarithms -------------------------------------------------------------------

RANDINT = Distribution(
    lambda k, low, high: xp.zeros_like(k) - xp.log(high - low), shapes=("low", "high"), is_discrete=True,
    density=lambda k, low, high: xp.ones_like(k) / (high - low),
    cdf=lambda k, low, high: (k - low + 1.0) / (high - low),
    sf=lambda k, low, high: (high - k - 1.0) / (high - low),
    low=lambda low, high: low, high=lambda low, high: high - 1.0,
    allows=lambda low, high: xp.greater(high, low) & _is_whole(low) & _is_whole(high),
    mean=lambda low, high: 0.5 * (low + high - 1.0), var=lambda low, high: ((high - low) ** 2 - 1.0) / 12.0,
)  # fmt: skip


def _is_whole(n: Any) -> Any:
    return xp.equal(n, xp.floor(n))


def _series_above(k: Any, p: Any) -> Any:
    """p^(k + 1) / (k + 1) + p^(k + 2) / (k + 2) + ..., for r = log(1 / p) as two integrals.

    They are those of e^(-(k + 1) t) over r + t, and of what 1 / (1 - e^-(r + t)) is more.
    """
    order, rate = k + 1.0, -xp.log(p)
    return special("exp1", order * rate) + xp.power(p, order) * half_line(1.0 / order, _rest, order, rate)


def _rest(t: Formula, order: Formula, rate: Formula) -> Formula:
    """e^(-order t) (1 / (1 - e^-u) - 1 / u) with u = t + rate, near 0 by Bernoulli's numbers."""
    u = t + rate
    is_near = u < 1
    near, far = formulas.where(is_near, u, u.like(1.0)), formulas.where(is_near, u.like(1.0), u)
    total = u.like(0.0)
    for coefficient in reversed(EULER_MACLAURIN[:_TERMS]):
        total = total * near * near + coefficient
    beyond = -1 / formulas.expm1(-far) - 1 / far
    return formulas.exp(-order * t) * formulas.where(is_near, total * near + 0.5, beyond)


LOGSER = Distribution(
    lambda k, p: k * xp.log(p) - xp.log(k) - xp.log(-xp.log1p(-p)), shapes=("p",), is_discrete=True,
    sf=lambda k, p: _series_above(k, p) / -xp.log1p(-p), low=1.0,
    allows=lambda p: xp.greater(p, 0) & xp.less(p, 1), mean=lambda p: p / (p - 1.0) / xp.log1p(-p),
    var=lambda p: -p * (p + xp.log1p(-p)) / ((1.0 - p) * xp.log1p(-p)) ** 2,
)  # fmt: skip


def _yule_var(alpha: Any) -> Any:
    found = alpha**2 / ((alpha - 1.0) ** 2 * (alpha - 2.0))
    return xp.where(xp.greater(alpha, 2), found, xp.where(xp.greater(alpha, 1), xp.inf, xp.nan))


YULESIMON = Distribution(
    lambda k, alpha: xp.log(alpha) + log_beta(k, alpha + 1.0), shapes=("alpha",), is_discrete=True,
    log_sf=lambda k, alpha: xp.log(k) + log_beta(k, alpha + 1.0), low=1.0,
    mean=lambda alpha: xp.where(xp.greater(alpha, 1), alpha / (alpha - 1.0), xp.inf), var=_yule_var,
)  # fmt: skip

_SUMMED = 12


def _far_powers(a: Any, x: Any) -> Any:
    """The sum of (x + j)^-a over j from 0 on, less the integral, by Euler and Maclaurin, for large x."""
    term = a / x
    total: Any = 0.5
    for order, coefficient in zip(range(1, 2 * _TERMS, 2), EULER_MACLAURIN[:_TERMS], strict=True):
        total = total + coefficient * term
        term = term * (a + order) * (a + order + 1.0) / (x * x)
    return total * xp.power(x, -a)


def _powers(a: Any, first: Any, end: Any = None) -> Any:
    """The sum of j^-a from a first number up to, but not including, an end; without an end to infinity."""
    start = first + _SUMMED
    near = sum(xp.power(first + j, -a) for j in range(_SUMMED))
    if end is None:
        return near + xp.power(start, 1.0 - a) / (a - 1.0) + _far_powers(a, start)
    stop = end + _SUMMED
    less = sum(xp.power(end + j, -a) for j in range(_SUMMED))
    growth = xp.log1p((end - first) / start)
    between = xp.power(start, 1.0 - a) * growth * expm1_ratio((1.0 - a) * growth)
    return between + (near - less) + (_far_powers(a, start) - _far_powers(a, stop))


def _power_moment(n: float, a: Any) -> Any:
    exists = xp.greater(a, n + 1.0)
    return xp.where(exists, _powers(xp.where(exists, a - n, 2.0), 1.0) / _powers(a, 1.0), xp.inf)


ZIPF = Distribution(
    lambda k, a: -a * xp.log(k) - xp.log(_powers(a, 1.0)), shapes=("a",), is_discrete=True,
    sf=lambda k, a: _powers(a, k + 1.0) / _powers(a, 1.0), low=1.0, allows=lambda a: xp.greater(a, 1),
    mean=lambda a: _power_moment(1.0, a), var=lambda a: xp.where(
        xp.greater(a, 3), _power_moment(2.0, a) - _power_moment(1.0, xp.maximum(a, 3.0)) ** 2, xp.inf
    ),
)  # fmt: skip


def _cut_power_moment(m: float, a: Any, n: Any) -> Any:
    return _powers(a - m, 1.0, n + 1.0) / _powers(a, 1.0, n + 1.0)


ZIPFIAN = Distribution(
    lambda k, a, n: -a * xp.log(k) - xp.log(_powers(a, 1.0, n + 1.0)), shapes=("a", "n"), is_discrete=True,
    cdf=lambda k, a, n: _powers(a, 1.0, k + 1.0) / _powers(a, 1.0, n + 1.0),
    sf=lambda k, a, n: _powers(a, k + 1.0, n + 1.0) / _powers(a, 1.0, n + 1.0),
    low=1.0, high=lambda a, n: n,
    allows=lambda a, n: xp.greater_equal(a, 0) & xp.greater(n, 0) & _is_whole(n),
    mean=lambda a, n: _cut_power_moment(1.0, a, n),
    var=lambda a, n: _cut_power_moment(2.0, a, n) - _cut_power_moment(1.0, a, n) ** 2,
)  # fmt: skip

DISTRIBUTIONS = {
    "binom": BINOM, "bernoulli": BERNOULLI, "geom": GEOM, "nbinom": NBINOM, "poisson": POISSON,
    "planck": PLANCK, "boltzmann": BOLTZMANN, "dlaplace": DLAPLACE, "randint": RANDINT, "logser": LOGSER,
    "yulesimon": YULESIMON, "zipf": ZIPF, "zipfian": ZIPFIAN,
}  # fmt: skip
