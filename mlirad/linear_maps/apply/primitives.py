"""Primitive maps as array code: the image of a tangent, and of a cotangent under the transposed map.

    apply_map(b, op, captured, dx)                      m dx
    apply_transposed(b, op, captured, ct)               m^T ct

Structural zeros (`mlirad.linear_maps.elements`) go in and come out without code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import (
    Shape,
    Value,
    array_type,
    components_of,
    element_of,
    shape_of,
    size_of,
    values_of,
)
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.builder import yields
from mlirad.ir.control import ScanBody
from mlirad.linear_maps.elements import (
    Element,
    Function,
    Pair,
    Pairs,
    assembled,
    components,
    from_values,
    part,
    to_values,
    value_of,
)
from mlirad.linear_maps.last_writes import surviving_writes
from mlirad.linear_maps.transposes import (
    Captured,
    kept_by_sum,
    pad_of_slice,
    slice_of_pad,
    sum_of_broadcast,
    transposed_dot,
)

APPLY, APPLY_TRANSPOSE = "_apply", "_apply_transpose"
"""What is appended to the name of a function that makes a map, for those that apply it."""

ONTO = "_onto"
"""What is appended to that, with the numbers of the components whose sums are the last parameters."""

Application: TypeAlias = Callable[[ArrayBuilder, Any, Captured, Any], Any]
"""`(b, op, captured, x) -> the image of x`: values, or lists of elements where a space is a tuple."""


def apply_map(b: ArrayBuilder, op: linear.MapOp, captured: Captured, x: Element) -> Element:
    """The image of x under a local map."""
    if x is None:
        return None
    rule = FORWARD.get(type(op))
    if rule is not None:
        return rule(b, op, captured, x)
    match op:
        case linear.IdentityOp():
            return x
        case linear.ProjectOp():
            return part(x, op.index.value.data)
        case linear.InjectOp():
            return _injected(x, op.codomain, op.index.value.data)
        case linear.CallOp():
            return _called(b, op, APPLY, captured, x, op.domain, op.codomain)
        case _:
            return _zero_of(op)


def apply_transposed(b: ArrayBuilder, op: linear.MapOp, captured: Captured, ct: Element) -> Element:
    """The image of ct under the transpose of a local map."""
    if ct is None:
        return None
    rule = TRANSPOSED.get(type(op))
    if rule is not None:
        return rule(b, op, captured, ct)
    match op:
        case linear.IdentityOp():
            return ct
        case linear.ProjectOp():
            return _injected(ct, op.domain, op.index.value.data)
        case linear.InjectOp():
            return part(ct, op.index.value.data)
        case linear.CallOp():
            return _called(b, op, APPLY_TRANSPOSE, captured, ct, op.codomain, op.domain)
        case _:
            return _zero_of(op)


def _called(
    b: ArrayBuilder,
    op: linear.CallOp,
    suffix: str,
    captured: Captured,
    x: Element,
    source: Attribute,
    target: Attribute,
) -> Element:
    """The image by a call of the function that applies the callee's map."""
    arguments = [*(captured.get(a, a) for a in op.arguments), *to_values(b, x, source)]
    properties = {"callee": SymbolRefAttr(op.callee_name + suffix)}
    results = b.insert(func.CallOp, arguments, linear.carried(target), properties).results
    return from_values(target, results)


def _injected(x: Element, space: Attribute, index: int) -> Element:
    elements: list[Element] = [None] * len(components_of(space))
    elements[index] = x
    return elements


def _zero_of(op: linear.MapOp) -> None:
    """The image under the zero map, the one local map without a line of its own."""
    assert isinstance(op, linear.ZeroOp), op.name


# Maps that are their own transposes ----------------------------------------------------------------


def _scale(b: ArrayBuilder, op: linear.ScaleOp, captured: Captured, x: Value) -> Value:
    factor = captured.get(op.coefficient, op.coefficient)
    if factor.type != x.type:
        factor = b.broadcast(factor, shape_of(x), ())
    return b.absorbing_mul(factor, x)


