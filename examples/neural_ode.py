"""A differential equation whose right side is a small network, trained on trajectories of a spiral.

    python examples/neural_ode.py --plot spiral.svg

`ad.odeint` solves the equation with steps of controlled length, and is differentiated by the weights;
Adam takes the gradients, all in one compiled step. Both adjoints agree: the one that differentiates the
solver's own steps, and the one that solves another equation backward in time. A start that was not
trained on is predicted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import expm

import mlirad as ad

TIMES = np.linspace(0.0, 5.0, 26)
FINER = 6  # how many steps of the curves lie between two times of the data
SPIRAL = np.array([[-0.15, 2.0], [-2.0, -0.15]])
STARTS = np.array([[2.0, 0.0], [0.0, -1.4], [-0.8, 0.0]])
UNSEEN = np.array([[1.2, 1.0]])


class Found(NamedTuple):
    """The losses; states [time, start, 2] of the spiral, and of the network at more times."""

    losses: list[float]
    exact: Any
    found: Any


def main(steps: int = 300) -> Found:
    """Train the network."""
    starts = np.concatenate([STARTS, UNSEEN])
    states = exact(starts)
    data = states[:, : len(STARTS)]
    start = initial(np.random.default_rng(0))
    weights, losses = trained(start, data, steps)
    found = ad.jit(solved)(weights, starts, np.linspace(TIMES[0], TIMES[-1], (len(TIMES) - 1) * FINER + 1))
    error = np.sqrt(np.mean((found[::FINER, -1] - states[:, -1]) ** 2))
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.6f}, {error:.4f} off from a start that was not seen")
    assert losses[-1] < 0.02 * losses[0]
    assert error < 0.3

    slopes = [ad.grad(loss)(start, data, adjoint)["out"] for adjoint in ("discrete", "continuous")]
    np.testing.assert_allclose(*slopes, atol=1e-3 * np.max(np.abs(slopes)))
    return Found(losses, states, found)


def exact(starts: Any) -> Any:
    """The spiral at all times."""
    return np.stack([starts @ expm(t * SPIRAL).T for t in TIMES])


def initial(rng: np.random.Generator, width: int = 16) -> dict[str, Any]:
    """Weights of one hidden layer."""
    return {
        "in": rng.normal(size=(2, width)),
        "bias": np.zeros(width),
        "out": 0.1 * rng.normal(size=(width, 2)),
    }


def rate(states: Any, _: Any, weights: Any) -> Any:
    """The network: how fast states change."""
    return np.tanh(states @ weights["in"] + weights["bias"]) @ weights["out"]


def solved(weights: Any, starts: Any, times: Any = TIMES, adjoint: str = "discrete") -> Any:
    """The states at all times."""
    return ad.odeint(rate, starts, times, weights, rtol=1e-4, atol=1e-5, adjoint=adjoint)


def loss(weights: Any, data: Any, adjoint: str = "discrete") -> Any:
    """The mean squared error of all states."""
    return np.mean((solved(weights, STARTS, adjoint=adjoint) - data) ** 2)


def trained(weights: Any, data: Any, steps: int) -> tuple[Any, list[float]]:
    """The weights after steps of Adam, and the loss before each."""
    optimizer = ad.optimize.adam(0.03)

    @ad.jit
    def step(weights: Any, state: Any, data: Any) -> Any:
        value, slope = ad.value_and_grad(loss)(weights, data)
        change, state = optimizer.update(slope, state, weights)
        return value, ad.optimize.apply_updates(weights, change), state

    state, losses = optimizer.init(weights), []
    for _ in range(steps):
        value, weights, state = step(weights, state, data)
        losses.append(float(value))
    return weights, losses


def draw(figure: Any, found: Found) -> None:
    """The trajectories, and the loss."""
    left, right = figure.subplots(1, 2)
    for k in range(found.exact.shape[1]):
        seen = k < len(STARTS)
        color, name = ("C0", "the network") if seen else ("C1", "from a start that was not seen")
        left.plot(*found.exact[:, k].T, ".", color="black" if seen else "C4", markersize=4)
        left.plot(*found.found[:, k].T, color=color, label=name if k in (0, len(STARTS)) else None)
    left.set(aspect="equal", ylim=(-2.6, 2.1), title="trajectories")
    left.legend(loc="lower center")
    right.semilogy(found.losses)
    right.set(xlabel="step of Adam", title="mean squared error")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
