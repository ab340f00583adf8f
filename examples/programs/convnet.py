"""A small network: two convolutions of 3 x 3, the second with strides of 2, and a dense layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import mlirad as ad
from examples.programs import cross_entropy


def loss(first, second, dense, images, labels):
    """The cross-entropy of a batch of images [n, 1, s, s]: kernels [c, 1, 3, 3] and [d, c, 3, 3], and `dense`
    [d (s / 2)^2, k]; labels [n] integers."""
    x = np.maximum(ad.convolution(images, first, padding=1), 0)
    x = np.maximum(ad.convolution(x, second, strides=2, padding=1), 0)
    return cross_entropy.loss(np.reshape(x, (len(images), -1)) @ dense, labels)


def random_instance(
    batch: int,
    side: int,
    channels: tuple[int, int] = (8, 16),
    classes: int = 10,
    dtype: DTypeLike = np.float64,
    seed: int = 0,
) -> tuple[NDArray[Any], ...]:
    """Normal kernels and images of an even side, and random labels."""
    rng = np.random.default_rng(seed)
    c, d = channels
    features = d * (side // 2) ** 2
    parts = (
        rng.normal(size=(c, 1, 3, 3)) / 3,
        rng.normal(size=(d, c, 3, 3)) / (3 * np.sqrt(c)),
        rng.normal(size=(features, classes)) / np.sqrt(features),
        rng.normal(size=(batch, 1, side, side)),
    )
    return *(a.astype(dtype) for a in parts), rng.integers(classes, size=batch)
