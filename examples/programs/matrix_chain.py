"""The squares of a product of three square matrices, summed over all entries: y(A, B, C) = 1/n |A B C|^2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def loss(a, b, c):
    """The sum of the squares of A B C, over n, for matrices [n, n]."""
    return np.sum((a @ b @ c) ** 2) / len(a)


def random_instance(n: int, dtype: DTypeLike = np.float64, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Normal matrices that keep the length of a vector, roughly."""
    rng = np.random.default_rng(seed)
    return tuple((rng.normal(size=(n, n)) / np.sqrt(n)).astype(dtype) for _ in range(3))
