"""Functions of matrices, and matrices made of elements: `expm`, `block_diag`, `toeplitz` of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    common_matrices,
    require_square,
    solutions,
)
from mlirad.frontend.tracing.dtypes import I64
from mlirad.frontend.tracing.operations import converted, xp
from mlirad.frontend.tracing.raising import shape_error

_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
"""The coefficients of the Padé approximant of exp of order 13."""

_LARGEST_NORM = 5.371920351148152
"""The norm up to which the approximant has the accuracy of 64 bits."""


def expm(A: MatrixLike) -> Matrix:
    """`scipy.linalg.expm`: by scaling and squaring of the Padé approximant of order 13.

    All matrices of a batch are scaled alike, by the largest norm among them. (Source: N. Higham, The scaling
    and squaring method for the matrix exponential revisited, 2005.)
    """
    x = require_square(A, "expm")
    if not x.size:
        return x
    largest = xp.max(xp.sum(xp.abs(x), axis=-2))
    is_finite = xp.isfinite(largest)
    ratio = xp.where(is_finite, largest, 0.0) / _LARGEST_NORM
    squarings = xp.maximum(xp.ceil(xp.log2(xp.maximum(ratio, 1.0))), 0.0)
    a = x * xp.exp2(-squarings)
    identity = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    c = [np.asarray(value, x.dtype)[()] for value in _PADE]
    odd = a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * identity
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * identity
    odd = a @ odd
    approximant = solutions(even - odd, even + odd)

    def has_more(carry: Any) -> Any:
        return carry[0] > 0

    def square(carry: Any) -> Any:
        left, power = carry
        return left - 1, power @ power

    return while_loop(has_more, square, (converted(squarings, I64), approximant))[1]


def block_diag(*arrs: MatrixLike) -> Matrix:
    """`scipy.linalg.block_diag`, of matrices in the last two dimensions."""
    blocks = [xp.atleast_2d(x) for x in common_matrices(arrs)]
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in blocks))
    width = sum(x.shape[-1] for x in blocks)
    rows: list[Any] = []
    before = 0
    for x in blocks:
        height, columns = x.shape[-2:]
        sides = [(0, 0)] * len(batch) + [(0, 0), (before, width - before - columns)]
        rows.append(xp.pad(xp.broadcast_to(x, (*batch, height, columns)), sides))
        before += columns
    return xp.concatenate(rows, axis=-2)


def toeplitz(c: MatrixLike, r: MatrixLike | None = None) -> Matrix:
    """`scipy.linalg.toeplitz` of vectors: the first column, and the first row without its first element."""
    column, row = common_matrices([c, xp.conjugate(c) if r is None else r])
    if column.ndim > 1 or row.ndim > 1:
        raise shape_error(
            f"toeplitz of shapes {column.shape} and {row.shape} cannot be traced", "vectors make one matrix"
        )
    column, row = xp.atleast_1d(column), xp.atleast_1d(row)
    elements = xp.concatenate([row[:0:-1], column])
    rows, columns = int(column.shape[0]), int(row.shape[0])
    places = np.arange(rows)[:, None] - np.arange(columns) + columns - 1
    return elements[places]
