"""Systems of banded, Toeplitz and circulant matrices, and matrix equations: `scipy.linalg.solve_banded` ...

A banded matrix is eliminated column by column, in a window of the rows that have an element there:

    l = 1, u = 1, step k      a[k,   k]  a[k,   k+1]  0             the row of the pivot leaves, and its
                              a[k+1, k]  a[k+1, k+1]  a[k+1, k+2]   multiples are subtracted from the others

Pivots are the largest elements, so what leaves has up to l + u elements right of the diagonal. For n rows
this takes some n l (l + u) multiplications, forward and in derivatives, which are those of the elimination.

Banded systems are eliminated in the language: LAPACK's routines would be another op with two maps, for an
algorithm that is a scan over the rows. Sylvester's equation is a dense system of all its unknowns: Schur
forms would cost less for large matrices, but the derivative of a Schur form does not exist where eigenvalues
are equal, though that of the solution does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

import numpy as np

from mlirad.frontend.constructs.loops import scan
from mlirad.frontend.numpy_functions.calls.parameters import Flag, kind, static_of
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    MatrixOperand,
    adjoint,
    common_matrices,
    floating,
    matrix_operand,
    report_failure,
    require_square,
)
from mlirad.frontend.numpy_functions.linear_algebra.linear_systems import solve
from mlirad.frontend.numpy_functions.linear_algebra.matrix_functions import toeplitz
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error

INDEFINITE = "the matrix is not positive definite"
"""The fault of a Hermitian matrix that cannot be eliminated without exchanges of rows."""


def _widths(value: Any) -> tuple[int, int]:
    lower, upper = (static_of(int, np.integer)(v) for v in value)
    return int(lower), int(upper)


def _column_and_row(value: Any) -> tuple[Any, Any]:
    if isinstance(value, tuple):
        column, row = cast("tuple[Any, Any]", value)
        return matrix_operand(column), matrix_operand(row)
    return matrix_operand(value), None


Widths = Annotated[Any, kind("two integers, the numbers of lower and upper diagonals", _widths)]
"""The number of diagonals that a banded matrix has below and above its main one."""

Limit = Annotated[Any, kind("a number", static_of(int, float, np.number))]
"""The modulus up to which an eigenvalue counts as zero."""

ColumnAndRow = Annotated[Any, kind("a vector, or a tuple of two", _column_and_row)]
"""The first column of a Toeplitz matrix, and its first row if that is not the conjugate."""


def solve_banded(l_and_u: Widths, ab: MatrixOperand, b: MatrixOperand) -> Matrix:
    """`scipy.linalg.solve_banded`. Raises for singular matrices."""
    lower, upper = l_and_u
    bands, right = (floating(x) for x in common_matrices([ab, b]))
    if lower < 0 or upper < 0 or bands.ndim != 2 or bands.shape[0] != lower + upper + 1:
        raise shape_error(
            f"solve_banded: {lower} lower and {upper} upper diagonals in an array of shape {bands.shape}",
            f"it has a row for each diagonal, {lower + upper + 1} with the main one",
        )
    return _solved(bands, right, (lower, upper), "solve_banded", is_definite=False)


def solveh_banded(ab: MatrixOperand, b: MatrixOperand, *, lower: Flag = False) -> Matrix:
    """`scipy.linalg.solveh_banded`. Raises for matrices that are not positive definite."""
    bands, right = (floating(x) for x in common_matrices([ab, b]))
    if bands.ndim != 2 or not bands.shape[0]:
        raise shape_error(
            f"solveh_banded: diagonals in an array of shape {bands.shape}", "it has a row for each diagonal"
        )
    width, n = bands.shape[0] - 1, bands.shape[1]
    mirrored: list[Matrix] = []
    for k in range(1, width + 1):  # the other diagonals, each moved to the columns that it lies in
        row = xp.conjugate(bands[k if lower else width - k])
        moved = xp.roll(row, k if lower else -k)
        mirrored.append(moved[None])
    parts = [*mirrored[::-1], bands] if lower else [bands, *mirrored]
    whole = xp.reshape(xp.concatenate(parts, axis=0), (2 * width + 1, n))
    return _solved(whole, right, (width, width), "solveh_banded", is_definite=True)


def _solved(ab: Matrix, b: Matrix, widths: tuple[int, int], name: str, *, is_definite: bool) -> Matrix:
    """The solutions, by elimination and back substitution."""
    (lower, upper), n = widths, int(ab.shape[1])
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise shape_error(
            f"{name}: right sides of shape {b.shape} for {n} unknowns",
            "a vector, or a matrix with right sides in columns, has a row for each unknown",
        )
    if not b.size:
        return b
    right = b[:, None] if b.ndim == 1 else b
    width = lower + upper + 1
    places = np.arange(n)[:, None] + np.arange(width) - lower  # the columns of a row
    is_inside = (places >= 0) & (places < n)
    rows = xp.where(is_inside, ab[np.arange(width)[::-1], np.clip(places, 0, n - 1)], 0)
    rows, sides = (_with_zeros(x, lower + 1) for x in (rows, right))

    window = xp.stack(
        [
            xp.concatenate([rows[k, lower - k :], xp.zeros_like(rows[k, : lower - k])])
            for k in range(lower + 1)
        ]
    )
    start = window, sides[: lower + 1]
    pivot_rows, pivot_sides = scan(_step(lower, is_definite), start, (rows[lower + 1 :], sides[lower + 1 :]))[
        1
    ]
    pivots = pivot_rows[:, 0]
    if is_definite:
        report_failure(xp.logical_not(pivots.real > 0).value, INDEFINITE)
    else:
        report_failure(xp.equal(pivots, 0).value, "singular matrix")

    def substitute(known: Matrix, row: tuple[Matrix, Matrix]) -> tuple[Matrix, Matrix]:
        coefficients, side = row
        x = (side - coefficients[1:] @ known) / coefficients[0]
        return xp.concatenate([x[None], known])[: width - 1], x

    nothing = xp.zeros_like(_with_zeros(right, width))[: width - 1]
    found = scan(substitute, nothing, (pivot_rows[::-1], pivot_sides[::-1]))[1][::-1]
    return found[:, 0] if b.ndim == 1 else found


def _with_zeros(x: Matrix, count: int) -> Matrix:
    """The matrix with a given number of rows of zeros below."""
    return xp.pad(x, [(0, count), (0, 0)])


def _step(lower: int, is_definite: bool) -> Callable[[Any, Any], Any]:
    """The elimination of one column."""

    def step(window: tuple[Matrix, Matrix], entering: tuple[Matrix, Matrix]) -> Any:
        both = window
        if not is_definite and lower:
            chosen = xp.argmax(xp.abs(both[0][:, 0]))
            is_chosen = (np.arange(lower + 1) == chosen)[:, None]
            first = tuple(x[chosen] for x in both)
            others = tuple(xp.where(is_chosen, x[0], x)[1:] for x in both)
        else:
            first, others = tuple(x[0] for x in both), tuple(x[1:] for x in both)
        pivot = first[0][0]
        # Where there is no pivot nothing is left to eliminate, and the singular matrix is reported.
        factors = others[0][:, :1] / xp.where(xp.equal(pivot, 0), 1, pivot)
        rows, sides = (x - factors * y for x, y in zip(others, first, strict=True))
        rows = xp.concatenate([rows[:, 1:], xp.zeros_like(rows[:, :1])], axis=1)
        left = tuple(xp.concatenate([x, new[None]]) for x, new in zip((rows, sides), entering, strict=True))
        return left, first

    return step


# Toeplitz and circulant matrices --------------------------------------------------------------------


def solve_toeplitz(c_or_cr: ColumnAndRow, b: MatrixOperand) -> Matrix:
    """`scipy.linalg.solve_toeplitz`, by LU factors of the matrix, not by Levinson's recursion."""
    column, row = c_or_cr
    return solve(toeplitz(column, row), b)


