"""Functions of `scipy.linalg` on traced arrays, by their names there.

They are those of NumPy's names with other options, solutions by factors that are given, and a few more. How
they are reached is said in `mlirad.frontend.tracing.library_calls`, as SciPy has no protocol for it.
Elements are not checked for being finite: NaN and infinities go through, as in all of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

from mlirad.frontend.constructs.loops import fori_loop
from mlirad.frontend.numpy_functions.calls.parameters import (
    Flag,
    kind,
)
from mlirad.frontend.numpy_functions.linear_algebra import (
    determinants,
    linear_systems,
    matrix_roots,
    norms,
    spectral,
    structured_systems,
)
from mlirad.frontend.numpy_functions.linear_algebra.completions import complete_qr, full_svd, polar
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    MatrixOperand,
    adjoint,
    common_matrices,
    diagonal,
    floating,
    matrix_operand,
    parts,
    report_failure,
    require_matrices,
    require_square,
    singular_values,
    triangular_solutions,
)
from mlirad.frontend.numpy_functions.linear_algebra.generalised import generalised_eigh, generalised_eigvalsh
from mlirad.frontend.numpy_functions.linear_algebra.linear_systems import cholesky_factor, right_sides
from mlirad.frontend.numpy_functions.linear_algebra.matrix_functions import block_diag, expm, toeplitz
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.dtypes import I32, I64
from mlirad.frontend.tracing.operations import common, converted, operand_of, xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error

Transposition = Literal[0, 1, 2, "N", "T", "C"]
"""True if the transposed system is solved."""

Structure = Literal["general", "gen", "positive definite", "pos", None]
"""The assumed structure of a matrix."""


def _pair_of(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        left, right = value
        return first(left), second(right)

    return read


Driver = Literal["ev", "evd", "evr", "evx", "gv", "gvd", "gvx", None]
"""The routine of LAPACK that finds eigenvalues; here it changes nothing."""

LuFactors = Annotated[Any, kind("what lu_factor returns", _pair_of(matrix_operand, operand_of))]
"""Factors and pivots."""

CholeskyFactor = Annotated[Any, kind("what cho_factor returns", _pair_of(matrix_operand, bool))]
"""A factor, and whether it is the lower one."""


def _turned(matrix: Matrix, x: Matrix, trans: Any, solver: Callable[..., Matrix], **flags: bool) -> Matrix:
    """The solutions of A X = B, A^T X = B or A^H X = B; the second by the third's conjugates."""
    if trans in (0, "N"):
        return solver(matrix, x, **flags)
    if trans in (1, "T") and isinstance(matrix, ComplexArray):
        return xp.conjugate(solver(matrix, xp.conjugate(x), transposed=True, **flags))
    return solver(matrix, x, transposed=True, **flags)


# Systems ------------------------------------------------------------------------------------------


def solve(
    a: MatrixOperand,
    b: MatrixOperand,
    lower: Flag = False,
    *,
    assume_a: Structure = None,
    transposed: Flag = False,
) -> Matrix:
    """`scipy.linalg.solve`."""
    matrix, x, is_vector = right_sides(a, b, "solve")
    if assume_a in ("pos", "positive definite"):
        found = cho_solve(cho_factor(matrix, lower=lower), x)
    else:
        found = linear_systems.solve(xp.matrix_transpose(matrix) if transposed else matrix, x)
    return found[..., 0] if is_vector else found


def inv(a: MatrixLike, *, assume_a: Literal["general", "gen", None] = None) -> Matrix:
    """`scipy.linalg.inv`."""
    return linear_systems.inv(a)


def det(a: MatrixLike) -> Matrix:
    """`scipy.linalg.det`."""
    return determinants.det(a)


def lu_factor(a: MatrixLike) -> tuple[Matrix, Array]:
    """`scipy.linalg.lu_factor`: LU factors in one matrix, and with which row each row is exchanged."""
    x = require_square(a, "lu_factor")
    factors, pivots = parts("lu", x, "factors", "pivots")
    return factors, converted(pivots, I32)


def lu_solve(lu_and_piv: LuFactors, b: MatrixOperand, trans: Transposition = 0) -> Matrix:
    """`scipy.linalg.lu_solve`."""
    given, swaps = lu_and_piv
    factors, x, is_vector = right_sides(given, b, "lu_solve")
    order = _order(converted(common([swaps])[0], I64))

    def solver(lu: Matrix, right: Matrix, *, transposed: bool = False) -> Matrix:
        if not transposed:
            rows = _taken_rows(right, order)
            return triangular_solutions(lu, triangular_solutions(lu, rows, unit=True), upper=True)
        inner = triangular_solutions(lu, right, upper=True, transposed=True)
        inner = triangular_solutions(lu, inner, unit=True, transposed=True)
        return _taken_rows(inner, xp.argsort(order, axis=-1))

    found = _turned(factors, x, trans, solver)
    return found[..., 0] if is_vector else found


