"""A hidden Markov model learns its states from what they emit.

    python examples/hidden_markov.py --plot states.svg

The forward algorithm is an `ad.fold` in logarithms. Its gradient by the logarithms of emissions is the chance
of each state at each time, which the forward-backward algorithm computes with a loop of its own: here that is
the witness. The most likely path is a loop over maxima, and one back along them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp
from scipy.stats import norm

import mlirad as ad

MOVES = np.array([[0.95, 0.04, 0.01], [0.03, 0.94, 0.03], [0.02, 0.05, 0.93]])
MEANS, DEVIATIONS = np.array([-1.0, 0.5, 2.0]), np.array([0.5, 0.4, 0.7])


class Found(NamedTuple):
    """True states [n], emissions [n], the chances of the states [n, 3], and the most likely path [n]."""

    states: Any
    emitted: Any
    chances: Any
    path: Any


def main(count: int = 600) -> Found:
    """Fit a model to emissions, and find the states that made them."""
    states, emitted = sample(count)
    start = {
        "moves": 2 * np.eye(3),
        "first": np.zeros(3),
        "means": np.array([-2.0, 0.0, 1.0]),
        "logs": np.zeros(3),
    }
    problem = ad.scipy.objective(lambda p, y: -log_likelihood(p, emissions(p, y)), start, emitted)
    fit = minimize(problem.fun, problem.x0, jac=problem.jac, method="BFGS", options={"gtol": 1e-3})
    params = problem.unflatten(fit.x)
    print(f"negative log likelihood {problem.fun(problem.x0):.1f} -> {fit.fun:.1f}")
    print(f"means {params['means'].round(2)}, deviations {np.exp(params['logs']).round(2)}")
    print(f"true  {MEANS}, deviations {DEVIATIONS}")
    np.testing.assert_allclose(params["means"], MEANS, atol=0.4)

    logs = emissions(params, emitted)
    chances = ad.grad(log_likelihood, argnums=1)(params, logs)
    np.testing.assert_allclose(chances, forward_backward(params, logs), rtol=1e-8, atol=1e-10)
    path = ad.jit(most_likely)(params, logs)
    print(f"{np.mean(path == states):.1%} of the states on the most likely path are right")
    assert np.mean(path == states) > 0.9
    return Found(states, emitted, chances, path)


def sample(count: int) -> tuple[Any, Any]:
    """States and what they emit [count]."""
    rng = np.random.default_rng(11)
    state, states = 0, []
    for _ in range(count):
        state = rng.choice(3, p=MOVES[state])
        states.append(state)
    states = np.array(states)
    return states, MEANS[states] + DEVIATIONS[states] * rng.normal(size=count)


def emissions(p: Any, y: Any) -> Any:
    """The logarithms of the densities of emissions in each state [n, 3]."""
    return norm.logpdf(y[:, None], p["means"], np.exp(p["logs"]))


def log_likelihood(p: Any, logs: Any) -> Any:
    """The logarithm of the density of all emissions, by the forward algorithm."""
    moves = log_softmax(p["moves"], axis=1)

    def forward(a: Any, e: Any) -> Any:
        return logsumexp(a[:, None] + moves, axis=0) + e

    return logsumexp(ad.fold(forward, log_softmax(p["first"]) + logs[0], logs[1:]))


def most_likely(p: Any, logs: Any) -> Any:
    """The states of the most likely path [n], by Viterbi's algorithm."""
    moves = log_softmax(p["moves"], axis=1)

    def forward(best: Any, e: Any) -> Any:
        ways = best[:, None] + moves
        return np.max(ways, axis=0) + e, np.argmax(ways, axis=0)

    best, came_from = ad.scan(forward, log_softmax(p["first"]) + logs[0], logs[1:])
    first, later = ad.scan(lambda state, row: (row[state], state), np.argmax(best), came_from, reverse=True)
    return np.concatenate([first[None], later])


def forward_backward(p: Any, logs: Any) -> Any:
    """The chances of the states [n, 3], in NumPy."""
    moves = log_softmax(p["moves"], axis=1)
    ahead, behind = [log_softmax(p["first"]) + logs[0]], [np.zeros(3)]
    for e in logs[1:]:
        ahead.append(logsumexp(ahead[-1][:, None] + moves, axis=0) + e)
    for e in logs[:0:-1]:
        behind.append(logsumexp(moves + e + behind[-1], axis=1))
    together = np.array(ahead) + np.array(behind[::-1])
    return np.exp(together - logsumexp(together, axis=1, keepdims=True))


def draw(figure: Any, found: Found) -> None:
    """Emissions, the states behind them, and the chances of the states."""
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(found.emitted[:300], ".", color="C4", markersize=3, label="emitted")
    above.step(np.arange(300), MEANS[found.path[:300]], where="mid", label="most likely")
    above.step(
        np.arange(300), MEANS[found.states[:300]], where="mid", color="black", linewidth=0.6, label="true"
    )
    above.set(title="emissions and means of the states")
    above.legend()
    below.imshow(found.chances[:300].T, aspect="auto", vmin=0, vmax=1)
    below.set(xlabel="time", ylabel="state", title="chances of the states")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
