"""Heat that spreads in a plate: ten steps of a five-point stencil, and the distance from a measured
temperature.

    u <- u + k (u_north + u_south + u_west + u_east - 4 u)

with a conductivity k at every point and the temperature 0 outside of the plate. The loss is half the sum of
the squared errors; its gradient is wanted with respect to the temperature at the start and the conductivity.
The same step is written by slices of a padded array, and by a formula for the element at (i, j).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad

STEPS = 10


def loss_by_slices(start, conductivity, measured):
    """Half the squared distance of the temperature after `STEPS` steps; all arguments [n, m]."""

    def step(_, u):
        p = np.pad(u, 1)
        return u + conductivity * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)

    return 0.5 * np.sum((ad.fori_loop(0, STEPS, step, start) - measured) ** 2)


def loss_by_build(start, conductivity, measured):
    """The same by `ad.build`, where positions outside of an array read 0."""

    def step(_, u):
        def at(i, j):
            return ad.index(u, (i, j))

        def element(i, j):
            around = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)
            return u[i, j] + conductivity[i, j] * (around - 4 * u[i, j])

        return ad.build(u.shape, element)

    return 0.5 * np.sum((ad.fori_loop(0, STEPS, step, start) - measured) ** 2)


def random_instance(rows: int, columns: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """A start and a measurement uniform in [0, 1), and conductivities for which the steps are stable."""
    rng = np.random.default_rng(seed)
    start, conductivity, measured = rng.uniform(size=(3, rows, columns))
    return start, 0.2 * conductivity, measured
