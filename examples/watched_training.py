"""A compiled training loop that is watched: a progress bar, and a plot that grows while it runs.

    python examples/watched_training.py --plot training.svg

All steps are one program, a loop in machine code. `ad.debug_callback` calls Python from it: each step moves
the progress bar of tqdm, if that is installed, and each tenth adds a point to the curve and saves it, if
there is a file to draw. The network learns on which of two spirals a point lies.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import nullcontext
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad

Watch = Callable[[int, float, float], None]
EVERY = 10


def main(steps: int = 400, watch: Watch | None = None) -> dict[str, Any]:
    """Train; the losses and accuracies that were seen on the way, and the network."""
    points, sides = spirals(200, seed=0)
    seen: dict[str, Any] = {"step": [], "loss": [], "right": []}

    def note(step: int, loss: float, right: float) -> None:
        for name, value in zip(seen, (step, loss, right), strict=True):
            seen[name].append(float(value))
        if watch is not None:
            watch(int(step), float(loss), float(right))

    with progress(steps) as bar:
        network = trained(initial(np.random.default_rng(1)), points, sides, steps, note, bar.update)
    print(f"{steps} steps, loss {seen['loss'][0]:.3f} to {seen['loss'][-1]:.3f}, ", end="")
    print(f"{100 * seen['right'][-1]:.0f} % of the points right, {len(seen['step'])} reports")
    assert seen["loss"][-1] < 0.5 * seen["loss"][0]
    return {**seen, "network": network, "points": points, "sides": sides}


def progress(steps: int) -> Any:
    """A progress bar on the terminal, or something that shows nothing."""
    if find_spec("tqdm") is None or not sys.stderr.isatty():
        return nullcontext(Silent())
    from tqdm import tqdm

    return tqdm(total=steps, unit="step")


class Silent:
    """A progress bar that shows nothing."""

    def update(self, count: int) -> None:
        """Show nothing."""


def spirals(count: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Points [count, 2] on two spirals, and on which, as 0.0 or 1.0 [count]."""
    rng = np.random.default_rng(seed)
    sides = np.arange(count) % 2.0
    turned = 7.0 * np.sqrt(rng.uniform(0.02, 1.0, count))
    angle, radius = turned + np.pi * sides, turned / 7.0
    points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    return points + 0.02 * rng.normal(size=points.shape), sides


def initial(rng: np.random.Generator, width: int = 24) -> list[dict[str, NDArray[Any]]]:
    """Two hidden layers."""
    sizes = [2, width, width, 1]
    return [{"w": rng.normal(size=(a, b)) * np.sqrt(2 / a), "b": np.zeros(b)} for a, b in pairwise(sizes)]


def scores(network: Any, points: Any) -> Any:
    """The logarithm of the odds of spiral 1, for points [..., 2]."""
    x = points
    for layer in network[:-1]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return (x @ network[-1]["w"] + network[-1]["b"])[..., 0]


def trained(
    network: Any, points: Any, sides: Any, steps: int, note: Watch, move: Callable[[int], Any]
) -> Any:
    """The network after steps of Adam, all in one program; `note` hears of every tenth, `move` of each."""

    def loss(network: Any) -> tuple[Any, Any]:
        found = scores(network, points)
        return np.mean(np.logaddexp(0.0, found) - sides * found), np.mean((found > 0) == (sides > 0.5))

    optimiser = ad.optimize.adam(0.03)

    @ad.jit
    def run(network: Any) -> Any:
        def step(k: Any, carry: Any) -> Any:
            network, state = carry
            (value, right), slope = ad.value_and_grad(loss, has_aux=True)(network)
            ad.debug_callback(move, 1)
            ad.cond(k % EVERY == 0, lambda: ad.debug_callback(note, k, value, right), lambda: None)
            updates, state = optimiser.update(slope, state, network)
            return ad.optimize.apply_updates(network, updates), state

        return ad.fori_loop(0, steps, step, (network, optimiser.init(network)))[0]

    return run(network)


def draw(figure: Any, found: dict[str, Any]) -> None:
    """The loss so far, and the side that the network gives each place of the plane."""
    curve, plane = figure.subplots(1, 2)
    curve.semilogy(found["step"], found["loss"])
    curve.set(xlabel="step", title="cross-entropy")
    if "network" not in found:
        return
    grid = np.linspace(-1.15, 1.15, 61)
    places = np.stack(np.meshgrid(grid, grid), -1)
    plane.contourf(grid, grid, scores(found["network"], places), levels=[-99, 0, 99], alpha=0.25)
    plane.scatter(*found["points"].T, c=found["sides"], s=6)
    plane.set(title="which spiral", xticks=[], yticks=[])


def live(file: Path) -> Watch:
    """Save the curve as it is whenever there is a new point."""
    from plots import save

    curve: dict[str, list[float]] = {"step": [], "loss": []}

    def show(step: int, loss: float, right: float) -> None:
        curve["step"].append(step)
        curve["loss"].append(loss)
        save(draw, curve, file)

    return show


if __name__ == "__main__":
    parser = ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a figure that grows to this file")
    given = parser.parse_args()
    if given.plot is not None and find_spec("matplotlib") is None:
        parser.error("plots need matplotlib: pip install matplotlib")
    result = main(watch=None if given.plot is None else live(given.plot))
    if given.plot is not None:
        from plots import save

        save(draw, result, given.plot)
