"""Functions that move elements, and those that make arrays like others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Shape, array_type
from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.dtypes import language_dtype
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.axes import all_axes, listed, one_axis
from mlirad.frontend.operations import (
    as_array,
    broadcast_array,
    broadcast_shapes,
    check_equal_shapes,
    common,
    contains_traced,
    made,
    operand_of,
    select,
    stacked,
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
        return tuple(index(extent) for extent in shape)


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
            x = concatenate([x[tuple(before)], x[tuple(after)]], dim)
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


# Several arrays ----------------------------------------------------------------------------------


def concatenate(
    arrays: Sequence[Any], /, axis: Any = 0, out: None = None, *, dtype: Any = None, casting: Any = None
) -> Array:
    """`np.concatenate`."""
    parts = common([operand_of(a) for a in arrays])
    if not parts:
        raise ShapeError("need at least one array to concatenate", location=user_line())
    if axis is None:
        parts, axis = [ravel(p) for p in parts], 0
    dim = one_axis(axis, parts[0].ndim)
    check_equal_shapes(
        [(*p.shape[:dim], *p.shape[dim + 1 :]) for p in parts], "concatenated arrays (but for the axis)"
    )
    return made(emitting().concatenate([p.value for p in parts], dim))


def stack(
    arrays: Sequence[Any], axis: Any = 0, out: None = None, *, dtype: Any = None, casting: Any = None
) -> Array:
    """`np.stack`."""
    parts = common([operand_of(a) for a in arrays])
    if not parts:
        raise ShapeError("need at least one array to stack", location=user_line())
    check_equal_shapes([p.shape for p in parts], "stacked arrays")
    dim = one_axis(axis, parts[0].ndim + 1)
    return made(emitting().stack([p.value for p in parts], dim))


def _at_least(rank: int) -> Callable[..., Any]:
    def raise_rank(*arys: Any) -> Any:
        raised = [_padded_rank(as_array(a), rank) for a in arys]
        return raised[0] if len(raised) == 1 else tuple(raised)

    return raise_rank


def _padded_rank(x: Array, rank: int) -> Array:
    if x.ndim >= rank:
        return x
    if rank == 3 and x.ndim == 2:
        return reshape(x, (*x.shape, 1))
    if rank == 3 and x.ndim == 1:
        return reshape(x, (1, *x.shape, 1))
    return reshape(x, (*[1] * (rank - x.ndim), *x.shape))


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Array:
    """`np.hstack`."""
    parts = [atleast_1d(a) for a in tup]
    return concatenate(parts, axis=0 if parts and parts[0].ndim == 1 else 1)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Array:
    """`np.vstack`."""
    return concatenate([atleast_2d(a) for a in tup], axis=0)


def column_stack(tup: Sequence[Any]) -> Array:
    """`np.column_stack`."""
    arrays = [as_array(a) for a in tup]
    return concatenate([reshape(a, (-1, 1)) if a.ndim < 2 else a for a in arrays], axis=1)


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Array]:
    """`np.split` at static places, or into equal parts."""
    x = as_array(ary)
    dim = one_axis(axis, x.ndim)
    extent = x.shape[dim]
    if isinstance(indices_or_sections, int) and extent % indices_or_sections:
        raise ShapeError(
            f"cannot split {extent} elements into {indices_or_sections} equal parts", location=user_line()
        )
    return array_split(x, indices_or_sections, dim)


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Array]:
    """`np.array_split`."""
    x = as_array(ary)
    dim = one_axis(axis, x.ndim)
    pieces = np.array_split(np.arange(x.shape[dim]), indices_or_sections)
    keys = [slice(int(p[0]), int(p[-1]) + 1) if p.size else slice(0, 0) for p in pieces]
    return [x[(*[slice(None)] * dim, key)] for key in keys]


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    """`np.meshgrid`."""
    arrays = [ravel(as_array(x)) for x in xi]
    lines = [reshape(x, [-1 if d == k else 1 for d in range(len(arrays))]) for k, x in enumerate(arrays)]
    if indexing == "xy" and len(lines) > 1:
        lines = [swapaxes(line, 0, 1) for line in lines]
    return tuple(lines) if sparse else broadcast_arrays(*lines)


# New arrays --------------------------------------------------------------------------------------


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
    """`np.copy`: another name for the same value, which `x[i] = v` on one does not change for the other."""
    x = as_array(a)
    return made(x.value, weak=x.weak)


def shape_of_any(a: Any) -> Shape:
    """`np.shape`."""
    return a.shape if isinstance(a, Array) else stacked(a).shape


def size_of_any(a: Any, axis: int | None = None) -> int:
    """`np.size`."""
    shape = shape_of_any(a)
    return prod(shape) if axis is None else shape[axis]


def matrix_transpose(x: Any, /) -> Array:
    """`np.matrix_transpose`."""
    return swapaxes(x, -1, -2)


def flipud(m: Any) -> Array:
    """`np.flipud`."""
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    """`np.fliplr`."""
    return flip(m, 1)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`np.hsplit`."""
    return split(ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`np.vsplit`."""
    return split(ary, indices_or_sections, 0)


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
    np.reshape: reshape,
    np.ravel: ravel,
    np.transpose: transpose,
    np.permute_dims: transpose,
    np.matrix_transpose: matrix_transpose,
    np.swapaxes: swapaxes,
    np.moveaxis: moveaxis,
    np.squeeze: squeeze,
    np.expand_dims: expand_dims,
    np.broadcast_to: broadcast_to,
    np.broadcast_arrays: broadcast_arrays,
    np.flip: flip,
    np.flipud: flipud,
    np.fliplr: fliplr,
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
    np.concatenate: concatenate,
    np.stack: stack,
    np.hstack: hstack,
    np.vstack: vstack,
    np.column_stack: column_stack,
    np.atleast_1d: atleast_1d,
    np.atleast_2d: atleast_2d,
    np.atleast_3d: atleast_3d,
    np.split: split,
    np.array_split: array_split,
    np.hsplit: hsplit,
    np.vsplit: vsplit,
    np.meshgrid: meshgrid,
    np.full_like: full_like,
    np.zeros_like: _filled_like(0),
    np.empty_like: _filled_like(0),
    np.ones_like: _filled_like(1),
    np.copy: copy_of,
    np.shape: shape_of_any,
    np.ndim: ndim_of_any,
    np.size: size_of_any,
    np.result_type: result_type_of,
    np.iscomplexobj: is_complex,
    np.isrealobj: is_real,
    np.real: as_array,
}
"""What this file traces."""
