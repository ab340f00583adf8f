"""Newton's method with a line search, for roots.

z + t d for the largest t of 1, 1/2, 1/4 ... that makes |f| smaller, where (df/dz) d = -f(z)

The Jacobian is a dense matrix, made and factorised in every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.differentiation.jacobians import jacobian
from mlirad.frontend.solvers.convergence import Limits, Progress, finite, largest, power_of_two, solved
from mlirad.frontend.tracing.operations import as_array, xp

LEAST_STEP = 2.0**-30
"""The smallest part of a step that the line search tries."""


def newton(f: Callable[[Any], Any], z: Any, limits: Limits) -> Progress:
    """A root of f. It has converged when a whole step, which is still taken, is small beside the largest z so
    far.

    Where no part of a step makes |f| smaller, rounding may be the reason: if the step is smaller than the
    root of the tolerance times 1 + |z|, the iteration has converged as well.
    """
    tol = limits.tolerance(z.dtype, 2 / 3)
    rough = tol**0.5
    r = f(z)
    unit = power_of_two(largest(r))

    def scaled(z: Any) -> Any:
        return f(z) / unit

    def matrix(z: Any) -> Any:
        return jacobian(scaled, 0, False, "auto", (z,))[0]

    def iteration(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, r, reach, steps, _, _ = state
        d = solved(matrix(z), -r)
        merit = r @ r
        small = largest(d) <= tol * reach

        def fits(t: Any, r: Any) -> Any:
            return (r @ r <= (1 - 1e-4 * t) * merit) | (small & finite(r))

        def shorter(search: tuple[Any, ...]) -> tuple[Any, ...]:
            t = search[0] / 2
            moved = z + t * d
            return t, moved, scaled(moved)

        start = (as_array(1.0, z.dtype), z + d, scaled(z + d))
        t, moved, new = while_loop(
            lambda s: ~fits(s[0], s[2]) & (s[0] > LEAST_STEP) & finite(d), shorter, start
        )
        good = fits(t, new) & finite(d)
        rounding = ~good & (largest(d) <= rough * (1 + reach))
        done = (good & small) | rounding | (good & (largest(new) == 0))
        z = xp.where(good, moved, z)
        reach = xp.maximum(reach, largest(z))
        return z, xp.where(good, new, r), reach, steps + 1, done, ~good & ~rounding

    r = r / unit
    start = (z, r, largest(z), as_array(0), largest(r) == 0, ~finite(r))
    last = while_loop(lambda s: ~s[4] & ~s[5] & (s[3] < limits.maxiter), iteration, start)
    return Progress(last[0], last[3], last[4])
