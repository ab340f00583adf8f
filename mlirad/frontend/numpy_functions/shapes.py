"""Functions that move the elements of one array: its shape, the order of dimensions, repetition."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import numpy as np

from mlirad.dialects.shapes import Shape, Value
from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.indexing.keys import select_key
from mlirad.frontend.indexing.views import permuted, raveled, read_only, reshaped, selected
from mlirad.frontend.numpy_functions.parameters import (
    ArrayLike,
    Axis,
    AxisList,
    Int,
    Ints,
    Number,
    Numbers,
    PositionsLike,
    ShapeLike,
)
from mlirad.frontend.tracing.array import Array, Strides, copied, made, row_major
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    broadcast_array,
    broadcast_shapes,
    broadcast_value,
    converted,
    xp,
)
from mlirad.frontend.tracing.shapes import all_axes, checked_rank, distinct_axes, listed, one_axis
from mlirad.frontend.tracing.source import user_line


def checked_extents(shape: Shape) -> Shape:
    """A shape without negative extents."""
    if min(shape, default=0) < 0:
        raise ShapeError(
            f"a shape has no negative extents, got {shape}", location=user_line(), hint="-1 is for np.reshape"
        )
    return checked_rank(shape)


# One array ---------------------------------------------------------------------------------------


def reshape(
    a: ArrayLike,
    shape: ShapeLike,
    order: Literal["C", "F", "A"] = "C",
    *,
    copy: Literal[True, False, None] = None,
) -> Array:
    """`np.reshape`; one extent may be -1."""
    if order != "C":
        _require_known_order(order)
        return transpose(reshape(transpose(a), tuple(shape)[::-1], copy=copy))
    extents = list(shape)
    if extents.count(-1) == 1:
        rest = prod(e for e in extents if e != -1)
        extents[extents.index(-1)] = a.size // rest if rest else -1
    if prod(extents) != a.size or min(extents, default=0) < 0:
        raise ShapeError(
            f"cannot reshape {a.size} elements of shape {a.shape} into {tuple(shape)}",
            location=user_line(),
            hint="both shapes must have as many elements; one extent may be -1",
        )
    result = reshaped(a, checked_rank(tuple(extents)))
    return copied(result) if copy is True else result


def _require_known_order(order: str | None) -> None:
    if order in ("A", "K"):
        raise UnsupportedError(
            f"order={order!r} asks for the layout in memory, and traced arrays have none",
            location=user_line(),
            hint="write order='C' or order='F'",
        )


def ravel(a: ArrayLike, order: Literal["C", "F", "A", "K"] = "C") -> Array:
    """`np.ravel`."""
    if order != "C" and a.ndim > 1:
        _require_known_order(order)
        a = transpose(a)
    return raveled(a)


def transpose(a: ArrayLike, axes: AxisList | None = None) -> Array:
    """`np.transpose`."""
    order = list(range(a.ndim))[::-1] if axes is None else [one_axis(d, a.ndim) for d in listed(axes)]
    if sorted(order) != list(range(a.ndim)):
        raise ShapeError(
            f"axes {axes} are no order of the dimensions of {a.shape}",
            location=user_line(),
            hint="name every dimension once",
        )
    return permuted(a, order)


def swapaxes(a: ArrayLike, axis1: Axis, axis2: Axis) -> Array:
    """`np.swapaxes`."""
    order = list(range(a.ndim))
    p, q = one_axis(axis1, a.ndim), one_axis(axis2, a.ndim)
    order[p], order[q] = order[q], order[p]
    return transpose(a, tuple(order))


def moveaxis(a: ArrayLike, source: AxisList, destination: AxisList) -> Array:
    """`np.moveaxis`."""
    froms, tos = distinct_axes(source, a.ndim), distinct_axes(destination, a.ndim)
    if len(froms) != len(tos):
        raise ShapeError(
            f"{len(froms)} dimensions are moved to {len(tos)} places",
            location=user_line(),
            hint="source and destination must have one length",
        )
    order = [d for d in range(a.ndim) if d not in froms]
    for to, from_ in sorted(zip(tos, froms, strict=True)):
        order.insert(to, from_)
    return transpose(a, tuple(order))


def rollaxis(a: ArrayLike, axis: Axis, start: Int = 0) -> Array:
    """`np.rollaxis`."""
    dim, place = one_axis(axis, a.ndim), start + a.ndim if start < 0 else start
    if not 0 <= place <= a.ndim:
        raise ShapeError(
            f"there is no place {start} among {a.ndim} dimensions",
            location=user_line(),
            hint=f"start is one of {-a.ndim} to {a.ndim}",
        )
    return moveaxis(a, dim, place - (dim < place))


def squeeze(a: ArrayLike, axis: AxisList | None = None) -> Array:
    """`np.squeeze`."""
    dropped = [d for d, e in enumerate(a.shape) if e == 1] if axis is None else all_axes(axis, a.ndim)
    if any(a.shape[d] != 1 for d in dropped):
        raise ShapeError(
            f"cannot squeeze axis {axis} of shape {a.shape}: it is not 1",
            location=user_line(),
            hint="only dimensions of extent 1 can be left out",
        )
    return reshape(a, tuple(e for d, e in enumerate(a.shape) if d not in dropped))


def expand_dims(a: ArrayLike, axis: AxisList) -> Array:
    """`np.expand_dims`."""
    rank = a.ndim + len(listed(axis))
    new = distinct_axes(axis, rank)
    old = iter(a.shape)
    return reshape(a, tuple(1 if d in new else next(old) for d in range(rank)))


def broadcast_to(array: ArrayLike, shape: ShapeLike) -> Array:
    """`np.broadcast_to`."""
    extents = checked_extents(tuple(shape))
    if broadcast_shapes([array.shape, extents], "broadcast_to") != extents:
        raise ShapeError(
            f"shape {array.shape} does not broadcast to {extents}",
            location=user_line(),
            hint="dimensions are compared from the last one; each must be that of the shape, or 1",
        )
    return _repeated(array, extents)


def _repeated(x: Array, shape: Shape) -> Array:
    def spread(strides: Strides) -> Strides:
        own = [0 if e == 1 else s for s, e in zip(strides, x.shape, strict=True)]
        return (*[0] * (len(shape) - x.ndim), *own)

    def read(value: Value) -> Value:
        return broadcast_value(emitting(), value, shape)

    return read_only(x, read, "what np.broadcast_to gives", spread)


def broadcast_arrays(*args: ArrayLike) -> tuple[Array, ...]:
    """`np.broadcast_arrays`."""
    shape = broadcast_shapes([a.shape for a in args], "broadcast_arrays") if args else ()
    return tuple(_repeated(a, shape) if a.shape != shape else a for a in args)


def flip(m: ArrayLike, axis: AxisList | None = None) -> Array:
    """`np.flip`."""
    axes = list(range(m.ndim)) if axis is None else distinct_axes(axis, m.ndim)
    key = tuple(slice(None, None, -1) if d in axes else slice(None) for d in range(m.ndim))
    return selected(m, select_key(m.shape, key), lambda value: emitting().reverse(value, sorted(axes)))


def flipud(m: ArrayLike) -> Array:
    """`np.flipud`."""
    return flip(m, 0)


def fliplr(m: ArrayLike) -> Array:
    """`np.fliplr`."""
    one_axis(1, m.ndim)
    return flip(m, 1)


def rot90(m: ArrayLike, k: Int = 1, axes: Ints = (0, 1)) -> Array:
    """`np.rot90`."""
    if len(listed(axes)) != 2:
        raise ShapeError("rot90 needs two axes", location=user_line(), hint="for example axes=(0, 1)")
    first, second = distinct_axes(axes, m.ndim)
    match k % 4:
        case 0:
            return m[...]
        case 1:
            return swapaxes(flip(m, second), first, second)
        case 2:
            return flip(m, (first, second))
        case _:
            return flip(swapaxes(m, first, second), second)


def roll(a: ArrayLike, shift: Ints, axis: AxisList | None = None) -> Array:
    """`np.roll` by static distances."""
    if axis is None:
        return reshape(roll(ravel(a), shift, 0), a.shape)
    shifts, axes = listed(shift), listed(axis)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ShapeError(
            f"{len(shifts)} distances do not fit {len(axes)} axes",
            location=user_line(),
            hint="give one distance for each axis, or one for all",
        )
    if not shifts or not axes:
        raise ShapeError(
            "np.roll needs a distance and an axis", location=user_line(), hint="axis=None rolls all"
        )
    count = max(len(shifts), len(axes))
    for k in range(count):
        distance, dim = shifts[k % len(shifts)], one_axis(axes[k % len(axes)], a.ndim)
        extent = a.shape[dim]
        cut = -distance % extent if extent else 0
        if cut:
            before, after = [slice(None)] * a.ndim, [slice(None)] * a.ndim
            before[dim], after[dim] = slice(cut, None), slice(None, cut)
            parts = [a[tuple(before)].value, a[tuple(after)].value]
            a = made(emitting().concatenate(parts, dim), weak=a.weak)
    return a


def take(
    a: ArrayLike,
    indices: PositionsLike,
    axis: Axis | None = None,
    *,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Array:
    """`np.take`; traced positions outside the array read 0."""
    if axis is None:
        a, axis = ravel(a), 0
    if not a.ndim:
        a = reshape(a, (1,))
    dim = one_axis(axis, a.ndim)
    positions = converted(indices, np.int64) if isinstance(indices, Array) else indices.astype(np.int64)
    extent = a.shape[dim]
    if not extent and positions.size:
        raise ShapeError(
            f"cannot take elements of the empty dimension {dim} of shape {a.shape}",
            location=user_line(),
            hint="test the extent, which is static, before the call",
        )
    if mode == "wrap":
        positions = xp.remainder(positions, max(extent, 1))
    elif mode == "clip":
        positions = xp.clip(positions, 0, max(extent - 1, 0))
    return a[(*[slice(None)] * dim, positions)]


def repeat(a: ArrayLike, repeats: Numbers, axis: Axis | None = None) -> Array:
    """`np.repeat` a static number of times."""
    if axis is None:
        a, axis = ravel(a), 0
    if not a.ndim:
        a = reshape(a, (1,))
    dim = one_axis(axis, a.ndim)
    if repeats.dtype.kind not in "ib" or (repeats.size and a.shape[dim] and repeats.min() < 0):
        raise ShapeError(
            f"elements are repeated a whole number of times, got {repeats.tolist()}",
            location=user_line(),
            hint="pass integers from 0 on",
        )
    if repeats.ndim > 1 or (repeats.ndim and repeats.size not in (1, a.shape[dim])):
        raise ShapeError(
            f"{repeats.size} repeats for {a.shape[dim]} elements",
            location=user_line(),
            hint="give one number for each element, or one for all",
        )
    return take(a, np.repeat(np.arange(a.shape[dim]), repeats), dim)


def tile(A: ArrayLike, reps: Ints) -> Array:
    """`np.tile`."""
    counts = checked_extents(tuple(listed(reps)))
    rank = max(A.ndim, len(counts))
    shape = (*[1] * (rank - A.ndim), *A.shape)
    counts = (*[1] * (rank - len(counts)), *counts)
    spread = [e for pair in zip(counts, shape, strict=True) for e in pair]
    split = [e for extent in shape for e in (1, extent)]
    repeated = broadcast_array(reshape(A, tuple(split)), tuple(spread))
    return reshape(repeated, tuple(c * e for c, e in zip(counts, shape, strict=True)))


def resize(a: ArrayLike, new_shape: ShapeLike) -> Array:
    """`np.resize`: the elements again and again, as many as the shape needs."""
    extents = checked_extents(tuple(new_shape))
    if not a.size:
        return xp.zeros_like(a, shape=extents)
    return reshape(take(a, np.arange(prod(extents)) % a.size), extents)


def matrix_transpose(x: ArrayLike) -> Array:
    """`np.matrix_transpose`."""
    if x.ndim < 2:
        raise ShapeError(
            f"matrix_transpose needs two dimensions, got shape {x.shape}",
            location=user_line(),
            hint="write x[:, None] for a column",
        )
    return swapaxes(x, -1, -2)


def identity(val: ArrayLike) -> Array:
    """`np.real`: there are no complex numbers."""
    return val


def real_if_close(a: ArrayLike, tol: Number = 100) -> Array:
    """`np.real_if_close`: the array itself."""
    return a


def imag(val: ArrayLike) -> Array:
    """`np.imag`: zeros."""
    what = "the imaginary part of a real array"
    return read_only(val, lambda value: emitting().zeros(value.type), what, lambda _: row_major(val.shape))


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.reshape: reshape,
    np.ravel: ravel,
    np.transpose: transpose,
    np.swapaxes: swapaxes,
    np.moveaxis: moveaxis,
    np.rollaxis: rollaxis,
    np.squeeze: squeeze,
    np.expand_dims: expand_dims,
    np.broadcast_to: broadcast_to,
    np.broadcast_arrays: broadcast_arrays,
    np.flip: flip,
    np.fliplr: fliplr,
    np.flipud: flipud,
    np.rot90: rot90,
    np.matrix_transpose: matrix_transpose,
    np.linalg.matrix_transpose: matrix_transpose,
    np.roll: roll,
    np.take: take,
    np.repeat: repeat,
    np.tile: tile,
    np.resize: resize,
    np.real: identity,
    np.imag: imag,
    np.real_if_close: real_if_close,
}
"""What this file traces."""
