"""Inverses of linear maps that depend on data, as functions of the program with derivatives of every order.

For x = A(c)^-1 v:      dx = A^-1 (dv - (dA x))        and, transposed, with w = A^-T ct:   ct_v = w,
                                                       ct_c = -(c -> A(c) x)^T w

Both rules apply inverses again, that of A and that of its transpose. So an inverse by iteration is a function
of the program that its own rules call: they exist once, whatever the order of the derivative, and the
iteration is never differentiated.

The rule of A^-1 b applies A^-1 once more, and so does the rule of that. Inlined, rules would be nested as
deeply as derivatives; as a call of the function that has the rule, there is one of A^-1 and one of its
transpose. No derivative calls itself when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from mlirad.frontend.constructs.recursion import Function
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.jacobians import jacobian
from mlirad.frontend.differentiation.linearization import linearize, vjp
from mlirad.frontend.solvers.convergence import (
    Limits,
    Progress,
    is_singular,
    largest,
    power_of_two,
    require_regular,
    solved,
)
from mlirad.frontend.solvers.flat_functions import with_data
from mlirad.frontend.solvers.krylov import cg, gmres, lsmr
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import xp

Operator: TypeAlias = Callable[..., Any]
"""A function of a flat vector, in which it is linear, and of data."""

ITERATIVE = ("cg", "gmres", "lsmr")
"""The methods that iterate."""

METHODS = ("direct", *ITERATIVE)
"""The methods that solve a linear system."""


def matrix_of(operator: Operator, space: LeafType, data: Sequence[Any]) -> Any:
    """An operator on vectors of a type as a dense matrix."""
    zero = np.zeros(space.shape, space.dtype)
    return jacobian(with_data(operator, data), 0, False, "auto", (zero,))[0]


def transposed(operator: Operator, space: LeafType) -> Operator:
    """The transposed operator of one on vectors of a type."""
    zero = np.zeros(space.shape, space.dtype)

    def back(ct: Any, *data: Any) -> Any:
        return vjp(with_data(operator, data), zero)[1](ct)[0]

    return back


def inverses(operator: Operator, space: LeafType, method: str, limits: Limits) -> tuple[Operator, Operator]:
    """The inverses of an operator and of its transpose, as functions of a vector and of the data.

    For "lsmr" the first gives the solution of least squares. An iteration that does not converge gives NaN.
    """
    match method:
        case "direct":
            return _direct(operator, space)
        case "lsmr":
            return _of_least_squares(operator, space, limits)
        case "cg":
            return _iterated([(operator, partial(_by, cg, operator, limits))], space)
        case _:
            both = (operator, transposed(operator, space))
            return _iterated([(a, partial(_by, gmres, a, limits)) for a in both], space)


def _direct(operator: Operator, space: LeafType) -> tuple[Operator, Operator]:
    """The inverses by the factors of the dense matrix, whose data begin with the point it belongs to."""

    def matrix(data: tuple[Any, ...]) -> Any:
        found = matrix_of(operator, space, data)
        require_regular(found, "the Jacobian is singular at the solution, which has no derivative there")
        return found

    def inverse(v: Any, *data: Any) -> Any:
        a = matrix(data)
        return solved(a, _following(v, a, data[0]))

    def inverse_transposed(v: Any, *data: Any) -> Any:
        a = matrix(data)
        return solved(xp.transpose(a), _following(v, a, data[0]))

    return inverse, inverse_transposed


def _following(v: Any, matrix: Any, z: Any) -> Any:
    """v, with a derivative by the point z of the matrix that is 0, and NaN where the matrix is singular.

    A matrix that does not depend on z has no derivative by z. Without this the second derivative would be 0
    even where the inverse does not exist.
    """
    return v * (1 + xp.where(is_singular(matrix), np.nan, 0) * z[0]).astype(v.dtype)


def _by(
    iteration: Callable[..., Progress], operator: Operator, limits: Limits, v: Any, *data: Any
) -> Progress:
    return _at_one(v, lambda v: iteration(with_data(operator, data), v, limits))


def _at_one(v: Any, solver: Callable[[Any], Progress]) -> Progress:
    """The solution for a right side, by what is given one of a size near 1."""
    unit = power_of_two(largest(v))
    found = solver(v / unit)
    return found._replace(z=found.z * unit)


def _of_least_squares(operator: Operator, space: LeafType, limits: Limits) -> tuple[Operator, Operator]:
    """x = (A^T A)^-1 A^T v, and transposed."""
    back = transposed(operator, space)

    def normal(v: Any, *data: Any) -> Any:
        return back(operator(v, *data), *data)

    def solver(v: Any, *data: Any) -> Progress:
        """Without the product, which has the square of the condition: A^T y = v, then A x = y."""
        there, here = with_data(operator, data), with_data(back, data)
        first = _at_one(v, lambda v: lsmr(here, there, v, limits))
        second = _at_one(first.z, lambda v: lsmr(there, here, v, limits))
        return second._replace(converged=first.converged & second.converged)

    of_normal, _ = _iterated([(normal, solver)], space)

    def inverse(v: Any, *data: Any) -> Any:
        return of_normal(back(v, *data), *data)

    def inverse_transposed(v: Any, *data: Any) -> Any:
        return operator(of_normal(v, *data), *data)

    return inverse, inverse_transposed


def _iterated(
    pairs: Sequence[tuple[Operator, Callable[..., Progress]]], space: LeafType
) -> tuple[Operator, Operator]:
    """The inverses of an operator and of its transpose by iterations: of each the operator, and what
    iterates."""

    def converged(solver: Callable[..., Progress], v: Any, *data: Any) -> Any:
        found = solver(v, *data)
        return xp.where(found.converged, found.z, np.nan).astype(space.dtype)

    return of_solutions([(a, partial(converged, solver)) for a, solver in pairs], space)


def of_solutions(
    pairs: Sequence[tuple[Operator, Operator]], space: LeafType, *, is_expensive: bool = False
) -> tuple[Operator, Operator]:
    """The inverses of an operator and of its transpose, which follows it unless it is the same: of each the
    operator, and what solves for a vector and the data. An operator without data is not called.

    They are functions of the program. A derivative of a call of one solves again; where that is expensive,
    the inverses are written out in each use, and derivatives read the solution.
    """
    made: list[Operator] = []
    written: list[Operator] = []
    for k, (operator, solution) in enumerate(pairs):
        inverse = _with_rules(operator, solution, made, k, len(pairs) - 1 - k)
        written.append(inverse)
        made.append(_as_function(inverse, space))
    found = written if is_expensive else made
    return found[0], found[-1]


def _as_function(inverse: Operator, space: LeafType) -> Operator:
    def called(v: Any, *data: Any) -> Any:
        return inverse(v, *data)

    return Function(called, returns=np.zeros(space.shape, space.dtype))


def _with_rules(
    operator: Operator, solution: Operator, made: list[Operator], own: int, other: int
) -> Operator:
    """An inverse, whose rules call those that `made` has at the places of itself and of its transpose."""
    inverse = custom_derivative(solution)

    @inverse.rule(reads_result=True)
    def forward(x: Any, v: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        change = linearize(partial(operator, x), *data)[1] if _moves(data) else None

        def moved(dv: Any, *tangents: Any) -> Any:
            return made[own](dv if change is None else dv - change(*tangents), *data)

        return moved

    @inverse.transposed_rule(reads_result=True)
    def backward(x: Any, v: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        pullback = vjp(partial(operator, x), *data)[1] if _moves(data) else None

        def pulled(ct: Any) -> Any:
            w = made[other](ct, *data)
            if not data:
                return w
            return w, *(pullback(-w) if pullback is not None else (None for _ in data))

        return pulled

    return inverse


def _moves(data: Sequence[Any]) -> bool:
    """Return whether any of the data has a derivative."""
    return any(d.dtype.kind == "f" for d in data)
