"""What functions of linear algebra share: checks of shapes, parts of factorisations, and failures.

What NumPy raises for a singular matrix, for one that is not positive definite, or where an iteration does not
converge, is found when the program runs, and raised when the call ends.
"""

from __future__ import annotations

from collections.abc import Callable

from mlirad.dialects.shapes import Value, shape_of
from mlirad.errors import LinearAlgebraError
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import inexact, xp
from mlirad.frontend.tracing.raising import Located
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report

linear_algebra_error = Located(LinearAlgebraError)


def require_square(x: Array, name: str) -> Array:
    """Matrices of floats; raises unless they are square."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise linear_algebra_error(
            f"{name} needs square matrices in the last two dimensions, got shape {x.shape}",
            "x @ x.T is square",
        )
    return inexact(x)


def require_matrices(x: Array, name: str) -> Array:
    """Matrices of floats; raises unless there are two dimensions at least."""
    if x.ndim < 2:
        raise linear_algebra_error(
            f"{name} needs matrices in the last two dimensions, got shape {x.shape}", "x[:, None] is a matrix"
        )
    return inexact(x)


def report_failure(condition: Value, message: str) -> None:
    """Let the call raise a `LinearAlgebraError` where the condition holds for a member of the batch."""
    b = emitting()
    if b.scalar_of(condition) is False or 0 in shape_of(condition):
        return
    if not has_reports():
        raise ReportsNeeded
    rank = len(shape_of(condition))
    report("matrix", b.reduce("or", condition, range(rank)) if rank else condition, [], message)


def parts(constructor: Callable[[str, Value], Value], x: Array, *names: str) -> list[Array]:
    """Parts of a factorisation, by a constructor of the builder such as `svd`."""
    return [made(constructor(name, x.value)) for name in names]


def report_no_convergence(values: Array, what: str) -> None:
    """Let the call raise where an iteration has not converged."""
    if values.shape[-1]:
        report_failure(xp.isnan(values[..., 0]).value, f"{what} did not converge")


def singular_values(x: Array) -> Array:
    """The singular values of matrices of floats."""
    (values,) = parts(emitting().svd, x, "values")
    report_no_convergence(values, "SVD")
    return values
