"""Readings pushed into ops that compute: what is not read is not computed.

A rule `(reader, op, slots)` gives the reading of the result of `op`, `None` where the result is read itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, reductions, structural
from mlirad.dialects.shapes import Value, element_of, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.bulk_operations.reader import BatchReader, ReadingRule, dims_left, floor_divided
from mlirad.passes.bulk_operations.terms import BatchAxes, Slots, Term


def _into_elementwise(r: BatchReader, op: ew.ElementwiseOp, slots: Slots) -> Term:
    """f(x, y)[p] = f(x[p], y[p])."""
    operands = [r.read(o, slots) if shape_of(o) else r.whole(o) for o in own_operands(op)]
    return r.elementwise(type(op), operands, element_of(op.results[0]), op.properties)


def _into_pad(r: BatchReader, op: structural.PadOp, slots: Slots) -> Term:
    """The fill where the position is one of padding, else the operand."""
    low, high, interior = values_of(op.low), values_of(op.high), values_of(op.interior)
    old, shape, left = shape_of(op.operand), shape_of(op.result), dims_left(slots)
    inner: list[Term | None] = []
    covered = r.whole(r.b.splat(True, i1))
    for d, slot in enumerate(slots):
        if slot is None:
            inner.append(None)
            continue
        offset = r.affine(r.clamp(slot, shape[d]), 1, -low[d])
        step = interior[d] + 1
        inner.append(r.code(_quotient(r.b, step), (offset,), i64))
        covered = r.elementwise(
            ew.AndOp, (covered, r.code(_is_covered(r.b, step, old[d]), (offset,), i1)), i1
        )
    part = r.read(op.operand, tuple(inner))
    fill = r.whole(op.value)
    widths = [[w[d] for d in left] for w in (low, high, interior)]
    part = r.pad(part, fill, *widths)
    return r.elementwise(ew.SelectOp, (covered, part, r.broadcast(fill, part.shape, ())), part.element)


def _quotient(b: ArrayBuilder, step: int) -> Callable[[Value], Value]:
    return lambda offset: floor_divided(b, offset, step)


def _is_covered(b: ArrayBuilder, step: int, extent: int) -> Callable[[Value], Value]:
    """Return whether an offset from the first element is one of `extent` elements `step` apart."""

    def make(offset: Value) -> Value:
        zero = b.splat(0, offset.type)
        found = b.compare("ge", offset, zero)
        found = b.logical_and(found, b.compare("lt", offset, b.splat(extent * step, offset.type)))
        if step > 1:
            rest = b.binary(ew.RemOp, offset, b.splat(step, offset.type))
            found = b.logical_and(found, b.compare("eq", rest, zero))
        return found

    return make


def _reduced(
    r: BatchReader, operand: Value, dims: Sequence[int], slots: Slots
) -> tuple[Term, list[int]] | None:
    """The operand of a reduction read at the positions of its result, and the dimensions still to reduce."""
    given = iter(slots)
    inner = tuple(None if d in dims else next(given) for d in range(len(shape_of(operand))))
    if not r.no_dearer(operand, inner):
        return None
    left = dims_left(inner)
    return r.read(operand, inner), [left.index(d) for d in dims]


def _into_sum(r: BatchReader, op: reductions.SumOp, slots: Slots) -> Term | None:
    """(sum x)[p] = sum (x at p in the dimensions that are kept)."""
    found = _reduced(r, op.operand, values_of(op.dims), slots)
    return None if found is None else r.sum(*found)


def _into_reduce(r: BatchReader, op: reductions.ReduceOp, slots: Slots) -> Term | None:
    """As for `sum`."""
    found = _reduced(r, op.operand, values_of(op.dims), slots)
    return None if found is None else r.reduce(op.kind.data, *found)


def _into_arg_reduction(r: BatchReader, op: reductions.ArgReductionOp, slots: Slots) -> Term | None:
    """As for `sum`."""
    found = _reduced(r, op.operand, (op.dim.value.data,), slots)
    extremum = r.b.argmax if isinstance(op, reductions.ArgmaxOp) else r.b.argmin
    return None if found is None else r.along(extremum, found[0], found[1][0])


@dataclass
class _Side:
    """An operand of a contraction that is read: its slots, and its paired dimensions after the reading."""

    operand: Value
    slots: list[Term | None] = field(default_factory=list[Term | None])

    def renumbered(self, dims: Sequence[int]) -> list[int]:
        left = dims_left(tuple(self.slots))
        return [left.index(d) for d in dims if self.slots[d] is None]


def _into_dot(r: BatchReader, op: reductions.DotOp, slots: Slots) -> Term | None:
    """The contraction of what is read of each operand, where neither reading is larger than its operand."""
    batch, contract = op.batch, op.contract
    sides = [_Side(o, [None] * len(shape_of(o))) for o in (op.lhs, op.rhs)]
    at = len(batch[0])
    for side, own_batch, own_contract in zip(sides, batch, contract, strict=True):
        for k, d in enumerate(own_batch):
            side.slots[d] = slots[k]
        for d in range(len(side.slots)):
            if d not in own_batch and d not in own_contract:
                side.slots[d] = slots[at]
                at += 1
    if not all(r.no_dearer(s.operand, s.slots) for s in sides):
        return None
    x, y = (r.read(s.operand, tuple(s.slots)) for s in sides)
    pairs = [(sides[0].renumbered(g[0]), sides[1].renumbered(g[1])) for g in (batch, contract)]
    return r.dot(x, y, pairs[0], pairs[1])


def _into_gather(r: BatchReader, op: indexing.GatherOp, slots: Slots) -> Term:
    """(gather x f)[p] = x[f(clamp p)]; arguments that are not read become batch axes for the moment."""
    shape = extents_of(op)
    own: BatchAxes = ()
    args: list[Term] = []
    for extent, slot, index in zip(shape, slots, op.body.block.args, strict=False):
        if slot is not None:
            args.append(r.clamp(slot, extent))
        else:
            axes = r.open((extent,), (index,))
            own = (*own, *axes)
            args += r.positions(axes)
    targets = r.evaluate(op.body, args)
    return r.close(r.read(op.operand, (*targets, *slots[len(shape) :])), own)


COMPUTING_RULES: dict[type[Operation], ReadingRule] = {
    **dict.fromkeys(ew.ELEMENTWISE_OPS, _into_elementwise),
    structural.PadOp: _into_pad,
    indexing.GatherOp: _into_gather,
    reductions.SumOp: _into_sum,
    reductions.ReduceOp: _into_reduce,
    reductions.ArgmaxOp: _into_arg_reduction,
    reductions.ArgminOp: _into_arg_reduction,
    reductions.DotOp: _into_dot,
}
"""Applied to arrays without another reader. Of any other op (constant, scatter, update) the array is read."""
