"""`linear_solve`: x with A x = b, for A a matrix, an `ad.LinearMap`, or a function that is linear.

ad.linear_solve(a, b)                              by the factors of the matrix
ad.linear_solve(J.T @ J + mu, g, method="cg")      by products, without the matrix
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from xdsl.dialects.func import CallOp

from mlirad.dialects.linear import dependences
from mlirad.errors import DifferentiationError, LinearAlgebraError
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.linear_map.spaces import Space, space_of
from mlirad.frontend.solvers.convergence import Limits, checked_limits, finite, report_failures
from mlirad.frontend.solvers.flat_functions import closed, flat_type, flattened, unknowns
from mlirad.frontend.solvers.inverses import METHODS, inverses, matrix_of
from mlirad.frontend.tracing.argument_kinds import checked_choice
from mlirad.frontend.tracing.function_names import definition_of, function_name
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import Located, shape_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.locations import location_of

linear_algebra_error = Located(LinearAlgebraError)


@plain_errors
def linear_solve(
    a: Any, b: Any, *, method: str = "direct", tol: float | None = None, maxiter: int | None = None
) -> Any:
    """x with A x = b.

    `a` is a matrix [n, n] for a vector b [n], a `LinearMap`, or a function that is linear, of one argument
    with the structure of b. x has the structure of the map's domain. It has derivatives of every order, in
    both modes, with respect to b and to all that A depends on: each solves with A, or with its transpose.

    "direct" factorises the dense matrix. The other methods use products with A only: "cg" for A symmetric and
    positive definite, which is not checked, "gmres" for any regular A, and "lsmr" for least squares with a
    matrix or map of full column rank, which may be tall. They have converged when the residual is below `tol`
    times the right side (for lsmr, of the normal equations; 2e-12 in float64), within `maxiter` steps (10 n,
    100 at least).

        >>> ring = lambda v: 3 * v - np.roll(v, 1) - np.roll(v, -1)
        >>> ad.linear_solve(ring, np.array([1.0, 0.0, 0.0, 0.0]), method="cg").round(4)
        array([0.4667, 0.2   , 0.1333, 0.2   ])
        >>> a = np.array([[2.0, 1.0], [1.0, 3.0]])
        >>> ad.grad(lambda a: ad.linear_solve(a, np.ones(2))[0])(a).round(4)
        array([[-0.24, -0.12],
               [ 0.08,  0.04]])

    Raises `LinearAlgebraError` for a singular matrix, `ConvergenceError` for an iteration that does not
    converge, `DifferentiationError` for a function that is not linear.
    """
    checked_choice(method, "method of linear_solve", METHODS)
    limits = checked_limits(tol, maxiter, 0, "linear_solve")
    key = ("linear_solve", method, limits)
    if callable(a) and not isinstance(a, LinearMap):
        return Transformed(a, partial(_by_function, method, limits), key, Options())(b)
    return Transformed(_solution, partial(_by_value, method, limits), key, Options())(a, b)


def _solution(a: Any, b: Any) -> Any:
    """The function that programs for matrices and maps belong to; what it means is said to `Transformed`."""
    return a, b


def _by_value(method: str, limits: Limits, _: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    a, b = args
    if isinstance(a, LinearMap):
        right = as_array(a.codomain.flatten(b))
        if method == "direct":
            _require_square(a.shape)
            return a.domain.unflatten(xp.linalg.solve(a.to_dense(), right))
        return _iterated(lambda v: a @ v, a.domain, a.codomain, right, method, limits)
    matrix = as_array(a)
    if method == "direct":
        return xp.linalg.solve(matrix, as_array(b))
    right = as_array(b)
    if matrix.ndim != 2 or right.shape != matrix.shape[:1]:
        raise shape_error(
            f"linear_solve: a matrix of shape {list(matrix.shape)} for a right side of shape "
            f"{list(right.shape)}",
            "an iteration takes a matrix [m, n] and a vector [m]; ad.vmap solves for several",
        )
    dtype = xp.result_type(matrix.dtype, right.dtype, "float32")
    matrix, right = as_array(matrix, dtype), as_array(right, dtype)
    domain, codomain = space_of(matrix[0] if matrix.shape[0] else right), space_of(right)
    return _iterated(lambda v: matrix @ v, domain, codomain, right, method, limits)


def _by_function(method: str, limits: Limits, f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    (b,) = args
    require_arguments(f, 1, "linear_solve")
    space, _ = unknowns(b, "b", "linear_solve")
    right = as_array(space.flatten(b))

    def of_flat(v: Any) -> Any:
        value = f(space.unflatten(v))
        return flattened(value, space, f"linear_solve: {function_name(f)} returns an array")

    return _iterated(of_flat, space, space, right, method, limits, f)


def _iterated(
    apply: Callable[[Any], Any], domain: Space, codomain: Space, right: Any, method: str, limits: Limits,
    given: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """The solution for a map on flat vectors, by any method; `given` is the function that it comes from."""
    if method != "lsmr":
        _require_square((codomain.size, domain.size))
    if domain.size == 0:
        return domain.unflatten(right[:0])
    operator = closed(apply, [flat_type(domain)], ())
    if given is not None:
        _require_linear(operator.code, given)
    if method == "direct":
        return domain.unflatten(xp.linalg.solve(matrix_of(operator, flat_type(domain), operator.data), right))
    own = Limits(limits.tol, limits.maxiter or max(100, 10 * domain.size))
    x = inverses(operator, flat_type(domain), method, own)[0](right, *operator.data)
    report_failures(
        xp.logical_not(finite(x)),
        f"linear_solve by {method} does not converge in {own.maxiter} steps: {_ADVICE[method]}",
    )
    return domain.unflatten(x)


_ADVICE = {
    "cg": "the map has to be symmetric and positive definite; gmres takes others",
    "gmres": "the map may be singular",
    "lsmr": "the map needs full column rank",
}
"""The likely fault, by method."""


def _require_square(shape: tuple[int, int]) -> None:
    rows, columns = shape
    if rows != columns:
        raise linear_algebra_error(
            f"linear_solve: a map with {rows} rows and {columns} columns has no inverse",
            "method='lsmr' gives the solution of least squares",
        )


def _require_linear(code: Any, f: Callable[..., Any]) -> None:
    """Raise where the code of a function is known not to be linear in its first argument."""
    for found in dependences(code, [code.block.args[0]]):
        if found.has_fixed_part or not (found.is_linear or isinstance(found.op, CallOp)):
            where = None if found.op is None else location_of(found.op)
            raise DifferentiationError(
                f"linear_solve: {function_name(f)} is not linear",
                location=where or definition_of(f) or user_line(),
                hint="return sums of what is linear in x, without a constant part; ad.root solves f(x) = 0",
            )