def _order(swaps: Array) -> Array:
    """Return which row comes where after exchanges of rows."""
    n = swaps.shape[-1]
    last = xp.moveaxis(swaps, -1, 0)
    rows = np.arange(n).reshape((n,) + (1,) * (swaps.ndim - 1))

    def exchange(k: Any, order: Any) -> Any:
        mine, its = order[k], xp.sum(xp.where(rows == last[k], order, 0), axis=0)
        return xp.where(rows == k, its, xp.where(rows == last[k], mine, order))

    start = rows + xp.zeros_like(last)
    return xp.moveaxis(fori_loop(0, n, exchange, start) if n else start, 0, -1)


def _taken_rows(x: Matrix, order: Array) -> Matrix:
    """Rows of matrices in an order for each matrix."""
    if order.ndim == 1 and x.ndim > 2:
        return xp.take(x, order, axis=-2)
    batch = np.broadcast_shapes(x.shape[:-2], order.shape[:-1])
    rows = xp.broadcast_to(order[..., None], (*batch, *x.shape[-2:]))
    return xp.take_along_axis(xp.broadcast_to(x, (*batch, *x.shape[-2:])), rows, axis=-2)


def solve_triangular(
    a: MatrixOperand,
    b: MatrixOperand,
    trans: Transposition = 0,
    lower: Flag = False,
    unit_diagonal: Flag = False,
) -> Matrix:
    """`scipy.linalg.solve_triangular`. Raises where there is a zero on the diagonal."""
    matrix, x, is_vector = right_sides(a, b, "solve_triangular")
    if not unit_diagonal:
        is_zero = xp.equal(diagonal(matrix), 0)
        report_failure(is_zero.value, "singular matrix: a diagonal element is zero")
    found = _turned(matrix, x, trans, triangular_solutions, upper=not lower, unit=unit_diagonal)
    return found[..., 0] if is_vector else found


# Cholesky -----------------------------------------------------------------------------------------


def cholesky(a: MatrixLike, lower: Flag = False) -> Matrix:
    """`scipy.linalg.cholesky`: the upper triangular factor unless `lower`."""
    x = require_square(a, "cholesky")
    factor = cholesky_factor(x if lower else adjoint(x), structured_systems.INDEFINITE)
    return factor if lower else adjoint(factor)


def cho_factor(a: MatrixLike, lower: Flag = False) -> tuple[Matrix, bool]:
    """`scipy.linalg.cho_factor`: a Cholesky factor, elements of a in the other triangle, and `lower`."""
    x = require_square(a, "cho_factor")
    own = np.tril(np.ones(x.shape[-2:], bool)) if lower else np.triu(np.ones(x.shape[-2:], bool))
    return xp.where(own, cholesky(x, lower=lower), x), lower


def cho_solve(c_and_lower: CholeskyFactor, b: MatrixOperand) -> Matrix:
    """`scipy.linalg.cho_solve`."""
    given, is_lower = c_and_lower
    factor, x, is_vector = right_sides(given, b, "cho_solve")
    inner = triangular_solutions(factor, x, upper=not is_lower, transposed=not is_lower)
    found = triangular_solutions(factor, inner, upper=not is_lower, transposed=is_lower)
    return found[..., 0] if is_vector else found


# Other factorisations -----------------------------------------------------------------------------


def eigh(
    a: MatrixLike, b: MatrixOperand | None = None, *, lower: Flag = True, eigvals_only: Flag = False,
    type: Literal[1, 2, 3] = 1, driver: Driver = None,
) -> Any:  # fmt: skip
    """`scipy.linalg.eigh`, with all eigenvalues."""
    if eigvals_only:
        return eigvalsh(a, b, lower=lower, type=type)
    if b is not None:
        first, second = common_matrices([a, b])
        return generalised_eigh(first, second, type, lower)
    values, vectors = spectral.eigh(a, "L" if lower else "U")
    return values, vectors


