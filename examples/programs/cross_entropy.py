"""The softmax cross-entropy of scores for classes.

y(s) = 1/n sum_i ( logsumexp_c s_ic - s_i,label(i) ),    dy/ds_ic = (softmax(s_i)_c - [c = label(i)]) / n
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def loss(scores, labels):
    """The mean of -log(probability of the right class): scores [n, k], labels [n] integers."""
    right = scores[np.arange(len(labels)), labels]
    return np.mean(logsumexp(scores) - right)


def logsumexp(x):
    """log(sum(exp(x))) over the last axis, shifted by the maximum so that nothing overflows."""
    largest = np.max(x, axis=-1)
    return largest + np.log(np.sum(np.exp(x - largest[..., None]), axis=-1))


def random_instance(
    n: int, classes: int, dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Normal scores and random labels."""
    rng = np.random.default_rng(seed)
    return 3 * rng.normal(size=(n, classes)).astype(dtype), rng.integers(classes, size=n)
