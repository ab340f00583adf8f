"""Images added to an accumulator: small images are added to large accumulators by an update in place.

    accumulate_image(b, m, captured, acc, x)            acc + m x
    accumulate_transposed(b, op, captured, acc, ct)     acc + m^T ct

So n reads of an array of n elements cost O(n), not n sums of whole arrays. The update is an op in value
semantics; later passes let it overwrite its base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlirad.dialects import linear
from mlirad.dialects.array.structural import PadOp, StackOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, components_of, shape_of, size_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.linear_maps.apply.primitives import FEW_SLICES, apply_primitive, apply_transposed
from mlirad.linear_maps.elements import Element, accumulated, as_value, components
from mlirad.linear_maps.transposes import TRANSPOSES, Captured, Primitive

SMALL_PART = 4
"""A part is added to a whole in place if the whole has at least this many times its elements.

A smaller whole is not worth it: padding the part and adding is one pass over the whole, which fuses."""


def accumulate_transposed(
    b: ArrayBuilder, op: linear.PrimitiveMapOp, captured: Captured, accumulator: Element, ct: Element
) -> Element:
    """The accumulator with the transposed image of ct added. A list is changed in place."""
    if isinstance(op, PARTS):
        (transpose,) = TRANSPOSES[type(op)](Primitive.of(op))
        return accumulate_image(b, transpose, captured, accumulator, ct)
    return accumulated(b, accumulator, apply_transposed(b, op, captured, ct))


def accumulate_image(
    b: ArrayBuilder, m: Primitive, captured: Captured, accumulator: Element, x: Element
) -> Element:
    """The accumulator with the image of x added."""
    if accumulator is not None and x is not None and m.kind in IN_PLACE:
        added = IN_PLACE[m.kind](b, m, captured, accumulator, x)
        if added is not None:
            return added
    return accumulated(b, accumulator, apply_primitive(b, m, captured, x))


# In place ------------------------------------------------------------------------------------------


def _at_positions(b: ArrayBuilder, m: Primitive, captured: Captured, acc: Value, x: Value) -> Value | None:
    """acc with x added at the positions, when x is a small part of it, or one of the slices it is made of."""
    stack = acc.owner
    if (
        isinstance(stack, StackOp)
        and stack.dim.value.data == 0
        and len(stack.parts) <= FEW_SLICES
        and shape_of(x) == shape_of(acc)[1:]
    ):
        place = b.scalar_of(m.captured(captured)[0])
        if place is not None:
            parts = list(stack.parts)
            k = min(max(int(place), 0), len(parts) - 1)
            parts[k] = x if b.scalar_of(parts[k]) == 0 else b.add(parts[k], x)
            return b.stack(parts, 0)
    if not _is_small(x, acc):
        return None
    positions = m.captured(captured)
    return b.update("add", acc, x, 0, lambda: positions)


def _is_small(x: Value, whole: Value) -> bool:
    """Return whether adding to a part of the whole is cheaper than to all of it."""
    return nominal(size_of(x)) * SMALL_PART <= nominal(size_of(whole))


def _scattered(b: ArrayBuilder, m: Primitive, captured: Captured, acc: Value, x: Value) -> Value:
    return b.update("add", acc, x, len(m.space), m.region(b, captured))


def _padded(b: ArrayBuilder, m: Primitive, captured: Captured, acc: Value, x: Value) -> Value | None:
    """acc with x added where the pad puts it, when it is a small part, or just what acc was padded by."""
    joined = _joined(b, m, acc, x)
    if joined is not None:
        return joined
    if size_of(x) == 0 or not _is_small(x, acc):
        return None
    starts, strides = m.ints("low"), [i + 1 for i in m.ints("interior")]
    leading = max(d for d, (e, n) in enumerate(zip(shape_of(x), shape_of(acc), strict=True)) if e != n) + 1

    def places(*indices: Value) -> list[Value]:
        return [b.add(b.scaled(i, strides[d]), b.index_constant(starts[d])) for d, i in enumerate(indices)]

    return b.update("add", acc, x, leading, places)


def _joined(b: ArrayBuilder, m: Primitive, acc: Value, x: Value) -> Value | None:
    """acc with x in the place of the zeros that it was padded by, if x fills them."""
    op = acc.owner
    if not isinstance(op, PadOp) or b.scalar_of(op.value) != 0:
        return None
    one, other = (values_of(op.low), values_of(op.high)), (m.ints("low"), m.ints("high"))
    padded = [d for d in range(len(shape_of(acc))) if any(group[d] != 0 for group in (*one, *other))]
    if len(padded) != 1 or any(values_of(op.interior)) or any(m.ints("interior")):
        return None
    (d,) = padded
    ends, extents = (one[0][d], one[1][d]), (shape_of(op.operand)[d], shape_of(x)[d])
    if (other[0][d], other[1][d]) == (0, extents[0]) and ends == (extents[1], 0):
        return b.concatenate([x, op.operand], d)
    if (other[0][d], other[1][d]) == (extents[0], 0) and ends == (0, extents[1]):
        return b.concatenate([op.operand, x], d)
    return None


def _pieces(b: ArrayBuilder, m: Primitive, captured: Captured, acc: Value, x: Element) -> Value | None:
    """acc with each component of x that is not zero added to its piece, when few are not."""
    spaces = components_of(m.domain)
    pieces = components(x, m.domain)
    present = sum(size_of(s) for e, s in zip(pieces, spaces, strict=True) if e is not None)
    if nominal(present) * SMALL_PART > nominal(size_of(acc)):
        return None
    dim, position = m.dim, 0
    for piece, space in zip(pieces, spaces, strict=True):
        extent = 1 if m.kind is linear.StackOp else shape_of(space)[dim]
        if piece is not None:
            shape = tuple(extent if d == dim else e for d, e in enumerate(shape_of(acc)))
            acc = _added_along(b, acc, b.reshape(as_value(piece), shape), dim, position)
        position += extent
    return acc


def _added_along(b: ArrayBuilder, acc: Value, piece: Value, dim: int, position: int) -> Value:
    """acc with a piece added from `position` on along `dim`."""

    def places(*indices: Value) -> Sequence[Value]:
        offset = b.index_constant(position)
        return [b.add(i, offset) if d == dim else i for d, i in enumerate(indices)]

    return b.update("add", acc, piece, dim + 1, places)


IN_PLACE: dict[type[linear.MapOp], Callable[[ArrayBuilder, Primitive, Captured, Any, Any], Value | None]] = {
    linear.OneHotOp: _at_positions,
    linear.ScatterOp: _scattered,
    linear.PadOp: _padded,
    linear.ConcatenateOp: _pieces,
    linear.StackOp: _pieces,
}
"""Images that make no array of the accumulator's size; `None` where that does not pay."""

PARTS = (linear.IndexOp, linear.GatherOp, linear.SliceOp, linear.SplitOp, linear.UnstackOp)
"""The maps whose transposes are such: they read parts."""
