"""Variational inference: the normal distribution that is closest to a posterior, by random gradients.

    python examples/variational_inference.py --plot posterior.svg

The evidence lower bound is an average over draws from the approximation, which are written as functions of
its parameters and of numbers drawn by key, so that gradients pass through them. Of a linear regression the
best approximation with independent weights is known: the mean of the posterior, and the deviations of each
weight given all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

import mlirad as ad

NOISE = 0.5
DRAWS = 16


def main() -> tuple[Any, Any, Any]:
    """Print the bound as it rises, and the approximation beside the best one; return all of these."""
    features, targets = data(100, 4)
    mean, deviations = best(features, targets)
    by_steps = {}
    for steps in (1, 10, 100, 1000):
        found, bound = by_steps[steps] = fitted(ad.random.key(0), features, targets, steps)
        print(f"{steps:>4} steps: evidence lower bound {float(bound):9.3f}")
    assert np.all(np.abs(found["mean"] - mean) < 0.3 * deviations)
    assert np.all(np.abs(found["log_deviation"] - np.log(deviations)) < 0.25)
    for k in range(len(mean)):
        print(
            f"weight {k}: {float(found['mean'][k]):7.4f} +- {float(np.exp(found['log_deviation'][k])):.4f}, "
            f"best {mean[k]:7.4f} +- {deviations[k]:.4f}"
        )
    return by_steps, mean, deviations


def data(count: int, width: int, seed: int = 0) -> tuple[Any, Any]:
    """Features [count, width] and targets [count] of a linear law with noise."""
    rng = np.random.default_rng(seed)
    features, law = rng.normal(size=(count, width)), rng.normal(size=width)
    return features, features @ law + NOISE * rng.normal(size=count)


def negative_bound(params: Any, key: Any, features: Any, targets: Any) -> Any:
    """Minus the evidence lower bound, estimated by draws of this key."""
    mean, log_deviation = params["mean"], params["log_deviation"]
    weights = mean + np.exp(log_deviation) * ad.random.normal(key, (DRAWS, mean.shape[0]))
    prior = np.sum(stats.norm.logpdf(weights), axis=1)
    likelihood = np.sum(stats.norm.logpdf(targets, weights @ features.T, NOISE), axis=1)
    entropy = np.sum(log_deviation) + 0.5 * mean.shape[0] * (1 + np.log(2 * np.pi))
    return -np.mean(prior + likelihood) - entropy


def fitted(key: Any, features: Any, targets: Any, steps: int) -> tuple[Any, Any]:
    """The parameters after steps of Adam at a falling rate, and the last estimate of the bound."""
    width = features.shape[1]
    start = {"mean": np.zeros(width), "log_deviation": np.full(width, -1.0)}
    optimizer = ad.optimize.adam(lambda t: 0.1 / (1 + 0.02 * t))

    def step(carry: Any, own: Any) -> Any:
        params, state, _ = carry
        value, gradients = ad.value_and_grad(negative_bound)(params, own, features, targets)
        change, state = optimizer.update(gradients, state)
        return {name: params[name] + change[name] for name in params}, state, -value

    def run(key: Any) -> Any:
        return ad.fold(step, (start, optimizer.init(start), 0.0), ad.random.split(key, steps))

    params, _, bound = ad.jit(run)(key)
    return params, bound


def best(features: Any, targets: Any) -> tuple[Any, Any]:
    """The mean of the posterior, and the deviation of each weight given all others."""
    precision = features.T @ features / NOISE**2 + np.eye(features.shape[1])
    return np.linalg.solve(precision, features.T @ targets / NOISE**2), np.diag(precision) ** -0.5


def draw(figure: Any, found: tuple[Any, Any, Any]) -> None:
    """The densities of two of the weights on the way, over the best ones."""
    by_steps, mean, deviations = found
    for k, axes in enumerate(figure.subplots(1, 2)):
        x = np.linspace(mean[k] - 8 * deviations[k], mean[k] + 8 * deviations[k], 160)
        axes.fill_between(
            x, stats.norm.pdf(x, mean[k], deviations[k]), color="C4", alpha=0.35, linewidth=0, label="best"
        )
        for steps in (10, 100, 1000):
            approximation, bound = by_steps[steps]
            deviation = np.exp(approximation["log_deviation"][k])
            label = f"{steps} steps: bound {float(bound):.1f}"
            axes.plot(x, stats.norm.pdf(x, approximation["mean"][k], deviation), label=label)
        axes.set(xlabel=f"weight {k}", title="density", yticks=[])
        axes.margins(y=0.4)
        axes.legend(loc="upper left")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
