"""Functions that make arrays like others, and those that ask for what is static: shape, rank, dtype."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Shape, array_type
from mlirad.frontend.dtypes import language_dtype, result_type
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.shapes import (
    broadcast_to,
    static_shape,
)
from mlirad.frontend.operations import (
    as_array,
    kind_of,
    made,
    operand_of,
    stacked,
    value_of,
    xp,
)
from mlirad.frontend.tracer import Array
from mlirad.frontend.views import copied


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """`np.full_like`."""
    x = as_array(a)
    target = x.dtype if dtype is None else language_dtype(dtype)
    extents = x.shape if shape is None else static_shape(shape)
    fill = operand_of(fill_value)
    emitting()
    return broadcast_to(made(value_of(fill, target)), extents)


def _filled_like(number: int) -> Callable[..., Array]:
    def fill(
        a: Any,
        dtype: Any = None,
        order: Any = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> Array:
        x = as_array(a)
        target = x.dtype if dtype is None else language_dtype(dtype)
        extents = x.shape if shape is None else static_shape(shape)
        return made(emitting().splat(number, array_type(extents, ELEMENT_TYPES[target])))

    return fill


def copy_of(a: Any, order: Any = "K", subok: bool = False) -> Array:
    """`np.copy`: another array of the same value, so that writing one does not change the other."""
    x = as_array(a)
    result = copied(x)
    if order in ("C", "F"):
        result._is_row_major = order == "C" or x.ndim < 2  # pyright: ignore[reportPrivateUsage]
    return result


def shape_of_any(a: Any) -> Shape:
    """`np.shape`."""
    return a.shape if isinstance(a, Array) else stacked(a).shape


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """`np.linspace` between traced ends."""
    ends = [operand_of(start), operand_of(stop)]
    target = result_type([*map(kind_of, ends), float])
    first, last = (made(value_of(e, target)) for e in ends)
    gaps = num - 1 if endpoint else num
    step = (last - first) / max(gaps, 1)
    count = np.arange(num, dtype=target).reshape(-1, *[1] * max(first.ndim, last.ndim))
    values = xp.moveaxis(first + count * step, 0, axis)
    values = values if dtype is None else values.astype(dtype)
    return (values, step) if retstep else values


def size_of_any(a: Any, axis: int | None = None) -> int:
    """`np.size`."""
    shape = shape_of_any(a)
    return prod(shape) if axis is None else shape[axis]


def ndim_of_any(a: Any) -> int:
    """`np.ndim`."""
    return len(shape_of_any(a))


def result_type_of(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """`np.result_type`."""
    return np.result_type(*[a.dtype if isinstance(a, Array) else a for a in arrays_and_dtypes])


def is_complex(x: Any) -> bool:
    """`np.iscomplexobj`: there are no complex numbers."""
    return False


def is_real(x: Any) -> bool:
    """`np.isrealobj`: there are no others."""
    return True


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.full_like: full_like,
    np.zeros_like: _filled_like(0),
    np.empty_like: _filled_like(0),
    np.ones_like: _filled_like(1),
    np.copy: copy_of,
    np.linspace: linspace,
    np.shape: shape_of_any,
    np.ndim: ndim_of_any,
    np.size: size_of_any,
    np.result_type: result_type_of,
    np.iscomplexobj: is_complex,
    np.isrealobj: is_real,
}
"""What this file traces."""
