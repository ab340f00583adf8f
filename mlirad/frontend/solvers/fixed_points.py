"""Iterations to a fixed point of g: plain, and Anderson's, which extrapolates from the last few iterations.

z = g(z)                                          plain: converges where g contracts
z = g(z) - sum_k c_k (g(z_k+1) - g(z_k))          Anderson: c minimises |g(z) - z - sum_k c_k (r_k+1 - r_k)|

(Anderson, *Iterative procedures for nonlinear integral equations*, 1965; Walker and Ni, *Anderson
acceleration for fixed-point iterations*, 2011.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.solvers.convergence import Limits, Progress, finite, largest, solved
from mlirad.frontend.tracing.operations import as_array, xp

MEMORY = 5
"""The number of iterates that Anderson's iteration extrapolates from."""


PATIENCE = 20
"""The number of iterations without a smaller residual after which the rest of it is taken to be rounding."""


class _Residual(NamedTuple):
    """The state of an iteration: |g(z) - z|, the least so far, for how many steps, and the largest z so
    far.
    """

    size: Any
    least: Any
    idle: Any
    reach: Any

    @staticmethod
    def at(z: Any, image: Any) -> _Residual:
        """The residual at the start."""
        size = largest(image - z)
        return _Residual(size, size, as_array(0), largest(z))

    def after(self, z: Any, image: Any) -> _Residual:
        """The residual one iteration later."""
        size = largest(image - z)
        smaller = size < self.least
        idle = xp.where(smaller, 0, self.idle + 1)
        return _Residual(size, xp.where(smaller, size, self.least), idle, xp.maximum(self.reach, largest(z)))

    def settled(self, tol: Any) -> Any:
        """Return whether the residual is small beside z, or rounding that is small beside 1 + |z|."""
        return (self.size <= tol * self.reach) | (
            (self.idle >= PATIENCE) & (self.size <= tol * (1 + self.reach))
        )


def plain(g: Callable[[Any], Any], z: Any, limits: Limits) -> Progress:
    """z = g(z) until it moves by less than the tolerance, relative to the largest z so far."""
    tol = limits.tolerance(z.dtype, 2 / 3)

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        _, image, residual, steps = state
        after = g(image)
        return image, after, residual.after(image, after), steps + 1

    def goes_on(state: tuple[Any, ...]) -> Any:
        return ~state[2].settled(tol) & (state[3] < limits.maxiter) & finite(state[1])

    image = g(z)
    _, image, residual, steps = while_loop(goes_on, step, (z, image, _Residual.at(z, image), as_array(0)))
    return Progress(image, steps, residual.settled(tol))


def anderson(g: Callable[[Any], Any], z: Any, limits: Limits) -> Progress:
    """Anderson's iteration, with the stopping rule of the plain one."""
    tol = limits.tolerance(z.dtype, 2 / 3)
    width = min(MEMORY, z.size)
    small = np.finfo(z.dtype).eps

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, image, residual, images, residuals, steps = state
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
        return new, after, residual.after(new, after), images, residuals, steps + 1

    def goes_on(state: tuple[Any, ...]) -> Any:
        return ~state[2].settled(tol) & (state[5] < limits.maxiter) & finite(state[1])

    image = g(z)
    empty = as_array(np.zeros((width, z.size), z.dtype))
    start = (z, image, _Residual.at(z, image), empty, empty, as_array(0))
    last = while_loop(goes_on, step, start)
    return Progress(last[1], last[5], last[2].settled(tol))


METHODS = {"anderson": anderson, "plain": plain}
"""The iterations by name."""
