"""Discrete distributions of `scipy.stats` as mpmath computes them: masses, and their sums.

DISCRETE["poisson"].density(k, mu)     e^-mu mu^k / k!
"""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from mpmath import mp, mpf

from tests.distributions.exact import Exact, Function, exp, expm1, power

_NUMBERS = (0.0, 1.0, 2.0, 3.0, 5.0, 13.0, 40.0, 150.0)


def masses(
    mass: Function, shapes: Sequence[tuple[float, ...]], low: float | Function = 0.0,
    high: float | Function = inf, *, at: Sequence[float] | None = None, whole: Sequence[int] = (),
    start: int | None = None, summed: bool = True, mean: Function | None = None, var: Function | None = None,
) -> Exact:  # fmt: skip
    """A distribution of whole numbers; the shapes numbered in `whole` are whole too.

    It is looked at `at` some numbers, and, if at all, summed from its lowest one, or where that is infinite
    from `start`.
    """

    def cdf(k: Any, *shapes: Any) -> Any:
        first = start if start is not None else int(low(*shapes) if callable(low) else low)
        return mp.fsum(mass(mpf(j), *shapes) for j in range(first, int(k) + 1))

    points = at if at is not None else tuple(k + (0.0 if callable(low) else low) for k in _NUMBERS)
    return Exact(
        mass, cdf if summed else None, shapes, low, high, mean=mean, var=var, is_discrete=True, at=points, whole=tuple(whole)
    )  # fmt: skip


def power_sum(a: Any, n: Any) -> Any:
    """The sum of the first n powers j^-a."""
    return mp.fsum(mpf(j) ** -a for j in range(1, int(n) + 1))


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
    "nbinom": masses(lambda k, n, p: mp.gammaprod([n + k], [n, k + 1]) * power(p, n) * power(1 - p, k),
                     [(5.0, 0.5), (0.4, 0.9), (200.0, 0.7)], mean=lambda n, p: n * (1 - p) / p, var=lambda n, p: n * (1 - p) / p**2),
    "planck": masses(lambda k, a: (1 - exp(-a)) * exp(-a * k), [(0.5,), (1e-3,), (9.0,)], mean=lambda a: 1 / expm1(a), var=lambda a: exp(-a) / expm1(-a) ** 2),
    "boltzmann": masses(lambda k, a, n: (1 - exp(-a)) * exp(-a * k) / (1 - exp(-a * n)), [(1.4, 19.0), (1e-3, 200.0)], high=lambda a, n: n - 1, whole=(1,),
                        mean=lambda a, n: 1 / expm1(a) - n / expm1(a * n)),
    "dlaplace": masses(lambda k, a: mp.tanh(a / 2) * exp(-a * abs(k)), [(0.8,), (0.2,), (9.0,)], -inf, at=(-30.0, -3.0, -1.0, 0.0, 1.0, 2.0, 30.0), start=-500,
                       mean=lambda a: 0, var=lambda a: 1 / (2 * mp.sinh(a / 2) ** 2)),
    "randint": masses(lambda k, a, b: 1 / (b - a), [(7.0, 31.0), (-3.0, 40.0)], lambda a, b: a, lambda a, b: b - 1, at=(-3.0, 7.0, 8.0, 20.0, 30.0),
                      whole=(0, 1), mean=lambda a, b: (a + b - 1) / 2, var=lambda a, b: ((b - a) ** 2 - 1) / 12),
    "logser": masses(lambda k, p: -(p**k) / (k * mp.log1p(-p)), [(0.6,), (0.01,), (0.999,)], 1.0, mean=lambda p: -p / ((1 - p) * mp.log1p(-p)),
                     var=lambda p: -p * (p + mp.log1p(-p)) / ((1 - p) * mp.log1p(-p)) ** 2),
    "yulesimon": masses(lambda k, a: a * mp.beta(k, a + 1), [(11.0,), (0.6,), (2.5,)], 1.0, mean=lambda a: a / (a - 1) if a > 1 else mp.inf),
    "zipf": masses(lambda k, a: mpf(k) ** -a / mp.zeta(a), [(6.5,), (1.05,), (2.0,), (3.7,), (40.0,)], 1.0,
                   mean=lambda a: mp.zeta(a - 1) / mp.zeta(a) if a > 2 else mp.inf,
                   var=lambda a: mp.zeta(a - 2) / mp.zeta(a) - (mp.zeta(a - 1) / mp.zeta(a)) ** 2 if a > 3 else mp.inf),
    "zipfian": masses(lambda k, a, n: mpf(k) ** -a / power_sum(a, n), [(1.3, 10.0), (1.0, 200.0), (0.0, 20.0), (6.5, 50.0), (0.3, 2.0)], 1.0, lambda a, n: n, whole=(1,),
                      mean=lambda a, n: power_sum(a - 1, n) / power_sum(a, n),
                      var=lambda a, n: power_sum(a - 2, n) / power_sum(a, n) - (power_sum(a - 1, n) / power_sum(a, n)) ** 2),
    "betabinom": masses(lambda k, n, a, b: ways(n, k) * mp.beta(k + a, n - k + b) / mp.beta(a, b), [(5.0, 2.3, 0.6), (100.0, 30.0, 8.0)], high=lambda n, a, b: n,
                        whole=(0,), summed=False, mean=lambda n, a, b: n * a / (a + b)),
    "betanbinom": masses(lambda k, n, a, b: ways(n + k - 1, k) * mp.beta(a + n, b + k) / mp.beta(a, b), [(5.0, 9.3, 1.0), (40.0, 0.6, 3.0)],
                         whole=(0,), summed=False, mean=lambda n, a, b: n * b / (a - 1) if a > 1 else mp.inf),
    "hypergeom": masses(lambda k, m, n, c: ways(n, k) * ways(m - n, c - k) / ways(m, c), [(20.0, 7.0, 12.0), (300.0, 120.0, 60.0)],
                        lambda m, n, c: max(c - m + n, 0), lambda m, n, c: min(n, c), whole=(0, 1, 2), summed=False, mean=lambda m, n, c: n * c / m),
    "nhypergeom": masses(lambda k, m, n, r: ways(k + r - 1, k) * ways(m - r - k, n - k) / ways(m, n), [(20.0, 7.0, 12.0), (300.0, 120.0, 60.0)],
                         high=lambda m, n, r: n, whole=(0, 1, 2), summed=False, mean=lambda m, n, r: r * n / (m - n + 1)),
    "skellam": masses(lambda k, a, b: exp(-a - b) * mp.sqrt(a / b) ** k * mp.besseli(abs(k), 2 * mp.sqrt(a * b)), [(15.0, 8.0), (0.3, 2.0)], -inf,
                      at=(-20.0, -3.0, -1.0, 0.0, 1.0, 2.0, 30.0), summed=False, mean=lambda a, b: a - b, var=lambda a, b: a + b),
}  # fmt: skip
