"""Many small linear systems: the mean squared length of their solutions.

f(A, b) = sum_k |x_k|^2 / n,        A_k x_k = b_k
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Instance(NamedTuple):
    """Matrices [n, m, m] and right sides [n, m]."""

    matrices: NDArray[Any]
    right_sides: NDArray[Any]


def mean_square(matrices, right_sides):
    """The mean squared length of the solutions."""
    solutions = np.linalg.solve(matrices, right_sides[..., None])
    return np.sum(solutions * solutions) / matrices.shape[0]


def random_instance(n: int, m: int = 3, seed: int = 0) -> Instance:
    """Well-conditioned random systems."""
    rng = np.random.default_rng(seed)
    return Instance(rng.normal(size=(n, m, m)) + 4 * np.eye(m), rng.normal(size=(n, m)))
