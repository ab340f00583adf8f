"""Reading an array at positions: pushed into the op that made the array where that repeats no work.

    index (exp a) [p]           -->  exp (index a [p])                if nothing else reads exp a
    index (transpose a) [p]     -->  row or column p of a
    index (iota) [p]            -->  clamp p
    index (reshape a) [p, q]    -->  index a [unravel (ravel (clamp p, clamp q))]
    index a [p], p over lanes   -->  gather a (lanes) -> p            where nothing more can be pushed

`read` is these rules for any mixture of dimensions that are read and dimensions that are left whole. Dual
arrays does as well with an index of any array, so a rule is used only where it costs nothing: through ops
that place elements it always applies, as only positions are computed anew; into ops that compute (`fleeting`
values) only when the array has no other reader and the reading yields no more elements than the op does.

Positions are clamped wherever a rule drops them or computes with them (source: dual-numbers paper, section
5.1, figures 10 and 11, there for one lane and for leading dimensions).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, reductions, structural
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.rules.bulk.constructors import BulkBuilder
from mlirad.rules.bulk.term_builder import name_arguments
from mlirad.rules.bulk.terms import RECIPE_LIMIT, Lanes, Read, Slots, Term, extents, union

PUSH_LIMIT = 48
"""How many ops deep a reading is pushed; deeper, the array is read as it is."""

FREE_DEPTH = 4
"""How many ops that place elements are read through even where more is read than the array has elements."""

Evaluate: TypeAlias = Callable[[Region, Sequence[Term]], list[Term]]
"""What a region yields when its arguments are these terms."""


class Reader(BulkBuilder):
    """Readings of arrays by the table below."""

    def __init__(self, b: ArrayBuilder, evaluate: Evaluate):
        super().__init__(b)
        self.evaluate = evaluate
        self.fleeting: set[Value] = set()
        """Arrays whose one reader is a reading: computing them can be replaced by computing what is read."""
        self._depth = 0

    def index(self, x: Term, positions: Sequence[Term]) -> Term:
        """The sub-array of x at leading positions, each clamped to its dimension."""
        return self.read_term(x, (*positions, *[None] * (len(x.shape) - len(positions))))

    def read_term(self, x: Term, slots: Slots) -> Term:
        """x read at the given dimensions."""
        return self.read(self.value(x), (*self.positions(x.lanes), *slots))

    def read(self, value: Value, slots: Slots) -> Term:
        """An array read at the given dimensions; those left whole are the dimensions of the result."""
        shape = shape_of(value)
        rest = tuple(e for e, s in zip(shape, slots, strict=True) if s is None)
        if len(rest) == len(shape):
            return self.whole(value)
        if any(e == 0 and s is not None for e, s in zip(shape, slots, strict=True)):
            return self.whole(self.b.zeros(array_type(rest, element_of(value))))
        owner = value.owner
        rule = READING_RULES.get(type(owner)) if isinstance(owner, Operation) else None
        if rule is not None and self._depth < PUSH_LIMIT and self._may_push(value, slots):
            self._depth += 1
            found = rule(self, owner, slots)
            self._depth -= 1
            if found is not None:
                return found
        return self.read_elements(value, slots)

    def _may_push(self, value: Value, slots: Slots) -> bool:
        if isinstance(value.owner, PLACING_OPS):
            return self._depth < FREE_DEPTH or self.no_dearer(value, slots)
        return value in self.fleeting and self.no_dearer(value, slots)

    def read_elements(self, value: Value, slots: Slots) -> Term:
        """The reading itself: an `index` without lanes, else a `gather` over them, or its recipe."""
        shape, lanes = shape_of(value), union(slots)
        last = max(d for d, s in enumerate(slots) if s is not None)
        positions = [s for s in slots[: last + 1] if s is not None]
        leading = len(positions) == last + 1
        if not lanes and leading:
            return self.whole(self.b.index(value, [self.value(p) for p in positions]))
        if len(positions) == len(shape) and not is_float(value):
            size = 1 + sum(p.size for p in positions)
            if size <= RECIPE_LIMIT:
                recipe = Read(value, tuple(positions))
                return Term(lanes, (), element_of(value), None, recipe, size, self.b.location)
        static = self._read_constants(value, slots)
        if static is not None:
            return static
        free = [shape[d] for d in range(last + 1) if slots[d] is None]

        def body(*args: Value) -> list[Value]:
            points = iter(self.points(positions, name_arguments(lanes, args[: len(lanes)])))
            whole = iter(args[len(lanes) :])
            return [next(whole) if slots[d] is None else next(points) for d in range(last + 1)]

        return self.term(lanes, self.b.gather(value, (*extents(lanes), *free), body))

    def _read_constants(self, value: Value, slots: Slots) -> Term | None:
        """Constant positions as a slice, where that moves no more elements than the reading yields."""
        shape = shape_of(value)
        fixed: dict[int, int] = {}
        for d, slot in enumerate(slots):
            if slot is not None and not slot.lanes:
                known = self.b.scalar_of(self.value(slot))
                if known is not None:
                    fixed[d] = min(max(int(known), 0), shape[d] - 1)
        if not fixed:
            return None
        left = tuple(e for d, e in enumerate(shape) if d not in fixed)
        yielded = prod(extents(union(slots))) * prod(
            e for e, s in zip(shape, slots, strict=True) if s is None
        )
        if prod(left) > yielded:
            return None
        starts = [fixed.get(d, 0) for d in range(len(shape))]
        limits = [fixed[d] + 1 if d in fixed else e for d, e in enumerate(shape)]
        sliced = self.b.reshape(self.b.slice(value, starts, limits, [1] * len(shape)), left)
        remaining = tuple(s for d, s in enumerate(slots) if d not in fixed)
        if all(s is None for s in remaining):
            return self.whole(sliced)
        return self.read_elements(sliced, remaining)

    # Position arithmetic -------------------------------------------------------------------------

    def clamp(self, p: Term, extent: int) -> Term:
        """A position forced into 0 .. extent - 1."""

        def make(v: Value) -> Value:
            return self.b.clamp(v, extent)

        return self.code(make, (p,), i64)

    def affine(self, p: Term, factor: int, offset: int) -> Term:
        """factor * p + offset."""

        def make(v: Value) -> Value:
            scaled = self.b.mul(v, self.b.splat(factor, v.type))
            return self.b.add(scaled, self.b.splat(offset, v.type))

        return self.code(make, (p,), i64)

    def ravel(self, positions: Sequence[Term], shape: Shape) -> Term:
        """The row-major number of a clamped position."""
        b = self.b

        def appended(extent: int) -> Callable[[Value, Value], Value]:
            return lambda n, p: b.add(b.mul(n, b.splat(extent, n.type)), b.clamp(p, extent))

        number = self.whole(b.index_constant(0))
        for p, extent in zip(positions, shape, strict=True):
            number = self.code(appended(extent), (number, p), i64)
        return number

    def unravel(self, number: Term, shape: Shape) -> list[Term]:
        """The position of the given row-major number."""
        b = self.b

        def digit(stride: int, extent: int) -> Callable[[Value], Value]:
            def make(n: Value) -> Value:
                high = floor_divided(b, n, stride)
                leading = stride * extent == prod(shape)
                return high if leading else b.binary(ew.RemOp, high, b.splat(extent, n.type))

            return make

        strides = [prod(shape[d + 1 :]) for d in range(len(shape))]
        return [
            self.code(digit(stride, extent), (number,), i64)
            for stride, extent in zip(strides, shape, strict=True)
        ]


def floor_divided(b: ArrayBuilder, v: Value, divisor: int) -> Value:
    """v // divisor, for a positive divisor."""
    return v if divisor == 1 else b.binary(ew.FloorDivOp, v, b.splat(divisor, v.type))