def eigvalsh(
    a: MatrixLike, b: MatrixOperand | None = None, *, lower: Flag = True, type: Literal[1, 2, 3] = 1,
    driver: Driver = None,
) -> Array:  # fmt: skip
    """`scipy.linalg.eigvalsh`, with all eigenvalues."""
    if b is not None:
        first, second = common_matrices([a, b])
        return generalised_eigvalsh(first, second, type, lower)
    return spectral.eigvalsh(a, "L" if lower else "U")


def eig(a: MatrixLike) -> tuple[Matrix, Matrix]:
    """`scipy.linalg.eig` of the ordinary problem, with right eigenvectors; see `np.linalg.eig`."""
    values, vectors = spectral.eig(a)
    return values, vectors


def eigvals(a: MatrixLike) -> Matrix:
    """`scipy.linalg.eigvals` of the ordinary problem."""
    return spectral.eigvals(a)


def schur(a: MatrixLike, output: Literal["real", "complex", "r", "c"] = "real") -> tuple[Matrix, Matrix]:
    """`scipy.linalg.schur` in LAPACK's order of the eigenvalues: T and Z with a = Z T Z^H."""
    x = require_square(a, "schur")
    return spectral.schur(as_complex(x) if output.startswith("c") else x)


def qr(a: MatrixLike, mode: Literal["full", "r", "economic", "raw"] = "full") -> Any:
    """`scipy.linalg.qr`."""
    if mode == "raw":
        raise unsupported_error("qr with mode='raw' cannot be traced", "mode='economic' has Q and R")
    x = require_matrices(a, "qr")
    q, r = spectral.qr(x) if mode == "economic" else complete_qr(x)
    return (r,) if mode == "r" else (q, r)


def svd(a: MatrixLike, full_matrices: Flag = True, compute_uv: Flag = True) -> Any:
    """`scipy.linalg.svd`."""
    if not compute_uv:
        return spectral.svdvals(a)
    return full_svd(a) if full_matrices else tuple(spectral.svd(a))


def svdvals(a: MatrixLike) -> Array:
    """`scipy.linalg.svdvals`."""
    return spectral.svdvals(a)


def pinv(
    a: MatrixLike,
    *,
    atol: spectral.Cutoff | None = None,
    rtol: spectral.Cutoff | None = None,
    return_rank: Flag = False,
) -> Any:
    """`scipy.linalg.pinv`. Its derivative is that at constant rank."""
    x = require_matrices(a, "pinv")
    if not min(x.shape[-2:]):
        raise shape_error("pinv of a matrix without elements", "give it an element at least")
    values = singular_values(x)
    if rtol is None:
        rtol = max(x.shape[-2:]) * np.finfo(x.dtype).eps if atol is None else 0.0
    least = 0.0 if atol is None else atol

    def cutoff(s: Array) -> Any:
        return least + xp.max(s, axis=-1, keepdims=True) * rtol

    found = spectral.pseudo_inverse(x, cutoff)
    return (found, xp.sum(xp.greater(values, cutoff(values)), axis=-1)) if return_rank else found


def lstsq(a: MatrixOperand, b: MatrixOperand, cond: spectral.CutoffOfSolver | None = None) -> Any:
    """`scipy.linalg.lstsq`: solution, residuals, rank and singular values; see `np.linalg.lstsq`."""
    matrix, x = common_matrices([a, b])
    tolerance = np.finfo(floating(matrix).dtype).eps if cond is None else cond
    found, residuals, rank, values = spectral.lstsq(matrix, x, tolerance)
    return found, residuals[0] if x.ndim == 1 and residuals.shape == (1,) else residuals, rank, values


def norm(
    a: MatrixLike, ord: norms.Order | None = None, axis: norms.Axes | None = None, keepdims: Flag = False
) -> Array:
    """`scipy.linalg.norm`."""
    return norms.norm(a, ord, axis, keepdims)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "solve": solve, "inv": inv, "det": det, "lu_factor": lu_factor, "lu_solve": lu_solve,
    "solve_triangular": solve_triangular, "cholesky": cholesky, "cho_factor": cho_factor,
    "cho_solve": cho_solve, "eigh": eigh, "eigvalsh": eigvalsh, "eig": eig,
    "eigvals": eigvals, "schur": schur, "qr": qr, "svd": svd, "svdvals": svdvals,
    "pinv": pinv, "lstsq": lstsq, "norm": norm, "expm": expm, "block_diag": block_diag,
    "polar": polar, "toeplitz": toeplitz, **structured_systems.FUNCTIONS, **matrix_roots.FUNCTIONS,
}  # fmt: skip
"""The functions that trace those of `scipy.linalg`, by their names there."""
