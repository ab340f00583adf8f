"""Iterations to a fixed point of g: plain, and Anderson's, which extrapolates from the last few trips.

z = g(z)                                          plain: converges where g contracts
z = g(z) - sum_k c_k (g(z_k+1) - g(z_k))          Anderson: c minimises |g(z) - z - sum_k c_k (r_k+1 - r_k)|

(Anderson, *Iterative procedures for nonlinear integral equations*, 1965; Walker and Ni, *Anderson
acceleration for fixed-point iterations*, 2011.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.solvers.convergence import Limits, Progress, finite, largest, solved
from mlirad.frontend.tracing.operations import as_array, xp

MEMORY = 5
"""From how many trips Anderson's iteration extrapolates."""


def plain(g: Callable[[Any], Any], z: Any, limits: Limits) -> Progress:
    """z = g(z) until it moves by less than the tolerance, relative to 1 + |z|."""
    tol = limits.tolerance(z.dtype, 2 / 3)

    def trip(state: tuple[Any, ...]) -> tuple[Any, ...]:
        _, image, steps = state
        return image, g(image), steps + 1

    def moves(state: tuple[Any, ...]) -> Any:
        z, image, _ = state
        return ~(largest(image - z) <= tol * (1 + largest(z)))

    start = (z, g(z), as_array(0))
    z, image, steps = while_loop(lambda s: moves(s) & (s[2] < limits.maxiter) & finite(s[1]), trip, start)
    return Progress(image, steps, ~moves((z, image, steps)))


def anderson(g: Callable[[Any], Any], z: Any, limits: Limits) -> Progress:
    """Anderson's iteration, with the stopping rule of the plain one."""
    tol = limits.tolerance(z.dtype, 2 / 3)
    width = min(MEMORY, z.size)
    small = np.finfo(z.dtype).eps

    def trip(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, image, images, residuals, steps = state
        r = image - z
        gram = residuals @ residuals.T
        weights = solved(
            gram + (small * xp.trace(gram) + np.finfo(z.dtype).tiny) * np.eye(width, dtype=z.dtype),
            residuals @ r,
        )
        mixed = image - weights @ images
        new = xp.where(finite(mixed), mixed, image)
        after = g(new)
        images = xp.concatenate([images[1:], (after - image)[None]])
        residuals = xp.concatenate([residuals[1:], (after - new - r)[None]])
        return new, after, images, residuals, steps + 1

    def moves(state: tuple[Any, ...]) -> Any:
        return ~(largest(state[1] - state[0]) <= tol * (1 + largest(state[0])))

    empty = as_array(np.zeros((width, z.size), z.dtype))
    start = (z, g(z), empty, empty, as_array(0))
    last = while_loop(lambda s: moves(s) & (s[4] < limits.maxiter) & finite(s[1]), trip, start)
    return Progress(last[1], last[4], ~moves(last))


METHODS = {"anderson": anderson, "plain": plain}
"""The iterations by name."""
