"""Determinants, with derivatives where they are 0: `np.linalg.det`, `slogdet`.

The derivative of a determinant is a sum of cofactors, which every matrix has. Determinants of up to three
rows are polynomials. Larger ones are products of pivots; their rule is the adjugate, which divides by none:

    d det = tr(adj dA)                 adj = det' A'^-1, where pivots that are 0 are tiny in A' and det'
    d adj = tr(X dA) adj - X dA adj    X = adj / det
    d adj = c V W U^H                  of nearly singular matrices U diag(s) V^H, with c = det(U) / det(V),
                                       P = U^H dA V, W = diag(Q diag(P)) - Q * P, and
                                       Q_ij the product of all s but s_i and s_j, 0 on the diagonal
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    adjoint,
    chosen,
    diagonal,
    identity_like,
    parts,
    pivots,
    real_dtype,
    require_square,
    triangular_solved,
    with_derivative,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import xp

SLOGDET_RESULT: Any = type(np.linalg.slogdet(np.eye(1)))
"""NumPy's named tuple of sign and logarithm."""

WRITTEN_OUT = 3
"""Determinants of at most this number of rows are written out as polynomials."""


def det(a: MatrixLike) -> Matrix:
    """`np.linalg.det`."""
    x = require_square(a, "det")
    if x.shape[-1] <= WRITTEN_OUT:
        return _written_out(x)
    return with_derivative(
        x, _value, lambda x, _, dx: xp.sum(xp.matrix_transpose(_adjugate(x)) * dx, (-2, -1))
    )


def slogdet(a: MatrixLike) -> Any:
    """`np.linalg.slogdet`: 0 and -inf for singular matrices."""
    x = require_square(a, "slogdet")
    diagonal_of_u = pivots(x)
    sign = xp.prod(xp.sign(diagonal_of_u), axis=-1) * _parity(x)
    return SLOGDET_RESULT(sign, xp.sum(xp.log(xp.abs(diagonal_of_u)), axis=-1))


def _value(x: Matrix) -> Matrix:
    return xp.prod(pivots(x), axis=-1) * _parity(x)


def _written_out(x: Matrix) -> Matrix:
    """The determinants of matrices of a few rows, by the first row."""
    n = x.shape[-1]
    if n == 0:
        return np.ones(x.shape[:-2], x.dtype) + xp.sum(x, axis=(-2, -1))
    if n == 1:
        return x[..., 0, 0]
    if n == 2:
        return x[..., 0, 0] * x[..., 1, 1] - x[..., 0, 1] * x[..., 1, 0]
    minors = [x[..., 1, i] * x[..., 2, j] - x[..., 1, j] * x[..., 2, i] for i, j in ((1, 2), (0, 2), (0, 1))]
    return x[..., 0, 0] * minors[0] - x[..., 0, 1] * minors[1] + x[..., 0, 2] * minors[2]


def _parity(x: Matrix) -> Array:
    """-1 for matrices whose LU factorisation exchanges an odd number of rows, else 1."""
    (exchanged,) = parts("lu", x, "pivots")
    one = real_dtype(x).type(1)
    return xp.prod(xp.where(exchanged == np.arange(x.shape[-1]), one, -one), axis=-1)


# Adjugates -------------------------------------------------------------------------------------------


def _adjugate(x: Matrix) -> Matrix:
    """The transposed cofactors."""
    return with_derivative(x, _by_factors, _slope_of_adjugate)


def _by_factors(x: Matrix) -> Matrix:
    """The determinant times the inverse, both of a matrix whose pivots are not 0.

    Where a pivot is 0 a number takes its place that is too small to be seen in the product of both.
    """
    factors, order = parts("lu", x, "factors", "permutation")
    epsilon = float(np.finfo(real_dtype(x)).eps) ** 2
    diagonal_of_u = diagonal(factors)
    largest = xp.max(xp.abs(diagonal_of_u), axis=-1, keepdims=True)
    diagonal_of_u = xp.where(diagonal_of_u == 0, largest * epsilon, diagonal_of_u)
    factors = xp.where(np.eye(x.shape[-1], dtype=bool), diagonal_of_u[..., None, :], factors)
    rows = xp.where(order[..., None] == np.arange(x.shape[-1]), real_dtype(x).type(1), 0)
    if isinstance(x, ComplexArray):
        rows = ComplexArray(rows, xp.zeros_like(rows))
    inverse = triangular_solved(factors, triangular_solved(factors, rows, unit=True), upper=True)
    product = (xp.prod(diagonal_of_u, axis=-1) * _parity(x))[..., None, None]
    return xp.where(product == 0, 0, product * inverse)


def _slope_of_adjugate(x: Matrix, adjugate: Matrix, dx: Matrix) -> Matrix:
    """The derivative of the adjugate, which is linear in dx."""
    sizes = xp.abs(pivots(x))
    limit = float(np.finfo(real_dtype(x)).eps) ** (1 / 3)
    is_singular = xp.any(~xp.greater(xp.min(sizes, axis=-1), limit * xp.max(sizes, axis=-1)))

    def regular() -> Matrix:
        inverse = adjugate / _value(x)[..., None, None]
        trace = xp.sum(xp.matrix_transpose(inverse) * dx, (-2, -1))
        return trace[..., None, None] * adjugate - inverse @ dx @ adjugate

    return chosen(is_singular, lambda: _by_vectors(x, dx), regular, x)


def _by_vectors(x: Matrix, dx: Matrix) -> Matrix:
    """The derivative of the adjugate by singular vectors, which holds for all matrices."""
    left, values, right = parts("svd", x, "left", "values", "right")
    turned = adjoint(left) @ dx @ adjoint(right)
    weights = _products_of_others(values)
    own = xp.sum(weights * diagonal(turned)[..., None, :], axis=-1)
    inner = identity_like(x) * own[..., None] - weights * turned
    phase = (_value(left) * _value(right))[..., None, None]
    return phase * (adjoint(right) @ inner @ adjoint(left))


def _products_of_others(values: Array) -> Array:
    """The products of all singular values but two, 0 on the diagonal.

    Where one of those before the last two is 0, all products are.
    """
    n = values.shape[-1]
    index = np.arange(n)
    is_last = index >= n - 2
    first = xp.where(is_last, 1, values)
    divisor = xp.where(first == 0, 1, first)
    found = xp.prod(first, axis=-1)[..., None, None] / divisor[..., None] / divisor[..., None, :]
    for k in (n - 2, n - 1):
        is_taken = (index[:, None] == k) | (index == k)
        found = found * xp.where(is_taken, 1, values[..., k, None, None])
    return xp.where(np.eye(n, dtype=bool), 0, found)


FUNCTIONS = tracings(linalg_det=det, linalg_slogdet=slogdet)
"""The functions that this file traces."""
