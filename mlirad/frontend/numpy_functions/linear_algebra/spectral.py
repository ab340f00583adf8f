"""Eigenvalues, singular values, QR factors and what is made of them: `np.linalg.eigh`, `svd`, `lstsq` ...

Signs and orders are those of LAPACK, of symmetric matrices given their lower triangle: `eigh` with UPLO="U"
may have eigenvectors of the other sign than NumPy. At matrices with equal eigenvalues, or singular values,
factors have no derivative; what `mlirad.rules.factorisation_derivatives` gives there is finite. The
pseudo-inverse, and least squares with it, have their own rule, which is right wherever the rank is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.numpy_functions.calls.parameters import (
    UNSET,
    ComplexLike,
    Flag,
    kind,
    static_of,
)
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
    parts,
    real_dtype,
    report_failure,
    report_no_convergence,
    require_matrices,
    require_square,
    singular_values,
    solved,
    squared,
    with_derivative,
)
from mlirad.frontend.numpy_functions.linear_algebra.norms import Order, matrix_norm
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import I32, I64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, converted, operand_of, xp
from mlirad.frontend.tracing.raising import shape_error

EIG_RESULT: Any = type(np.linalg.eig(np.eye(1)))
EIGH_RESULT: Any = type(np.linalg.eigh(np.eye(1)))
QR_RESULT: Any = type(np.linalg.qr(np.eye(1)))
SVD_RESULT: Any = type(np.linalg.svd(np.eye(1)))
"""NumPy's named tuples."""

Cutoff = Annotated[Any, kind("a number or an array", lambda value: operand_of(value))]
"""Singular values up to this many times the largest one count as zero."""

CutoffOfSolver = Annotated[Any, kind("a number", static_of(int, float, np.number, str))]
"""The same, for `lstsq`."""


def qr(a: MatrixLike) -> Any:
    """`np.linalg.qr` with mode="reduced"."""
    return QR_RESULT(*parts("qr", require_matrices(a, "qr"), "orthogonal", "triangular"))


def _symmetric(a: Matrix, triangle: str, name: str) -> Matrix:
    """The matrices with the triangle to be read as the lower one."""
    x = require_square(a, name)
    if triangle.upper() not in ("L", "U"):
        raise shape_error(f"{name}: UPLO must be 'L' or 'U', got {triangle!r}", "it names the triangle")
    return x if triangle.upper() == "L" else adjoint(x)


Triangle = Annotated[str, kind("'L' or 'U'", static_of(str))]
"""The triangle of a symmetric matrix that is read."""


def eigh(a: MatrixLike, UPLO: Triangle = "L") -> Any:
    """`np.linalg.eigh`."""
    x = _symmetric(a, UPLO, "eigh")
    values, vectors = parts("eigh", x, "values", "vectors")
    report_no_convergence(values, "Eigenvalues")
    return EIGH_RESULT(values, vectors)


def eigvalsh(a: MatrixLike, UPLO: Triangle = "L") -> Array:
    """`np.linalg.eigvalsh`."""
    (values,) = parts("eigh", _symmetric(a, UPLO, "eigvalsh"), "values")
    report_no_convergence(values, "Eigenvalues")
    return values


def eig(a: MatrixLike) -> Any:
    """`np.linalg.eig`. The results are complex, as whether all eigenvalues are real depends on elements."""
    x = require_square(a, "eig")
    _require_finite(x)
    values, vectors = parts("eig", x, "values", "vectors")
    report_no_convergence(values, "Eigenvalues")
    return EIG_RESULT(values, vectors)


def eigvals(a: MatrixLike) -> Matrix:
    """`np.linalg.eigvals`. They are complex, also where all of them are real."""
    x = require_square(a, "eigvals")
    _require_finite(x)
    (values,) = parts("eig", x, "values")
    report_no_convergence(values, "Eigenvalues")
    return values


def schur(a: MatrixLike) -> tuple[Matrix, Matrix]:
    """The factors T and Z of Schur factorisations: of real matrices the real ones."""
    x = require_square(a, "schur")
    _require_finite(x)
    t, z = parts("schur", x, "triangular", "orthogonal")
    if z.size:
        first = z.real if isinstance(z, ComplexArray) else z
        report_failure(xp.isnan(first[..., 0, 0]).value, "Schur form not found. Possibly ill-conditioned.")
    return t, z


def _require_finite(x: Matrix) -> None:
    """Report infinities and NaN, as NumPy does where an iteration may not end because of them."""
    report_failure(xp.logical_not(xp.isfinite(x)).value, "Array must not contain infs or NaNs")


def svd(a: MatrixLike) -> Any:
    """`np.linalg.svd` with full_matrices=False."""
    left, values, right = parts("svd", require_matrices(a, "svd"), "left", "values", "right")
    report_no_convergence(values, "SVD")
    return SVD_RESULT(left, values, right)


