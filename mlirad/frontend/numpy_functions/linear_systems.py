"""Linear systems, and what LU and Cholesky factors give: `np.linalg.solve`, `inv`, `det`, `cholesky` ...

What NumPy raises for a singular matrix, or for one that is not positive definite, is found when the program
runs, and raised when the call ends.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.frontend.numpy_functions.factors import linear_algebra_error, report_failure, require_square
from mlirad.frontend.numpy_functions.parameters import ArrayLike, AxisList, Flag, Int, OperandLike
from mlirad.frontend.numpy_functions.products import matmul
from mlirad.frontend.numpy_functions.tracings import tracings
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    as_array,
    broadcast_shapes,
    broadcast_value,
    common,
    inexact,
    operand_of,
    xp,
)
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.shapes import distinct_axes
from mlirad.ir.matrices import diagonal, identity

SLOGDET_RESULT: Any = type(np.linalg.slogdet(np.eye(1)))
"""NumPy's named tuple of sign and logarithm."""

Solver = Callable[[Value, Value], Value]
"""Emits an op that solves systems of one batch."""

WRITTEN_OUT = 3
"""Determinants of so many rows are written out as polynomials, which have derivatives where they are 0."""


def require_regular(x: Array) -> None:
    """Report a singular matrix: one with a zero on the diagonal of U."""
    b = emitting()
    pivots = diagonal(b, b.lu("factors", x.value))
    report_failure(b.compare("eq", pivots, b.zeros(pivots.type)), "Singular matrix")


def solutions(a: Array, x: Array, solver: Solver | None = None) -> Array:
    """The solutions of systems with right sides in columns, by `solve` or another op; batches broadcast."""
    b = emitting()
    solver = b.solve if solver is None else solver
    if a.ndim == 2 and x.ndim > 2:
        *batch, rows, columns = x.shape
        wide = xp.reshape(xp.moveaxis(x, -2, 0), (rows, prod(batch) * columns))
        found = xp.reshape(made(solver(a.value, wide.value)), (rows, *batch, columns))
        return xp.moveaxis(found, 0, -2)
    batch = broadcast_shapes([a.shape[:-2], x.shape[:-2]], "a batch of matrices")
    return made(solver(*(broadcast_value(b, m.value, (*batch, *m.shape[-2:])) for m in (a, x))))


def right_sides(a: OperandLike, b: OperandLike, name: str) -> tuple[Array, Array, bool]:
    """Square matrices and right sides in columns, of one dtype; and whether these were vectors."""
    matrix, x = common([operand_of(a), operand_of(b)])
    matrix, x = require_square(matrix, name), inexact(x)
    columns = x[:, None] if x.ndim == 1 else x
    if columns.ndim < 2 or columns.shape[-2] != matrix.shape[-1]:
        raise shape_error(
            f"{name}: right sides of shape {x.shape} for matrices of shape {matrix.shape}",
            "vectors have one dimension, matrices of right sides in columns at least two",
        )
    return matrix, columns, x.ndim == 1


def solve(a: OperandLike, b: OperandLike) -> Array:
    """`np.linalg.solve`. Raises for singular matrices."""
    matrix, columns, is_vector = right_sides(a, b, "solve")
    require_regular(matrix)
    found = solutions(matrix, columns)
    return found[..., 0] if is_vector else found


def inv(a: ArrayLike) -> Array:
    """`np.linalg.inv`. Raises for singular matrices."""
    x = require_square(a, "inv")
    require_regular(x)
    return made(emitting().solve(x.value, identity(emitting(), x.value.type)))


def det(a: ArrayLike) -> Array:
    """`np.linalg.det`."""
    x = require_square(a, "det")
    if x.shape[-1] <= WRITTEN_OUT:
        return _written_out(x)
    b = emitting()
    diagonals = diagonal(b, b.lu("factors", x.value))
    return made(b.reduce("prod", diagonals, (len(shape_of(diagonals)) - 1,))) * _parity(x)


def _written_out(x: Array) -> Array:
    """The determinants of matrices of a few rows, by the first row."""
    n = x.shape[-1]
    if n == 0:
        return as_array(np.ones(x.shape[:-2], x.dtype))
    if n == 1:
        return x[..., 0, 0]
    if n == 2:
        return x[..., 0, 0] * x[..., 1, 1] - x[..., 0, 1] * x[..., 1, 0]
    minors = [x[..., 1, i] * x[..., 2, j] - x[..., 1, j] * x[..., 2, i] for i, j in ((1, 2), (0, 2), (0, 1))]
    return x[..., 0, 0] * minors[0] - x[..., 0, 1] * minors[1] + x[..., 0, 2] * minors[2]


