"""Numbers of draws without replacement, of draws with a random probability, and differences of counts."""

from __future__ import annotations

from typing import Any

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.discrete import (
    is_count,
    log_orders,
    log_ways,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    above_zero,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import log_beta
from mlirad.frontend.tracing.operations import xp

# With a probability of the beta distribution --------------------------------------------------------


def _beta_binomial_var(n: Any, a: Any, b: Any) -> Any:
    return n * a * b * (a + b + n) / ((a + b) ** 2 * (a + b + 1.0))


BETABINOM = Distribution(
    lambda k, n, a, b: log_ways(n, k) + log_beta(k + a, n - k + b) - log_beta(a, b), shapes=("n", "a", "b"),
    low=0.0, high=lambda n, a, b: n, is_discrete=True, allows=lambda n, a, b: is_count(n) & above_zero(a, b),
    mean=lambda n, a, b: n * a / (a + b), var=_beta_binomial_var,
)  # fmt: skip


def _beta_negative_var(n: Any, a: Any, b: Any) -> Any:
    found = n * b * (n + a - 1.0) * (b + a - 1.0) / ((a - 2.0) * (a - 1.0) ** 2)
    return xp.where(xp.greater(a, 2), found, xp.inf)


BETANBINOM = Distribution(
    lambda k, n, a, b: log_orders(k, n) + log_beta(a + n, b + k) - log_beta(a, b), shapes=("n", "a", "b"),
    low=0.0, is_discrete=True, allows=lambda n, a, b: is_count(n) & above_zero(a, b),
    mean=lambda n, a, b: xp.where(xp.greater(a, 1), n * b / (a - 1.0), xp.inf), var=_beta_negative_var,
)  # fmt: skip


# Without replacement --------------------------------------------------------------------------------


def _are_parts(M: Any, n: Any) -> Any:
    return is_count(M) & is_count(n) & xp.less_equal(n, M)


def _hypergeometric_var(M: Any, n: Any, N: Any) -> Any:
    return N * n * (M - n) * (M - N) / (M * M * (M - 1.0))


HYPERGEOM = Distribution(
    lambda k, M, n, N: log_ways(n, k) + log_ways(M - n, N - k) - log_ways(M, N),
    shapes=("M", "n", "N"),
    low=lambda M, n, N: xp.maximum(N - (M - n), 0.0), high=lambda M, n, N: xp.minimum(n, N), is_discrete=True,
    allows=lambda M, n, N: _are_parts(M, n) & _are_parts(M, N),
    mean=lambda M, n, N: n * N / M, var=_hypergeometric_var,
)  # fmt: skip


def _negative_hypergeometric(k: Any, M: Any, n: Any, r: Any) -> Any:
    return log_orders(k, r) + log_ways(M - r - k, n - k) - log_ways(M, n)


def _negative_hypergeometric_var(M: Any, n: Any, r: Any) -> Any:
    rest = M - n + 1.0
    return (M + 1.0) * r * n / (rest * (rest + 1.0)) * (1.0 - r / rest)


NHYPERGEOM = Distribution(
    _negative_hypergeometric, shapes=("M", "n", "r"), low=0.0, high=lambda M, n, r: n, is_discrete=True,
    allows=lambda M, n, r: _are_parts(M, n) & _are_parts(M - n, r),
    mean=lambda M, n, r: r * n / (M - n + 1.0), var=_negative_hypergeometric_var,
)  # fmt: skip


# Differences ----------------------------------------------------------------------------------------


def _log_difference(k: Any, mu1: Any, mu2: Any) -> Any:
    """The logarithm of e^-(mu1 + mu2) (mu1 / mu2)^(k / 2) iv(|k|, 2 sqrt(mu1 mu2))."""
    first, second = xp.sqrt(mu1), xp.sqrt(mu2)
    bessel = special("ive", xp.abs(k), 2.0 * first * second)
    return 0.5 * k * xp.log(mu1 / mu2) - (first - second) ** 2 + xp.log(bessel)


SKELLAM = Distribution(
    _log_difference, shapes=("mu1", "mu2"), is_discrete=True, mean=lambda mu1, mu2: mu1 - mu2,
    var=lambda mu1, mu2: mu1 + mu2,
)  # fmt: skip

DISTRIBUTIONS = {
    "betabinom": BETABINOM, "betanbinom": BETANBINOM, "hypergeom": HYPERGEOM, "nhypergeom": NHYPERGEOM,
    "skellam": SKELLAM,
}  # fmt: skip
