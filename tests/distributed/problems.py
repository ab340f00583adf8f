"""Functions of arrays split by rows, and their arguments: for tests of engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import mlirad as ad

Floats = npt.NDArray[np.float64]


def logistic(w: Floats, x: Floats, y: Floats) -> Any:
    """A negative log likelihood per row: one round."""
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


def normalised(p: dict[str, Floats], x: Floats, y: Floats) -> Any:
    """The error of a network with batch normalisation: several rounds."""
    h = x @ p["in"]
    mean = np.mean(h, axis=0)
    h = np.tanh((h - mean) / np.sqrt(np.mean((h - mean) ** 2, axis=0) + 1e-5) * p["gain"])
    return np.mean((h @ p["out"] - y) ** 2)


def curved(w: Floats, x: Floats, y: Floats) -> Any:
    """The mean square of second differences of neighbouring rows, which are in other chunks too."""
    z = np.tanh(x @ w)
    return np.mean((z[2:] - 2 * z[1:-1] + z[:-2]) ** 2 * (1.0 + y[1:-1]))


def data(rows: int, seed: int = 0) -> tuple[Floats, Floats, Floats, dict[str, Floats]]:
    """`x`, `y`, weights of `logistic` and parameters of `normalised`."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    y = (rng.random(rows) < 0.5) * 1.0
    p = {"in": rng.normal(size=(4, 6)), "gain": np.ones(6), "out": rng.normal(size=6)}
    return x, y, rng.normal(size=4), p


def bits(result: Any) -> bytes:
    """All elements of a result as they are in memory."""
    return b"".join(np.asarray(leaf).tobytes() for leaf in ad.tree.leaves(result))