def svdvals(x: MatrixLike) -> Array:
    """`np.linalg.svdvals`."""
    return singular_values(require_matrices(x, "svdvals"))


def _cutoff(x: Matrix, tolerance: Any, values: Array) -> Array:
    """The largest singular value times a tolerance, by default that of rounding, as NumPy has it."""
    if tolerance is None:
        tolerance = max(x.shape[-2:]) * np.finfo(x.dtype).eps
    largest = xp.max(values, axis=-1, keepdims=True)
    return largest * as_array(tolerance)[..., None] if np.ndim(tolerance) else largest * tolerance


def matrix_rank(
    A: MatrixLike, tol: Cutoff | None = None, hermitian: Flag = False, *, rtol: Cutoff | None = None
) -> Array:
    """`np.linalg.matrix_rank`."""
    if tol is not None and rtol is not None:
        raise shape_error("matrix_rank: `tol` and `rtol` are both given", "give one of them")
    if A.ndim < 2:
        return converted(xp.any(xp.not_equal(A, 0)), I64)
    x = require_matrices(A, "matrix_rank")
    values = xp.abs(eigvalsh(x)) if hermitian else svdvals(x)
    if not values.shape[-1]:
        return as_array(np.zeros(x.shape[:-2], np.int64))
    if tol is None:
        bound = _cutoff(x, rtol, values)
    else:
        bound = as_array(tol)[..., None] if np.ndim(tol) else tol
    return xp.sum(xp.greater(values, bound), axis=-1)


def cond(x: MatrixLike, p: Order | None = None) -> Array:
    """`np.linalg.cond`; infinite for singular matrices."""
    a = require_matrices(x, "cond")
    if 0 in a.shape[-2:]:
        raise linear_algebra_error("cond is not defined on empty arrays", "give it an element at least")
    if p is None or p in (2, -2):
        values = svdvals(a)
        first, last = values[..., 0], values[..., -1]
        number = last / first if p == -2 else first / last
    else:
        square = require_square(a, "cond")
        inverse = solved(square, identity_like(square))
        number = matrix_norm(square, ord=p) * matrix_norm(inverse, ord=p)
    is_lost = xp.isnan(number) & ~xp.any(xp.isnan(a), axis=(-2, -1))
    return xp.where(is_lost, np.inf, number)


def pinv(a: MatrixLike, rcond: Cutoff | None = None, *, rtol: Cutoff | None = UNSET) -> Matrix:
    """`np.linalg.pinv`. Its derivative is that at constant rank."""
    x = require_matrices(a, "pinv")
    if rcond is not None and rtol is not UNSET:
        raise shape_error("pinv: `rcond` and `rtol` are both given", "give one of them")
    if rcond is None:
        rcond = DEFAULT_OF_PINV if rtol is UNSET else rtol
    if not min(x.shape[-2:]):
        return adjoint(x)
    singular_values(x)  # reports if they do not exist
    return pseudo_inverse(x, lambda values: _cutoff(x, rcond, values))


DEFAULT_OF_PINV = 1e-15
"""NumPy's default for `rcond`."""


def pseudo_inverse(x: Matrix, cutoff: Callable[[Array], Any]) -> Matrix:
    """The pseudo-inverses, where singular values up to what `cutoff` makes of them count as zeros.

    dX = -X dA X + X X^H dA^H (1 - A X) + (1 - X A) dA^H X^H X at constant rank (Golub and Pereyra, 1973).
    """

    def value(a: Matrix) -> Matrix:
        left, values, right = parts("svd", a, "left", "values", "right")
        counts = xp.greater(values, cutoff(values))
        inverse = xp.where(counts, 1 / xp.where(counts, values, 1), 0)
        return adjoint(right) @ (inverse[..., None] * adjoint(left))

    def derivative(a: Matrix, x: Matrix, da: Matrix) -> Matrix:
        (values,) = parts("svd", a, "values")
        is_full = xp.all(xp.greater(values, cutoff(values)), axis=-1)[..., None, None]
        # With elements of a of size 1 no product overflows that is not a result.
        unit = _unit(a)
        a, x, da = a * unit, x / unit, da * unit
        rows, columns = a.shape[-2:]
        within, beyond, own = (_wide_terms if rows < columns else _tall_terms)(a, x, da)
        # Of full rank one projection is 0, or both are: what rounding leaves of them is not.
        within = xp.where(is_full, 0, within) if rows <= columns else within
        beyond = xp.where(is_full, 0, beyond) if rows >= columns else beyond
        return (within + beyond - own) * unit

    return with_derivative(x, value, derivative)


