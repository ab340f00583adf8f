"""The stiffest truss of a given mass: where to put material, by the derivative of a linear solve.

    python examples/truss.py --plot truss.svg

A wall holds a grid of joints, with bars between all that are close, and a load hangs at the far end. The
displacements solve K(a) u = f, where the stiffness depends on the areas a of the bars; the work f·u of
the load is to be small. `ad.grad` passes through `ad.linear_solve`, and each step moves material to bars
that pay. Theory has two witnesses: the derivative is minus the energy in a bar, and the least work is
known from a linear program.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

import mlirad as ad

MASS = 1.0


class Truss(NamedTuple):
    """Joints [n, 2], bars as pairs of joints [m, 2], and the load by free coordinate.

    A row of `extension` [m, free] is how much longer a bar becomes as the free coordinates change.
    """

    joints: Any
    bars: Any
    lengths: Any
    extension: Any
    load: Any


class Found(NamedTuple):
    """The truss, the areas of its bars, the work of the load on the way and at best."""

    truss: Truss
    areas: Any
    works: list[float]
    least: float


def main(columns: int = 9, rows: int = 5, steps: int = 250) -> Found:
    """Improve the areas step by step."""
    truss = ground_structure(columns, rows)
    value_and_slope = ad.value_and_grad(work)
    areas = np.full(len(truss.bars), MASS / np.sum(truss.lengths))
    works: list[float] = []
    for _ in range(steps):
        value, slope = value_and_slope(areas, truss.extension, truss.lengths, truss.load)
        works.append(float(value))
        areas = areas * np.sqrt(np.maximum(-slope, 0.0) / truss.lengths)
        areas = np.maximum(areas, 1e-7 * areas.max())
        areas *= MASS / (areas @ truss.lengths)
    least = least_work(truss)
    used = np.sum(areas > 1e-3 * areas.max())
    print(f"{len(truss.joints)} joints, {len(truss.bars)} bars, {used} of them used")
    print(f"work of the load {works[0]:.3f} -> {works[-1]:.5f}, least {least:.5f}")

    u = np.linalg.solve(stiffness(areas, truss.extension, truss.lengths), truss.load)
    slope = value_and_slope(areas, truss.extension, truss.lengths, truss.load)[1]
    np.testing.assert_allclose(
        slope, -((truss.extension @ u) ** 2) / truss.lengths, atol=1e-7 * np.ptp(slope)
    )
    assert all(after < before * (1 + 1e-9) for before, after in pairwise(works))
    assert least < works[-1] < 1.01 * least
    return Found(truss, areas, works, least)


def stiffness(areas: Any, extension: Any, lengths: Any) -> Any:
    """The matrix K of forces per displacement, with Young's modulus 1."""
    return extension.T @ ((areas / lengths)[:, None] * extension)


def work(areas: Any, extension: Any, lengths: Any, load: Any) -> Any:
    """Return how far the load sinks, times the load."""
    return load @ ad.linear_solve(stiffness(areas, extension, lengths), load)


def ground_structure(columns: int, rows: int) -> Truss:
    """All bars of up to 2 by 2 squares of the grid; the first column is fixed, the load hangs at the last."""
    joints = np.array([(x, y) for x in range(columns) for y in range(rows)], float)
    bars = np.array(
        [(i, j) for i, j in combinations(range(len(joints)), 2) if in_reach(joints[j] - joints[i])]
    )
    along = joints[bars[:, 1]] - joints[bars[:, 0]]
    lengths = np.linalg.norm(along, axis=1)
    extension = np.zeros((len(bars), len(joints), 2))
    number = np.arange(len(bars))
    extension[number, bars[:, 1]] = along / lengths[:, None]
    extension[number, bars[:, 0]] = -along / lengths[:, None]
    load = np.zeros((len(joints), 2))
    load[(columns - 1) * rows + rows // 2] = 0.0, -1.0
    moves = extension[:, rows:].reshape(len(bars), -1)
    free = np.any(moves, axis=1)
    return Truss(joints, bars[free], lengths[free], moves[free], load[rows:].ravel())


def in_reach(step: Any) -> bool:
    """Return whether a bar spans at most two squares each way, and no joint lies on it."""
    dx, dy = (int(abs(part)) for part in step)
    return max(dx, dy) <= 2 and np.gcd(dx, dy) == 1


def least_work(truss: Truss) -> float:
    """The least work, from the forces q that carry the load with the least sum of length times force."""
    both_signs = np.hstack([truss.extension.T, -truss.extension.T])
    found = linprog(np.tile(truss.lengths, 2), A_eq=both_signs, b_eq=truss.load)
    return float(found.fun) ** 2 / MASS


def draw(figure: Any, found: Found) -> None:
    """The bars, as thick as they are, red where the load pulls at them and blue where it presses."""
    truss, areas = found.truss, found.areas
    u = np.linalg.solve(stiffness(areas, truss.extension, truss.lengths), truss.load)
    axes = figure.subplots()
    for bar, area, force in zip(truss.bars, areas, truss.extension @ u, strict=True):
        if area > 3e-3 * areas.max():
            width = 9 * np.sqrt(area / areas.max())
            axes.plot(
                *truss.joints[bar].T,
                color="C3" if force > 0 else "C0",
                linewidth=width,
                solid_capstyle="round",
            )
    axes.plot(*truss.joints.T, ".", color="C4", markersize=3)
    height = truss.joints[:, 1].max()
    axes.fill_betweenx([-0.5, height + 0.5], -0.4, -0.1, color="#d5d8dc")
    end = truss.joints[:, 0].max()
    axes.annotate(
        "", (end, height / 2 - 1.3), (end, height / 2 - 0.2), arrowprops={"width": 2, "color": "black"}
    )
    axes.set(
        aspect="equal",
        title=f"pulled (red) and pressed (blue): {found.works[-1] / found.least:.4f} of the least work",
    )
    axes.axis("off")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
