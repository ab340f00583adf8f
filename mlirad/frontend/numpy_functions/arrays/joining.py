"""Stacking and concatenating several arrays, and splitting them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Literal, cast

import numpy as np

from mlirad.dialects.extents import divides
from mlirad.errors import SizeNeeded
from mlirad.frontend.numpy_functions.arrays.shapes import along, broadcast_arrays, ravel, reshape, swapaxes
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axis,
    Casting,
    DtypeLike,
    Flag,
    Ints,
    OperandLike,
    OperandList,
    Positions,
    own_dtype,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, copied, made
from mlirad.frontend.tracing.dtypes import Dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, check_equal_shapes, converted, xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis


def _of_one_dtype(arrays: Sequence[Any], what: str, dtype: Dtype | None, casting: str) -> list[Array]:
    """The parts in their common dtype, or in one that `casting` allows."""
    if not arrays:
        raise shape_error(f"{what} needs at least one array", "an empty list has no dtype")
    parts = [own_dtype(a) for a in arrays]
    target = np.result_type(*(p.dtype for p in parts)) if dtype is None else dtype
    return [cast_by_rule(p, target, casting, what) for p in parts]


def cast_by_rule(x: Array, dtype: Dtype, casting: str, what: str) -> Array:
    """`x` in a dtype that `casting` allows."""
    if not np.can_cast(x.dtype, dtype, casting):  # pyright: ignore[reportArgumentType]
        raise dtype_error(
            f"{what}: {x.dtype} is not cast to {dtype} by the rule {casting!r}", "casting='unsafe' allows it"
        )
    return converted(x, dtype)


def concatenate(
    arrays: OperandList,
    axis: Axis | None = 0,
    *,
    dtype: DtypeLike | None = None,
    casting: Casting = "same_kind",
) -> Array:
    """`np.concatenate`."""
    parts = _of_one_dtype(arrays, "concatenate", dtype, casting)
    if axis is None:
        parts, axis = [ravel(p) for p in parts], 0
    dim = one_axis(axis, parts[0].ndim)
    check_equal_shapes(
        [(*p.shape[:dim], *p.shape[dim + 1 :]) for p in parts], "concatenated arrays (except for the axis)"
    )
    if len({p.ndim for p in parts}) != 1:
        raise shape_error(
            f"concatenated arrays must have one rank, got {', '.join(str(p.shape) for p in parts)}",
            "add dimensions with x[None]",
        )
    return made(emitting().concatenate([p.value for p in parts], dim))


def stack(
    arrays: OperandList, axis: Axis = 0, *, dtype: DtypeLike | None = None, casting: Casting = "same_kind"
) -> Array:
    """`np.stack`."""
    parts = _of_one_dtype(arrays, "stack", dtype, casting)
    check_equal_shapes([p.shape for p in parts], "stacked arrays")
    dim = one_axis(axis, parts[0].ndim + 1)
    return made(emitting().stack([p.value for p in parts], dim))


def unstack(x: ArrayLike, *, axis: Axis = 0) -> tuple[Array, ...]:
    """`np.unstack`."""
    dim = one_axis(axis, x.ndim)
    return tuple(x[(*[slice(None)] * dim, k)] for k in range(x.shape[dim]))


def _at_least(rank: int) -> Callable[..., Any]:
    def raise_rank(*arys: ArrayLike) -> Any:
        raised = [_of_rank(a, rank) for a in arys]
        return raised[0] if len(raised) == 1 else tuple(raised)

    return raise_rank


def _of_rank(x: Array, rank: int) -> Array:
    if x.ndim >= rank:
        return x
    if rank == 3 and x.ndim == 2:
        return reshape(x, (*x.shape, 1))
    if rank == 3 and x.ndim == 1:
        return reshape(x, (1, *x.shape, 1))
    return reshape(x, (*[1] * (rank - x.ndim), *x.shape))


def _raised(arrays: Sequence[Any], rank: int) -> list[Any]:
    return [_of_rank(own_dtype(a), rank) for a in arrays]


def hstack(tup: OperandList, *, dtype: DtypeLike | None = None, casting: Casting = "same_kind") -> Array:
    """`np.hstack`."""
    parts = _raised(tup, 1)
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def vstack(tup: OperandList, *, dtype: DtypeLike | None = None, casting: Casting = "same_kind") -> Array:
    """`np.vstack`."""
    return concatenate(_raised(tup, 2), 0, dtype=dtype, casting=casting)


def dstack(tup: OperandList) -> Array:
    """`np.dstack`."""
    return concatenate(_raised(tup, 3), 2)


def append(arr: OperandLike, values: OperandLike, axis: Axis | None = None) -> Array:
    """`np.append`."""
    return concatenate([arr, values], axis)


def column_stack(tup: OperandList) -> Array:
    """`np.column_stack`."""
    arrays = [as_array(a) for a in tup]
    return concatenate([reshape(a, (a.size, 1)) if a.ndim < 2 else a for a in arrays], 1)


# Cutting -----------------------------------------------------------------------------------------


def split(ary: ArrayLike, indices_or_sections: Ints, axis: Axis = 0) -> list[Array]:
    """`np.split` at static places, or into equal parts."""
    extent = ary.shape[one_axis(axis, ary.ndim)]
    sections = indices_or_sections
    is_even = divides(sections, extent) if isinstance(sections, int) and sections > 0 else True
    if is_even is None:
        raise SizeNeeded(f"whether {sections} divides {extent} depends on the size", extent)
    if not is_even:
        raise shape_error(
            f"cannot split {extent} elements into {sections} equal parts",
            "np.array_split makes parts of different lengths",
        )
    return array_split(ary, sections, axis)


def array_split(ary: ArrayLike, indices_or_sections: Ints, axis: Axis = 0) -> list[Array]:
    """`np.array_split`."""
    dim = one_axis(axis, ary.ndim)
    extent, sections = ary.shape[dim], indices_or_sections
    if isinstance(sections, int):
        if sections <= 0:
            raise shape_error(
                f"an array is split into a positive number of parts, got {sections}",
                "pass the places to cut at as a list",
            )
        longer, length = extent % sections, extent // sections
        lengths = [length + int(k < longer) for k in range(sections)]
        sections = tuple(accumulate(lengths[:-1]))
    bounds = [0, *sections, extent]
    keys = [slice(bounds[k], bounds[k + 1]) for k in range(len(bounds) - 2)] + [slice(bounds[-2], None)]
    return [ary[(*[slice(None)] * dim, key)] for key in keys]


def hsplit(ary: ArrayLike, indices_or_sections: Ints) -> list[Array]:
    """`np.hsplit`."""
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def vsplit(ary: ArrayLike, indices_or_sections: Ints) -> list[Array]:
    """`np.vsplit`."""
    one_axis(1, ary.ndim)
    return split(ary, indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: Ints) -> list[Array]:
    """`np.dsplit`."""
    return split(ary, indices_or_sections, 2)


def meshgrid(
    *xi: ArrayLike, copy: Flag = True, sparse: Flag = False, indexing: Literal["xy", "ij"] = "xy"
) -> tuple[Array, ...]:
    """`np.meshgrid`."""
    arrays = [ravel(x) for x in xi]
    lines = [
        reshape(x, tuple(x.size if d == k else 1 for d in range(len(arrays)))) for k, x in enumerate(arrays)
    ]
    if indexing == "xy" and len(lines) > 1:
        lines = [swapaxes(line, 0, 1) for line in lines]
    grids = tuple(lines) if sparse else broadcast_arrays(*lines)
    return tuple(copied(g) for g in grids) if copy else grids


# Removing and inserting --------------------------------------------------------------------------


def delete(arr: ArrayLike, obj: Positions, axis: Axis | None = None) -> Array:
    """`np.delete` at static positions."""
    x, dim = along(arr, axis)
    kept = _numpys(np.delete, np.arange(x.shape[dim]), obj)
    return x[(*[slice(None)] * dim, kept)]


def insert(arr: ArrayLike, obj: Positions, values: OperandLike, axis: Axis | None = None) -> Array:
    """`np.insert` at static positions. Values are cast to the dtype of the array."""
    x, dim = along(arr, axis)
    new = converted(as_array(values), x.dtype)
    extent = x.shape[dim]
    at: Any = obj
    if isinstance(obj, int):
        # NumPy inserts all values at one place, along the axis.
        new = xp.moveaxis(_of_rank(new, x.ndim), 0, dim) if new.ndim else new
        at = np.full(new.shape[dim] if new.ndim else 1, obj)
    elif isinstance(obj, slice):
        at = np.arange(extent)[cast(Any, obj)]
    count = int(np.sum(at)) if at.dtype == bool else at.size
    # The source of each element: places of the array, and -1 - k for the k-th inserted element.
    places = _numpys(np.insert, np.arange(extent), at, -1 - np.arange(count))
    shape = (*x.shape[:dim], count, *x.shape[dim + 1 :])
    both = concatenate([x, xp.broadcast_to(new, shape)], dim)
    return both[(*[slice(None)] * dim, np.where(places < 0, extent - 1 - places, places))]


def _numpys(function: Callable[..., Any], *args: Any) -> Any:
    """Return what NumPy makes of static positions."""
    try:
        return function(*args)
    except (ValueError, IndexError, TypeError) as error:
        raise shape_error(f"{function.__name__}: {error}", "positions are static and inside") from error


FUNCTIONS = tracings(
    concatenate, stack, hstack, vstack, dstack, append, column_stack, split, vsplit, hsplit, dsplit,
    array_split, meshgrid, delete, insert, unstack, atleast_1d=_at_least(1), atleast_2d=_at_least(2),
    atleast_3d=_at_least(3),
)  # fmt: skip
"""The functions that this file traces."""
