"""Sums of values by label, and the squares of these.

s_c = sum_{i : label(i) = c} x_i,    y(x) = 1/2 sum_c (s_c - target_c)^2
    dy/dx_i = s_label(i) - target_label(i)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def loss(values, labels, target):
    """Half the squared error of the sums of values [n] by labels [n] in 0, ..., k - 1; target [k]."""
    sums = np.zeros_like(target)
    np.add.at(sums, labels, values)
    return 0.5 * np.sum((sums - target) ** 2)


def random_instance(n: int, segments: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Normal values and targets, and random labels in no order."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.integers(segments, size=n), rng.normal(size=segments)
