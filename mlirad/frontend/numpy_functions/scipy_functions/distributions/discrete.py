"""Discrete distributions. Distribution functions are given whole numbers."""

from __future__ import annotations

from typing import Any

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.pieces import (
    digamma_difference,
    floats,
    gamma_density,
    log_beta,
    log_beta_weight,
    log_gamma_above,
    log_gamma_below,
    log_gamma_density,
    slope_of_log,
    xlog1py,
    xlogy,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp


def _is_probability(p: Any) -> Any:
    return xp.greater_equal(p, 0) & xp.less_equal(p, 1)


def _is_count(n: Any) -> Any:
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


def _is_middle(k: Any, n: Any, p: Any) -> Any:
    return xp.greater(k, 10) & xp.greater(n - k, 10) & xp.greater(p, 0) & xp.less(p, 1)


def _log_binomial(k: Any, n: Any, p: Any) -> Any:
    """By the distance to the most probable number where k and n - k are large."""

    def value(k: Array, n: Array, p: Array) -> Array:
        is_middle = _is_middle(k, n, p)
        some, all_, share = (xp.where(is_middle, v, w) for v, w in ((k, 20.0), (n, 40.0), (p, 0.5)))
        middle = log_beta_weight(share, some, all_ - some) + xp.log(all_ / (some * (all_ - some)))
        return xp.where(is_middle, middle, log_ways(n, k) + xlogy(k, p) + xlog1py(n - k, -p))

    def derivative(k: Array, n: Array, p: Array, _: Array, dk: Array, dn: Array, dp: Array) -> Array:
        by_p = slope_of_log(k, p) - slope_of_log(n - k, 1.0 - p)
        by_n = digamma_difference(n - k + 1.0, k) + xp.log1p(-p)
        by_k = special("psi", n - k + 1.0) - special("psi", k + 1.0) + xp.log(p) - xp.log1p(-p)
        return by_p * dp + by_n * dn + by_k * dk

    return with_derivative(value, derivative, *floats(k, n, p))


def _binomial(k: Any, n: Any, p: Any) -> Any:
    """By powers where k or n - k is small, which have derivatives for p = 0 and 1."""
    by_powers = xp.exp(log_ways(n, k)) * xp.power(p, k) * _rest_to_the(n - k, p)
    return xp.where(_is_middle(k, n, p), xp.exp(_log_binomial(k, n, p)), by_powers)


def _binomial_share(function: str, at_most: float, k: Any, n: Any, p: Any) -> Any:
    """The share of what is up to k, or above it; there is nothing above n."""
    is_last = xp.greater_equal(k, n)
    return xp.where(is_last, at_most, special(function, k + 1.0, xp.where(is_last, 1.0, n - k), p))


BINOM = Distribution(
    _log_binomial, shapes=("n", "p"), density=_binomial,
    cdf=lambda k, n, p: _binomial_share("betaincc", 1.0, k, n, p),
    sf=lambda k, n, p: _binomial_share("betainc", 0.0, k, n, p),
    low=0.0, high=lambda n, p: n, is_discrete=True, allows=lambda n, p: _is_count(n) & _is_probability(p),
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


# Events -------------------------------------------------------------------------------------------

POISSON = Distribution(
    lambda k, mu: log_gamma_density(mu, k + 1.0), shapes=("mu",),
    density=lambda k, mu: gamma_density(mu, k + 1.0),
    cdf=lambda k, mu: special("gammaincc", k + 1.0, mu), sf=lambda k, mu: special("gammainc", k + 1.0, mu),
    log_cdf=lambda k, mu: log_gamma_above(mu, k + 1.0), log_sf=lambda k, mu: log_gamma_below(mu, k + 1.0),
    low=0.0, is_discrete=True, allows=lambda mu: xp.greater_equal(mu, 0),
    mean=lambda mu: mu, var=lambda mu: mu,
)  # fmt: skip

DISTRIBUTIONS = {"binom": BINOM, "bernoulli": BERNOULLI, "geom": GEOM, "poisson": POISSON}
