"""The logarithm of a sum of exponentials.

    y(x) = log sum_i exp(x_i),    dy/dx_i = exp(x_i - y)

The gradient is the softmax: as much work as the function itself, one exponential per element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def primal(x):
    """log(sum(exp(x))) of a vector x [n], shifted by the maximum so that nothing overflows."""
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def random_instance(n: int, seed: int = 0) -> NDArray[Any]:
    """n numbers, uniform in [-100, 100)."""
    return np.random.default_rng(seed).uniform(-100.0, 100.0, size=n)