# Rules -------------------------------------------------------------------------------------------
#
# rule(reader, op, slots) is the reading of the result of `op`, None where the array is to be read as it is.


def _left(slots: Slots) -> list[int]:
    """The dimensions left whole."""
    return [d for d, s in enumerate(slots) if s is None]


def _into_elementwise(r: Reader, op: ew.ElementwiseOp, slots: Slots) -> Term:
    """f(x, y)[p] = f(x[p], y[p])."""
    operands = [r.read(o, slots) if shape_of(o) else r.whole(o) for o in op.operands]
    return r.elementwise(type(op), operands, element_of(op.results[0]), op.properties)


def _through_broadcast(r: Reader, op: structural.BroadcastOp, slots: Slots) -> Term:
    """The operand at those positions whose dimensions it has, repeated along the rest."""
    dims, left, shape = values_of(op.dims), _left(slots), shape_of(op.result)
    inner = r.read(op.operand, tuple(slots[d] for d in dims))
    return r.broadcast(inner, tuple(shape[d] for d in left), [left.index(d) for d in dims if d in left])


def _through_iota(r: Reader, op: structural.IotaOp, slots: Slots) -> Term | None:
    """The clamped position."""
    p = slots[op.dim.value.data]
    return r.clamp(p, shape_of(op.result)[0]) if p is not None and len(slots) == 1 else None


