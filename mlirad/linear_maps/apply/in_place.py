"""Images added to an accumulator: what is small is added to what is large by an update in place.

    accumulate_transposed(b, op, captured, acc, ct)     acc + m^T ct
    accumulate_image(b, op, captured, acc, x)           acc + m x

So n reads of an array of n elements cost O(n), not n sums of whole arrays. The update is an op in value
semantics; later passes let it overwrite its base.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.dialects import linear
from mlirad.dialects.shapes import Shape, Value, components_of, shape_of, size_of, values_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.linear_maps.apply.primitives import apply_map, apply_transposed, positions_of, region_of
from mlirad.linear_maps.elements import Element, accumulated, as_value, components, parts
from mlirad.linear_maps.transposes import Captured, slice_of_pad

SMALL_PART = 4
"""A part is added to a whole in place if the whole has at least this many times its elements.

A smaller whole is not worth it: padding the part and adding is one pass over the whole, which fuses."""


def accumulate_transposed(
    b: ArrayBuilder, op: linear.MapOp, captured: Captured, accumulator: Element, ct: Element
) -> Element:
    """The accumulator with the transposed image of ct added. A list is changed in place."""
    if ct is None:
        return accumulator
    if isinstance(op, linear.ProjectOp):
        sums = parts(accumulator, len(components_of(op.domain)))
        index = op.index.value.data
        sums[index] = accumulated(b, sums[index], ct)
        return sums
    if accumulator is not None:
        in_place = IN_PLACE.get(type(op))
        added = in_place(b, op, captured, accumulator, ct) if in_place else None
        if added is not None:
            return added
    return accumulated(b, accumulator, apply_transposed(b, op, captured, ct))


def accumulate_image(
    b: ArrayBuilder, op: linear.MapOp, captured: Captured, accumulator: Element, x: Element
) -> Element:
    """The accumulator with the image of x added."""
    if accumulator is not None and x is not None:
        in_place = IMAGE_IN_PLACE.get(type(op))
        added = in_place(b, op, captured, accumulator, x) if in_place else None
        if added is not None:
            return added
    return accumulated(b, accumulator, apply_map(b, op, captured, x))


# In place ------------------------------------------------------------------------------------------


def _add_at(
    b: ArrayBuilder, op: linear.IndexOp | linear.OneHotOp, captured: Captured, acc: Value, ct: Value
) -> Value | None:
    """acc with ct added at the positions, when ct is a small part of it."""
    if size_of(ct) * SMALL_PART > size_of(acc):
        return None
    positions = positions_of(op, captured)
    return b.update("add", acc, ct, 0, lambda: positions)


def _add_gathered(
    b: ArrayBuilder, op: linear.GatherOp | linear.ScatterOp, captured: Captured, acc: Value, ct: Value
) -> Value:
    """acc with ct added at the gathered positions."""
    return b.update("add", acc, ct, len(extents_of(op)), region_of(b, op, captured))


def _add_slice(
    b: ArrayBuilder, op: linear.SliceOp, captured: Captured, acc: Value, ct: Value
) -> Value | None:
    """acc with ct added along the slice, when it is a small part."""
    return _add_along(b, acc, ct, values_of(op.starts), values_of(op.strides))


def _add_padded(b: ArrayBuilder, op: linear.PadOp, captured: Captured, acc: Value, x: Value) -> Value | None:
    """acc with x added where the pad puts it, when it is a small part."""
    starts, _, strides = slice_of_pad(op)
    return _add_along(b, acc, x, starts, strides)


def _add_along(b: ArrayBuilder, acc: Value, ct: Value, starts: Shape, strides: Shape) -> Value | None:
    """acc with ct added at the given starts and strides, when ct is a small part of it."""
    if not size_of(ct) or size_of(ct) * SMALL_PART > size_of(acc):
        return None
    cut = [d for d, (e, n) in enumerate(zip(shape_of(ct), shape_of(acc), strict=True)) if e != n]
    leading = cut[-1] + 1

    def places(*indices: Value) -> list[Value]:
        return [b.add(b.scaled(i, strides[d]), b.index_constant(starts[d])) for d, i in enumerate(indices)]

    return b.update("add", acc, ct, leading, places)


def _add_slice_of_component(
    b: ArrayBuilder, op: linear.UnstackOp | linear.SplitOp, captured: Captured, acc: Value, ct: Element
) -> Value | None:
    """acc with each component of ct that is not zero added to its piece, when few are not."""
    spaces = components_of(op.codomain)
    pieces = components(ct, op.codomain)
    present = sum(size_of(s) for e, s in zip(pieces, spaces, strict=True) if e is not None)
    if present * SMALL_PART > size_of(acc):
        return None
    dim, position = op.dim.value.data, 0
    for piece, space in zip(pieces, spaces, strict=True):
        extent = 1 if isinstance(op, linear.UnstackOp) else shape_of(space)[dim]
        if piece is not None:
            shape = tuple(extent if d == dim else e for d, e in enumerate(shape_of(acc)))
            acc = _added_along(b, acc, b.reshape(as_value(piece), shape), dim, position)
        position += extent
    return acc


def _added_along(b: ArrayBuilder, acc: Value, piece: Value, dim: int, position: int) -> Value:
    """acc with a piece added from `position` on along `dim`."""

    def places(*indices: Value) -> list[Value]:
        offset = b.index_constant(position)
        return [b.add(i, offset) if d == dim else i for d, i in enumerate(indices)]

    return b.update("add", acc, piece, dim + 1, places)


IN_PLACE: dict[type[linear.MapOp], Callable[[ArrayBuilder, Any, Captured, Any, Any], Value | None]] = {
    linear.IndexOp: _add_at,
    linear.GatherOp: _add_gathered,
    linear.SliceOp: _add_slice,
    linear.SplitOp: _add_slice_of_component,
    linear.UnstackOp: _add_slice_of_component,
}
"""Transposes that make no array of the accumulator's size; they return `None` where that does not pay."""

IMAGE_IN_PLACE: dict[type[linear.MapOp], Callable[[ArrayBuilder, Any, Captured, Any, Any], Value | None]] = {
    linear.OneHotOp: _add_at,
    linear.ScatterOp: _add_gathered,
    linear.PadOp: _add_padded,
}
"""Images that make no array of the accumulator's size; `None` where that does not pay."""
