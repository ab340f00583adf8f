"""Minimisers of a function: L-BFGS, and Newton's method with damping.

lbfgs     d = -H g with H made of the last ten steps; z + t d for t = 1, 1/2, 1/4 ... until f decreases enough
newton    (Hessian + damping) d = -g; the damping shrinks while steps make f smaller, and grows otherwise

(Nocedal and Wright, *Numerical optimization*, 2006, algorithms 7.4 and 7.5, and chapter 4.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.constructs.loops import scan, while_loop
from mlirad.frontend.differentiation.jacobians import jacobian
from mlirad.frontend.solvers.convergence import Limits, Progress, finite, largest, solved
from mlirad.frontend.tracing.operations import as_array, xp

MEMORY = 10
"""From how many steps L-BFGS knows the curvature."""

LEAST_STEP = 2.0**-30
"""The smallest part of a step that the line search tries."""

Function = Callable[[Any], tuple[Any, Any]]
"""The value and the gradient."""


def direction(g: Any, steps: Any, changes: Any, inverses: Any) -> Any:
    """-H g by the recursion in two loops, where the rows of `steps` and `changes` are those of z and of g,
    and `inverses` 1 / (step . change), 0 where there is none."""

    def back(q: Any, row: tuple[Any, ...]) -> tuple[Any, Any]:
        s, y, inverse = row
        a = inverse * (s @ q)
        return q - a * y, a

    q, parts = scan(back, g, (steps, changes, inverses), reverse=True)
    s, y, inverse = steps[-1], changes[-1], inverses[-1]
    q = q * xp.where(inverse > 0, (s @ y) / xp.where(inverse > 0, y @ y, 1), 1 / xp.maximum(1, largest(g)))

    def forth(d: Any, row: tuple[Any, ...]) -> tuple[Any, None]:
        s, y, inverse, a = row
        return d + (a - inverse * (y @ d)) * s, None

    return -scan(forth, q, (steps, changes, inverses, parts))[0]


def lbfgs(f: Function, z: Any, limits: Limits) -> Progress:
    """A minimum, where the largest component of the gradient is below the tolerance times 1 + |f|.

    It has converged as well where no step makes f smaller by more than rounding.
    """
    tol, eps = limits.tolerance(z.dtype, 0.6), np.finfo(z.dtype).eps

    def trip(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, value, g, (steps, changes, inverses), count, _ = state
        d = direction(g, steps, changes, inverses)
        downhill = d @ g
        d = xp.where(downhill < 0, d, -g)
        downhill = xp.where(downhill < 0, downhill, -(g @ g))
        noise = 4 * eps * (1 + xp.abs(value))

        def fits(t: Any, value_there: Any) -> Any:
            return value_there <= value + 1e-4 * t * downhill + noise

        def shorter(search: tuple[Any, ...]) -> tuple[Any, ...]:
            t = search[0] / 2
            return (t, *f(z + t * d))

        search = while_loop(
            lambda s: ~fits(s[0], s[1]) & (s[0] > LEAST_STEP), shorter, (as_array(1.0, z.dtype), *f(z + d))
        )
        t, value_there, g_there = search
        good = fits(t, value_there) & finite(g_there)
        s, y = t * d, g_there - g
        curvature = s @ y
        curved = good & (curvature > eps * xp.sqrt((s @ s) * (y @ y)))
        inverse = xp.where(curved, 1 / xp.where(curved, curvature, 1), 0)
        history = tuple(
            xp.where(curved, xp.concatenate([rows[1:], row[None]]), rows)
            for rows, row in ((steps, s), (changes, y), (inverses, inverse))
        )
        rounding = ~good & (-downhill <= 100 * noise)
        return (
            xp.where(good, z + s, z), xp.where(good, value_there, value), xp.where(good, g_there, g),
            history, count + 1, xp.where(good, 0, xp.where(rounding, 1, 2)),
        )  # fmt: skip

    def settled(state: tuple[Any, ...]) -> Any:
        return (largest(state[2]) <= tol * (1 + xp.abs(state[1]))) | (state[5] == 1)

    value, g = f(z)
    empty = as_array(np.zeros((MEMORY, z.size), z.dtype))
    history = (empty, empty, as_array(np.zeros(MEMORY, z.dtype)))
    failed = xp.where(finite(g) & xp.isfinite(value), 0, 2)
    start = (z, value, g, history, as_array(0), failed)
    last = while_loop(lambda s: ~settled(s) & (s[5] == 0) & (s[4] < limits.maxiter), trip, start)
    return Progress(last[0], last[4], settled(last) & (last[5] != 2))


def newton(f: Function, z: Any, limits: Limits) -> Progress:
    """A minimum. It has converged when a step without damping is small beside z; this step is taken too.

    The Hessian is a dense matrix, made and factorised in every step.
    """
    tol, eps = limits.tolerance(z.dtype, 2 / 3), np.finfo(z.dtype).eps

    def gradient(z: Any) -> Any:
        return f(z)[1]

    def trip(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, value, g, damping, count, _ = state
        hessian = jacobian(gradient, 0, False, "forward", (z,))[0]
        scale = xp.max(xp.abs(xp.diagonal(hessian)))
        d = solved(hessian + damping * scale * np.eye(z.size, dtype=z.dtype), -g)
        value_there, g_there = f(z + d)
        small = largest(d) <= tol * (1 + largest(z))
        downhill = d @ g <= 0
        smaller = value_there <= value + 4 * eps * (1 + xp.abs(value))
        good = finite(d) & finite(g_there) & downhill & smaller
        less = xp.where(damping > 1e-6, damping / 10, 0)
        more = xp.maximum(10 * damping, 1e-3).astype(z.dtype)
        return (
            xp.where(good, z + d, z), xp.where(good, value_there, value), xp.where(good, g_there, g),
            xp.where(good, less, more).astype(z.dtype), count + 1, good & small & (damping == 0),
        )  # fmt: skip

    value, g = f(z)
    start = (z, value, g, as_array(0.0, z.dtype), as_array(0), largest(g) == 0)
    last = while_loop(lambda s: ~s[5] & (s[4] < limits.maxiter) & finite(s[2]) & (s[3] < 1e20), trip, start)
    return Progress(last[0], last[4], last[5])


METHODS = {"lbfgs": lbfgs, "newton": newton}
"""The minimisers by name."""
