"""The transposes of the primitive maps, each a primitive map or a composition of such.

    TRANSPOSES[op class](m) -> the maps whose composition is the transpose, innermost first

    slice  <->  pad           low = start, interior = stride - 1, high = the rest
    sum    <->  broadcast     and a permutation
    dot    <->  dot           with the same fixed array, and a permutation
    gather <->  scatter       with the same region

They are data, so that a cotangent is pulled back by applying the transpose of a map forward, and no op is
made for it. Only the transposes of `update` and `recurrence` need code (`COMPUTED`).

Transposing an expression op by op is for composing maps. It is the wrong way to apply a transpose: what is
shared in m is not shared in its symbolic transpose; see `mlirad.passes.apply_linear_maps`.

A transpose is stated once, as data. A table of transposed applications beside the table of applications would
state the same facts twice. Where the transpose needs values of its own, code that pulls back directly stays,
since it costs less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array.transforms import TRANSPOSED_KINDS
from mlirad.dialects.shapes import (
    FLAG,
    Shape,
    Value,
    array_type,
    element_of,
    ints,
    keyword,
    shape_of,
    values_of,
)
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.last_writes import surviving_writes, unwritten

Captured: TypeAlias = Mapping[Value, Value]
"""From the values that a map op captures to the values that stand for them where code is emitted."""

Properties: TypeAlias = Mapping[str, Attribute]


@dataclass(frozen=True)
class Primitive:
    """A primitive map as data: an op of this class, whether there is one or not."""

    kind: type[linear.MapOp]
    domain: Attribute
    codomain: Attribute
    operands: tuple[Value, ...]
    properties: Properties
    regions: tuple[Region, ...]
    space: Shape
    """The extents over which the arguments of the region range."""

    @classmethod
    def of(cls, op: linear.MapOp) -> Primitive:
        """The map that an op makes."""
        operands, regions = tuple(own_operands(op)), tuple(op.regions)
        space = extents_of(op) if regions else ()
        return cls(type(op), op.domain, op.codomain, operands, op.properties, regions, space)

    def ints(self, name: str) -> Shape:
        """The integers of a property."""
        return values_of(cast("DenseArrayBase[I64]", self.properties[name]))

    @property
    def dim(self) -> int:
        """The dimension, for a map that states one."""
        return cast("IntegerAttr", self.properties["dim"]).value.data

    def has(self, name: str) -> bool:
        """Return whether a flag is set."""
        return name in self.properties

    def keyword(self, name: str) -> str:
        """The word of a property."""
        return cast("StringAttr", self.properties[name]).data

    def captured(self, captured: Captured) -> list[Value]:
        """The operands where code is emitted."""
        return [captured.get(v, v) for v in self.operands]

    def region(self, b: ArrayBuilder, captured: Captured) -> Region:
        """A copy of the region where code is emitted."""
        return b.clone_region(self.regions[0], captured, self.space)

    def made(self, b: ArrayBuilder, captured: Captured) -> Value:
        """The map as a value."""
        regions = [self.region(b, captured)] if self.regions else []
        return b.map_of(
            self.kind, self.domain, self.codomain, self.captured(captured), self.properties, regions
        )


def transpose_primitive(b: ArrayBuilder, op: linear.PrimitiveMapOp, captured: Captured) -> Value:
    """The transpose of a primitive map."""
    if type(op) in COMPUTED:
        return COMPUTED[type(op)](b, op, captured)
    first, *rest = (m.made(b, captured) for m in TRANSPOSES[type(op)](Primitive.of(op)))
    for outer in rest:
        first = b.compose(outer, first)
    return first


# As data -----------------------------------------------------------------------------------------


def _as(
    kind: type[linear.MapOp] | None = None, properties: Callable[[Primitive], Properties] | None = None
) -> Transposition:
    """A map of another class, or with other properties, the other way round."""

    def transposed(m: Primitive) -> list[Primitive]:
        changed = m.properties if properties is None else properties(m)
        return [replace(m, kind=kind or m.kind, domain=m.codomain, codomain=m.domain, properties=changed)]

    return transposed


def _kept_by_sum(m: Primitive) -> Properties:
    dims = m.ints("dims")
    return {"dims": ints(tuple(d for d in range(len(shape_of(m.domain))) if d not in dims))}


def _broadcast(m: Primitive) -> list[Primitive]:
    dims, shape = m.ints("dims"), shape_of(m.domain)
    new = tuple(d for d in range(len(shape_of(m.codomain))) if d not in dims)
    order = tuple(dims.index(d) for d in sorted(dims))
    summed = array_type(tuple(shape[d] for d in order), element_of(m.domain))
    total = replace(m, kind=linear.SumOp, domain=m.codomain, codomain=summed, properties={"dims": ints(new)})
    return [total] * bool(new) + _permutation(summed, m.domain, order) or [_identity(m.domain)]


def _permutation(domain: Attribute, codomain: Attribute, order: Shape) -> list[Primitive]:
    """Dimension k of the domain becomes dimension `order[k]`; of the identity nothing is left."""
    if order == tuple(range(len(order))):
        return []
    return [Primitive(linear.BroadcastOp, domain, codomain, (), {"dims": ints(order)}, (), ())]


def _identity(space: Attribute) -> Primitive:
    return Primitive(linear.IdentityOp, space, space, (), {}, (), ())


def _pad_of_slice(m: Primitive) -> Properties:
    """The pad that puts the elements of a slice back in their places."""
    low = m.ints("starts")
    interior = tuple(s - 1 for s in m.ints("strides"))
    covered = _spread(shape_of(m.codomain), interior)
    high = tuple(n - lo - c for n, lo, c in zip(shape_of(m.domain), low, covered, strict=True))
    return {"low": ints(low), "high": ints(high), "interior": ints(interior)}


def _slice_of_pad(m: Primitive) -> Properties:
    """The slice that takes the operand of a pad out again."""
    starts, interior = m.ints("low"), m.ints("interior")
    covered = _spread(shape_of(m.domain), interior)
    limits = tuple(lo + c for lo, c in zip(starts, covered, strict=True))
    return {"starts": ints(starts), "limits": ints(limits), "strides": ints(tuple(i + 1 for i in interior))}


def _spread(shape: Shape, interior: Shape) -> Shape:
    """The extents of an array with `interior` places between neighbours."""
    return tuple(e + (max(e - 1, 0) * i if i else 0) for e, i in zip(shape, interior, strict=True))


def _other_way(m: Primitive) -> Properties:
    return {"dim": m.properties["dim"], **({} if m.has("reverse") else {"reverse": FLAG})}


def _other_transform(m: Primitive) -> Properties:
    return {**m.properties, "kind": keyword(TRANSPOSED_KINDS[m.keyword("kind")])}


def _of_transposed(m: Primitive) -> Properties:
    kept = {name: value for name, value in m.properties.items() if name != "transposed"}
    return kept if m.has("transposed") else {**kept, "transposed": FLAG}


def _dot(m: Primitive) -> list[Primitive]:
    """The contraction of the cotangent with the fixed array: `dot ct, fixed` or `dot fixed, ct`.

    The free dimensions of the fixed array are contracted, its contracted ones become free, in its own order.
    """
    is_left = m.kind is linear.DotLeftOp
    fixed_rank, shape = len(shape_of(m.operands[0])), shape_of(m.domain)
    own, other = (m.ints("lhs_batch"), m.ints("lhs_contract")), (m.ints("rhs_batch"), m.ints("rhs_contract"))
    (batch, contract), (fixed_batch, fixed_contract) = (own, other) if is_left else (other, own)
    free = tuple(d for d in range(len(shape)) if d not in batch and d not in contract)
    fixed_free = tuple(d for d in range(fixed_rank) if d not in fixed_batch and d not in fixed_contract)
    freed = tuple(contract[fixed_contract.index(d)] for d in sorted(fixed_contract))
    first = len(batch) + (len(free) if is_left else 0)
    mine = ints(tuple(range(len(batch)))), ints(tuple(range(first, first + len(fixed_free))))
    theirs = ints(fixed_batch), ints(fixed_free)
    (lhs_batch, lhs_contract), (rhs_batch, rhs_contract) = (mine, theirs) if is_left else (theirs, mine)
    order = (*batch, *free, *freed) if is_left else (*batch, *freed, *free)
    result = array_type(tuple(shape[d] for d in order), element_of(m.domain))
    properties = {
        "lhs_batch": lhs_batch,
        "rhs_batch": rhs_batch,
        "lhs_contract": lhs_contract,
        "rhs_contract": rhs_contract,
    }
    dot = replace(m, domain=m.codomain, codomain=result, properties=properties)
    return [dot, *_permutation(result, m.domain, order)]


def _at_point(kind: type[linear.PointMapOp]) -> Transposition:
    """The map at the same point, between the dual spaces."""

    def transposed(m: Primitive) -> list[Primitive]:
        return [replace(m, kind=kind, domain=linear.dual(m.codomain), codomain=linear.dual(m.domain))]

    return transposed


# With code ---------------------------------------------------------------------------------------


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
    other_way = _other_way(Primitive.of(op))
    return b.map_of(linear.RecurrenceOp, op.codomain, op.domain, (factors,), other_way)


Transposition: TypeAlias = Callable[[Primitive], "list[Primitive]"]

TRANSPOSES: dict[type[linear.MapOp], Transposition] = {
    linear.ScaleOp: _as(),
    linear.MaskOp: _as(),
    linear.ConvertOp: _as(),
    linear.SumOp: _as(linear.BroadcastOp, _kept_by_sum),
    linear.BroadcastOp: _broadcast,
    linear.ReshapeOp: _as(),
    linear.ReverseOp: _as(),
    linear.SliceOp: _as(linear.PadOp, _pad_of_slice),
    linear.PadOp: _as(linear.SliceOp, _slice_of_pad),
    linear.ConcatenateOp: _as(linear.SplitOp),
    linear.SplitOp: _as(linear.ConcatenateOp),
    linear.StackOp: _as(linear.UnstackOp),
    linear.UnstackOp: _as(linear.StackOp),
    linear.IndexOp: _as(linear.OneHotOp),
    linear.OneHotOp: _as(linear.IndexOp),
    linear.GatherOp: _as(linear.ScatterOp),
    linear.ScatterOp: _as(linear.GatherOp),
    linear.CumulativeSumOp: _as(properties=_other_way),
    linear.DotLeftOp: _dot,
    linear.DotRightOp: _dot,
    linear.TriangularSolveOp: _as(properties=_of_transposed),
    linear.FftOp: _as(properties=_other_transform),
    linear.EvaluateOp: _at_point(linear.SingleOp),
    linear.SingleOp: _at_point(linear.EvaluateOp),
}
"""The transposes of primitive maps."""

COMPUTED: dict[type[linear.MapOp], Callable[[ArrayBuilder, Any, Captured], Value]] = {
    linear.UpdateOp: _update,
    linear.RecurrenceOp: _recurrence,
}
"""The other primitive maps: their transposes depend on values that are computed."""
