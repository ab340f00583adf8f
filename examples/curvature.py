"""The directions of largest curvature of a loss, by Lanczos iteration on a Hessian that is never formed.

    python examples/curvature.py

The Hessian is the derivative of the gradient: linearised at a point it is a linear map, its products with
vectors cost a few evaluations of the loss, and SciPy's `eigsh` asks for nothing else. Both Hessians are
known, and confirm what was found.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh
from scipy.special import expit, softmax

import mlirad as ad

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.programs import lse

Array = NDArray[Any]


def main() -> None:
    """Print the largest curvatures of log-sum-exp and of a logistic regression."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    hessian = hessian_map(lse.primal, x)
    print(f"log-sum-exp of {x.size} numbers: {hessian}")
    values, vectors = extreme_curvatures(hessian, 3)
    print("largest curvatures", values)
    p = softmax(x)[:, None]
    np.testing.assert_allclose(p * vectors - p * (p.T @ vectors), values * vectors, atol=1e-9)
    features, labels = rng.normal(size=(500, 300)), rng.integers(2, size=500)
    weights = 0.1 * rng.normal(size=300)
    hessian = hessian_map(lambda w: logistic_loss(w, features, labels), weights)
    print(f"logistic regression with {weights.size} weights: {hessian}")
    values, vectors = extreme_curvatures(hessian, 3)
    print("largest curvatures", values)
    chances = expit(features @ weights)
    product = features.T @ ((chances * (1 - chances))[:, None] * (features @ vectors)) / len(features)
    np.testing.assert_allclose(product + 2e-3 * vectors, values * vectors, atol=1e-9)


def hessian_map(loss: Any, x: Any) -> ad.LinearMap:
    """The second derivative of a loss at a point."""
    return ad.linearize(ad.grad(loss), x)[1]


def extreme_curvatures(hessian: ad.LinearMap, count: int) -> tuple[Array, Array]:
    """The largest eigenvalues, in ascending order, and their eigenvectors as columns."""
    start = np.random.default_rng(0).normal(size=hessian.shape[1])
    values, vectors = eigsh(hessian.as_linear_operator(), k=count, which="LA", v0=start)
    return values, vectors


def logistic_loss(weights: Any, features: Array, labels: Array) -> Any:
    """The mean negative log-likelihood of labels in {0, 1}, with a small penalty on the weights."""
    margins = (2 * labels - 1) * (features @ weights)
    return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * np.sum(weights**2)


if __name__ == "__main__":
    main()