def _through_index(r: Reader, op: indexing.IndexOp, slots: Slots) -> Term:
    """x[p][q] = x[p, q]."""
    return r.read(op.operand, (*(r.whole(p) for p in op.positions), *slots))


def _through_reverse(r: Reader, op: structural.ReverseOp, slots: Slots) -> Term:
    """The mirrored position; dimensions left whole are reversed afterwards."""
    dims, left, shape = values_of(op.dims), _left(slots), shape_of(op.result)
    inner = tuple(
        r.affine(r.clamp(s, shape[d]), -1, shape[d] - 1) if s is not None and d in dims else s
        for d, s in enumerate(slots)
    )
    return r.reverse(r.read(op.operand, inner), [left.index(d) for d in dims if d in left])


def _through_slice(r: Reader, op: structural.SliceOp, slots: Slots) -> Term | None:
    """The position in the operand, unless dimensions that are left whole are cut as well."""
    shape, old = shape_of(op.result), shape_of(op.operand)
    if any(shape[d] != old[d] for d in _left(slots)):
        return None
    starts, strides = values_of(op.starts), values_of(op.strides)
    inner = tuple(
        s if s is None or shape[d] == old[d] else r.affine(r.clamp(s, shape[d]), strides[d], starts[d])
        for d, s in enumerate(slots)
    )
    return r.read(op.operand, inner)


def _through_reshape(r: Reader, op: structural.ReshapeOp, slots: Slots) -> Term | None:
    """The row-major number of the position, decomposed for the operand; what trails may stay whole."""
    new, old = shape_of(op.result), shape_of(op.operand)
    count = sum(s is not None for s in slots)
    positions = [s for s in slots[:count] if s is not None]
    trailing = len(new) - count
    if len(positions) < count or len(old) < trailing or old[len(old) - trailing :] != new[count:]:
        return None
    leading = old[: len(old) - trailing]
    number = r.ravel(positions, new[:count])
    return r.read(op.operand, (*r.unravel(number, leading), *[None] * trailing))


def _through_stack(r: Reader, op: structural.StackOp, slots: Slots) -> Term | None:
    """The part that a constant position names; else what is read of every part, stacked."""
    dim = op.dim.value.data
    others = (*slots[:dim], *slots[dim + 1 :])
    slot = slots[dim]
    k = None if slot is None else _constant(r, slot, len(op.parts))
    if k is not None:
        return r.read(op.parts[k], others)
    if all(s is None for s in others) or op.result not in r.fleeting or not r.no_dearer(op.parts[0], others):
        return None
    parts = [r.read(p, others) for p in op.parts]
    at = sum(s is None for s in slots[:dim])
    stacked = r.stack(parts, at)
    return _read_again(r, stacked, at, slot)


def _through_concatenate(r: Reader, op: structural.ConcatenateOp, slots: Slots) -> Term | None:
    """The part that a constant position falls in; else what is read of every part, put together."""
    dim = op.dim.value.data
    slot = slots[dim]
    k = None if slot is None else _constant(r, slot, shape_of(op.result)[dim])
    if k is not None:
        for part in op.parts:
            extent = shape_of(part)[dim]
            if k < extent:
                inner = r.whole(r.b.index_constant(k))
                return r.read(part, (*slots[:dim], inner, *slots[dim + 1 :]))
            k -= extent
    others = (*slots[:dim], None, *slots[dim + 1 :])
    if all(s is None for s in others) or op.result not in r.fleeting or not r.no_dearer(op.result, others):
        return None
    at = sum(s is None for s in slots[:dim])
    return _read_again(r, r.concatenate([r.read(p, others) for p in op.parts], at), at, slot)


def _read_again(r: Reader, x: Term, dim: int, slot: Term | None) -> Term:
    """x read at one position, or x itself."""
    if slot is None:
        return x
    return r.read_term(x, tuple(slot if d == dim else None for d in range(len(x.shape))))


def _constant(r: Reader, slot: Term, extent: int) -> int | None:
    """A constant position, clamped."""
    known = None if slot.lanes else r.b.scalar_of(r.value(slot))
    return None if known is None else min(max(int(known), 0), extent - 1)


def _into_pad(r: Reader, op: structural.PadOp, slots: Slots) -> Term:
    """The fill where the position is one of padding, else the operand."""
    low, high, interior = values_of(op.low), values_of(op.high), values_of(op.interior)
    old, shape, left = shape_of(op.operand), shape_of(op.result), _left(slots)
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
    """Whether an offset from the first element is one of `extent` elements `step` apart."""

    def make(offset: Value) -> Value:
        zero = b.splat(0, offset.type)
        found = b.compare("ge", offset, zero)
        found = b.logical_and(found, b.compare("lt", offset, b.splat(extent * step, offset.type)))
        if step > 1:
            rest = b.binary(ew.RemOp, offset, b.splat(step, offset.type))
            found = b.logical_and(found, b.compare("eq", rest, zero))
        return found

    return make


