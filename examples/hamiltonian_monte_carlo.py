"""The posterior of a logistic regression, drawn by Hamiltonian Monte Carlo (HMC) in one compiled loop.

    python examples/hamiltonian_monte_carlo.py --plot posterior.svg

An iteration of the `ad.scan` throws the coefficients with a random momentum, follows them by leapfrog steps
along the gradient of the log density, and accepts where they land or stays. The witness is importance
sampling from a wide distribution around the most likely coefficients.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import multivariate_t

import mlirad as ad

PRIOR = 5.0  # the deviation of each coefficient before data


class Found(NamedTuple):
    """The draws [n, d], and the means and deviations [d] by importance sampling."""

    draws: Any
    means: Any
    deviations: Any


def main(count: int = 200, draws: int = 4000) -> Found:
    """Draw the coefficients of `count` labels, and compare their means and deviations with the witness."""
    rng = np.random.default_rng(3)
    features = np.column_stack([np.ones(count), rng.normal(size=(count, 3))])
    labels = (rng.uniform(size=count) < 1 / (1 + np.exp(-features @ [0.5, 1.0, -2.0, 0.0]))).astype(float)

    found, accepted = ad.jit(chain, static_argnames="draws")(
        ad.random.key(0), np.zeros(4), features, labels, draws=draws
    )
    found = found[draws // 10 :]
    means, deviations = by_importance(features, labels)
    for k in range(4):
        print(
            f"coefficient {k}: {found[:, k].mean():6.3f} +- {found[:, k].std():.3f}, "
            f"by importance sampling {means[k]:6.3f} +- {deviations[k]:.3f}"
        )
    print(f"{np.mean(accepted):.0%} of {draws} throws are accepted")
    assert np.max(np.abs(found.mean(0) - means) / deviations) < 6 / np.sqrt(draws) + 0.05
    np.testing.assert_allclose(found.std(0), deviations, rtol=6 / np.sqrt(draws) + 0.05)
    return Found(found, means, deviations)


def log_density(w: Any, features: Any, labels: Any) -> Any:
    """The logarithm of the posterior density of coefficients, up to a constant."""
    scores = features @ w
    return np.sum(labels * scores - np.logaddexp(0.0, scores)) - 0.5 * np.sum((w / PRIOR) ** 2)


def chain(
    key: Any, w: Any, features: Any, labels: Any, draws: int, step: float = 0.12, leaps: int = 12
) -> Any:
    """The coefficients after each of `draws` throws [draws, d], and whether each was accepted."""

    def slope(w: Any) -> Any:
        return ad.grad(log_density)(w, features, labels)

    def leap(_: Any, state: Any) -> Any:
        q, p = state
        p = p + 0.5 * step * slope(q)
        q = q + step * p
        return q, p + 0.5 * step * slope(q)

    def throw(w: Any, key: Any) -> Any:
        for_momentum, for_choice = ad.random.split(key)
        momentum = ad.random.normal(for_momentum, w.shape)
        q, p = ad.fori_loop(0, leaps, leap, (w, momentum))
        gain = log_density(q, features, labels) - log_density(w, features, labels)
        accepted = np.log(ad.random.uniform(for_choice)) < gain - 0.5 * (p @ p - momentum @ momentum)
        w = np.where(accepted, q, w)
        return w, (w, accepted)

    return ad.scan(throw, w, ad.random.split(key, draws))[1]


def by_importance(features: Any, labels: Any, count: int = 20000) -> tuple[Any, Any]:
    """Means and deviations [d] by weighted draws of Student's distribution around the mode."""
    problem = ad.scipy.objective(lambda w: -log_density(w, features, labels), np.zeros(features.shape[1]))
    mode = minimize(problem.fun, problem.x0, jac=problem.jac, hess=problem.hess, method="trust-exact").x
    wide = multivariate_t(mode, np.linalg.inv(problem.hess(mode)), df=8, seed=0)
    w = wide.rvs(count)
    logs = ad.jit(ad.vmap(log_density, in_axes=(0, None, None)))(w, features, labels) - wide.logpdf(w)
    weights = np.exp(logs - logsumexp(logs))
    means = weights @ w
    return means, np.sqrt(weights @ (w - means) ** 2)


def draw(figure: Any, found: Found) -> None:
    """The path of the chain, and the density of each coefficient beside the witness."""
    left, right = figure.subplots(1, 2)
    some = found.draws[:120]
    left.plot(some[:, 1], some[:, 2], ".-", linewidth=0.4, markersize=3)
    left.set(xlabel="coefficient 1", ylabel="coefficient 2", title="120 draws")
    grid = np.linspace(-4, 2.5, 90)
    for k in range(4):
        right.hist(
            found.draws[:, k],
            bins=30,
            density=True,
            histtype="stepfilled",
            alpha=0.4,
            color=f"C{k}",
            label=f"{k}",
        )
        z = (grid - found.means[k]) / found.deviations[k]
        right.plot(grid, np.exp(-0.5 * z**2) / found.deviations[k] / np.sqrt(2 * np.pi), color=f"C{k}")
    right.set(xlabel="coefficient", title="densities, and normal ones of the witness")
    right.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
