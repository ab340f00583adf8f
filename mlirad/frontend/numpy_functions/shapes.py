"""Functions that move the elements of one array: its shape, its order, its diagonals."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import index
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Shape, Value
from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.frames import emitting
from mlirad.frontend.keys import select_key
from mlirad.frontend.numpy_functions.axes import all_axes, listed, one_axis
from mlirad.frontend.operations import (
    as_array,
    broadcast_array,
    broadcast_shapes,
    broadcast_value,
    contains_traced,
    made,
    operand_of,
    select,
    value_of,
    xp,
)
from mlirad.frontend.selections import Strides, row_major
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.frontend.views import (
    copied,
    permuted,
    raveled,
    read_only,
    reshaped,
    selected,
)

MAX_RANK = 64
"""The most dimensions that a NumPy array has."""


def static_shape(shape: Any) -> Shape:
    """A shape given as an integer or a sequence of them."""
    if isinstance(shape, Array) or contains_traced(shape):
        return (index(shape if isinstance(shape, Array) else next(s for s in shape if isinstance(s, Array))),)
    try:
        return (index(shape),)
    except TypeError:
        pass
    try:
        extents = tuple(index(extent) for extent in shape)
    except TypeError as error:
        raise ShapeError(f"a shape is made of integers, got {shape!r}", location=user_line()) from error
    if len(extents) > MAX_RANK:
        raise ShapeError(
            f"a shape of {len(extents)} dimensions, and NumPy's arrays have no more than {MAX_RANK}",
            location=user_line(),
        )
    return extents


# One array ---------------------------------------------------------------------------------------


def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None
) -> Array:
    """`np.reshape`; one extent may be -1."""
    if order != "C":
        raise UnsupportedError("arrays are traced in row-major order only", location=user_line())
    x = as_array(a)
    wanted = static_shape(newshape if shape is None else shape)
    extents = list(wanted)
    if extents.count(-1) == 1:
        rest = prod(e for e in extents if e != -1)
        extents[extents.index(-1)] = x.size // rest if rest else 0
    if prod(extents) != x.size or min(extents, default=0) < 0:
        raise ShapeError(
            f"cannot reshape {x.size} elements of shape {x.shape} into {wanted}",
            location=user_line(),
        )
    return reshaped(x, tuple(extents)) if copy is not True else copied(reshaped(x, tuple(extents)))


def ravel(a: Any, order: str = "C") -> Array:
    """`np.ravel`."""
    if order != "C":
        raise UnsupportedError("arrays are traced in row-major order only", location=user_line())
    return raveled(as_array(a))


def transpose(a: Any, axes: Any = None) -> Array:
    """`np.transpose`."""
    x = as_array(a)
    order = list(range(x.ndim))[::-1] if axes is None else [one_axis(d, x.ndim) for d in axes]
    if sorted(order) != list(range(x.ndim)):
        raise ShapeError(f"axes {axes} are no order of the dimensions of {x.shape}", location=user_line())
    return permuted(x, order)


def swapaxes(a: Any, axis1: Any, axis2: Any) -> Array:
    """`np.swapaxes`."""
    x = as_array(a)
    order = list(range(x.ndim))
    p, q = one_axis(axis1, x.ndim), one_axis(axis2, x.ndim)
    order[p], order[q] = order[q], order[p]
    return transpose(x, order)


def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    """`np.moveaxis`."""
    x = as_array(a)
    froms = [one_axis(d, x.ndim) for d in listed(source)]
    tos = [one_axis(d, x.ndim) for d in listed(destination)]
    order = [d for d in range(x.ndim) if d not in froms]
    for to, from_ in sorted(zip(tos, froms, strict=True)):
        order.insert(to, from_)
    return transpose(x, order)


def squeeze(a: Any, axis: Any = None) -> Array:
    """`np.squeeze`."""
    x = as_array(a)
    dropped = [d for d, e in enumerate(x.shape) if e == 1] if axis is None else all_axes(axis, x.ndim)
    if any(x.shape[d] != 1 for d in dropped):
        raise ShapeError(f"cannot squeeze axis {axis} of shape {x.shape}: it is not 1", location=user_line())
    return reshape(x, [e for d, e in enumerate(x.shape) if d not in dropped])


def expand_dims(a: Any, axis: Any) -> Array:
    """`np.expand_dims`."""
    x = as_array(a)
    count = len(listed(axis))
    new = all_axes(axis, x.ndim + count)
    old = iter(x.shape)
    return reshape(x, [1 if d in new else next(old) for d in range(x.ndim + count)])


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    """`np.broadcast_to`."""
    x, extents = as_array(array), static_shape(shape)
    if broadcast_shapes([x.shape, extents], "broadcast_to") != extents:
        raise ShapeError(f"shape {x.shape} does not broadcast to {extents}", location=user_line())
    return _repeated(x, extents)


def _repeated(x: Array, shape: Shape) -> Array:
    def spread(strides: Strides) -> Strides:
        own = [0 if e == 1 else s for s, e in zip(strides, x.shape, strict=True)]
        return (*[0] * (len(shape) - x.ndim), *own)

    def read(value: Value) -> Value:
        return broadcast_value(emitting(), value, shape)

    return read_only(x, read, "what np.broadcast_to gives", spread)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    """`np.broadcast_arrays`."""
    arrays = [as_array(a) for a in args]
    shape = broadcast_shapes([a.shape for a in arrays], "broadcast_arrays")
    return tuple(_repeated(a, shape) if a.shape != shape else a for a in arrays)


def flip(m: Any, axis: Any = None) -> Array:
    """`np.flip`."""
    x = as_array(m)
    axes = all_axes(axis, x.ndim)
    key = tuple(slice(None, None, -1) if d in axes else slice(None) for d in range(x.ndim))
    return selected(x, select_key(x.shape, key), lambda value: emitting().reverse(value, axes))


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """`np.rot90`."""
    x = as_array(m)
    first, second = (one_axis(a, x.ndim) for a in axes)
    if first == second:
        raise ShapeError(f"rot90 turns in a plane of two axes, got {axes}", location=user_line())
    turns = index(k) % 4
    if turns == 0:
        return x[...]
    if turns == 2:
        return flip(x, (first, second))
    return (
        swapaxes(flip(x, second), first, second) if turns == 1 else flip(swapaxes(x, first, second), second)
    )


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Array:
    """`np.rollaxis`."""
    x = as_array(a)
    source, first = one_axis(axis, x.ndim), index(start)
    to = one_axis(first + x.ndim if first < 0 else first, x.ndim + 1)
    return moveaxis(x, source, to - 1 if source < to else to)


def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    """`np.roll` by static distances."""
    x = as_array(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = listed(axis)
    shifts = listed(shift) if isinstance(shift, list | tuple) else [shift] * len(axes)
    for distance, d in zip(shifts, axes, strict=True):
        dim = one_axis(d, x.ndim)
        extent = x.shape[dim]
        cut = -index(distance) % extent if extent else 0
        if cut:
            before, after = [slice(None)] * x.ndim, [slice(None)] * x.ndim
            before[dim], after[dim] = slice(cut, None), slice(None, cut)
            parts = [x[tuple(before)].value, x[tuple(after)].value]
            x = made(emitting().concatenate(parts, dim), weak=x.weak)
    return x


def take(a: Any, indices: Any, axis: Any = None, out: None = None, mode: str = "raise") -> Array:
    """`np.take`; traced positions outside the array read 0."""
    x = as_array(a)
    if axis is None:
        x, axis = ravel(x), 0
    dim = one_axis(axis, x.ndim)
    if mode == "wrap":
        indices = indices % x.shape[dim]
    elif mode == "clip":
        indices = xp.clip(indices, 0, x.shape[dim] - 1)
    return x[(*[slice(None)] * dim, indices)]


def pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Array:
    """`np.pad` with a constant, or by repeating edges or reflecting."""
    x = as_array(array)
    widths = [tuple(w) for w in xp.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()]
    if mode == "constant":
        value = operand_of(options.get("constant_values", 0))
        b = emitting()
        low, high = [w[0] for w in widths], [w[1] for w in widths]
        fill = value_of(value, x.dtype)
        return made(b.pad(x.value, fill, low, high, [0] * x.ndim))
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise UnsupportedError(f"np.pad with mode {mode!r} cannot be traced", location=user_line())
    for dim, (low, high) in enumerate(widths):
        positions = np.pad(np.arange(x.shape[dim]), (low, high), mode)  # pyright: ignore[reportArgumentType, reportCallIssue]
        x = take(x, positions, dim)
    return x


def repeat(a: Any, repeats: Any, axis: Any = None) -> Array:
    """`np.repeat` a static number of times."""
    x = as_array(a)
    if axis is None:
        x, axis = ravel(x), 0
    dim = one_axis(axis, x.ndim)
    return take(x, np.repeat(np.arange(x.shape[dim]), repeats), dim)


def tile(A: Any, reps: Any) -> Array:
    """`np.tile`."""
    x, counts = as_array(A), static_shape(reps)
    rank = max(x.ndim, len(counts))
    shape = (*[1] * (rank - x.ndim), *x.shape)
    counts = (*[1] * (rank - len(counts)), *counts)
    spread = [e for pair in zip(counts, shape, strict=True) for e in pair]
    split = [e for extent in shape for e in (1, extent)]
    repeated = broadcast_array(reshape(x, split), tuple(spread))
    return reshape(repeated, [c * e for c, e in zip(counts, shape, strict=True)])


# Diagonals ---------------------------------------------------------------------------------------


def _triangle(lower: bool) -> Callable[..., Array]:
    def keep(m: Any, k: int = 0) -> Array:
        x = as_array(m)
        mask = np.tri(*x.shape[-2:], k=k if lower else k - 1, dtype=bool)
        return select(mask if lower else ~mask, x, x.dtype.type(0))

    return keep


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """`np.diagonal`."""
    x = as_array(a)

    def read(value: Value) -> Value:
        turned = moveaxis(made(value), (axis1, axis2), (0, 1))
        rows, columns = turned.shape[:2]
        first, second = max(-offset, 0), max(offset, 0)
        at = np.arange(max(min(rows - first, columns - second), 0))
        return moveaxis(turned[at + first, at + second], 0, -1).value

    def spread(strides: Strides) -> Strides:
        planes = [one_axis(axis1, x.ndim), one_axis(axis2, x.ndim)]
        rest = [s for d, s in enumerate(strides) if d not in planes]
        return (*rest, strides[planes[0]] + strides[planes[1]])

    return read_only(x, read, "a diagonal", spread)


def diag(v: Any, k: int = 0) -> Array:
    """`np.diag`: the diagonal of a matrix, or the matrix with a given diagonal."""
    x = as_array(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ShapeError(f"diag needs a vector or a matrix, got shape {x.shape}", location=user_line())
    size = x.size + abs(k)
    rows = broadcast_array(pad(x, (max(k, 0), max(-k, 0)))[None, :], (size, size))
    return select(np.eye(size, k=k, dtype=bool), rows, x.dtype.type(0))


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None
) -> Array:
    """`np.trace`."""
    return xp.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def matrix_transpose(x: Any, /) -> Array:
    """`np.matrix_transpose`."""
    return swapaxes(x, -1, -2)


def flipud(m: Any) -> Array:
    """`np.flipud`."""
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    """`np.fliplr`."""
    return flip(m, 1)


def imag(val: Any) -> Array:
    """`np.imag`: zeros."""
    x = as_array(val)
    what = "the imaginary part of a real array"
    return read_only(x, lambda value: emitting().zeros(value.type), what, lambda _: row_major(x.shape))


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.reshape: reshape,
    np.ravel: ravel,
    np.transpose: transpose,
    np.permute_dims: transpose,
    np.swapaxes: swapaxes,
    np.moveaxis: moveaxis,
    np.squeeze: squeeze,
    np.expand_dims: expand_dims,
    np.broadcast_to: broadcast_to,
    np.broadcast_arrays: broadcast_arrays,
    np.flip: flip,
    np.fliplr: fliplr,
    np.flipud: flipud,
    np.matrix_transpose: matrix_transpose,
    np.roll: roll,
    np.take: take,
    np.pad: pad,
    np.repeat: repeat,
    np.tile: tile,
    np.tril: _triangle(True),
    np.triu: _triangle(False),
    np.diagonal: diagonal,
    np.diag: diag,
    np.trace: trace,
    np.rot90: rot90,
    np.rollaxis: rollaxis,
    np.real: as_array,
    np.imag: imag,
    np.real_if_close: as_array,
}
"""What this file traces."""
