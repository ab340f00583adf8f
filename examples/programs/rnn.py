"""A recurrent network, and the distance of its last state from a target.

    h_t = tanh(x_t W + h_{t-1} U + b),    h_0 = 0

The loss is the mean square of the last state less the target.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import mlirad as ad


def loss(w, u, b, xs, target):
    """The mean square of the error: xs [t, n, p], w [p, m], u [m, m], b [m], target [n, m]."""

    def step(state, x):
        return np.tanh(x @ w + state @ u + b)

    last = ad.fold(step, np.zeros_like(target), xs)
    return np.mean((last - target) ** 2)


def random_instance(
    steps: int, batch: int, features: int, width: int, dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], ...]:
    """Normal weights, scaled by the width, and normal inputs and targets."""
    rng = np.random.default_rng(seed)
    parts = (
        rng.normal(size=(features, width)) / np.sqrt(features),
        rng.normal(size=(width, width)) / np.sqrt(width),
        rng.normal(size=width),
        rng.normal(size=(steps, batch, features)),
        rng.normal(size=(batch, width)),
    )
    return tuple(a.astype(dtype) for a in parts)
