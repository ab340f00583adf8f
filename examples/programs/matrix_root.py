"""A function of the square root of a symmetric positive definite matrix, by its eigenvalues.

f(A) = sum(C * A^1/2) = sum_ij C_ij (V sqrt(w) V^T)_ij,        A = V diag(w) V^T
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Instance(NamedTuple):
    """A matrix [n, n], read as its lower triangle, and weights [n, n]."""

    matrix: NDArray[Any]
    weights: NDArray[Any]


def weighted_root(matrix, weights):
    """The sum of the elements of the root times weights."""
    values, vectors = np.linalg.eigh(matrix)
    return np.sum(weights * ((vectors * np.sqrt(values)) @ vectors.T))


def random_instance(n: int, seed: int = 0) -> Instance:
    """A matrix whose eigenvalues lie between 1 and n + 1, and differ."""
    rng = np.random.default_rng(seed)
    vectors = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.arange(1, n + 1) + rng.uniform(0, 0.5, n)
    matrix = (vectors * values) @ vectors.T
    return Instance((matrix + matrix.T) / 2, rng.normal(size=(n, n)))
