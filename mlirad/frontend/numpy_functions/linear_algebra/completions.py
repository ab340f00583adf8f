"""Square unitary factors of rectangular matrices, `np.linalg.qr` and `svd` with them, and polar factors.

    completed(q, a)      q with columns that complete it to a square unitary matrix
    polar(a)             u and p with a = u p, u of orthonormal columns, p positive semidefinite

Several added columns are eigenvectors of a projection for equal eigenvalues: so what depends on their choice
has the derivative NaN, as for other equal eigenvalues. A single one, the projection and the polar factors
have a derivative of their own, which is right where singular values are equal, too.
"""

from __future__ import annotations

from typing import Any, Literal

from mlirad.frontend.numpy_functions.calls.parameters import Flag
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.linear_algebra import spectral
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    adjoint,
    identity_like,
    parts,
    require_matrices,
    solved,
    with_derivative,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error


def _left_out(a: Matrix) -> Matrix:
    """The projections to what the columns of matrices leave out, which are fewer than their rows."""

    def value(a: Matrix) -> Matrix:
        (left,) = parts("svd", a, "left")
        square = left @ adjoint(left)
        return identity_like(square) - square

    def derivative(a: Matrix, rest: Matrix, da: Matrix) -> Matrix:
        moved = rest @ da @ spectral.pseudo_inverse(a, lambda values: 0 * values)
        return -(moved + adjoint(moved))

    return with_derivative(a, value, derivative)


def complement(a: Matrix) -> Matrix:
    """Orthonormal columns that are orthogonal to those of matrices with more rows than columns."""
    columns = a.shape[-1]
    if not columns:
        return identity_like(a @ adjoint(a))
    if columns == a.shape[-2] - 1:
        return with_derivative(a, _spanning, _turned)
    return _spanning(a)


def _spanning(a: Matrix) -> Matrix:
    (vectors,) = parts("eigh", _left_out(a), "vectors")
    return vectors[..., a.shape[-1] :]


def _turned(a: Matrix, n: Matrix, da: Matrix) -> Matrix:
    """The tangent of a single column, which stays orthogonal to those of `a`."""
    inverse = spectral.pseudo_inverse(a, lambda values: 0 * values)
    return -(adjoint(inverse) @ (adjoint(da) @ n))


def completed(q: Matrix, a: Matrix) -> Matrix:
    """Orthonormal columns that span those of `a`, completed to square unitary matrices."""
    if a.shape[-2] <= a.shape[-1]:
        return q
    return xp.concatenate([q, complement(a)], axis=-1)


def unitary_factor(a: Matrix) -> Matrix:
    """The unitary polar factors of matrices with at least as many rows as columns."""

    def value(a: Matrix) -> Matrix:
        left, right = parts("svd", a, "left", "right")
        return left @ right

    def derivative(a: Matrix, u: Matrix, da: Matrix) -> Matrix:
        # With a = u p, dp solves p dp + dp p = da^H a + a^H da, and du p = da - u dp. The rest of u^H du,
        # K, is skew and solves p K + K p = u^H da - da^H u.
        p = adjoint(u) @ a
        inner = adjoint(u) @ da
        turned = _lyapunov(p, inner - adjoint(inner))
        outer = da - u @ inner
        beyond = adjoint(solved(adjoint(p), adjoint(outer)))
        return u @ turned + beyond

    return with_derivative(a, value, derivative)


def _lyapunov(p: Matrix, c: Matrix) -> Matrix:
    """K with p K + K p = c, of Hermitian matrices p: all unknowns at once."""
    n = p.shape[-1]
    one = identity_like(p)
    matrix = _kron(p, one) + _kron(one, xp.matrix_transpose(p))
    flat = xp.reshape(c, (*c.shape[:-2], n * n, 1))
    return xp.reshape(solved(matrix, flat), c.shape)


def _kron(x: Matrix, y: Matrix) -> Matrix:
    """The Kronecker products of two batches of square matrices of one shape."""
    n = x.shape[-1]
    product = x[..., :, None, :, None] * y[..., None, :, None, :]
    return xp.reshape(product, (*x.shape[:-2], n * n, n * n))


def polar(a: MatrixLike, side: Literal["right", "left"] = "right") -> tuple[Matrix, Matrix]:
    """`scipy.linalg.polar`. Its derivative is that at full rank."""
    x = require_matrices(a, "polar")
    if x.ndim != 2:
        raise shape_error(
            f"polar of an array of shape {x.shape}", "it takes one matrix; ad.vmap takes several"
        )
    if not min(x.shape):
        raise shape_error(f"polar of an array of shape {x.shape}", "give it an element at least")
    is_wide = x.shape[0] < x.shape[1]
    u: Any = adjoint(unitary_factor(adjoint(x))) if is_wide else unitary_factor(x)
    p = adjoint(u) @ x if side == "right" else x @ adjoint(u)
    return u, (p + adjoint(p)) / 2


def full_svd(a: MatrixLike) -> Any:
    """Singular values between square unitary factors."""
    x = require_matrices(a, "svd")
    left, values, right = spectral.svd(x)
    return completed(left, x), values, adjoint(completed(adjoint(right), adjoint(x)))


def complete_qr(a: MatrixLike) -> Any:
    """QR factors, the first one square."""
    x = require_matrices(a, "qr")
    q, r = spectral.qr(x)
    rows, columns = x.shape[-2:]
    if rows <= columns:
        return q, r
    below = xp.zeros((*x.shape[:-2], rows - columns, columns), x.dtype)
    return completed(q, x), xp.concatenate([r, below], axis=-2)


def qr(a: MatrixLike, mode: Literal["reduced", "complete", "r", "raw"] = "reduced") -> Any:
    """`np.linalg.qr`."""
    if mode == "raw":
        raise unsupported_error("qr with mode='raw' cannot be traced", "mode='reduced' has Q and R")
    if mode == "complete":
        return spectral.QR_RESULT(*complete_qr(a))
    found = spectral.qr(a)
    return found[1] if mode == "r" else found


def svd(a: MatrixLike, full_matrices: Flag = True, compute_uv: Flag = True) -> Any:
    """`np.linalg.svd`."""
    if not compute_uv:
        return spectral.svdvals(a)
    return spectral.SVD_RESULT(*full_svd(a)) if full_matrices else spectral.svd(a)


FUNCTIONS = tracings(linalg_qr=qr, linalg_svd=svd)
"""The functions that this file traces."""