def _unit(a: Matrix) -> Array:
    """Powers of two, in the rank of the matrices, that make their largest elements numbers from 1 to 2."""
    size = xp.abs(a.real) + xp.abs(a.imag) if isinstance(a, ComplexArray) else xp.abs(a)
    largest = stop_gradient(xp.max(size, axis=(-2, -1), keepdims=True))
    is_scale = xp.isfinite(largest) & xp.greater(largest, 0)
    return xp.exp2(-xp.floor(xp.log2(xp.where(is_scale, largest, 1))))


def _wide_terms(a: Matrix, x: Matrix, da: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """The terms X X^H dA^H (1 - A X), (1 - X A) dA^H X^H X and X dA X of matrices with few rows.

    No product has more elements than `a`.
    """
    t, dt = adjoint(x), adjoint(da)
    return x @ (t @ (dt - dt @ (a @ x))), (dt - x @ (a @ dt)) @ (t @ x), x @ (da @ x)


def _tall_terms(a: Matrix, x: Matrix, da: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """The same of matrices with few columns."""
    t, dt = adjoint(x), adjoint(da)
    return (x @ t) @ (dt - (dt @ a) @ x), ((dt - (x @ a) @ dt) @ t) @ x, (x @ da) @ x


def lstsq(a: MatrixOperand, b: MatrixOperand, rcond: CutoffOfSolver | None = None) -> Any:
    """`np.linalg.lstsq`: solution, residuals, rank and singular values.

    Residuals are those of a matrix of full rank: NumPy leaves them out where the rank is less, which here
    would be a shape that depends on elements.
    """
    matrix, x = common_matrices([a, b])
    matrix = require_matrices(matrix, "lstsq")
    if matrix.ndim != 2 or x.ndim not in (1, 2) or x.shape[0] != matrix.shape[0]:
        raise linear_algebra_error(
            f"lstsq takes one matrix and one or more right sides, got shapes {matrix.shape} and {x.shape}",
            "the right sides have as many rows as the matrix",
        )
    x = floating(x)
    rows, columns = matrix.shape
    values = svdvals(matrix)
    tolerance = np.finfo(matrix.dtype).eps * (max(rows, columns) if rcond is None else 1)
    if rcond is not None and rcond != -1:
        tolerance = rcond

    def cutoff(s: Array) -> Any:
        return xp.max(s, axis=-1, keepdims=True) * tolerance

    if not min(rows, columns):
        found = adjoint(matrix) @ x
        return found, xp.zeros((0,), real_dtype(matrix)), as_array(np.int32(0)), values
    found = pseudo_inverse(matrix, cutoff) @ x
    if rows > columns:
        residuals = xp.sum(squared(x - matrix @ found), axis=0)
        residuals = residuals if x.ndim == 2 else residuals[None]
    else:
        residuals = xp.zeros((0,), real_dtype(matrix))
    rank = converted(xp.sum(xp.greater(values, cutoff(values))), I32)
    return found, residuals, rank, values


# Zeros of polynomials ---------------------------------------------------------------------------


def roots(p: ComplexLike) -> Any:
    """`np.roots`, as NumPy computes them: eigenvalues of a companion matrix, complex also where all are real.

    A first or last coefficient of 0 is left out where it is known. Else the number and the order of the roots
    would depend on it, so the call raises `LinearAlgebraError`.
    """
    if p.ndim > 1:
        raise shape_error(f"np.roots needs a vector of coefficients, got shape {p.shape}", "np.ravel")
    vector = p if p.ndim else p.reshape(1)
    first, last = 0, len(vector)
    while first < last and _is_known_zero(vector[first]):
        first += 1
    while first + 1 < last and _is_known_zero(vector[last - 1]):
        last -= 1
    coefficients, found = vector[first:last], np.zeros(len(vector) - last, complex)
    if len(coefficients) < 2:
        return found
    for name, end in (("first", coefficients[0]), ("last", coefficients[-1])):
        report_failure(_is_zero(end).value, f"np.roots: the {name} coefficient is 0")
    row = -coefficients[1:] / coefficients[0]
    companion = np.concatenate([row[np.newaxis], np.eye(len(row) - 1, len(row))])
    return np.concatenate([eigvals(companion), found])


def _parts(x: Any) -> list[Any]:
    return [x.real, x.imag] if isinstance(x, ComplexArray) else [x]


def _is_known_zero(x: Any) -> bool:
    return all(emitting().scalar_of(part.value) == 0 for part in _parts(x))


def _is_zero(x: Any) -> Any:
    first, *rest = [xp.equal(part, 0.0) for part in _parts(x)]
    return xp.logical_and(first, rest[0]) if rest else first


FUNCTIONS = tracings(
    roots, linalg_eigh=eigh, linalg_eigvalsh=eigvalsh, linalg_eig=eig, linalg_eigvals=eigvals,
    linalg_svdvals=svdvals,
    linalg_matrix_rank=matrix_rank, linalg_cond=cond, linalg_pinv=pinv, linalg_lstsq=lstsq,
)  # fmt: skip
"""The functions that this file traces."""
