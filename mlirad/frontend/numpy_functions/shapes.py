"""Functions that move the elements of one array: its shape, its order, its diagonals."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import index
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Shape
from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.axes import all_axes, listed, one_axis
from mlirad.frontend.operations import (
    as_array,
    broadcast_array,
    broadcast_shapes,
    contains_traced,
    made,
    operand_of,
    select,
    value_of,
    xp,
)
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array


def static_shape(shape: Any) -> Shape:
    """A shape given as an integer or a sequence of them."""
    if isinstance(shape, Array) or contains_traced(shape):
        return (index(shape if isinstance(shape, Array) else next(s for s in shape if isinstance(s, Array))),)
    try:
        return (index(shape),)
    except TypeError:
        pass
    try:
        return tuple(index(extent) for extent in shape)
    except TypeError as error:
        raise ShapeError(f"a shape is made of integers, got {shape!r}", location=user_line()) from error


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
    return made(emitting().reshape(x.value, extents), weak=x.weak)


def ravel(a: Any, order: str = "C") -> Array:
    """`np.ravel`."""
    return reshape(a, (-1,) if np.size(a) else (0,), order)


def transpose(a: Any, axes: Any = None) -> Array:
    """`np.transpose`."""
    x = as_array(a)
    order = list(range(x.ndim))[::-1] if axes is None else [one_axis(d, x.ndim) for d in axes]
    if sorted(order) != list(range(x.ndim)):
        raise ShapeError(f"axes {axes} are no order of the dimensions of {x.shape}", location=user_line())
    return made(emitting().transpose(x.value, order), weak=x.weak)


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
    return broadcast_array(x, extents)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    """`np.broadcast_arrays`."""
    arrays = [as_array(a) for a in args]
    shape = broadcast_shapes([a.shape for a in arrays], "broadcast_arrays")
    return tuple(broadcast_array(a, shape) for a in arrays)


def flip(m: Any, axis: Any = None) -> Array:
    """`np.flip`."""
    x = as_array(m)
    return made(emitting().reverse(x.value, all_axes(axis, x.ndim)), weak=x.weak)


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
    x = xp.moveaxis(as_array(a), (axis1, axis2), (0, 1))
    rows, columns = x.shape[:2]
    first, second = max(-offset, 0), max(offset, 0)
    length = max(min(rows - first, columns - second), 0)
    at = np.arange(int(length))
    return xp.moveaxis(x[at + first, at + second], 0, -1)


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
    np.real: as_array,
}
"""What this file traces."""
