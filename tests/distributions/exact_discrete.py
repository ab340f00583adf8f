"""Discrete distributions of `scipy.stats` as mpmath computes them: masses, and their sums.

DISCRETE["poisson"].density(k, mu)     e^-mu mu^k / k!
"""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from mpmath import mp, mpf

from tests.distributions.exact import Exact, Function, exp, power

_NUMBERS = (0.0, 1.0, 2.0, 3.0, 5.0, 13.0, 40.0, 150.0)


def masses(
    mass: Function, shapes: Sequence[tuple[float, ...]], low: float = 0.0, high: float | Function = inf, *,
    at: Sequence[float] = _NUMBERS, whole: Sequence[int] = (), mean: Function | None = None,
    var: Function | None = None,
) -> Exact:  # fmt: skip
    """A distribution of whole numbers from `low` on, of which the shapes numbered in `whole` are whole too."""

    def cdf(k: Any, *shapes: Any) -> Any:
        return mp.fsum(mass(mpf(j), *shapes) for j in range(int(low), int(k) + 1))

    points = tuple(low + k for k in at)
    return Exact(
        mass, cdf, shapes, low, high, mean=mean, var=var, is_discrete=True, at=points, whole=tuple(whole)
    )  # fmt: skip


def ways(n: Any, k: Any) -> Any:
    """binom(n, k)."""
    return mp.binomial(n, k)


def of_trials(p_of: Callable[[Any], Any]) -> Function:
    """The mass of the number of successes in n trials."""
    return lambda k, n, p: ways(n, k) * power(p_of(p), k) * power(1 - p_of(p), n - k)


DISCRETE: dict[str, Exact] = {
    "binom": masses(of_trials(lambda p: p), [(5.0, 0.3), (5.0, 0.0), (5.0, 1.0), (200.0, 0.7), (1000.0, 0.01)],
                    high=lambda n, p: n, whole=(0,), mean=lambda n, p: n * p, var=lambda n, p: n * p * (1 - p)),
    "bernoulli": masses(lambda k, p: p if k else 1 - p, [(0.0,), (0.3,), (1.0,)], high=1.0,
                        mean=lambda p: p, var=lambda p: p * (1 - p)),
    "geom": masses(lambda k, p: p * power(1 - p, k - 1), [(0.5,), (1.0,), (1e-3,)], 1.0,
                   mean=lambda p: 1 / p, var=lambda p: (1 - p) / p**2),
    "poisson": masses(lambda k, mu: power(mu, k) * exp(-mu) / mp.factorial(k), [(0.0,), (0.6,), (17.0,), (300.0,)],
                      mean=lambda mu: mu, var=lambda mu: mu),
}  # fmt: skip