def solve_circulant(c: MatrixOperand, b: MatrixOperand, *, tol: Limit | None = None) -> Matrix:
    """`scipy.linalg.solve_circulant`, of a vector c, by Fourier transforms. Raises for singular matrices."""
    column, right = (floating(x) for x in common_matrices([c, b]))
    if column.ndim != 1 or right.ndim not in (1, 2) or right.shape[0] != column.shape[0]:
        raise shape_error(
            f"solve_circulant: shapes {column.shape} and {right.shape} do not match",
            "the matrix is given by its first column, and right sides have as many rows",
        )
    values = xp.fft.fft(column)
    sizes = xp.abs(values)
    limit = xp.max(sizes) * column.shape[0] * np.finfo(column.dtype).eps if tol is None else tol
    report_failure((sizes <= limit).value, "singular circulant matrix.")
    found = xp.fft.ifft(xp.fft.fft(right, axis=0) / (values if right.ndim == 1 else values[:, None]), axis=0)
    return found if isinstance(right, ComplexArray) else found.real


# Matrix equations -----------------------------------------------------------------------------------


def solve_sylvester(a: MatrixOperand, b: MatrixOperand, q: MatrixOperand) -> Matrix:
    """`scipy.linalg.solve_sylvester`: X with A X + X B = Q, of m rows and n columns.

    By LU factors of the matrix of all m n unknowns, so it takes (m n)^3 multiplications and (m n)^2 numbers.
    Raises where an eigenvalue of A is the negative of one of B.
    """
    left, right, wanted = common_matrices([a, b, q])
    left, right = require_square(left, "solve_sylvester"), require_square(right, "solve_sylvester")
    if left.ndim != 2 or right.ndim != 2 or wanted.shape != (left.shape[0], right.shape[0]):
        raise shape_error(
            f"solve_sylvester: shapes {left.shape}, {right.shape} and {wanted.shape} do not match",
            "q has the rows of a and the columns of b",
        )
    m, n = wanted.shape
    matrix = xp.kron(left, np.eye(n, dtype=left.dtype)) + xp.kron(
        np.eye(m, dtype=left.dtype), xp.matrix_transpose(right)
    )
    return xp.reshape(solve(matrix, xp.ravel(wanted)), (m, n))


