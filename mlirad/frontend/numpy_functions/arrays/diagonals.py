"""Diagonals and triangles of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Value
from mlirad.frontend.indexing.views import read_only
from mlirad.frontend.numpy_functions.arrays.padding import padded
from mlirad.frontend.numpy_functions.arrays.shapes import moveaxis, ravel
from mlirad.frontend.numpy_functions.arrays.sized_arrays import triangle
from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Axis, DtypeLike, Int
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.operations import broadcast_array, positions, select, xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.shapes import one_axis
from mlirad.frontend.tracing.strides import Strides


def _triangle(m: Array, mask: Callable[[int, int], Any]) -> Array:
    if not m.ndim:
        raise shape_error("a scalar has no triangles", "pass a vector or a matrix")
    rows, columns = m.shape[-2:] if m.ndim > 1 else (m.shape[0], m.shape[0])
    return select(mask(rows, columns), m, m.dtype.type(0))


def tril(m: ArrayLike, k: Int = 0) -> Array:
    """`np.tril`."""
    return _triangle(m, lambda rows, columns: triangle(rows, columns, k))


def triu(m: ArrayLike, k: Int = 0) -> Array:
    """`np.triu`."""
    return _triangle(m, lambda rows, columns: ~triangle(rows, columns, k - 1))


def diagonal(a: ArrayLike, offset: Int = 0, axis1: Axis = 0, axis2: Axis = 1) -> Array:
    """`np.diagonal`."""
    first, second = one_axis(axis1, a.ndim), one_axis(axis2, a.ndim)
    if first == second:
        raise shape_error(
            f"a diagonal needs two dimensions, got {axis1} and {axis2}", "axis1 and axis2 must differ"
        )

    def read(value: Value) -> Value:
        turned = moveaxis(made(value), (first, second), (0, 1))
        rows, columns = turned.shape[:2]
        low, right = max(-offset, 0), max(offset, 0)
        at = positions(max(min(rows - low, columns - right), 0))
        return moveaxis(turned[at + low, at + right], 0, -1).value

    def spread(strides: Strides) -> Strides:
        rest = [s for d, s in enumerate(strides) if d not in (first, second)]
        return (*rest, strides[first] + strides[second])

    return read_only(a, read, "a diagonal", spread)


def diag(v: ArrayLike, k: Int = 0) -> Array:
    """`np.diag`: the diagonal of a matrix, or the matrix with a given diagonal."""
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise shape_error(
            f"diag needs a vector or a matrix, got shape {v.shape}",
            "np.diagonal takes any number of dimensions",
        )
    size = v.size + abs(k)
    rows = broadcast_array(padded(v, max(k, 0), max(-k, 0))[None, :], (size, size))
    return select(np.eye(size, k=k, dtype=bool), rows, v.dtype.type(0))


def diagflat(v: ArrayLike, k: Int = 0) -> Array:
    """`np.diagflat`."""
    return diag(ravel(v), k)


def trace(
    a: ArrayLike, offset: Int = 0, axis1: Axis = 0, axis2: Axis = 1, dtype: DtypeLike | None = None
) -> Array:
    """`np.trace`."""
    return xp.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def matrix_diagonal(x: ArrayLike, *, offset: Int = 0) -> Array:
    """`np.linalg.diagonal`: of the last two dimensions."""
    return diagonal(x, offset, -2, -1)


def matrix_trace(x: ArrayLike, *, offset: Int = 0, dtype: DtypeLike | None = None) -> Array:
    """`np.linalg.trace`: of the last two dimensions."""
    return trace(x, offset, -2, -1, dtype)


def _positions(triangle: Callable[..., Any]) -> Callable[..., Any]:
    def positions(arr: ArrayLike, k: Int = 0) -> tuple[Any, ...]:
        if arr.ndim != 2:
            raise shape_error(f"a triangle of an array of shape {arr.shape}", "it is one of a matrix")
        return triangle(arr.shape[0], k, arr.shape[1])

    return positions


def diag_indices_from(arr: ArrayLike) -> tuple[Any, ...]:
    """`np.diag_indices_from`."""
    if arr.ndim < 2 or len(set(arr.shape)) > 1:
        raise shape_error(
            f"a diagonal of an array of shape {arr.shape}", "all extents are equal, of two or more"
        )
    return np.diag_indices(arr.shape[0], arr.ndim)


FUNCTIONS = tracings(
    tril, triu, diagonal, diag, diagflat, trace, diag_indices_from, linalg_diagonal=matrix_diagonal,
    linalg_trace=matrix_trace, tril_indices_from=_positions(np.tril_indices),
    triu_indices_from=_positions(np.triu_indices),
)  # fmt: skip
"""The functions that this file traces."""
