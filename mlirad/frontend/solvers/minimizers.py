"""Minimisers of a function: L-BFGS, and Newton's method with damping.

lbfgs     d = -H g with H made of the last ten steps; z + t d for a t <= 1 at which f decreases enough
newton    (Hessian + damping) d = -g; the damping shrinks while steps make f smaller, and grows otherwise

Both work with g divided by a power of two close to its size at the start, and accept a solution by how far it
may be from one: so neither a factor of f nor a constant added to it moves the solution. Where f changes by
less than its rounding, as beside a large constant, steps are judged by the slope along them.

(Nocedal and Wright, *Numerical optimization*, 2006, algorithms 7.4 and 7.5, and chapter 4; the test of slopes
is that of Hager and Zhang, *A new conjugate gradient method with guaranteed descent and an efficient line
search*, 2005.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mlirad.frontend.constructs.loops import scan, while_loop
from mlirad.frontend.differentiation.jacobians import jacobian
from mlirad.frontend.solvers.convergence import Limits, Progress, finite, largest, power_of_two, solved
from mlirad.frontend.tracing.operations import as_array, xp

MEMORY = 10
"""The number of steps from which L-BFGS knows the curvature."""

LEAST_STEP = 2.0**-60
"""The smallest part of a step that the line search tries."""

PATIENCE = 50
"""The number of steps that make neither f nor its gradient smaller after which the rest is taken to be
rounding."""

Function = Callable[[Any], tuple[Any, Any]]
"""The value and the gradient."""


def direction(g: Any, steps: Any, changes: Any, inverses: Any, first: Any) -> Any:
    """-H g by the recursion in two loops, from a history. Without any the largest component is `first`."""

    def back(q: Any, row: tuple[Any, ...]) -> tuple[Any, Any]:
        s, y, inverse = row
        a = inverse * (s @ q)
        return q - a * y, a

    q, parts = scan(back, g, (steps, changes, inverses), reverse=True)
    s, y, inverse = steps[-1], changes[-1], inverses[-1]
    q = q * xp.where(inverse > 0, (s @ y) / xp.where(inverse > 0, y @ y, 1), first / largest(g))

    def forth(d: Any, row: tuple[Any, ...]) -> tuple[Any, None]:
        s, y, inverse, a = row
        return d + (a - inverse * (y @ d)) * s, None

    return -scan(forth, q, (steps, changes, inverses, parts))[0]


class _Descent(NamedTuple):
    """The measures by which a step is judged: the value, the slope along it and its unit, and the rounding of
    values.
    """

    value: Any
    slope: Any
    unit: Any
    noise: Any

    @staticmethod
    def of(value: Any, level: Any, d: Any, g: Any, unit: Any) -> _Descent:
        """Return what a step d is judged by, with the largest value so far and the unit that g is in."""
        return _Descent(value, d @ g, unit, 4 * np.finfo(d.dtype).eps * level)

    def fits(self, t: Any, value: Any, slope: Any) -> Any:
        """Return whether t times the step leads to a value that is smaller by enough, or to one that differs
        by rounding alone with a slope that is not as steep uphill as the first one is downhill.
        """
        smaller = value <= self.value + 1e-4 * t * (self.unit * self.slope)
        level = (value <= self.value + self.noise) & (slope <= -0.8 * self.slope)
        return (smaller & (value < self.value - self.noise)) | level


class _History(NamedTuple):
    """The last steps, how they changed the gradient, and 1 / (step . change), 0 for unused entries."""

    steps: Any
    changes: Any
    inverses: Any

    def with_(self, s: Any, y: Any, good: Any) -> _History:
        """The history after a step, if it met curvature, and an empty one if no part of the step was good."""
        curvature = s @ y
        met = good & (curvature > np.finfo(s.dtype).eps * xp.sqrt((s @ s) * (y @ y)))
        inverse = xp.where(met, 1 / xp.where(met, curvature, 1), 0)

        def grown(rows: Any, row: Any) -> Any:
            return xp.where(met, xp.concatenate([rows[1:], row[None]]), rows)

        kept = xp.where(good, self.inverses, 0)
        return _History(grown(self.steps, s), grown(self.changes, y), grown(kept, inverse))

    def error(self, g: Any) -> Any:
        """The gradient divided by the least curvature along a step of the history; infinite without any."""
        met = self.inverses > 0
        lengths = xp.where(met, xp.sum(self.steps * self.steps, axis=1) * self.inverses, 0)
        return xp.where(xp.any(met), largest(g) * largest(lengths), np.inf)


class _Watch(NamedTuple):
    """Tells if a minimum is near, or no progress is made."""

    reach: Any
    """The largest z so far."""
    level: Any
    """The largest value so far."""
    least: Any
    """The smallest gradient so far."""
    total: Any
    """The decrease of f according to the slopes along all steps."""
    idle: Any
    """The number of steps in which neither f nor the gradient has become smaller."""


class _Descending(NamedTuple):
    """The state of L-BFGS between two steps."""

    z: Any
    value: Any
    g: Any
    history: _History
    watch: _Watch
    steps: Any
    settled: Any


def lbfgs(f: Function, z: Any, limits: Limits) -> Progress:
    """A minimum, where the largest component of the gradient, divided by the least curvature along the last
    ten steps, is below the tolerance times the largest z so far.

    Where no part of a step makes f smaller, the curvatures are forgotten. Where that does not help, rounding
    may be the reason: if the gradient divided by the curvature along the last step is small, the iteration
    has converged as well.
    """
    tol, eps = limits.tolerance(z.dtype, 0.6), np.finfo(z.dtype).eps
    rough = tol**0.75
    value, g = f(z)
    unit = power_of_two(largest(g))

    def scaled(z: Any) -> tuple[Any, Any]:
        value, g = f(z)
        return value, g / unit

    def step(state: _Descending) -> _Descending:
        z, value, g, history, watch, count, _ = state
        d = direction(g, *history, xp.where(watch.reach > 0, xp.minimum(watch.reach, 1), 1))
        d = xp.where(d @ g < 0, d, -g)
        descent = _Descent.of(value, watch.level, d, g, unit)

        def shorter(search: tuple[Any, ...]) -> tuple[Any, ...]:
            t, _, g_there = search
            steeper = g_there @ d - descent.slope
            secant = -descent.slope / xp.where(steeper > 0, steeper, -2 * descent.slope)
            t = t * xp.clip(xp.where(xp.isfinite(secant), secant, 0.5), 0.05, 0.5)
            return (t, *scaled(z + t * d))

        def fits(search: tuple[Any, ...]) -> Any:
            t, value_there, g_there = search
            return descent.fits(t, value_there, g_there @ d) & finite(g_there)

        def goes_on(search: tuple[Any, ...]) -> Any:
            t = search[0]
            return ~fits(search) & (t > LEAST_STEP) & (t * largest(d) > eps * watch.reach)

        search = while_loop(goes_on, shorter, (as_array(1.0, z.dtype), *scaled(z + d)))
        good = fits(search)
        t, value_there, g_there = search
        s, y = t * d, g_there - g
        history = history.with_(s, y, good)
        drop = xp.where(good, -t * (descent.slope + g_there @ d) / 2, 0)
        better = value_there < value - 4 * eps * xp.abs(value)
        better = good & (better | (drop > eps * watch.total) | (largest(g_there) < watch.least))
        z, value, g = (
            xp.where(good, new, old) for new, old in ((z + s, z), (value_there, value), (g_there, g))
        )
        watch = _Watch(
            xp.maximum(watch.reach, largest(z)), xp.maximum(watch.level, xp.abs(value)),
            xp.minimum(watch.least, largest(g)), watch.total + drop,
            xp.where(better, 0, watch.idle + xp.where(good, 1, PATIENCE // 2)),
        )  # fmt: skip
        near = history.error(g) <= tol * watch.reach
        rounding = largest(g) * largest(s) <= rough * largest(y) * (1 + watch.reach)
        settled = near | ((watch.idle >= PATIENCE) & rounding) | (largest(g) == 0)
        return _Descending(z, value, g, history, watch, count + 1, settled)

    def goes_on(state: _Descending) -> Any:
        return ~state.settled & ~failed & (state.steps < limits.maxiter) & (state.watch.idle < PATIENCE)

    failed = ~(finite(g) & xp.isfinite(value))
    g = g / unit
    empty = as_array(np.zeros((MEMORY, z.size), z.dtype))
    history = _History(empty, empty, as_array(np.zeros(MEMORY, z.dtype)))
    watch = _Watch(largest(z), xp.abs(value), largest(g), as_array(0.0, z.dtype), as_array(0))
    start = _Descending(z, value, g, history, watch, as_array(0), largest(g) == 0)
    last = while_loop(goes_on, step, start)
    return Progress(last.z, last.steps, last.settled)


def newton(f: Function, z: Any, limits: Limits) -> Progress:
    """A minimum. It has converged when a step without damping is small beside the largest z so far; this step
    is taken too.

    Where such a step does not make f smaller, rounding may be the reason: if it is smaller than the root of
    the tolerance times 1 + |z|, the iteration has converged as well.

    The Hessian is a dense matrix, made and factorised in every step.
    """
    tol = limits.tolerance(z.dtype, 2 / 3)
    rough = tol**0.5
    value, g = f(z)
    unit = power_of_two(largest(g))

    def scaled(z: Any) -> tuple[Any, Any]:
        value, g = f(z)
        return value, g / unit

    def gradient(z: Any) -> Any:
        return scaled(z)[1]

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, value, g, (reach, level), damping, count, _ = state
        hessian = jacobian(gradient, 0, False, "forward", (z,))[0]
        scale = xp.max(xp.abs(xp.diagonal(hessian)))
        d = solved(hessian + damping * scale * np.eye(z.size, dtype=z.dtype), -g)
        value_there, g_there = scaled(z + d)
        descent = _Descent.of(value, level, d, g, unit)
        small = largest(d) <= tol * reach
        smaller = descent.fits(1.0, value_there, d @ g_there)
        possible = finite(d) & finite(g_there) & (d @ g <= 0)
        good = possible & (smaller | (small & (value_there <= value + descent.noise)))
        rounding = possible & ~good & (largest(d) <= rough * (1 + reach))
        less = xp.where(damping > 1e-6, damping / 10, 0)
        more = xp.maximum(10 * damping, 1e-3).astype(z.dtype)
        z, value_there, g_there = (
            xp.where(good, new, old) for new, old in ((z + d, z), (value_there, value), (g_there, g))
        )
        done = ((good & small) | rounding) & (damping == 0)
        return (
            z, value_there, g_there, (xp.maximum(reach, largest(z)), xp.maximum(level, xp.abs(value_there))),
            xp.where(good, less, more).astype(z.dtype), count + 1, done,
        )  # fmt: skip

    g = g / unit
    start = (z, value, g, (largest(z), xp.abs(value)), as_array(0.0, z.dtype), as_array(0), largest(g) == 0)
    last = while_loop(lambda s: ~s[6] & (s[5] < limits.maxiter) & finite(s[2]) & (s[4] < 1e20), step, start)
    return Progress(last[0], last[5], last[6])


METHODS = {"lbfgs": lbfgs, "newton": newton}
"""The minimisers by name."""
