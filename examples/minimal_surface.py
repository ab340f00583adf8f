"""A soap film between wires, by Newton's method with a sparse Hessian that is found by colouring.

    python examples/minimal_surface.py --plot film.svg

The film has the least area for its edge. Each point of the grid pulls only at its neighbours, so the
Hessian of the area has a few entries per row. `ad.hessian(sparse=True)` finds where they are, and
recovers all from a few products, one for each colour of its columns. Scherk's surface is a minimal one in
closed form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import spsolve

import mlirad as ad

SIDE = 1.2


class Found(NamedTuple):
    """The coordinates of grid lines, the heights of the film, the Hessian, and the gradient by step."""

    ticks: Any
    heights: Any
    hessian: Any
    norms: list[float]


def main(size: int = 40) -> Found:
    """Find the film of `size` x `size` inner points, and of a grid of half as many lines."""
    coarse, found = (film(count) for count in (size // 2, size))
    errors = [np.max(np.abs(f.heights - scherk(f.ticks))) for f in (coarse, found)]
    print(f"{found.hessian.shape[0]} unknowns, {found.hessian.nnz} entries in the Hessian")
    print("norm of the gradient " + " -> ".join(f"{norm:.1e}" for norm in found.norms))
    print(f"distance from Scherk's surface {errors[1]:.2e}, with half as many lines {errors[0]:.2e}")
    assert found.norms[-1] < 1e-11
    assert errors[1] < 0.1 * (2 * SIDE / size) ** 2 and errors[1] < 0.35 * errors[0]  # of second order
    assert found.hessian.nnz <= 9 * size**2
    return found


def film(size: int) -> Found:
    """Newton's method from the flat film."""
    ticks = np.linspace(-SIDE, SIDE, size + 2)
    edge = scherk(ticks)
    edge[1:-1, 1:-1] = 0.0
    gradient, hessian = ad.grad(area), ad.hessian(area, sparse=True)
    inner, norms = np.zeros((size, size)), []
    matrix = None
    for _ in range(20):
        slope = gradient(inner, edge, ticks[1] - ticks[0])
        norms.append(float(np.linalg.norm(slope)))
        if norms[-1] < 1e-11:
            break
        matrix = hessian(inner, edge, ticks[1] - ticks[0])
        inner = inner - spsolve(matrix.tocsc(), slope.ravel()).reshape(size, size)
    return Found(ticks, edge + np.pad(inner, 1), matrix, norms)


def area(inner: Any, edge: Any, step: Any) -> Any:
    """The area of the film, by the slopes in the middle of each square of the grid."""
    z = edge + np.pad(inner, 1)
    one, other = (z[1:, 1:] - z[:-1, :-1]) / step, (z[1:, :-1] - z[:-1, 1:]) / step
    return step**2 * np.sum(np.sqrt(1 + 0.5 * (one**2 + other**2)))


def scherk(ticks: Any) -> Any:
    """Scherk's surface, log(cos x / cos y)."""
    return np.log(np.cos(ticks)[:, None] / np.cos(ticks)[None, :])


def draw(figure: Any, found: Found) -> None:
    """The film, and where the Hessian has entries."""
    left = figure.add_subplot(1, 2, 1, projection="3d")
    x, y = np.meshgrid(found.ticks[::2], found.ticks[::2], indexing="ij")
    left.plot_surface(x, y, found.heights[::2, ::2], cmap="cividis", rcount=16, ccount=16, linewidth=0)
    left.set(title="the film", xticks=[], yticks=[], zticks=[])
    right = figure.add_subplot(1, 2, 2)
    count = min(160, found.hessian.shape[0])
    corner = np.where(found.hessian[:count, :count].toarray() != 0, 1.0, 0.0)
    right.imshow(corner, cmap="Blues", interpolation="nearest")
    right.set(title=f"{count} rows of its Hessian: {found.hessian.nnz} entries in all", xticks=[], yticks=[])


if __name__ == "__main__":
    from plots import run

    run(main, draw)
