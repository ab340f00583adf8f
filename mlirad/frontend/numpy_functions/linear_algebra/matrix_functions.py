"""Functions of matrices, and matrices made of elements: `expm`, `block_diag`, `toeplitz` of SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    common_matrices,
    real_dtype,
    require_square,
    solutions,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import I64
from mlirad.frontend.tracing.operations import converted, xp
from mlirad.frontend.tracing.raising import shape_error

_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
"""The coefficients of the Padé approximant of exp of order 13."""

_SHORT_PADE = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)
"""Those of the approximant of order 7."""

_LARGEST_NORM = 5.371920351148152
"""The norm up to which the approximant of order 13 has the accuracy of 64 bits."""

_LARGEST_SHORT_NORM = 1.5
"""The same for the one of order 7 and 32 bits, whose numerator would lose digits for larger norms."""


def expm(A: MatrixLike) -> Matrix:
    """`scipy.linalg.expm`: by scaling and squaring of a Padé approximant, of order 13 or, of 32 bits, 7.

    All matrices of a batch are scaled alike, by the largest size among them. (Sources: N. Higham, The scaling
    and squaring method for the matrix exponential revisited, 2005; A. Al-Mohy and N. Higham, A new scaling
    and squaring algorithm for the matrix exponential, 2009.)
    """
    x = require_square(A, "expm")
    if not x.size:
        return x
    is_short = real_dtype(x) == np.float32
    size = _size(x)
    is_finite = xp.isfinite(size)
    ratio = xp.where(is_finite, size, 0.0) / (_LARGEST_SHORT_NORM if is_short else _LARGEST_NORM)
    squarings = xp.maximum(xp.ceil(xp.log2(xp.maximum(ratio, 1.0))), 0.0)
    a = x * xp.exp2(-squarings)
    even, odd = (_short_parts if is_short else _parts)(a)
    odd = a @ odd
    approximant = solutions(even - odd, even + odd)

    def has_more(carry: Any) -> Any:
        return carry[0] > 0

    def square(carry: Any) -> Any:
        left, power = carry
        return left - 1, power @ power

    return while_loop(has_more, square, (converted(squarings, I64), approximant))[1]


def _size(x: Matrix) -> Array:
    """The size of matrices that an approximant is exact for: the largest |A^k|^(1/k) of k = 4 and 6.

    It is that of the absolute values, so rounding does not grow in the powers either, and less than the norm
    for matrices with few large elements off the diagonal: squarings that are not needed double their error.
    """
    absolute = stop_gradient(xp.abs(x))
    largest = xp.max(xp.sum(absolute, axis=-2))
    scale = xp.where((largest > 0) & xp.isfinite(largest), largest, 1.0)
    scaled = absolute / scale
    sums = xp.sum(scaled, axis=-2)[..., None, :]
    size = xp.zeros_like(largest)
    for power in range(2, 7):
        sums = sums @ scaled
        if power in (4, 6):
            size = xp.maximum(size, xp.max(sums) ** (1 / power))
    # Infinities and NaN stay what they are.
    return xp.where(xp.isfinite(largest), size * scale, largest)


def _parts(a: Matrix) -> tuple[Matrix, Matrix]:
    """The even powers of the numerator of order 13, and the odd ones divided by the matrix."""
    c, identity = _constants(a, _PADE)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * identity
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * identity
    return even, odd


def _short_parts(a: Matrix) -> tuple[Matrix, Matrix]:
    """The same of order 7."""
    c, identity = _constants(a, _SHORT_PADE)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * identity
    even = c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * identity
    return even, odd


def _constants(a: Matrix, coefficients: Sequence[float]) -> tuple[list[Any], Any]:
    """Coefficients in the dtype of matrices, and identity matrices in their shape."""
    c = [np.asarray(value, a.dtype)[()] for value in coefficients]
    return c, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)


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
