"""`np.linalg.norm` and its relatives. Where a norm is 0 its derivative is 0.

The derivative of a Euclidean norm at 0 does not exist; 0 is the subgradient of least norm, and what keeps
distances between equal points harmless.
"""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, cast

import numpy as np

from mlirad.errors import UnsupportedError
from mlirad.frontend.numpy_functions.calls.parameters import Axes, Flag, kind, static_of
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    floating,
    real_dtype,
    singular_values,
)
from mlirad.frontend.numpy_functions.reductions.norms import norm_over
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import converted, xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error
from mlirad.frontend.tracing.shapes import distinct_axes

Order = Annotated[
    Any, kind("a number or the name of a norm", static_of(str, int, float, np.integer, np.floating))
]
"""The norm: a number, or a name."""


def norm(x: MatrixLike, ord: Order | None = None, axis: Axes | None = None, keepdims: Flag = False) -> Array:
    """`np.linalg.norm`: of vectors for every order, of matrices for those that NumPy has."""
    array = floating(x)
    if axis is None and ord is None:
        return _euclidean(array, tuple(range(array.ndim)), keepdims)
    axes = list(range(array.ndim)) if axis is None else distinct_axes(axis, array.ndim)
    if len(axes) == 1:
        return _vector(array, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise shape_error(
            f"norm of order {ord!r} needs one axis or two, got {len(axes)} of shape {array.shape}",
            "say which ones with axis=",
        )
    return _matrix(array, ord, axes if axis is None else distinct_axes(axis, array.ndim), keepdims)


def vector_norm(
    x: MatrixLike, *, axis: Axes | None = None, keepdims: Flag = False, ord: Order | None = 2
) -> Array:
    """`np.linalg.vector_norm`: the dimensions together as one vector."""
    array = floating(x)
    axes = list(range(array.ndim)) if axis is None else distinct_axes(axis, array.ndim)
    rest = [d for d in range(array.ndim) if d not in axes]
    flat = xp.reshape(
        xp.transpose(array, [*rest, *axes]),
        (*[array.shape[d] for d in rest], prod(array.shape[d] for d in axes)),
    )
    found = _vector(flat, ord, len(rest), False)
    return (
        xp.reshape(found, [1 if d in axes else e for d, e in enumerate(array.shape)]) if keepdims else found
    )


def matrix_norm(x: MatrixLike, *, keepdims: Flag = False, ord: Order | None = "fro") -> Array:
    """`np.linalg.matrix_norm`: of the last two dimensions."""
    array = floating(x)
    if array.ndim < 2:
        raise shape_error(f"matrix_norm needs two dimensions, got shape {array.shape}", "vector_norm")
    return _matrix(array, ord, [array.ndim - 2, array.ndim - 1], keepdims)


def _vector(x: Matrix, ord: Any, axis: int, keepdims: bool) -> Array:
    if ord is None or ord == 2:
        return _euclidean(x, (axis,), keepdims)
    magnitude = xp.abs(x)
    if ord == 0:
        return xp.sum(converted(xp.not_equal(x, 0), real_dtype(x)), axis=axis, keepdims=keepdims)
    if ord in (1, np.inf, -np.inf):
        reduction = xp.sum if ord == 1 else xp.max if ord > 0 else xp.min
        return reduction(magnitude, axis=axis, keepdims=keepdims)
    if isinstance(ord, str):
        raise _unknown(ord, "vectors")
    found = norm_over((magnitude if isinstance(x, ComplexArray) else x,), (axis,), float(ord))
    return found if keepdims else xp.squeeze(found, axis)


def _matrix(x: Matrix, ord: Any, axes: list[int], keepdims: bool) -> Array:
    rows, columns = axes
    if ord in (None, "fro", "f"):
        return _euclidean(x, (rows, columns), keepdims)
    if ord in (2, -2, "nuc"):
        return _spectral(xp.moveaxis(x, axes, (-2, -1)), ord, axes if keepdims else None)
    if ord not in (1, -1, np.inf, -np.inf):
        raise _unknown(ord, "matrices")
    summed, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = xp.sum(xp.abs(x), axis=summed, keepdims=True)
    extremum = xp.max if cast(float, ord) > 0 else xp.min
    found = extremum(sums, axis=chosen, keepdims=True)
    return found if keepdims else xp.squeeze(found, axis=(rows, columns))


def _spectral(x: Matrix, ord: Any, kept: list[int] | None) -> Array:
    """The norms of matrices in the last two dimensions that are made of singular values."""
    values = singular_values(x)
    if not values.shape[-1]:
        found = xp.zeros(x.shape[:-2], real_dtype(x))
    elif ord == "nuc":
        found = xp.sum(values, axis=-1)
    else:
        found = values[..., 0] if ord == 2 else values[..., -1]
    return found if kept is None else xp.expand_dims(found, tuple(sorted(kept)))


def _euclidean(x: Matrix, axes: tuple[int, ...], keepdims: bool) -> Array:
    parts = (x.real, x.imag) if isinstance(x, ComplexArray) else (x,)
    found = norm_over(parts, axes)
    return found if keepdims else xp.squeeze(found, axes)


def _unknown(ord: Any, what: str) -> UnsupportedError:
    return unsupported_error(
        f"the norm {ord!r} of {what} cannot be traced",
        "of matrices there are 'fro', 'nuc', 1, -1, 2, -2, inf and -inf; of vectors all numbers",
    )


FUNCTIONS = tracings(linalg_norm=norm, linalg_vector_norm=vector_norm, linalg_matrix_norm=matrix_norm)
"""The functions that this file traces."""
