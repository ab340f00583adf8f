"""Layer normalisation: rows brought to mean 0 and variance 1, then scaled and moved.

    y_ij = g_j (x_ij - mean_i) / sqrt(variance_i + 1e-5) + b_j

The loss is the sum of y weighted by given weights, so its gradient is the pullback of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

EPSILON = 1e-5


def loss(x, scale, shift, weights):
    """The weighted sum of the normalised rows: x and weights [n, w], scale and shift [w]."""
    return np.sum(weights * normalised(x, scale, shift))


def normalised(x, scale, shift):
    """The rows of x [n, w] with mean 0 and variance 1, times `scale` plus `shift`."""
    centred = x - np.mean(x, axis=1, keepdims=True)
    variance = np.mean(centred**2, axis=1, keepdims=True)
    return centred / np.sqrt(variance + EPSILON) * scale + shift


def random_instance(
    n: int, width: int, dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], ...]:
    """Normal rows, scales, shifts and weights."""
    rng = np.random.default_rng(seed)
    shapes = ((n, width), (width,), (width,), (n, width))
    return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)
