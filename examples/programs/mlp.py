"""Networks of dense layers that recognise images: on batches, and on one image at a time.

`loss` has layers with max(x W + b, 0) and works on a batch. `image_loss` is the network of horde-ad's MNIST
benchmarks: logistic layers, and the products of matrices with the vector of one image.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from examples.programs import cross_entropy


def loss(w1, b1, w2, b2, w3, b3, images, labels):
    """The cross-entropy of a batch: images [n, p], labels [n] integers, weights [in, out], biases [out]."""
    first = np.maximum(images @ w1 + b1, 0)
    second = np.maximum(first @ w2 + b2, 0)
    return cross_entropy.loss(second @ w3 + b3, labels)


def image_loss(w1, b1, w2, b2, w3, b3, image, target):
    """The cross-entropy of one image [p] whose class is the one 1 of target [k]; weights [out, in]."""
    first = logistic(w1 @ image + b1)
    second = logistic(w2 @ first + b2)
    scores = w3 @ second + b3
    return cross_entropy.logsumexp(scores) - target @ scores


def logistic(x):
    """1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def random_batch(
    sizes: tuple[int, ...], batch: int, dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], ...]:
    """The arguments of `loss` for layers of these sizes, from the pixels to the classes."""
    rng = np.random.default_rng(seed)
    layers = [
        a for m, n in pairwise(sizes) for a in (rng.normal(size=(m, n)) / np.sqrt(m), rng.normal(size=n))
    ]
    images = rng.uniform(size=(batch, sizes[0]))
    return *(a.astype(dtype) for a in (*layers, images)), rng.integers(sizes[-1], size=batch)


def random_image(
    sizes: tuple[int, ...], dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], ...]:
    """The arguments of `image_loss` for layers of these sizes."""
    rng = np.random.default_rng(seed)
    layers = [
        a for m, n in pairwise(sizes) for a in (rng.normal(size=(n, m)) / np.sqrt(m), rng.normal(size=n))
    ]
    target = np.eye(sizes[-1])[rng.integers(sizes[-1])]
    return tuple(a.astype(dtype) for a in (*layers, rng.uniform(size=sizes[0]), target))
