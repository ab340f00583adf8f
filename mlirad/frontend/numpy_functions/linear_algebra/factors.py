"""The shared parts of linear algebra: matrices, parts of factorisations, solutions, and failures.

Matrices are traced arrays, of real or of complex numbers. Functions on them are written once, with `adjoint`,
the functions of NumPy that take both, and those of this file, which hand complex matrices over as pairs.

A matrix that is singular or not positive definite, or an iteration that does not converge, is found when the
program runs, and NumPy's error is raised when the call ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Annotated, Any, TypeAlias

import numpy as np

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import FLAG, Value, shape_of
from mlirad.errors import LinearAlgebraError
from mlirad.frontend.numpy_functions.calls.parameters import kind
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray, holds_complex
from mlirad.frontend.tracing.complex_pairs import as_complex, cast_parts, real_or_complex
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.operations import broadcast_shapes, common, inexact, operand_of, xp
from mlirad.frontend.tracing.raising import Located
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report
from mlirad.ir import matrices
from mlirad.ir.builder import yields

linear_algebra_error = Located(LinearAlgebraError)

Matrix: TypeAlias = Any
"""An `Array` or a `ComplexArray`."""


def _matrix(value: Any) -> Matrix:
    return real_or_complex(value)


def matrix_operand(value: Any) -> Any:
    """An operand as it is, which may be complex."""
    return as_complex(value) if holds_complex([value]) else operand_of(value)


MatrixLike: TypeAlias = Annotated[Any, kind("an array", _matrix)]
"""A traced array, which may be complex."""

MatrixOperand: TypeAlias = Annotated[Any, kind("an array or a number", matrix_operand)]
"""An operand as it is, which may be complex: Python scalars keep no dtype of their own."""


def floating(x: Matrix) -> Matrix:
    """The array in a dtype of floats or of complex numbers."""
    return x if isinstance(x, ComplexArray) else inexact(x)


def common_matrices(operands: Sequence[Any]) -> list[Matrix]:
    """Operands as arrays of one dtype, complex if one of them is."""
    if not holds_complex(operands):
        return list(common(operands))
    found = [as_complex(x) for x in operands]
    part = np.result_type(*(z.real.dtype for z in found))
    return [cast_parts(z, part) for z in found]


def real_dtype(x: Matrix) -> np.dtype[Any]:
    """The dtype of the parts of complex numbers, or of real ones."""
    return x.real.dtype if isinstance(x, ComplexArray) else x.dtype


def adjoint(x: Matrix) -> Matrix:
    """The transposed matrices, of complex numbers their conjugates."""
    turned = xp.matrix_transpose(x)
    return xp.conjugate(turned) if isinstance(x, ComplexArray) else turned


def squared(x: Matrix) -> Array:
    """The squares of real numbers, and of the moduli of complex ones."""
    return x.real * x.real + x.imag * x.imag if isinstance(x, ComplexArray) else xp.square(x)


def require_square(x: Matrix, name: str) -> Matrix:
    """Matrices of floats; raises unless they are square."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise linear_algebra_error(
            f"{name} needs square matrices in the last two dimensions, got shape {x.shape}",
            "x @ x.T is square",
        )
    return floating(x)


def require_matrices(x: Matrix, name: str) -> Matrix:
    """Matrices of floats; raises unless there are two dimensions at least."""
    if x.ndim < 2:
        raise linear_algebra_error(
            f"{name} needs matrices in the last two dimensions, got shape {x.shape}", "x[:, None] is a matrix"
        )
    return floating(x)


def report_failure(condition: Value, message: str) -> None:
    """Let the call raise a `LinearAlgebraError` where the condition holds for a member of the batch."""
    b = emitting()
    if b.scalar_of(condition) is False or 0 in shape_of(condition):
        return
    if not has_reports():
        raise ReportsNeeded
    rank = len(shape_of(condition))
    report("matrix", b.reduce("or", condition, range(rank)) if rank else condition, [], message)


# Complex matrices as pairs --------------------------------------------------------------------------


def as_pairs(x: Matrix) -> Value:
    """Return what ops are given: complex numbers as pairs along a trailing dimension."""
    return xp.stack([x.real, x.imag], axis=-1).value if isinstance(x, ComplexArray) else x.value


def from_pairs(value: Value) -> ComplexArray:
    """The complex array of such pairs."""
    pairs = made(value)
    return ComplexArray(pairs[..., 0], pairs[..., 1])


def parts(name: str, x: Matrix, *names: str) -> list[Matrix]:
    """Parts of a factorisation, by the name of a constructor of the builder such as `svd`."""
    is_complex, given = isinstance(x, ComplexArray), as_pairs(x)
    found: list[Matrix] = []
    for part in names:
        value = getattr(emitting(), name)(part, given, is_complex=is_complex)
        is_real = part in ("pivots", "permutation") or (part == "values" and name != "eig")
        is_paired = name == "eig" or (is_complex and not is_real)
        found.append(from_pairs(value) if is_paired else made(value))
    return found


