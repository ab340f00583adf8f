"""A classifier of spirals that is trained with dropout, saved in the middle, and trained on from the file.

    python examples/dropout.py --plot spirals.svg

Masks of dropout are drawn from a key for each step, so a step is a pure function. Parameters and the state of
the optimiser are structures of arrays, which a NumPy file holds by the names of their leaves: training that
goes on from the file ends with the same bits as training without a stop.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

import mlirad as ad

CLASSES, DROPPED = 3, 0.2
OPTIMIZER = ad.optimize.adam(5e-3)


class Found(NamedTuple):
    """Points [n, 2] and their classes [n], the losses of the steps, and the parameters."""

    points: Any
    classes: Any
    losses: Any
    params: Any


def main(steps: int = 800) -> Found:
    """Train in two halves with a file between them, and in one go; classify points that were not seen."""
    rng = np.random.default_rng(5)
    points, classes = spirals(rng, 600)
    start = initial(ad.random.key(1), (2, 48, 48, CLASSES))
    begun = (start, OPTIMIZER.init(start))

    half, first = trained(begun, points, classes, range(steps // 2))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "half.npz"
        save(file, half)
        loaded = load(file, half)
    (params, _), second = trained(loaded, points, classes, range(steps // 2, steps))
    at_once, _ = trained(begun, points, classes, range(steps))
    same = all(map(np.array_equal, ad.tree.leaves(params), ad.tree.leaves(at_once[0])))
    print(f"with a file in the middle the parameters are {'the same' if same else 'others'}")
    assert same

    unseen, true = spirals(rng, 1000)
    right = np.mean(np.argmax(ad.jit(scores)(params, unseen), axis=1) == true)
    losses = np.array(first + second)
    print(f"loss {losses[0]:.3f} -> {np.mean(losses[-20:]):.3f}, {right:.1%} of unseen points are right")
    assert right > 0.9
    return Found(points, classes, losses, params)


def spirals(rng: Any, count: int) -> tuple[Any, Any]:
    """Points on three arms [count, 2], and their arms [count]."""
    arms, radius = rng.integers(CLASSES, size=count), rng.uniform(0.1, 1.0, size=count)
    angle = 4 * radius + 2 * np.pi * arms / CLASSES + 0.15 * rng.normal(size=count)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), arms


def initial(key: Any, sizes: tuple[int, ...]) -> Any:
    """Weights and biases of layers of these sizes."""
    keys = ad.random.split(key, len(sizes) - 1)
    return [
        {"w": ad.random.normal(k, (n, m)) * np.sqrt(2 / n), "b": np.zeros(m)}
        for k, (n, m) in zip(keys, pairwise(sizes), strict=True)
    ]


def scores(params: Any, x: Any, key: Any = None) -> Any:
    """The scores of the classes [n, classes]; with a key, some hidden units are dropped."""
    for k, layer in enumerate(params[:-1]):
        x = np.maximum(x @ layer["w"] + layer["b"], 0.0)
        if key is not None:
            kept = ad.random.bernoulli(ad.random.fold_in(key, k), 1 - DROPPED, x.shape)
            x = np.where(kept, x / (1 - DROPPED), 0.0)
    return x @ params[-1]["w"] + params[-1]["b"]


def loss(params: Any, x: Any, y: Any, key: Any) -> Any:
    """The mean negative logarithm of the chances of the true classes."""
    return -np.mean(log_softmax(scores(params, x, key), axis=1)[np.arange(len(y)), y])


@ad.jit
def step(params: Any, state: Any, x: Any, y: Any, key: Any) -> Any:
    """Parameters and state after one step on a random batch, and its loss."""
    for_rows, for_masks = ad.random.split(key)
    rows = ad.random.randint(for_rows, (64,), 0, len(x))
    value, gradient = ad.value_and_grad(loss)(params, x[rows], y[rows], for_masks)
    updates, state = OPTIMIZER.update(gradient, state, params)
    return ad.optimize.apply_updates(params, updates), state, value


def trained(begun: Any, x: Any, y: Any, steps: range) -> tuple[Any, list[float]]:
    """Parameters and state after some steps, and their losses."""
    (params, state), losses = begun, []
    for k in steps:
        params, state, value = step(params, state, x, y, ad.random.fold_in(ad.random.key(2), k))
        losses.append(float(value))
    return (params, state), losses


def save(file: Path, value: Any) -> None:
    """Write the leaves of a structure to a NumPy file, each under its path."""
    np.savez(file, **dict(zip(ad.tree.paths(value), ad.tree.leaves(value), strict=True)))


def load(file: Path, like: Any) -> Any:
    """Read a structure like another one from a NumPy file."""
    with np.load(file) as arrays:
        leaves = [arrays[path] for path in ad.tree.paths(like)]
    return ad.tree.unflatten(ad.tree.structure(like), leaves)


def draw(figure: Any, found: Found) -> None:
    """The losses of the steps, and the classes over the plane."""
    left, right = figure.subplots(1, 2)
    left.semilogy(found.losses[:: max(1, len(found.losses) // 200)], linewidth=0.8)
    left.set(xlabel="200 of the steps", ylabel="loss of a batch", title="training")
    side = np.linspace(-1.2, 1.2, 60)
    plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    classes = np.argmax(ad.jit(scores)(found.params, plane), axis=1).reshape(60, 60)
    right.imshow(classes, origin="lower", extent=(-1.2, 1.2, -1.2, 1.2), alpha=0.4)
    for k in range(CLASSES):
        right.plot(*found.points[found.classes == k][:80].T, ".", markersize=3, color=f"C{k}")
    right.set(title="classes of the plane")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