def _reduced(r: Reader, operand: Value, dims: Sequence[int], slots: Slots) -> tuple[Term, list[int]] | None:
    """The operand of a reduction read at the positions of its result, and the dimensions still to reduce."""
    given = iter(slots)
    inner = tuple(None if d in dims else next(given) for d in range(len(shape_of(operand))))
    if not r.no_dearer(operand, inner):
        return None
    left = _left(inner)
    return r.read(operand, inner), [left.index(d) for d in dims]


def _into_sum(r: Reader, op: reductions.SumOp, slots: Slots) -> Term | None:
    """(sum x)[p] = sum (x at p in the dimensions that are kept)."""
    found = _reduced(r, op.operand, values_of(op.dims), slots)
    return None if found is None else r.sum(*found)


def _into_reduce(r: Reader, op: reductions.ReduceOp, slots: Slots) -> Term | None:
    """As for `sum`."""
    found = _reduced(r, op.operand, values_of(op.dims), slots)
    return None if found is None else r.reduce(op.kind.data, *found)


def _into_argmax(r: Reader, op: reductions.ArgmaxOp, slots: Slots) -> Term | None:
    """As for `sum`."""
    found = _reduced(r, op.operand, (op.dim.value.data,), slots)
    return None if found is None else r.argmax(found[0], found[1][0])


def _into_argmin(r: Reader, op: reductions.ArgminOp, slots: Slots) -> Term | None:
    """As for `sum`."""
    found = _reduced(r, op.operand, (op.dim.value.data,), slots)
    return None if found is None else r.argmin(found[0], found[1][0])


@dataclass
class _Side:
    """An operand of a contraction that is read: its slots, and its paired dimensions after the reading."""

    operand: Value
    slots: list[Term | None] = field(default_factory=list[Term | None])

    def renumbered(self, dims: Sequence[int]) -> list[int]:
        left = _left(tuple(self.slots))
        return [left.index(d) for d in dims if self.slots[d] is None]


def _into_dot(r: Reader, op: reductions.DotOp, slots: Slots) -> Term | None:
    """The contraction of what is read of each operand, where neither reading is larger than its operand."""
    batch = (values_of(op.lhs_batch), values_of(op.rhs_batch))
    contract = (values_of(op.lhs_contract), values_of(op.rhs_contract))
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


def _into_gather(r: Reader, op: indexing.GatherOp, slots: Slots) -> Term:
    """(gather x f)[p] = x[f(clamp p)]; region arguments that are not read become lanes for the moment."""
    shape = extents_of(op)
    own: Lanes = ()
    args: list[Term] = []
    for extent, slot, index in zip(shape, slots, op.body.block.args, strict=False):
        if slot is not None:
            args.append(r.clamp(slot, extent))
        else:
            lanes = r.open((extent,), (index,))
            own = (*own, *lanes)
            args += r.positions(lanes)
    targets = r.evaluate(op.body, args)
    return r.close(r.read(op.operand, (*targets, *slots[len(shape) :])), own)


PLACING_OPS = (
    structural.BroadcastOp,
    structural.IotaOp,
    structural.ReverseOp,
    structural.SliceOp,
    structural.ReshapeOp,
    structural.StackOp,
    structural.ConcatenateOp,
    indexing.IndexOp,
)
"""Ops that compute nothing: a reading goes through them whoever else reads them."""

READING_RULES: dict[type[Operation], Callable[[Reader, Any, Slots], Term | None]] = {
    **dict.fromkeys(ew.ELEMENTWISE_OPS, _into_elementwise),
    structural.BroadcastOp: _through_broadcast,
    structural.IotaOp: _through_iota,
    structural.ReverseOp: _through_reverse,
    structural.SliceOp: _through_slice,
    structural.ReshapeOp: _through_reshape,
    structural.StackOp: _through_stack,
    structural.ConcatenateOp: _through_concatenate,
    structural.PadOp: _into_pad,
    indexing.IndexOp: _through_index,
    indexing.GatherOp: _into_gather,
    reductions.SumOp: _into_sum,
    reductions.ReduceOp: _into_reduce,
    reductions.ArgmaxOp: _into_argmax,
    reductions.ArgminOp: _into_argmin,
    reductions.DotOp: _into_dot,
}
"""How the result of each op is read. Of any other op (constant, scatter, update) the array itself is read."""