def lower_factor(x: Matrix) -> Matrix:
    """The lower triangular Cholesky factor."""
    if isinstance(x, ComplexArray):
        return from_pairs(emitting().cholesky(as_pairs(x), is_complex=True))
    return made(emitting().cholesky(x.value))


def diagonal(x: Matrix) -> Matrix:
    """The diagonals of matrices."""
    if isinstance(x, ComplexArray):
        return ComplexArray(diagonal(x.real), diagonal(x.imag))
    return made(matrices.diagonal(emitting(), x.value))


def pivots(x: Matrix) -> Matrix:
    """The diagonals of the factors U of LU factorisations."""
    (factors,) = parts("lu", x, "factors")
    return diagonal(factors)


def identity_like(x: Matrix) -> Matrix:
    """Identity matrices in the shape of these."""
    real = x.real if isinstance(x, ComplexArray) else x
    ones = made(matrices.identity(emitting(), real.value.type))
    return ComplexArray(ones, xp.zeros_like(ones)) if isinstance(x, ComplexArray) else ones


Solver: TypeAlias = Callable[[Matrix, Matrix], Matrix]
"""Solves systems of one batch."""


def solved(a: Matrix, x: Matrix) -> Matrix:
    """The solutions of systems of one batch and dtype, with right sides in columns."""
    if isinstance(a, ComplexArray):
        return from_pairs(emitting().solve(as_pairs(a), as_pairs(x), is_complex=True))
    return made(emitting().solve(a.value, x.value))


def triangular_solved(a: Matrix, x: Matrix, **flags: bool) -> Matrix:
    """The same of triangular systems, `upper`, `transposed` or `unit`."""
    if isinstance(a, ComplexArray):
        return from_pairs(emitting().triangular_solve(as_pairs(a), as_pairs(x), complex=True, **flags))
    return made(emitting().triangular_solve(a.value, x.value, **flags))


def solutions(a: Matrix, x: Matrix, solver: Solver = solved) -> Matrix:
    """The solutions of systems with right sides in columns; batches broadcast."""
    if a.ndim == 2 and x.ndim > 2:
        *batch, rows, columns = x.shape
        wide = xp.reshape(xp.moveaxis(x, -2, 0), (rows, prod(batch) * columns))
        found = xp.reshape(solver(a, wide), (rows, *batch, columns))
        return xp.moveaxis(found, 0, -2)
    batch = broadcast_shapes([a.shape[:-2], x.shape[:-2]], "a batch of matrices")
    return solver(*(xp.broadcast_to(m, (*batch, *m.shape[-2:])) for m in (a, x)))


def triangular_solutions(a: Matrix, x: Matrix, **flags: bool) -> Matrix:
    """The solutions of triangular systems; batches broadcast."""
    return solutions(a, x, partial(triangular_solved, **flags))


# Values ---------------------------------------------------------------------------------------------


def report_no_convergence(values: Matrix, what: str) -> None:
    """Let the call raise where an iteration has not converged."""
    if values.shape[-1]:
        report_failure(xp.isnan(values[..., 0]).value, f"{what} did not converge")


def singular_values(x: Matrix) -> Array:
    """The singular values of matrices of floats."""
    (values,) = parts("svd", x, "values")
    report_no_convergence(values, "SVD")
    return values


# Derivatives ----------------------------------------------------------------------------------------


def with_derivative(
    x: Matrix, value: Callable[[Matrix], Matrix], derivative: Callable[[Matrix, Matrix, Matrix], Matrix]
) -> Matrix:
    """A function of one array whose derivative is a function of that, the result and a tangent."""
    b, given = emitting(), as_pairs(x)
    opened = from_pairs if isinstance(x, ComplexArray) else made
    body = b.region([given.type], _scoped(value, opened))
    (found,) = yields(body)
    rule = b.region([given.type, found.type, given.type], _scoped(derivative, opened))
    (result,) = b.insert(CustomOp, [given], [found.type], {"results": FLAG}, [body, rule]).results
    return opened(result)


def chosen(flag: Array, then: Callable[[], Matrix], otherwise: Callable[[], Matrix], like: Matrix) -> Matrix:
    """One of two matrices of the kind of `like`; only the chosen one is computed. Neither may report."""
    opened = from_pairs if isinstance(like, ComplexArray) else made
    branches = [_scoped(branch, opened) for branch in (then, otherwise)]
    (found,) = emitting().if_(flag.value, *branches)
    return opened(found)


def _scoped(function: Callable[..., Matrix], opened: Callable[[Value], Matrix]) -> Callable[..., list[Any]]:
    """A function of matrices as the body of a region."""
    frame = current_frame()

    def body(*values: Any) -> list[Any]:
        with frame.open_scope():
            return [as_pairs(function(*map(opened, values)))]

    return body
