"""Inverses of linear maps that depend on data, as functions of the program with derivatives of every order.

For x = A(c)^-1 v:      dx = A^-1 (dv - (dA x))        and, transposed, with w = A^-T ct:   ct_v = w,
                                                       ct_c = -(c -> A(c) x)^T w

Both rules apply inverses again, that of A and that of its transpose. So an inverse by iteration is a function
of the program that its own rules call: they exist once, whatever the order of the derivative, and the
iteration is never differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mlirad.frontend.constructs.recursion import Function
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.jacobians import jacobian
from mlirad.frontend.differentiation.linearization import linearize, vjp
from mlirad.frontend.solvers.convergence import Limits, Progress, solved
from mlirad.frontend.solvers.krylov import cg, gmres, lsmr
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.values import LeafType

Operator: TypeAlias = Callable[..., Any]
"""A function of a flat vector, in which it is linear, and of data."""

ITERATIVE = ("cg", "gmres", "lsmr")
"""The methods that iterate."""

METHODS = ("direct", *ITERATIVE)
"""How a linear system can be solved."""


def matrix_of(operator: Operator, space: LeafType, data: tuple[Any, ...]) -> Any:
    """An operator on vectors of a type as a dense matrix."""
    zero = np.zeros(space.shape, space.dtype)
    return jacobian(lambda v: operator(v, *data), 0, False, "auto", (zero,))[0]


def transposed(operator: Operator, space: LeafType) -> Operator:
    """The transposed operator of one on vectors of a type."""
    zero = np.zeros(space.shape, space.dtype)
    return lambda ct, *data: vjp(lambda v: operator(v, *data), zero)[1](ct)[0]


def inverses(operator: Operator, space: LeafType, method: str, limits: Limits) -> tuple[Operator, Operator]:
    """The inverses of an operator and of its transpose, as functions of a vector and of the data.

    For "lsmr" the first gives the solution of least squares. An iteration that does not converge gives NaN.
    """
    if method == "direct":

        def direct(v: Any, *data: Any) -> Any:
            return solved(matrix_of(operator, space, data), v)

        def direct_transposed(v: Any, *data: Any) -> Any:
            return solved(xp.transpose(matrix_of(operator, space, data)), v)

        return direct, direct_transposed
    back = transposed(operator, space)
    if method == "cg":
        inverse = _iterated(operator, space, lambda v, *data: cg(lambda u: operator(u, *data), v, limits))
        return inverse, inverse
    if method == "gmres":
        pair = [
            lambda v, *data: gmres(lambda u: operator(u, *data), v, limits),
            lambda v, *data: gmres(lambda u: back(u, *data), v, limits),
        ]
        return _iterated_pair((operator, back), space, pair)
    normal = _iterated(
        lambda v, *data: back(operator(v, *data), *data),
        space,
        lambda v, *data: _of_normal_equations(operator, back, v, data, limits),
    )
    return (
        lambda v, *data: normal(back(v, *data), *data),
        lambda v, *data: operator(normal(v, *data), *data),
    )


def _of_normal_equations(
    operator: Operator, back: Operator, v: Any, data: tuple[Any, ...], limits: Limits
) -> Progress:
    """(A^T A)^-1 v without the product, which has the square of the condition: A^T y = v, then A x = y."""
    there, here = (lambda u: operator(u, *data)), (lambda u: back(u, *data))
    first = lsmr(here, there, v, limits)
    second = lsmr(there, here, first.z, limits)
    return second._replace(converged=first.converged & second.converged)


def _iterated(operator: Operator, space: LeafType, solver: Callable[..., Progress]) -> Operator:
    """The inverse of an operator that is its own transpose."""
    return _iterated_pair((operator,), space, [solver])[0]


def _iterated_pair(
    operators: tuple[Operator, ...], space: LeafType, solvers: list[Callable[..., Progress]]
) -> tuple[Operator, Operator]:
    """The inverses by iteration of an operator and of its transpose, which follows it unless it is the same."""
    made: list[Operator] = []
    for k, (operator, solver) in enumerate(zip(operators, solvers, strict=True)):
        made.append(_with_rules(operator, solver, made, k, len(operators) - 1 - k, space))
    return made[0], made[-1]


def _with_rules(
    operator: Operator, solver: Callable[..., Progress], made: list[Operator], own: int, other: int,
    space: LeafType,
) -> Operator:  # fmt: skip
    def solution(v: Any, *data: Any) -> Any:
        found = solver(v, *data)
        return xp.where(found.converged, found.z, np.nan).astype(space.dtype)

    inverse = custom_derivative(solution)

    def moves(data: tuple[Any, ...]) -> bool:
        return any(d.dtype.kind == "f" for d in data)

    @inverse.rule(reads_result=True)
    def forward(x: Any, v: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        if not moves(data):
            return lambda dv, *_: made[own](dv, *data)
        _, change = linearize(lambda *data: operator(x, *data), *data)
        return lambda dv, *moved: made[own](dv - change(*moved), *data)

    @inverse.transposed_rule(reads_result=True)
    def backward(x: Any, v: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        if not data:
            return made[other]
        if not moves(data):
            return lambda ct: (made[other](ct, *data), *(None for _ in data))
        _, pullback = vjp(lambda *data: operator(x, *data), *data)

        def pulled(ct: Any) -> tuple[Any, ...]:
            w = made[other](ct, *data)
            return (w, *pullback(-w))

        return pulled

    return Function(lambda v, *data: inverse(v, *data), returns=np.zeros(space.shape, space.dtype))
