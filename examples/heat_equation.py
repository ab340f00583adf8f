"""A plate whose conductivity is found from its temperatures: implicit steps with sparse factors.

    python examples/heat_equation.py --plot plate.svg

Each step of the heat equation on a grid solves a sparse system. Its matrix is made of the conductivities in
the traced function, and factorised once: all steps use the factors, and so do the transposed solves of the
gradient by the whole field. SciPy's minimiser finds the field again.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.sparse.linalg import splu

import mlirad as ad

STEP = 2e-3


class Found(NamedTuple):
    """The true field, the one that was found, and the losses before and after."""

    true: Any
    field: Any
    losses: tuple[float, float]


def main(size: int = 24, steps: int = 10) -> Found:
    """Find a field of `size` x `size` conductivities from what `steps` steps make of four hot spots."""
    x = (np.arange(size) + 0.5) / size
    true = 1 + 0.8 * np.exp(-20 * ((x[:, None] - 0.35) ** 2 + (x - 0.6) ** 2))
    spots = [np.exp(-60 * ((x[:, None] - a) ** 2 + (x - b) ** 2)) for a in (0.3, 0.7) for b in (0.3, 0.7)]
    before = np.stack(spots, -1).reshape(size * size, -1)
    after = ad.jit(partial(temperatures, steps=steps))(true, before)
    slope = ad.value_and_grad(lambda field: misfit(field, before, after, steps))

    def objective(flat: Any) -> Any:
        value, gradient = slope(np.reshape(flat, (size, size)))
        return value, gradient.ravel()

    start = np.ones((size, size))
    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", bounds=[(0.2, 5)] * size**2,
                     options={"maxiter": 150})  # fmt: skip
    field = np.reshape(found.x, (size, size))
    losses = float(objective(start.ravel())[0]), float(found.fun)
    error = np.sqrt(np.mean((field - true) ** 2) / np.mean((true - 1) ** 2))
    print(f"{size * size} conductivities, loss {losses[0]:.2e} -> {losses[1]:.2e} in {found.nit} iterations")
    print(f"distance of the field from the true one {error:.2f} of what it was")
    assert losses[1] < 1e-3 * losses[0]
    assert error < 0.3
    return Found(true, field, losses)


def temperatures(field: Any, u: Any, steps: int) -> Any:
    """The temperatures after some implicit steps, each from those before."""
    factors = splu(implicit_step(field))
    return ad.fori_loop(0, steps, lambda _, u: factors.solve(u), u)


def implicit_step(field: Any) -> Any:
    """The matrix that takes the temperatures after a step to those before; no heat leaves the plate."""
    size = field.shape[0]
    i, j = neighbours(size)
    flat = field.ravel()
    flow = 0.5 * (flat[i] + flat[j]) * STEP * size**2
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([j, i, i, j])
    values = np.concatenate([-flow, -flow, flow, flow])
    exchange = sp.coo_array((values, (rows, columns)), shape=(size * size, size * size))
    return (sp.eye_array(size * size) + exchange).tocsc()


def neighbours(size: int) -> tuple[Any, Any]:
    """The cells on both sides of each border between cells."""
    cells = np.arange(size * size).reshape(size, size)
    return (
        np.concatenate([cells[:, :-1].ravel(), cells[:-1].ravel()]),
        np.concatenate([cells[:, 1:].ravel(), cells[1:].ravel()]),
    )


def misfit(field: Any, before: Any, after: Any, steps: int) -> Any:
    """The distance of the temperatures from those measured, plus the roughness of the field."""
    difference = temperatures(field, before, steps) - after
    roughness = np.sum(np.diff(field, axis=0) ** 2) + np.sum(np.diff(field, axis=1) ** 2)
    return 0.5 * np.sum(difference**2) + 1e-7 * roughness


def draw(figure: Any, found: Found) -> None:
    """Draw the true field and the one that was found."""
    for k, (name, field) in enumerate([("true", found.true), ("found", found.field)]):
        axes = figure.add_subplot(1, 2, k + 1)
        axes.imshow(field, vmin=1, vmax=found.true.max())
        axes.set_title(f"{name} conductivity")
        axes.set_axis_off()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