def solve_continuous_lyapunov(a: MatrixLike, q: MatrixOperand) -> Matrix:
    """`scipy.linalg.solve_continuous_lyapunov`: X with A X + X A^H = Q; see `solve_sylvester`."""
    return solve_sylvester(a, adjoint(require_square(a, "solve_continuous_lyapunov")), q)


def solve_discrete_lyapunov(
    a: MatrixLike, q: MatrixOperand, method: Literal["direct", "bilinear", None] = None
) -> Matrix:
    """`scipy.linalg.solve_discrete_lyapunov`: X with A X A^H - X + Q = 0, by all unknowns at once."""
    left, wanted = common_matrices([require_square(a, "solve_discrete_lyapunov"), q])
    if left.ndim != 2 or wanted.shape != left.shape:
        raise shape_error(
            f"solve_discrete_lyapunov: shapes {left.shape} and {wanted.shape} do not match",
            "both matrices are square and of one shape",
        )
    n = left.shape[0]
    matrix = np.eye(n * n, dtype=left.dtype) - xp.kron(left, xp.conjugate(left))
    return xp.reshape(solve(matrix, xp.ravel(wanted)), (n, n))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "solve_banded": solve_banded, "solveh_banded": solveh_banded, "solve_toeplitz": solve_toeplitz,
    "solve_circulant": solve_circulant, "solve_sylvester": solve_sylvester,
    "solve_continuous_lyapunov": solve_continuous_lyapunov, "solve_lyapunov": solve_continuous_lyapunov,
    "solve_discrete_lyapunov": solve_discrete_lyapunov,
}  # fmt: skip
"""The functions that trace those of `scipy.linalg`, by their names there."""
