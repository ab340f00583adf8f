"""The speed at which nearby weather parts: Lyapunov exponents of Lorenz's equations, by forward derivatives.

    python examples/chaos.py --plot chaos.svg

A scan carries a state and three directions. In each step `ad.jacfwd` says how a step of Runge and Kutta's
method moves directions, and a QR factorisation keeps them apart; what it takes off their lengths adds up
to the exponents. Their sum is known exactly, as volumes shrink by a constant rate, and one of them, along
the path, is 0. That the first is positive is chaos.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import mlirad as ad

SIGMA, RHO, BETA, STEP = 10.0, 28.0, 8.0 / 3.0, 0.01


class Found(NamedTuple):
    """States [steps, 3], and estimates of the exponents as they settle [steps, 3]."""

    states: Any
    estimates: Any


def main(steps: int = 40000) -> Found:
    """Follow a path on the attractor."""
    states, growth = ad.jit(followed, static_argnames="steps")(np.array([1.0, 1.0, 20.0]), steps=steps)
    settled = steps // 20
    states, growth = states[settled:], growth[settled:]
    times = STEP * np.arange(1, len(growth) + 1)
    estimates = np.cumsum(growth, axis=0) / times[:, None]
    exponents = estimates[-1]
    dimension = 2 + (exponents[0] + exponents[1]) / abs(exponents[2])
    print(
        "exponents " + ", ".join(f"{x:.4f}" for x in exponents) + " (in the literature 0.9056, 0, -14.5723)"
    )
    print(f"sum {np.sum(exponents):.6f}, known {-(SIGMA + 1 + BETA):.6f}")
    print(f"dimension of the attractor, by Kaplan and Yorke: {dimension:.3f}")
    assert abs(np.sum(exponents) + SIGMA + 1 + BETA) < 1e-3
    assert abs(exponents[1]) < 0.03 and abs(exponents[0] - 0.9056) < 0.06
    return Found(states, estimates)


def rate(state: Any) -> Any:
    """Lorenz's equations."""
    x, y, z = state
    return ad.stack([SIGMA * (y - x), x * (RHO - z) - y, x * y - BETA * z])


def moved(state: Any) -> Any:
    """A state after a step of Runge and Kutta's method."""
    k1 = rate(state)
    k2 = rate(state + STEP / 2 * k1)
    k3 = rate(state + STEP / 2 * k2)
    k4 = rate(state + STEP * k3)
    return state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def followed(state: Any, steps: int) -> Any:
    """The states after each step, and the logarithms of how much directions have grown in it."""

    def step(carry: Any, _: Any) -> Any:
        state, directions = carry
        directions, r = np.linalg.qr(ad.jacfwd(moved)(state) @ directions)
        state = moved(state)
        return (state, directions), (state, np.log(np.abs(np.diagonal(r))))

    return ad.scan(step, (state, np.eye(3)), length=steps)[1]


def draw(figure: Any, found: Found) -> None:
    """The attractor, and the exponents as they settle."""
    left, right = figure.subplots(1, 2)
    path = found.states[:3000:2]
    left.plot(path[:, 0], path[:, 2], linewidth=0.6)
    left.set(xlabel="x", ylabel="z", title="30 units of time on the attractor")
    chosen = np.unique(np.geomspace(100, len(found.estimates) - 1, 200).astype(int))
    for k, name in enumerate(("first", "second", "third")):
        right.semilogx(STEP * chosen, found.estimates[chosen, k], label=name)
    right.semilogx(STEP * chosen, np.sum(found.estimates[chosen], axis=1), color="C4", label="sum")
    right.axhline(0.0, color="black", linewidth=0.5)
    right.set(xlabel="time", title="exponents of Lyapunov")
    right.legend(loc="center right")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