def _mask(b: ArrayBuilder, op: linear.MaskOp, captured: Captured, x: Value) -> Value:
    return b.select(captured.get(op.condition, op.condition), x, b.zeros(x.type))


def _reverse(b: ArrayBuilder, op: linear.ReverseOp, captured: Captured, x: Value) -> Value:
    return b.reverse(x, values_of(op.dims))


# Forward -------------------------------------------------------------------------------------------


def _convert(b: ArrayBuilder, op: linear.ConvertOp, captured: Captured, x: Value) -> Value:
    return b.convert(x, element_of(op.codomain))


def _sum(b: ArrayBuilder, op: linear.SumOp, captured: Captured, x: Value) -> Value:
    return b.sum(x, values_of(op.dims))


def _broadcast(b: ArrayBuilder, op: linear.BroadcastOp, captured: Captured, x: Value) -> Value:
    return b.broadcast(x, shape_of(op.codomain), values_of(op.dims))


def _reshape(b: ArrayBuilder, op: linear.ReshapeOp, captured: Captured, x: Value) -> Value:
    return b.reshape(x, shape_of(op.codomain))


def _slice(b: ArrayBuilder, op: linear.SliceOp, captured: Captured, x: Value) -> Value:
    return b.slice(x, values_of(op.starts), values_of(op.limits), values_of(op.strides))


def _pad(b: ArrayBuilder, op: linear.PadOp, captured: Captured, x: Value) -> Value:
    zero = b.zeros(element_of(x))
    return b.pad(x, zero, values_of(op.low), values_of(op.high), values_of(op.interior))


def _index(b: ArrayBuilder, op: linear.IndexOp, captured: Captured, x: Value) -> Value:
    return b.index(x, positions_of(op, captured))


def _one_hot(b: ArrayBuilder, op: linear.OneHotOp, captured: Captured, x: Value) -> Value:
    return _scattered_at(b, positions_of(op, captured), shape_of(op.codomain), x)


def _gather(b: ArrayBuilder, op: linear.GatherOp, captured: Captured, x: Value) -> Value:
    return b.gather(x, extents_of(op), region_of(b, op, captured))


def _scatter(b: ArrayBuilder, op: linear.ScatterOp, captured: Captured, x: Value) -> Value:
    return _scattered(b, op, captured, x, shape_of(op.codomain))


def _update(b: ArrayBuilder, op: linear.UpdateOp, captured: Captured, x: Element) -> Value:
    base, operand = _values(b, x, op.domain)
    return b.update(op.kind.data, base, operand, len(extents_of(op)), region_of(b, op, captured))


def _cumulative_sum(b: ArrayBuilder, op: linear.CumulativeSumOp, captured: Captured, x: Value) -> Value:
    return b.cumulative("sum", x, op.dim.value.data, op.reverse is not None)


