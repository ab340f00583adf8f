"""A Gaussian process learns its length scales, its period and its noise from a record with gaps.

    python examples/gaussian_process.py --plot gp.svg

The negative log likelihood takes a Cholesky factor, whose derivative uses the factor again, so a gradient
by all parameters costs about as much as the value. SciPy's BFGS takes it. The value is checked against
SciPy's normal distribution, and the gradient against the textbook's trace formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

import mlirad as ad

START = {"size": 0.0, "trend": 1.0, "period": np.log(1.1), "ripple": 0.0, "noise": -1.0}  # logarithms


class Found(NamedTuple):
    """The record, the parameters that were learned, and the prediction by the first and the last ones."""

    times: Any
    record: Any
    theta: dict[str, Any]
    new: Any
    before: Any
    after: Any


def main(count: int = 70) -> Found:
    """Learn the parameters, and predict."""
    times, record = observations(count)
    problem = ad.scipy.objective(negative_log_likelihood, START, times, record)
    fit = minimize(problem.fun, problem.x0, jac=problem.jac, method="BFGS")
    theta = problem.unflatten(fit.x)
    print(f"negative log likelihood {problem.fun(problem.x0):.3f} -> {fit.fun:.3f} in {fit.nit} iterations")
    print(
        f"period {np.exp(theta['period']):.4f} (1 made the record), noise {np.exp(theta['noise']):.4f} (0.1)"
    )
    assert abs(np.exp(theta["period"]) - 1.0) < 0.02
    assert abs(np.exp(theta["noise"]) - 0.1) < 0.04

    matrix = covariance(theta, times)
    density = multivariate_normal.logpdf(record, np.zeros(count), matrix)
    assert abs(density + fit.fun) < 1e-8 * abs(density)
    start = np.linalg.inv(covariance(START, times))
    weights = start - np.outer(start @ record, start @ record)
    by_trace = 0.5 * np.sum(weights * ad.jacobian(covariance)(START, times)["period"])
    np.testing.assert_allclose(problem.unflatten(problem.jac(problem.x0))["period"], by_trace, rtol=1e-8)

    new = np.linspace(-0.3, 8.5, 250)
    predicted = ad.jit(predict)
    return Found(times, record, theta, new, *(predicted(t, times, record, new) for t in (START, theta)))


def observations(count: int) -> tuple[Any, Any]:
    """A trend with a yearly ripple and noise, at irregular times with a gap."""
    rng = np.random.default_rng(0)
    times = np.sort(rng.uniform(0.0, 6.5, count))
    times[times > 3.0] += 0.8
    return times, np.sin(0.6 * times) + 0.5 * np.cos(2 * np.pi * times) + 0.1 * rng.normal(size=count)


def kernel(theta: Any, x: Any, z: Any) -> Any:
    """The covariance of values at x and z: a smooth trend, and a ripple that repeats."""
    apart = x[:, None] - z[None, :]
    trend = np.exp(2 * theta["size"] - 0.5 * (apart / np.exp(theta["trend"])) ** 2)
    phase = np.pi * apart / np.exp(theta["period"])
    return trend + np.exp(2 * theta["ripple"] - 0.5 * np.sin(phase) ** 2)


def covariance(theta: Any, x: Any) -> Any:
    """The covariance of what is measured at x."""
    return kernel(theta, x, x) + np.exp(2 * theta["noise"]) * np.eye(len(x))


def negative_log_likelihood(theta: Any, x: Any, y: Any) -> Any:
    """Minus the logarithm of the density of the record."""
    factor = np.linalg.cholesky(covariance(theta, x))
    white = scipy.linalg.solve_triangular(factor, y, lower=True)
    return 0.5 * white @ white + np.sum(np.log(np.diagonal(factor))) + 0.5 * len(x) * np.log(2 * np.pi)


def predict(theta: Any, x: Any, y: Any, new: Any) -> Any:
    """The mean and the deviation of the process at new places."""
    factor = scipy.linalg.cho_factor(covariance(theta, x), lower=True)
    across = kernel(theta, new, x)
    explained = np.sum(across * scipy.linalg.cho_solve(factor, across.T).T, axis=1)
    prior = np.exp(2 * theta["size"]) + np.exp(2 * theta["ripple"])
    return across @ scipy.linalg.cho_solve(factor, y), np.sqrt(prior - explained)


def draw(figure: Any, found: Found) -> None:
    """The record and both predictions with twice their deviation."""
    rows = figure.subplots(2, 1, sharex=True, sharey=True)
    titles = ("before training", f"trained: a period of {np.exp(found.theta['period']):.3f}")
    for axes, title, (mean, deviation) in zip(rows, titles, (found.before, found.after), strict=True):
        axes.fill_between(
            found.new, mean - 2 * deviation, mean + 2 * deviation, color="C0", alpha=0.2, linewidth=0
        )
        axes.plot(found.new, mean)
        axes.plot(found.times, found.record, ".", color="black", markersize=4)
        axes.set_title(title)
    rows[-1].set_xlabel("time")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
