"""The cost of a k-means clustering.

    f(C) = sum_i min_j |C_j - P_i|^2

With a(i) the centroid nearest to point i, and n_j the number of points nearest to centroid j,

    df/dC_j = 2 sum_{i : a(i) = j} (C_j - P_i),    d^2f/dC_j^2 = 2 n_j
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


def cost(points, centroids):
    """The sum over the points [n, d] of the squared distance to the nearest centroid [k, d]."""
    difference = points[:, None, :] - centroids
    squared_distance = np.sum(difference**2, axis=2)
    return np.sum(np.min(squared_distance, axis=1))


def direction(points, centroids):
    """The gradient over the diagonal of the Hessian, component by component: the step of Newton's method.

    The Hessian is diagonal, so its product with ones is its diagonal.
    """

    def objective(c):
        return cost(points, c)

    ones = np.ones_like(centroids)
    gradient, diagonal = ad.jvp(ad.grad(objective), (centroids,), (ones,))
    return gradient / diagonal


def random_instance(n: int, k: int, d: int = 8, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """n points and k centroids, normally distributed."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(k, d))
