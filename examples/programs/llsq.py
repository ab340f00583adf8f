"""A linear least-squares fit of a polynomial to a step.

The polynomial with the coefficients x_0, ..., x_{m-1} is compared with the sign function at n
points spread evenly over [-1, 1]:

    y(x) = 1/2 sum_i ( sign(t_i) - sum_{j<m} x_j t_i^j )^2
    dy/dx_j = - sum_i ( sign(t_i) - sum_{j<m} x_j t_i^j ) t_i^j
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


def primal(x, t):
    """Half the sum of the squared residuals at the points t [n] for coefficients x [m]."""
    return 0.5 * np.sum((np.sign(t) - polynomial(x, t)) ** 2)


def polynomial(x, t):
    """sum_j x_j t^j at every point of t; the powers come from repeated multiplication."""
    power = np.ones_like(t)
    total = x[0] * power
    for j in range(1, len(x)):
        power = power * t
        total = total + x[j] * power
    return total


def primal_by_scan(x, t):
    """As `primal`, with a loop of the language over the coefficients: one step is compiled, however many."""

    def step(carry, coefficient):
        power, total = carry
        return power * t, total + coefficient * power

    _, values = ad.fold(step, (np.ones_like(t), np.zeros_like(t)), x)
    return 0.5 * np.sum((np.sign(t) - values) ** 2)


def sample_points(n: int) -> NDArray[Any]:
    """The points t_i = -1 + 2 i / (n - 1), i < n."""
    return -1 + 2 * np.arange(n) / (n - 1)


def random_instance(m: int, n: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """The arguments of `primal`: m normal coefficients, and n sample points."""
    return np.random.default_rng(seed).normal(size=m), sample_points(n)
