"""Arrays that are made of extents, which may have sizes in them.

arange(1, n, 2)           np.arange, traced where bounds are sizes
triangle(n, n, 0)         np.tri, traced where an extent is a size
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.dialects.extents import Extent, is_static
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.dtypes import language_dtype
from mlirad.frontend.tracing.operations import as_array, broadcast_array, converted, positions, xp


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **options: Any) -> Any:
    """`np.arange`; of integers and sizes a traced vector, whose number of elements is an extent."""
    bounds = (start, stop, step)
    if not any(isinstance(bound, Extent) for bound in bounds):
        return np.arange(start, stop, step, dtype=dtype, **options)
    first, last = (0, start) if stop is None else (start, stop)
    distance = last - first
    count = (distance + step - 1) // step if distance >= 0 else 0
    values = positions(count) * step + first
    return values if dtype is None else converted(as_array(values), language_dtype(dtype))


def filled(shape: tuple[int, ...], value: Any, dtype: Any = None) -> Any:
    """An array of one value everywhere, of a shape with sizes in it."""
    one = as_array(value) if dtype is None else converted(as_array(value), language_dtype(dtype))
    return xp.copy(broadcast_array(made(one.value), shape))


def zeros_of(shape: tuple[int, ...]) -> Any:
    """Integer zeros: a NumPy array where the shape is known."""
    return np.zeros(shape, np.int64) if all(map(is_static, shape)) else filled(shape, 0, np.int64)


def triangle(rows: int, columns: int, k: int) -> Any:
    """`np.tri(rows, columns, k, bool)`."""
    if is_static(rows) and is_static(columns):
        return np.tri(rows, columns, k, bool)
    return positions(columns) <= xp.reshape(as_array(positions(rows)), (rows, 1)) + k


def identity_of(rows: int, columns: int, k: int, dtype: Any) -> Any:
    """`np.eye` of extents with sizes in them."""
    on_diagonal = positions(columns) == xp.reshape(as_array(positions(rows)), (rows, 1)) + k
    return converted(on_diagonal, language_dtype(dtype))
