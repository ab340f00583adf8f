"""A 2-D convolution of images with several channels, weighted and summed: both of its pullbacks in one
gradient.

One of horde-ad's benchmarks. The gradient of sum(weights * convolution(x, kernel)) in x and in the kernel is
what a training step needs of one layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


def loss(x, kernel, weights):
    """The weighted sum of a convolution that keeps the size: x [n, c, s, s], kernel [o, c, 3, 3], weights
    [n, o, s, s]."""
    return np.sum(weights * ad.convolution(x, kernel, padding=1))


def random_instance(
    side: int, batch: int = 4, channels: tuple[int, int] = (4, 4), seed: int = 0
) -> tuple[NDArray[Any], ...]:
    """Normal images, kernels and weights."""
    rng = np.random.default_rng(seed)
    c, o = channels
    shapes = ((batch, c, side, side), (o, c, 3, 3), (batch, o, side, side))
    return tuple(rng.normal(size=shape) for shape in shapes)
