"""The derivative of what solves an equation, by the implicit function theorem.

residual(z, *data) = 0      gives      dz = -(d residual/dz)^-1 (d residual/d data) d data

The rule reads the solution that it belongs to. So where the derivative is differentiated again, the solution
in it moves as the rule says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.linearization import linearize, vjp
from mlirad.frontend.solvers.convergence import Limits, Progress
from mlirad.frontend.solvers.flat_functions import with_data
from mlirad.frontend.solvers.inverses import inverses
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.leaf_types import LeafType

Residual = Callable[..., Any]
"""A function of a flat vector and of data, with values of the same shape as the vector."""


def implicit(
    solve: Callable[..., Progress], residual: Residual, start: Array, data: Sequence[Array],
    method: str, limits: Limits,
) -> Progress:  # fmt: skip
    """`solve(start, *data)`, with the derivative of a root of the residual.

    `method` says how the linear systems of the derivative are solved. Where the Jacobian of the residual is
    singular, the derivative is not finite.
    """
    if not any(x.dtype.kind == "f" for x in data):
        return solve(start, *data)
    space = LeafType(start.shape, start.dtype)

    def slope(v: Any, z: Any, *data: Any) -> Any:
        """The Jacobian of the residual at z times v."""
        return linearize(with_data(residual, data), z)[1](v)

    own = Limits(limits.tol, max(100, 10 * start.size))
    inverse, inverse_transposed = inverses(slope, space, method, own)
    solution = custom_derivative(solve)

    @solution.rule(reads_result=True)
    def forward(found: Progress, _: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        _, change = linearize(partial(residual, found.z), *data)

        def moved(_: Any, *tangents: Any) -> Progress:
            return Progress(inverse(-change(*tangents), found.z, *data), None, None)

        return moved

    @solution.transposed_rule(reads_result=True)
    def backward(found: Progress, _: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        _, pullback = vjp(partial(residual, found.z), *data)

        def pulled(ct: Progress) -> tuple[Any, ...]:
            return None, *pullback(-inverse_transposed(ct.z, found.z, *data))

        return pulled

    return solution(start, *data)
