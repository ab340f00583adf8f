"""The transposes of the primitive maps, each an op of the same kind or a short composition of such.

    TRANSPOSES[op class] = (b, op, captured) -> the transposed map

    slice  <->  pad           low = start, interior = stride - 1, high = the rest
    sum    <->  broadcast     and a permutation
    dot    <->  dot           with the same fixed array, and a permutation
    gather <->  scatter       with the same region

Transposing an expression op by op is for composing maps. To apply a transposed expression it is the wrong
way: what is shared in m is not shared in its symbolic transpose; see `mlirad.passes.apply_linear_maps`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import FLAG, Shape, Value, array_type, element_of, ints, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.linear_maps.last_writes import surviving_writes, unwritten

Captured: TypeAlias = Mapping[Value, Value]
"""From the values that a map op captures to the values that stand for them where code is emitted."""

Transposition: TypeAlias = Callable[[ArrayBuilder, Any, Captured], Value]

Properties: TypeAlias = dict[str, Attribute]


def transpose_primitive(b: ArrayBuilder, op: linear.PrimitiveMapOp, captured: Captured) -> Value:
    """The transpose of a primitive map."""
    return TRANSPOSES[type(op)](b, op, captured)


# Shapes of transposed ops, which their application needs too ---------------------------------------


def sum_of_broadcast(op: linear.BroadcastOp) -> tuple[Shape, Shape]:
    """The dimensions that the transpose sums, and for each dimension left where it belongs in the domain."""
    dims = values_of(op.dims)
    new = tuple(d for d in range(len(shape_of(op.codomain))) if d not in dims)
    return new, tuple(dims.index(d) for d in sorted(dims))


def kept_by_sum(op: linear.SumOp) -> Shape:
    """The dimensions that a sum keeps."""
    dims = values_of(op.dims)
    return tuple(d for d in range(len(shape_of(op.domain))) if d not in dims)


def pad_of_slice(op: linear.SliceOp) -> tuple[Shape, Shape, Shape]:
    """`low`, `high`, `interior` of the pad that puts the elements of a slice back in their places."""
    low = values_of(op.starts)
    interior = tuple(s - 1 for s in values_of(op.strides))
    covered = _spread(shape_of(op.codomain), interior)
    high = tuple(n - lo - c for n, lo, c in zip(shape_of(op.domain), low, covered, strict=True))
    return low, high, interior


def slice_of_pad(op: linear.PadOp) -> tuple[Shape, Shape, Shape]:
    """`starts`, `limits`, `strides` of the slice that takes the operand of a pad out again."""
    interior = values_of(op.interior)
    starts = values_of(op.low)
    covered = _spread(shape_of(op.domain), interior)
    limits = tuple(lo + c for lo, c in zip(starts, covered, strict=True))
    return starts, limits, tuple(i + 1 for i in interior)


def _spread(shape: Shape, interior: Shape) -> Shape:
    """The extents of an array with `interior` places between neighbours."""
    return tuple(e + max(e - 1, 0) * i for e, i in zip(shape, interior, strict=True))


@dataclass(frozen=True)
class Contraction:
    """A `dot` and the dimension of the wanted array that each dimension of its result is."""

    lhs_batch: Shape
    rhs_batch: Shape
    lhs_contract: Shape
    rhs_contract: Shape
    order: Shape

    @property
    def properties(self) -> Properties:
        """The properties of the `dot`."""
        names = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
        return {name: ints(getattr(self, name)) for name in names}


def transposed_dot(op: linear.DotMapOp) -> Contraction:
    """The contraction of the cotangent with the fixed array: `dot ct, fixed` or `dot fixed, ct`.

    The free dimensions of the fixed array are contracted, its contracted ones become free, in its own order.
    """
    is_left = isinstance(op, linear.DotLeftOp)
    fixed_rank, rank = len(shape_of(op.fixed)), len(shape_of(op.domain))
    own = (values_of(op.lhs_batch), values_of(op.lhs_contract))
    other = (values_of(op.rhs_batch), values_of(op.rhs_contract))
    (batch, contract), (fixed_batch, fixed_contract) = (own, other) if is_left else (other, own)
    free = tuple(d for d in range(rank) if d not in batch and d not in contract)
    fixed_free = tuple(d for d in range(fixed_rank) if d not in fixed_batch and d not in fixed_contract)
    freed = tuple(contract[fixed_contract.index(d)] for d in sorted(fixed_contract))
    leading = tuple(range(len(batch)))
    first = len(batch) + (len(free) if is_left else 0)
    theirs = tuple(range(first, first + len(fixed_free)))
    if is_left:
        return Contraction(leading, fixed_batch, theirs, fixed_free, (*batch, *free, *freed))
    return Contraction(fixed_batch, leading, fixed_free, theirs, (*batch, *freed, *free))


# The table ---------------------------------------------------------------------------------------


def _itself(b: ArrayBuilder, op: linear.PrimitiveMapOp, captured: Captured) -> Value:
    operands = tuple(captured.get(o, o) for o in op.operands)
    return b.map_of(type(op), op.domain, op.codomain, operands, op.properties)


def _sum(b: ArrayBuilder, op: linear.SumOp, captured: Captured) -> Value:
    return b.map_of(linear.BroadcastOp, op.codomain, op.domain, (), {"dims": ints(kept_by_sum(op))})


def _broadcast(b: ArrayBuilder, op: linear.BroadcastOp, captured: Captured) -> Value:
    new, order = sum_of_broadcast(op)
    shape, element = shape_of(op.domain), element_of(op.domain)
    summed = array_type(tuple(shape[d] for d in order), element)
    ordered = _permutation(b, summed, op.domain, order)
    if not new:
        return ordered
    return b.compose(ordered, b.map_of(linear.SumOp, op.codomain, summed, (), {"dims": ints(new)}))


def _permutation(b: ArrayBuilder, domain: Attribute, codomain: Attribute, order: Shape) -> Value:
    """Dimension k of the domain becomes dimension `order[k]`."""
    if order == tuple(range(len(order))):
        return b.identity_map(domain)
    return b.map_of(linear.BroadcastOp, domain, codomain, (), {"dims": ints(order)})


def _convert(b: ArrayBuilder, op: linear.ConvertOp, captured: Captured) -> Value:
    return b.map_of(linear.ConvertOp, op.codomain, op.domain)


def _reshape(b: ArrayBuilder, op: linear.ReshapeOp, captured: Captured) -> Value:
    return b.map_of(linear.ReshapeOp, op.codomain, op.domain)


def _slice(b: ArrayBuilder, op: linear.SliceOp, captured: Captured) -> Value:
    low, high, interior = pad_of_slice(op)
    properties: Properties = {"low": ints(low), "high": ints(high), "interior": ints(interior)}
    return b.map_of(linear.PadOp, op.codomain, op.domain, (), properties)


def _pad(b: ArrayBuilder, op: linear.PadOp, captured: Captured) -> Value:
    starts, limits, strides = slice_of_pad(op)
    properties: Properties = {"starts": ints(starts), "limits": ints(limits), "strides": ints(strides)}
    return b.map_of(linear.SliceOp, op.codomain, op.domain, (), properties)


def _renamed(op_class: type[linear.PrimitiveMapOp]) -> Transposition:
    """The op of another class with the same properties, captured operands and regions."""

    def transposed(b: ArrayBuilder, op: linear.PrimitiveMapOp, captured: Captured) -> Value:
        operands = tuple(captured.get(o, o) for o in op.operands)
        regions = [b.clone_region(r, captured, extents_of(op)) for r in op.regions]
        return b.map_of(op_class, op.codomain, op.domain, operands, op.properties, regions)

    return transposed


def _update(b: ArrayBuilder, op: linear.UpdateOp, captured: Captured) -> Value:
    space, base = extents_of(op), op.codomain
    region = b.clone_region(op.body, captured, space)
    kept = b.identity_map(base)
    read = b.map_of(linear.GatherOp, base, op.operand_space, (), None, (region,))
    if op.kind.data == "set":
        shape = shape_of(base)
        kept = b.mask_map(base, unwritten(b, op.body, captured, shape, space))
        survives = surviving_writes(b, op.body, captured, shape, space)
        mask = b.broadcast(survives, shape_of(op.operand_space), range(len(space)))
        read = b.compose(b.mask_map(op.operand_space, mask), read)
    return b.vcat(base, [kept, read])


def _other_way(op: linear.PrefixMapOp) -> Properties:
    properties: Properties = {"dim": op.dim}
    if op.reverse is None:
        properties["reverse"] = FLAG
    return properties


def _cumulative_sum(b: ArrayBuilder, op: linear.CumulativeSumOp, captured: Captured) -> Value:
    return b.map_of(linear.CumulativeSumOp, op.codomain, op.domain, (), _other_way(op))


def _recurrence(b: ArrayBuilder, op: linear.RecurrenceOp, captured: Captured) -> Value:
    """The factor of the step to a place becomes that of the step from it."""
    factors = captured.get(op.factors, op.factors)
    shape, dim = shape_of(factors), op.dim.value.data
    if shape[dim]:
        cut, low, high = ([0] * len(shape) for _ in range(3))
        limits = list(shape)
        if op.reverse is None:
            cut[dim], high[dim] = 1, 1
        else:
            limits[dim], low[dim] = shape[dim] - 1, 1
        rest = b.slice(factors, cut, limits, [1] * len(shape))
        factors = b.pad(rest, b.zeros(element_of(rest)), low, high, [0] * len(shape))
    return b.map_of(linear.RecurrenceOp, op.codomain, op.domain, (factors,), _other_way(op))


def _dot(b: ArrayBuilder, op: linear.DotMapOp, captured: Captured) -> Value:
    contraction = transposed_dot(op)
    shape, element = shape_of(op.domain), element_of(op.domain)
    result = array_type(tuple(shape[d] for d in contraction.order), element)
    fixed = captured.get(op.fixed, op.fixed)
    dot = b.map_of(type(op), op.codomain, result, (fixed,), contraction.properties)
    return b.compose(_permutation(b, result, op.domain, contraction.order), dot)


def _at_point(op_class: type[linear.PointMapOp]) -> Transposition:
    """The map at the same point, between the dual spaces."""

    def transposed(b: ArrayBuilder, op: linear.PointMapOp, captured: Captured) -> Value:
        point = tuple(captured.get(p, p) for p in op.point)
        return b.map_of(op_class, linear.dual(op.codomain), linear.dual(op.domain), point)

    return transposed


TRANSPOSES: dict[type[linear.MapOp], Transposition] = {
    linear.ScaleOp: _itself,
    linear.MaskOp: _itself,
    linear.ConvertOp: _convert,
    linear.SumOp: _sum,
    linear.BroadcastOp: _broadcast,
    linear.ReshapeOp: _reshape,
    linear.ReverseOp: _itself,
    linear.SliceOp: _slice,
    linear.PadOp: _pad,
    linear.ConcatenateOp: _renamed(linear.SplitOp),
    linear.SplitOp: _renamed(linear.ConcatenateOp),
    linear.StackOp: _renamed(linear.UnstackOp),
    linear.UnstackOp: _renamed(linear.StackOp),
    linear.IndexOp: _renamed(linear.OneHotOp),
    linear.OneHotOp: _renamed(linear.IndexOp),
    linear.GatherOp: _renamed(linear.ScatterOp),
    linear.ScatterOp: _renamed(linear.GatherOp),
    linear.UpdateOp: _update,
    linear.CumulativeSumOp: _cumulative_sum,
    linear.RecurrenceOp: _recurrence,
    linear.DotLeftOp: _dot,
    linear.DotRightOp: _dot,
    linear.EvaluateOp: _at_point(linear.SingleOp),
    linear.SingleOp: _at_point(linear.EvaluateOp),
}
"""The transpose of every primitive map."""