def _parity(x: Array) -> Array:
    """-1 for matrices of which LU factorisation exchanges an odd number of rows, else 1."""
    b = emitting()
    pivots = b.lu("pivots", x.value)
    shape, element = shape_of(pivots), element_of(x.value)
    stays = b.compare("eq", pivots, b.iota(shape, len(shape) - 1))
    type_ = array_type(shape, element)
    signs = b.select(stays, b.splat(1, type_), b.splat(-1, type_))
    return made(b.reduce("prod", signs, (len(shape) - 1,)))


def slogdet(a: ArrayLike) -> Any:
    """`np.linalg.slogdet`: 0 and -inf for singular matrices."""
    x = require_square(a, "slogdet")
    b = emitting()
    diagonals = made(diagonal(b, b.lu("factors", x.value)))
    sign = xp.prod(xp.sign(diagonals), axis=-1) * _parity(x)
    return SLOGDET_RESULT(sign, xp.sum(xp.log(xp.abs(diagonals)), axis=-1))


def cholesky(a: ArrayLike, *, upper: Flag = False) -> Array:
    """`np.linalg.cholesky`. Raises for matrices that are not positive definite."""
    x = require_square(a, "cholesky")
    read = xp.matrix_transpose(x) if upper else x
    factor = cholesky_factor(read, "Matrix is not positive definite")
    return xp.matrix_transpose(factor) if upper else factor


def cholesky_factor(x: Array, message: str) -> Array:
    """The lower triangular factor; raises with the message where there is none.

    As in NumPy, elements that are NaN raise nothing: they make a factor of NaN.
    """
    factor = made(emitting().cholesky(x.value))
    if x.shape[-1]:
        has_nan = xp.any(xp.tril(xp.isnan(x)), axis=(-2, -1))
        report_failure((xp.isnan(factor[..., 0, 0]) & ~has_nan).value, message)
    return factor


def matrix_power(a: ArrayLike, n: Int) -> Array:
    """`np.linalg.matrix_power`, by repeated squaring; of negative powers of the inverse."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise linear_algebra_error(
            f"matrix_power needs square matrices, got shape {a.shape}", "x @ x.T is one"
        )
    x, power = (inv(a), -n) if n < 0 else (a, n)
    if power == 3:  # as NumPy multiplies
        return matmul(matmul(x, x), x)
    result: Array | None = None
    while power:
        if power & 1:
            result = x if result is None else matmul(result, x)
        power >>= 1
        if power:
            x = matmul(x, x)
    return as_array(np.eye(x.shape[-1], dtype=x.dtype) + xp.zeros_like(x)) if result is None else result


def tensorsolve(a: OperandLike, b: OperandLike, axes: AxisList | None = None) -> Array:
    """`np.linalg.tensorsolve`."""
    matrix, x = common([operand_of(a), operand_of(b)])
    if axes is not None:
        moved = distinct_axes(axes, matrix.ndim)
        kept = [d for d in range(matrix.ndim) if d not in moved]
        matrix = xp.transpose(matrix, [*kept, *moved])
    shape = matrix.shape[x.ndim :]
    if prod(shape) != prod(matrix.shape[: x.ndim]) or prod(shape) != prod(x.shape):
        raise linear_algebra_error(
            f"tensorsolve: {prod(x.shape)} equations for unknowns of shape {shape}",
            "the first dimensions of a are those of b, and as many unknowns as equations follow",
        )
    return xp.reshape(solve(xp.reshape(matrix, (prod(shape), prod(shape))), xp.ravel(x)), shape)


def tensorinv(a: ArrayLike, ind: Int = 2) -> Array:
    """`np.linalg.tensorinv`."""
    if ind <= 0:
        raise shape_error(f"tensorinv: ind must be positive, got {ind}", "it counts the first dimensions")
    rows, columns = a.shape[:ind], a.shape[ind:]
    return xp.reshape(inv(xp.reshape(a, (prod(rows), -1))), (*columns, *rows))


FUNCTIONS = tracings(
    linalg_solve=solve, linalg_inv=inv, linalg_det=det, linalg_slogdet=slogdet, linalg_cholesky=cholesky,
    linalg_matrix_power=matrix_power, linalg_tensorsolve=tensorsolve, linalg_tensorinv=tensorinv,
)  # fmt: skip
"""What this file traces."""