def _recurrence(b: ArrayBuilder, op: linear.RecurrenceOp, captured: Captured, x: Value) -> Value:
    """d = a d + dx from trip to trip."""

    def trip(_: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        d = b.add(b.mul(slices[0], carries[0]), slices[1])
        return [d], [d]

    return _along(b, op, captured, x, trip, op.reverse is not None)


def _dot_left(b: ArrayBuilder, op: linear.DotLeftOp, captured: Captured, x: Value) -> Value:
    return b.dot(x, captured.get(op.fixed, op.fixed), *_dims(op))


def _dot_right(b: ArrayBuilder, op: linear.DotRightOp, captured: Captured, x: Value) -> Value:
    return b.dot(captured.get(op.fixed, op.fixed), x, *_dims(op))


# Transposed ----------------------------------------------------------------------------------------


def _convert_back(b: ArrayBuilder, op: linear.ConvertOp, captured: Captured, ct: Value) -> Value:
    return b.convert(ct, element_of(op.domain))


def _sum_transposed(b: ArrayBuilder, op: linear.SumOp, captured: Captured, ct: Value) -> Value:
    return b.broadcast(ct, shape_of(op.domain), kept_by_sum(op))


def _broadcast_transposed(b: ArrayBuilder, op: linear.BroadcastOp, captured: Captured, ct: Value) -> Value:
    new, order = sum_of_broadcast(op)
    return b.broadcast(b.sum(ct, new), shape_of(op.domain), order)


def _reshape_back(b: ArrayBuilder, op: linear.ReshapeOp, captured: Captured, ct: Value) -> Value:
    return b.reshape(ct, shape_of(op.domain))


def _slice_transposed(b: ArrayBuilder, op: linear.SliceOp, captured: Captured, ct: Value) -> Value:
    return b.pad(ct, b.zeros(element_of(ct)), *pad_of_slice(op))


def _pad_transposed(b: ArrayBuilder, op: linear.PadOp, captured: Captured, ct: Value) -> Value:
    return b.slice(ct, *slice_of_pad(op))


def _index_transposed(b: ArrayBuilder, op: linear.IndexOp, captured: Captured, ct: Value) -> Value:
    return _scattered_at(b, positions_of(op, captured), shape_of(op.domain), ct)


def _one_hot_transposed(b: ArrayBuilder, op: linear.OneHotOp, captured: Captured, ct: Value) -> Value:
    return b.index(ct, positions_of(op, captured))


def _gather_transposed(b: ArrayBuilder, op: linear.GatherOp, captured: Captured, ct: Value) -> Value:
    return _scattered(b, op, captured, ct, shape_of(op.domain))


def _scatter_transposed(b: ArrayBuilder, op: linear.ScatterOp, captured: Captured, ct: Value) -> Value:
    return b.gather(ct, extents_of(op), region_of(b, op, captured))


def _update_transposed(b: ArrayBuilder, op: linear.UpdateOp, captured: Captured, ct: Value) -> Element:
    space = extents_of(op)
    if space:
        read = b.gather(ct, space, region_of(b, op, captured))
    else:
        read = b.index(ct, b.inline_region(op.body, (), captured))
    if op.kind.data == "add":
        return [ct, read]
    zeros = b.zeros(op.operand_space)
    if not size_of(zeros):
        return [ct, None]
    base = b.update("set", ct, zeros, len(space), region_of(b, op, captured))
    if space:
        survives = surviving_writes(b, op.body, captured, shape_of(op.codomain), space)
        read = b.select(b.broadcast(survives, shape_of(read), range(len(space))), read, zeros)
    return [base, read]


def _cumulative_sum_transposed(
    b: ArrayBuilder, op: linear.CumulativeSumOp, captured: Captured, ct: Value
) -> Value:
    return b.cumulative("sum", ct, op.dim.value.data, op.reverse is None)


def _recurrence_transposed(b: ArrayBuilder, op: linear.RecurrenceOp, captured: Captured, ct: Value) -> Value:
    """c[i] = ct[i] + a[i + 1] c[i + 1]; the carry is the product."""

    def trip(_: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        c = b.add(slices[1], carries[0])
        return [b.mul(slices[0], c)], [c]

    return _along(b, op, captured, ct, trip, op.reverse is None)


def _along(
    b: ArrayBuilder, op: linear.RecurrenceOp, captured: Captured, x: Value, trip: ScanBody, reverse: bool
) -> Value:
    """A loop along the op's dimension over the factors and x, with one carry that starts at 0."""
    rank, dim = len(shape_of(x)), op.dim.value.data
    order = [dim, *(d for d in range(rank) if d != dim)]
    factors, moved = (b.transpose(v, order) for v in (captured.get(op.factors, op.factors), x))
    start = b.zeros(array_type(shape_of(moved)[1:], element_of(x)))
    _, (stacked,) = b.scan([start], [factors, moved], shape_of(moved)[0], trip, reverse=reverse)
    return b.transpose(stacked, [order.index(d) for d in range(rank)])


def _dot_transposed(b: ArrayBuilder, op: linear.DotMapOp, captured: Captured, ct: Value) -> Value:
    fixed = captured.get(op.fixed, op.fixed)
    c = transposed_dot(op)
    left, right = (ct, fixed) if isinstance(op, linear.DotLeftOp) else (fixed, ct)
    product = b.dot(left, right, c.lhs_batch, c.rhs_batch, c.lhs_contract, c.rhs_contract)
    return b.broadcast(product, shape_of(op.domain), c.order)


# Points --------------------------------------------------------------------------------------------


def _evaluated(b: ArrayBuilder, op: linear.PointMapOp, captured: Captured, h: Function) -> Element:
    return h.at([captured.get(p, p) for p in op.point])


def _paired(b: ArrayBuilder, op: linear.PointMapOp, captured: Captured, w: Element) -> Element:
    return Pairs((Pair(tuple(captured.get(p, p) for p in op.point), w),))


# Tuples --------------------------------------------------------------------------------------------


def _concatenated(b: ArrayBuilder, op: linear.ConcatenateOp, captured: Captured, x: Element) -> Value:
    return _concatenate(b, x, op.domain, op.dim.value.data)


def _stacked(b: ArrayBuilder, op: linear.StackOp, captured: Captured, x: Element) -> Value:
    return _stack(b, x, op.domain, op.dim.value.data)


def _split(b: ArrayBuilder, op: linear.SplitOp, captured: Captured, x: Value) -> Element:
    return _cut(b, x, op.codomain, op.dim.value.data)


def _unstacked(b: ArrayBuilder, op: linear.UnstackOp, captured: Captured, x: Value) -> Element:
    return _slices(b, x, op.codomain, op.dim.value.data)


def _concatenated_back(b: ArrayBuilder, op: linear.ConcatenateOp, captured: Captured, ct: Value) -> Element:
    return _cut(b, ct, op.domain, op.dim.value.data)


def _stacked_back(b: ArrayBuilder, op: linear.StackOp, captured: Captured, ct: Value) -> Element:
    return _slices(b, ct, op.domain, op.dim.value.data)


def _split_back(b: ArrayBuilder, op: linear.SplitOp, captured: Captured, ct: Element) -> Value:
    return _concatenate(b, ct, op.codomain, op.dim.value.data)


def _unstacked_back(b: ArrayBuilder, op: linear.UnstackOp, captured: Captured, ct: Element) -> Value:
    return _stack(b, ct, op.codomain, op.dim.value.data)


def _concatenate(b: ArrayBuilder, x: Element, space: Attribute, dim: int) -> Value:
    return b.concatenate(_values(b, x, space), dim)


def _stack(b: ArrayBuilder, x: Element, space: Attribute, dim: int) -> Value:
    return b.stack(_values(b, x, space), dim)


def _values(b: ArrayBuilder, x: Element, space: Attribute) -> list[Value]:
    return [value_of(b, e, s) for e, s in zip(components(x, space), components_of(space), strict=True)]


def _cut(b: ArrayBuilder, x: Value, space: Attribute, dim: int) -> Element:
    """x in consecutive pieces along `dim`, as long as the components of `space`."""
    pieces: list[Element] = []
    whole = shape_of(x)
    position = 0
    for component in components_of(space):
        end = position + shape_of(component)[dim]
        starts = [position if d == dim else 0 for d in range(len(whole))]
        limits = [end if d == dim else e for d, e in enumerate(whole)]
        pieces.append(b.slice(x, starts, limits, [1] * len(whole)))
        position = end
    return assembled(pieces, space)


def _slices(b: ArrayBuilder, x: Value, space: Attribute, dim: int) -> Element:
    """The sub-arrays of x along `dim`."""
    whole = shape_of(x)
    rest = [e for d, e in enumerate(whole) if d != dim]
    slices: list[Element] = []
    for k in range(whole[dim]):
        if dim == 0:
            slices.append(b.index(x, [b.index_constant(k)]))
        else:
            starts = [k if d == dim else 0 for d in range(len(whole))]
            limits = [k + 1 if d == dim else e for d, e in enumerate(whole)]
            slices.append(b.reshape(b.slice(x, starts, limits, [1] * len(whole)), rest))
    return assembled(slices, space)


# What the rules share ------------------------------------------------------------------------------


def _dims(op: linear.DotMapOp) -> tuple[Shape, Shape, Shape, Shape]:
    return (
        values_of(op.lhs_batch),
        values_of(op.rhs_batch),
        values_of(op.lhs_contract),
        values_of(op.rhs_contract),
    )


def positions_of(op: linear.IndexOp | linear.OneHotOp, captured: Captured) -> list[Value]:
    return [captured.get(p, p) for p in op.positions]


def region_of(
    b: ArrayBuilder, op: linear.GatherOp | linear.ScatterOp | linear.UpdateOp, captured: Captured
) -> Region:
    return b.clone_region(op.body, captured, extents_of(op))


def _scattered(
    b: ArrayBuilder, op: linear.GatherOp | linear.ScatterOp, captured: Captured, x: Value, shape: Shape
) -> Value:
    region = region_of(b, op, captured)
    return b.scatter(x, len(extents_of(op)), shape[: len(yields(region))], region)


def _scattered_at(b: ArrayBuilder, positions: Sequence[Value], shape: Shape, x: Value) -> Value:
    """Zeros of the given shape but for x at the positions: a scatter from a space of one point."""
    if not positions:
        return x
    return b.scatter(x, 0, shape[: len(positions)], lambda: positions)


FORWARD: dict[type[linear.MapOp], Application] = {
    linear.ScaleOp: _scale,
    linear.MaskOp: _mask,
    linear.ConvertOp: _convert,
    linear.SumOp: _sum,
    linear.BroadcastOp: _broadcast,
    linear.ReshapeOp: _reshape,
    linear.ReverseOp: _reverse,
    linear.SliceOp: _slice,
    linear.PadOp: _pad,
    linear.ConcatenateOp: _concatenated,
    linear.SplitOp: _split,
    linear.StackOp: _stacked,
    linear.UnstackOp: _unstacked,
    linear.IndexOp: _index,
    linear.OneHotOp: _one_hot,
    linear.GatherOp: _gather,
    linear.ScatterOp: _scatter,
    linear.UpdateOp: _update,
    linear.CumulativeSumOp: _cumulative_sum,
    linear.RecurrenceOp: _recurrence,
    linear.DotLeftOp: _dot_left,
    linear.DotRightOp: _dot_right,
    linear.EvaluateOp: _evaluated,
    linear.SingleOp: _paired,
}
"""The image of a tangent that is not zero under every primitive map."""

TRANSPOSED: dict[type[linear.MapOp], Application] = {
    linear.ScaleOp: _scale,
    linear.MaskOp: _mask,
    linear.ConvertOp: _convert_back,
    linear.SumOp: _sum_transposed,
    linear.BroadcastOp: _broadcast_transposed,
    linear.ReshapeOp: _reshape_back,
    linear.ReverseOp: _reverse,
    linear.SliceOp: _slice_transposed,
    linear.PadOp: _pad_transposed,
    linear.ConcatenateOp: _concatenated_back,
    linear.SplitOp: _split_back,
    linear.StackOp: _stacked_back,
    linear.UnstackOp: _unstacked_back,
    linear.IndexOp: _index_transposed,
    linear.OneHotOp: _one_hot_transposed,
    linear.GatherOp: _gather_transposed,
    linear.ScatterOp: _scatter_transposed,
    linear.UpdateOp: _update_transposed,
    linear.CumulativeSumOp: _cumulative_sum_transposed,
    linear.RecurrenceOp: _recurrence_transposed,
    linear.DotLeftOp: _dot_transposed,
    linear.DotRightOp: _dot_transposed,
    linear.EvaluateOp: _paired,
    linear.SingleOp: _evaluated,
}
"""The image of a cotangent that is not zero under the transpose of every primitive map."""
