"""Linear systems, and what LU and Cholesky factors give: `np.linalg.solve`, `inv`, `cholesky` ...

A matrix that is singular or not positive definite is found when the program runs, and NumPy's error is raised
when the call ends.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import AxisList, Flag, Int
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    MatrixOperand,
    adjoint,
    common_matrices,
    floating,
    identity_like,
    linear_algebra_error,
    lower_factor,
    pivots,
    report_failure,
    require_square,
    solutions,
    solved,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.shapes import distinct_axes


def require_regular(x: Matrix) -> None:
    """Report a singular matrix: one with a zero on the diagonal of U."""
    report_failure(xp.equal(pivots(x), 0).value, "Singular matrix")


def right_sides(a: Any, b: Any, name: str) -> tuple[Matrix, Matrix, bool]:
    """Square matrices and right sides in columns, of one dtype; and whether these were vectors."""
    matrix, x = common_matrices([a, b])
    matrix, x = require_square(matrix, name), floating(x)
    columns = x[:, None] if x.ndim == 1 else x
    if columns.ndim < 2 or columns.shape[-2] != matrix.shape[-1]:
        raise shape_error(
            f"{name}: right sides of shape {x.shape} for matrices of shape {matrix.shape}",
            "vectors have one dimension, matrices of right sides in columns at least two",
        )
    return matrix, columns, x.ndim == 1


def solve(a: MatrixOperand, b: MatrixOperand) -> Matrix:
    """`np.linalg.solve`. Raises for singular matrices."""
    matrix, columns, is_vector = right_sides(a, b, "solve")
    require_regular(matrix)
    found = solutions(matrix, columns)
    return found[..., 0] if is_vector else found


def inv(a: MatrixLike) -> Matrix:
    """`np.linalg.inv`. Raises for singular matrices."""
    x = require_square(a, "inv")
    require_regular(x)
    return solved(x, identity_like(x))


def cholesky(a: MatrixLike, *, upper: Flag = False) -> Matrix:
    """`np.linalg.cholesky`. Raises for matrices that are not positive definite."""
    x = require_square(a, "cholesky")
    read = adjoint(x) if upper else x
    factor = cholesky_factor(read, "Matrix is not positive definite")
    return adjoint(factor) if upper else factor


def cholesky_factor(x: Matrix, message: str) -> Matrix:
    """The lower triangular factor; raises with the message for a matrix that has none.

    As in NumPy, elements that are NaN raise nothing: they make a factor of NaN.
    """
    factor = lower_factor(x)
    if x.shape[-1]:
        has_nan = xp.any(xp.tril(xp.isnan(x)), axis=(-2, -1))
        report_failure((xp.isnan(factor[..., 0, 0]) & ~has_nan).value, message)
    return factor


def matrix_power(a: MatrixLike, n: Int) -> Matrix:
    """`np.linalg.matrix_power`, by repeated squaring; of negative powers of the inverse."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise linear_algebra_error(
            f"matrix_power needs square matrices, got shape {a.shape}", "x @ x.T is one"
        )
    x, power = (inv(a), -n) if n < 0 else (a, n)
    if power == 3:  # as NumPy multiplies
        return (x @ x) @ x
    result: Matrix | None = None
    while power:
        if power & 1:
            result = x if result is None else result @ x
        power >>= 1
        if power:
            x = x @ x
    return np.eye(x.shape[-1], dtype=x.dtype) + xp.zeros_like(x) if result is None else result


def tensorsolve(a: MatrixOperand, b: MatrixOperand, axes: AxisList | None = None) -> Matrix:
    """`np.linalg.tensorsolve`."""
    matrix, x = common_matrices([a, b])
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


def tensorinv(a: MatrixLike, ind: Int = 2) -> Matrix:
    """`np.linalg.tensorinv`."""
    if ind <= 0:
        raise shape_error(f"tensorinv: ind must be positive, got {ind}", "it counts the first dimensions")
    rows, columns = a.shape[:ind], a.shape[ind:]
    return xp.reshape(inv(xp.reshape(a, (prod(rows), -1))), (*columns, *rows))


FUNCTIONS = tracings(
    linalg_solve=solve, linalg_inv=inv, linalg_cholesky=cholesky,
    linalg_matrix_power=matrix_power, linalg_tensorsolve=tensorsolve, linalg_tensorinv=tensorinv,
)  # fmt: skip
"""The functions that this file traces."""
