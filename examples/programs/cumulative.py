"""Losses on running sums and products of a series.

path:    y(x) = 1/n sum_i ( sum_{j<=i} x_j - target_i )^2
wealth:  y(r) = 1/n sum_i ( prod_{j<=i} (1 + r_j) - target_i )^2
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def path_loss(steps, target):
    """The mean squared error of the running sums of steps [n]."""
    return np.mean((np.cumsum(steps) - target) ** 2)


def wealth_loss(returns, target):
    """The mean squared error of the running products of 1 + returns [n]."""
    return np.mean((np.cumprod(1 + returns) - target) ** 2)


def random_path(n: int, dtype: DTypeLike = np.float64, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Steps of a random walk whose end has the variance 1, and a normal target."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=n) / np.sqrt(n)).astype(dtype), rng.normal(size=n).astype(dtype)
