"""A weighted sum of order statistics, such as an expected shortfall: sorting in a loss.

y(x) = sum_i w_i x_(i),    dy/dx_j = w_rank(j)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def loss(x, weights):
    """The sum of the sorted x [n] times the weights [n]."""
    return np.sum(weights * np.sort(x))


def random_instance(n: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Normal numbers and weights."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.normal(size=n)
