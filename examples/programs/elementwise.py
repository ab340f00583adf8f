"""A long chain of elementwise operations: twelve steps of a map with three elementary functions.

    x <- x + tanh(a x) exp(-x^2) + sin(x) / 4

The loss is the mean of x after the last step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

STEPS = 12


def loss(x, a):
    """The mean of x [n] after `STEPS` steps with the coefficients a [n]."""
    for _ in range(STEPS):
        x = x + np.tanh(a * x) * np.exp(-x * x) + 0.25 * np.sin(x)
    return np.mean(x)


def random_instance(
    n: int, dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Normal numbers and coefficients."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n).astype(dtype), rng.normal(size=n).astype(dtype)
