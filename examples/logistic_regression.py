"""A logistic regression by SciPy's minimisers, with gradients and Hessian products from mlirad.

    python examples/logistic_regression.py

`ad.scipy.objective` turns the loss of a dictionary of parameters into functions of a flat vector. Methods
that know the curvature take far fewer evaluations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

import mlirad as ad

METHODS = ("CG", "L-BFGS-B", "Newton-CG", "trust-ncg")


def main() -> None:
    """Print for each method the loss, the largest component of the gradient, and the evaluations."""
    features, labels = data(400, 10)
    for method in METHODS:
        params, found = fitted(features, labels, method)
        print(
            f"{method:<10} loss {found.fun:.9f}, gradient {np.max(np.abs(found.jac)):.1e}, "
            f"{found.nfev} evaluations, bias {float(params['bias']):.5f}"
        )
        chances = expit(features @ params["weights"] + params["bias"])
        assert abs(np.mean(chances - labels)) < 1e-4  # the derivative by the bias


def data(count: int, width: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Features [count, width] and labels in {0, 1} [count], drawn from a logistic law."""
    rng = np.random.default_rng(seed)
    features, law = rng.normal(size=(count, width)), rng.normal(size=width)
    chances = 1 / (1 + np.exp(-(features @ law + 0.5)))
    return features, (rng.uniform(size=count) < chances).astype(float)


def loss(params: Any, features: Any, labels: Any) -> Any:
    """The mean negative log-likelihood, with a small penalty on the weights."""
    margins = (2 * labels - 1) * (features @ params["weights"] + params["bias"])
    return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * np.sum(params["weights"] ** 2)


def fitted(features: NDArray[Any], labels: NDArray[Any], method: str) -> tuple[Any, Any]:
    """The parameters of least loss by a method of `scipy.optimize.minimize`, and what that returned."""
    start = {"weights": np.zeros(features.shape[1]), "bias": 0.0}
    problem = ad.scipy.objective(loss, start, features, labels)
    curvature = {"hessp": problem.hessp} if method in ("Newton-CG", "trust-ncg") else {}
    found = minimize(problem.fun, problem.x0, jac=problem.jac, method=method, **curvature)
    return problem.unflatten(found.x), found


if __name__ == "__main__":
    main()
