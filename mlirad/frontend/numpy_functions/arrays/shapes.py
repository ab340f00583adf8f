"""Functions that change the shape of one array, or the order of its dimensions and elements."""

from __future__ import annotations

from math import prod
from typing import Literal

from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.shapes import Shape, Value
from mlirad.frontend.indexing.keys import select_key
from mlirad.frontend.indexing.views import permuted, raveled, read_only, reshaped, selected
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axis,
    AxisList,
    Int,
    Ints,
    Number,
    ShapeLike,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, checked_rank, copied
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import broadcast_shapes, broadcast_value
from mlirad.frontend.tracing.raising import shape_error, unsupported_error
from mlirad.frontend.tracing.shapes import all_axes, distinct_axes, listed, one_axis
from mlirad.frontend.tracing.strides import Strides, row_major


def checked_extents(shape: Shape) -> Shape:
    """A shape without negative extents."""
    if not all(at_most(0, extent) for extent in shape):
        raise shape_error(f"a shape has no negative extents, got {shape}", "-1 is for np.reshape")
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
    if prod(extents) != a.size or not all(at_most(0, extent) for extent in extents):
        raise shape_error(
            f"cannot reshape {a.size} elements of shape {a.shape} into {tuple(shape)}",
            "both shapes must have as many elements; one extent may be -1"
            if all(map(is_static, (a.size, *extents)))
            else "both must have as many elements for all sizes: write x[: n // 8 * 8].reshape(n // 8, 8), "
            "which cuts off the rows that are left over",
        )
    result = reshaped(a, checked_rank(tuple(extents)))
    return copied(result) if copy is True else result


def _require_known_order(order: str | None) -> None:
    if order in ("A", "K"):
        raise unsupported_error(
            f"order={order!r} asks for the layout in memory, and traced arrays have none",
            "write order='C' or order='F'",
        )


def ravel(a: ArrayLike, order: Literal["C", "F", "A", "K"] = "C") -> Array:
    """`np.ravel`."""
    if order != "C" and a.ndim > 1:
        _require_known_order(order)
        a = transpose(a)
    return raveled(a)


def along(x: Array, axis: int | None, *, takes_scalars: bool = False) -> tuple[Array, int]:
    """An array, flat where the axis is `None`, and the dimension; some functions take scalars as vectors."""
    if axis is None:
        return ravel(x), 0
    x = reshape(x, (1,)) if takes_scalars and not x.ndim else x
    return x, one_axis(axis, x.ndim)


def transpose(a: ArrayLike, axes: AxisList | None = None) -> Array:
    """`np.transpose`."""
    order = list(range(a.ndim))[::-1] if axes is None else [one_axis(d, a.ndim) for d in listed(axes)]
    if sorted(order) != list(range(a.ndim)):
        raise shape_error(
            f"axes {axes} is not a permutation of the dimensions of {a.shape}", "name every dimension once"
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
        raise shape_error(
            f"{len(froms)} dimensions are moved to {len(tos)} places",
            "source and destination must have one length",
        )
    order = [d for d in range(a.ndim) if d not in froms]
    for to, from_ in sorted(zip(tos, froms, strict=True)):
        order.insert(to, from_)
    return transpose(a, tuple(order))


def rollaxis(a: ArrayLike, axis: Axis, start: Int = 0) -> Array:
    """`np.rollaxis`."""
    dim, place = one_axis(axis, a.ndim), start + a.ndim if start < 0 else start
    if not 0 <= place <= a.ndim:
        raise shape_error(
            f"there is no place {start} among {a.ndim} dimensions", f"start is one of {-a.ndim} to {a.ndim}"
        )
    return moveaxis(a, dim, place - (dim < place))


def squeeze(a: ArrayLike, axis: AxisList | None = None) -> Array:
    """`np.squeeze`."""
    dropped = [d for d, e in enumerate(a.shape) if e == 1] if axis is None else all_axes(axis, a.ndim)
    if any(a.shape[d] != 1 for d in dropped):
        raise shape_error(
            f"cannot squeeze axis {axis} of shape {a.shape}: it is not 1",
            "only dimensions of extent 1 can be left out",
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
        raise shape_error(
            f"shape {array.shape} does not broadcast to {extents}",
            "dimensions are compared from the last one; each must be that of the shape, or 1",
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
        raise shape_error("rot90 needs two axes", "for example axes=(0, 1)")
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


def matrix_transpose(x: ArrayLike) -> Array:
    """`np.matrix_transpose`."""
    if x.ndim < 2:
        raise shape_error(
            f"matrix_transpose needs two dimensions, got shape {x.shape}", "write x[:, None] for a column"
        )
    return swapaxes(x, -1, -2)


def identity(val: ArrayLike) -> Array:
    """`np.real` of a real array: itself."""
    return val


def real_if_close(a: ArrayLike, tol: Number = 100) -> Array:
    """`np.real_if_close`: the array itself."""
    return a


def imag(val: ArrayLike) -> Array:
    """`np.imag`: zeros."""
    what = "the imaginary part of a real array"
    return read_only(val, lambda value: emitting().zeros(value.type), what, lambda _: row_major(val.shape))


FUNCTIONS = tracings(
    reshape, ravel, transpose, swapaxes, moveaxis, rollaxis, squeeze, expand_dims, broadcast_to,
    broadcast_arrays, flip, fliplr, flipud, rot90, matrix_transpose, imag, real_if_close,
    linalg_matrix_transpose=matrix_transpose, real=identity,
)  # fmt: skip
"""The functions that this file traces."""
