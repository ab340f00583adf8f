"""A few elements of sorted rows: found by counting, as no chunk can sort what others have.

    %s = array.sort %x {dim = 0};  %m = array.index %s[%k]          the element of rank k
    %p = array.argsort %x {dim = 0};  %i = array.index %p[%k]       the row that has it
    gather %y at %p, where row k is read                            row %i of %y
    scatter %t to %p, where %t has row k alone                      row %i is written: what gradients do

That is what medians and quantiles are made of, and their derivatives. The elements of some ranks are found
by rounds that repeat (`RanksOp`, `distributed/ranks.py`), and the row of one by counting equal elements: of
these the first in the order of rows has the lowest rank, as sorting is stable.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def, var_operand_def

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import GatherOp, IndexOp, ScatterOp, UpdateOp, YieldOp
from mlirad.dialects.array.literals import literal, literal_array
from mlirad.dialects.array.ordering import ArgsortOp, CumulativeOp, SortOp
from mlirad.dialects.array.reductions import SumOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    ConstantOp,
    IotaOp,
    ReshapeOp,
    SizeOp,
    SliceOp,
)
from mlirad.dialects.extents import is_static
from mlirad.dialects.linear.linearity import is_zero_value
from mlirad.dialects.shapes import (
    Shape,
    Value,
    array_type,
    element_of,
    int_lists,
    integer,
    integer_of,
    ints,
    keyword,
    shape_of,
)
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.shard_rows.emission import before, replace, splat
from mlirad.passes.shard_rows.states import rows_of


@irdl_op_definition
class RanksOp(IRDLOperation):
    """The elements of the first operand, rows of columns, that sorting each column puts at some ranks.

    The second operand has ranks of shape `(k, *rest)` for rows of shape `rest`, and so has the result.
    """

    name = "shard_rows.ranks"
    parts = var_operand_def()
    result = result_def()


@dataclass(frozen=True)
class _Places:
    """Rows that an op reads or writes: ranks `(k, *rest)`, the same for all of some batch dimensions."""

    ranks: Value
    batch: Shape = ()


@dataclass(frozen=True, eq=False)
class _Read:
    """An op that reads a few of the rows which sorting puts into order, and which."""

    op: IndexOp | GatherOp
    what: Value | None
    """The rows that are read in that order, perhaps of batches, None for the numbers of rows."""
    places: _Places


@dataclass(frozen=True, eq=False)
class _Written:
    """Rows `value` at a few places in the order, which a scatter brings to rows."""

    value: Value
    places: _Places


def selected(block: Block, name: str) -> None:
    """Replace sorts of rows by searches wherever a few of the sorted elements are read, in place."""
    sorted_values: dict[Value, list[Operation]] = {}
    for op in block.ops:
        if isinstance(op, SortOp | ArgsortOp) and _is_of_rows(op, name):
            sorted_values.setdefault(op.operand, []).append(op)
    for x, ops in sorted_values.items():
        _Selection(block, x, ops).rewrite()


def _is_of_rows(op: SortOp | ArgsortOp, name: str) -> bool:
    rows = rows_of(op.operand, name, op)
    return rows is not None and rows.dim == 0 == integer_of(op.dim)


class _Selection:
    """The sorts of one array, and what reads them."""

    def __init__(self, block: Block, x: Value, sorts: Sequence[Operation]):
        self.block = block
        self.x = x
        self.rest = shape_of(x)[1:]
        self.numbers = [op.results[0] for op in sorts if isinstance(op, ArgsortOp)]
        self.ordered: dict[Value, Value] = {op.results[0]: x for op in sorts if isinstance(op, SortOp)}
        """Rows in order, and the rows that were put into it."""
        for use in [u for v in self.numbers for u in v.uses]:
            gather = use.operation.parent_op()
            if isinstance(gather, GatherOp) and self._by_number(gather, shape_of(gather.operand)) is not None:
                self.ordered[gather.result] = gather.operand

    def rewrite(self) -> None:
        """Replace what reads a few rows, and what writes a few."""
        reads = self._reads()
        scatters = self._scatters()
        places = [r.places for r in reads] + [w.places for _, written in scatters for w in written]
        if not places:
            return
        ops = [r.op for r in reads] + [op for op, _ in scatters]
        first = min(ops, key=self._position)
        moved = self._moved_before(first, [p.ranks for p in places], {r.op for r in reads})
        groups = [list(range(len(places)))] if moved else [[k] for k in range(len(places))]
        owners = [r.op for r in reads] + [op for op, written in scatters for _ in written]
        found: dict[int, tuple[_Found, int]] = {}
        for group in groups:
            place = first if moved else owners[group[0]]
            unique = list(dict.fromkeys(places[k].ranks for k in group))
            made = _Found(place, self.x, unique)
            for k in group:
                found[k] = made, unique.index(places[k].ranks)
        for k, read in enumerate(reads):
            self._replace_read(read, *found[k])
        k = len(reads)
        for op, written in scatters:
            total: Value | None = None
            for part in written:
                made, number = found[k]
                k += 1
                one = self._scattered(op, part, made.rows(op, number))
                total = one if total is None else before(op, ew.AddOp, [total, one], one.type)
            if isinstance(op, UpdateOp) and total is not None:
                total = before(op, ew.AddOp, [op.base, total], total.type)
            assert total is not None
            replace(op, total)

    def _position(self, op: Operation) -> int:
        return next(k for k, other in enumerate(self.block.ops) if other is op)

    # Reads and writes -----------------------------------------------------------------------------

    def _reads(self) -> list[_Read]:
        found: list[_Read] = []
        for value, what in [*self.ordered.items(), *((v, None) for v in self.numbers)]:
            for use in list(value.uses):
                op = use.operation
                if op.parent is not self.block or use.index != 0 or not isinstance(op, IndexOp | GatherOp):
                    continue
                batches = len(shape_of(value)) - len(shape_of(self.x))
                if (places := self._places(op, batches)) is not None:
                    found.append(_Read(op, what, places))
        return sorted(found, key=lambda r: self._position(r.op))

    def _scatters(self) -> list[tuple[ScatterOp | UpdateOp, list[_Written]]]:
        found: list[tuple[ScatterOp | UpdateOp, list[_Written]]] = []
        for op in dict.fromkeys(u.operation.parent_op() for v in self.numbers for u in v.uses):
            if not isinstance(op, ScatterOp | UpdateOp) or op.parent is not self.block or _sets(op):
                continue
            batches = self._by_number(op, shape_of(op.result))
            written = None if batches is None else self._written(op.operand, batches)
            if written:
                found.append((op, written))
            elif written is not None:  # zeros
                replace(op, op.base if isinstance(op, UpdateOp) else splat(op, 0, op.result))
        return found

    def _written(self, value: Value, batches: int) -> list[_Written] | None:
        """The few rows that a value has which is 0 elsewhere, None for other values."""
        op = value.owner
        if is_zero_value(value):
            return []
        if isinstance(op, ew.AddOp):
            parts = [self._written(v, batches) for v in own_operands(op)]
            return None if None in parts else [w for part in parts if part is not None for w in part]
        if isinstance(op, ScatterOp | UpdateOp) and not _sets(op):
            base = [] if isinstance(op, ScatterOp) else self._written(op.base, batches)
            places = self._places(op, batches)
            return None if base is None or places is None else [*base, _Written(op.operand, places)]
        return None

    def _by_number(self, op: GatherOp | ScatterOp | UpdateOp, shape: Shape) -> int | None:
        """The number of batch dimensions of an op that takes each row of a column to or from the place that
        sorting gives it, None for other ops."""
        block = op.body.block
        yielded = own_operands(block.last_op) if block.last_op is not None else ()
        batches = len(shape) - len(shape_of(self.x))
        if batches < 0 or shape[batches:] != shape_of(self.x) or len(block.args) != len(shape):
            return None
        if len(yielded) != len(shape) or not isinstance(number := yielded[batches].owner, IndexOp):
            return None
        is_one = number.operand in self.numbers and [*own_operands(number)[1:]] == [*block.args[batches:]]
        others = [*yielded[:batches], *yielded[batches + 1 :]]
        return batches if is_one and others == [*block.args[:batches], *block.args[batches + 1 :]] else None

    def _places(self, op: Operation, batches: int) -> _Places | None:
        """The ranks of the rows that an op reads or writes, None where rows or other parts of them decide."""
        if isinstance(op, IndexOp):
            position, *others = own_operands(op)[1:]
            return None if others or batches else self._ranks(op, (), position, ())
        assert isinstance(op, GatherOp | ScatterOp | UpdateOp)
        block = op.body.block
        last = block.last_op
        assert last is not None
        yielded = own_operands(last)
        extents = shape_of(op.result if isinstance(op, GatherOp) else op.operand)[: len(block.args)]
        if not all(map(is_static, extents)) or [*yielded[:batches]] != [*block.args[:batches]]:
            return None
        batch, extents, arguments = extents[:batches], extents[batches:], block.args[batches:]
        position, *others = yielded[batches:]
        if not others:
            return self._ranks(op, extents, position, arguments, batch=batch)
        columns = len(self.rest)
        own = arguments[len(arguments) - columns :]
        if len(others) != columns or extents[len(extents) - columns :] != self.rest:
            return None
        if not all(_is_argument(v, a, e) for v, a, e in zip(others, own, self.rest, strict=True)):
            return None
        outer = extents[: len(extents) - columns]
        return self._ranks(op, outer, position, arguments, batch=batch, each_column=True)

    def _ranks(
        self,
        op: Operation,
        extents: Shape,
        position: Value,
        arguments: Sequence[BlockArgument],
        *,
        batch: Shape = (),
        each_column: bool = False,
    ) -> _Places | None:
        """A position as an array of ranks for positions of these extents."""
        known = arguments if each_column else arguments[: len(extents)]
        value = self._array(op, position, list(known), (*extents, *self.rest))
        return None if value is None else _Places(_reshaped(op, value, (prod(extents), *self.rest)), batch)

    def _array(
        self, place: Operation, value: Value, arguments: Sequence[Value], shape: Shape
    ) -> Value | None:
        """A value of a region for all positions that its arguments take, as an array of a shape."""
        op = value.owner
        type_ = array_type(shape, element_of(value))
        if value in arguments:
            return before(place, IotaOp, [], type_, {"dim": integer(arguments.index(value))})
        if op is self.block or (isinstance(op, Operation) and op.parent is self.block):
            return before(place, BroadcastOp, [value], type_, {"dims": ints(())}) if shape else value
        if isinstance(op, IndexOp) and all(v in arguments for v in own_operands(op)[1:]):
            dims = [arguments.index(v) for v in own_operands(op)[1:]]
            is_outside = op.operand.owner is self.block or _block_of(op.operand) is self.block
            if not is_outside or len(dims) != len(shape_of(op.operand)) or dims != sorted(set(dims)):
                return None
            return before(place, BroadcastOp, [op.operand], type_, {"dims": ints(tuple(dims))})
        if not isinstance(op, ew.ElementwiseOp):
            return None
        operands = [self._array(place, v, arguments, shape) for v in own_operands(op)]
        if None in operands:
            return None
        return before(place, type(op), [v for v in operands if v is not None], type_, op.properties)

    # Replacements ---------------------------------------------------------------------------------

    def _moved_before(self, place: Operation, values: Sequence[Value], reads: set[Operation]) -> bool:
        """Move what ranks are computed of in front of an op; false where that is what the op finds."""
        needed: set[Operation] = set()
        pending = [v.owner for v in values]
        limit = self._position(place)
        while pending:
            op = pending.pop()
            if not isinstance(op, Operation) or op in needed or self._position(op) < limit:
                continue
            if op in reads or any(v in self.ordered or v in self.numbers for v in free_values(op)):
                return False
            needed.add(op)
            pending += [v.owner for v in free_values(op)]
        for op in [op for op in self.block.ops if op in needed]:
            op.detach()
            self.block.insert_op_before(op, place)
        return True

    def _replace_read(self, read: _Read, found: _Found, number: int) -> None:
        op = read.op
        if read.what is None:
            value = found.rows(op, number)
        elif read.what is self.x:
            value = found.values(op, number)
        else:
            value = self._gathered(op, read.what, read.places.batch, found.rows(op, number))
        replace(op, _reshaped(op, value, shape_of(op.result)))

    def _gathered(self, place: Operation, rows: Value, batch: Shape, numbers: Value) -> Value:
        type_ = array_type((*batch, *shape_of(numbers)), element_of(rows))
        return before(place, GatherOp, [rows], type_, regions=[_to_numbers(numbers, len(batch))])

    def _scattered(self, place: ScatterOp | UpdateOp, written: _Written, numbers: Value) -> Value:
        batch = written.places.batch
        value = _reshaped(place, written.value, (*batch, *shape_of(numbers)))
        return before(
            place, ScatterOp, [value], place.result.type, regions=[_to_numbers(numbers, len(batch))]
        )


class _Found:
    """The elements of some ranks, and the rows that have them."""

    def __init__(self, place: Operation, x: Value, ranks: Sequence[Value]):
        self._place = place
        self._x = x
        self._counts = [shape_of(r)[0] for r in ranks]
        rest = shape_of(x)[1:]
        type_ = array_type((sum(self._counts), *rest), i64)
        joined = before(place, ConcatenateOp, list(ranks), type_, {"dim": integer(0)})
        # Positions of rows are clamped, also of sorted ones.
        b = _Writer(place)
        last = before(place, SizeOp, [], i64, {"extent": integer(shape_of(x)[0] - 1)})
        low = b.make(ew.MinOp, [joined, b.spread(last, shape_of(joined), ())], shape_of(joined), i64)
        zero = b.spread(b.constant(0), shape_of(joined), ())
        self._ranks = b.make(ew.MaxOp, [low, zero], shape_of(joined), i64)
        self._elements = before(
            place, RanksOp, [x, self._ranks], array_type(shape_of(self._ranks), element_of(x))
        )
        self._numbers: Value | None = None

    def values(self, place: Operation, number: int) -> Value:
        """The elements of some of the ranks."""
        return self._part(place, self._elements, number)

    def rows(self, place: Operation, number: int) -> Value:
        """The numbers of the rows that have them."""
        if self._numbers is None:
            self._numbers = self._found_rows()
        return self._part(place, self._numbers, number)

    def _part(self, place: Operation, value: Value, number: int) -> Value:
        if len(self._counts) == 1:
            return value
        start = sum(self._counts[:number])
        shape = (self._counts[number], *shape_of(value)[1:])
        starts = (start, *(0 for _ in shape[1:]))
        limits = (start + shape[0], *shape[1:])
        properties = int_lists(starts=starts, limits=limits, strides=(1,) * len(shape))
        return before(place, SliceOp, [value], array_type(shape, element_of(value)), properties)

    def _found_rows(self) -> Value:
        elements = self._elements
        assert isinstance(elements.owner, Operation) and elements.owner.next_op is not None
        b = _Writer(elements.owner.next_op)
        shape, rank = shape_of(elements), len(shape_of(elements))
        wide = (shape_of(self._x)[0], *shape)
        x = b.spread(self._x, wide, (0, *range(2, rank + 1)))
        v = b.spread(elements, wide, range(1, rank + 1))
        no_number = b.compare("ne", v, v)
        equal = b.both(ew.OrOp, b.compare("eq", x, v), b.both(ew.AndOp, b.compare("ne", x, x), no_number))
        number = b.compare("eq", x, x)
        less = b.both(ew.OrOp, b.compare("lt", x, v), b.both(ew.AndOp, number, no_number))
        first = b.make(SumOp, [b.number(less)], shape, i64, dims=ints((0,)))
        nth = b.make(CumulativeOp, [b.number(equal)], wide, i64, kind=keyword("sum"), dim=integer(0))
        wanted = b.make(ew.SubOp, [self._ranks, first], shape, i64)
        one = b.spread(b.constant(1), shape, ())
        wanted = b.spread(b.make(ew.AddOp, [wanted, one], shape, i64), wide, range(1, rank + 1))
        hit = b.both(ew.AndOp, equal, b.compare("eq", nth, wanted))
        iota = b.make(IotaOp, [], wide, i64, dim=integer(0))
        zero = b.spread(b.constant(0), wide, ())
        return b.make(SumOp, [b.make(ew.SelectOp, [hit, iota, zero], wide, i64)], shape, i64, dims=ints((0,)))


class _Writer:
    """Makes ops in front of one."""

    def __init__(self, place: Operation):
        self._place = place

    def make(
        self,
        op: type[Operation],
        operands: list[Value],
        shape: Shape,
        element: Attribute,
        **properties: Attribute,
    ) -> Value:
        return before(self._place, op, operands, array_type(tuple(shape), element), properties)

    def spread(self, value: Value, shape: Shape, dims: Sequence[int]) -> Value:
        return self.make(BroadcastOp, [value], shape, element_of(value), dims=ints(tuple(dims)))

    def compare(self, predicate: str, a: Value, b: Value) -> Value:
        return self.make(ew.CompareOp, [a, b], shape_of(a), i1, predicate=keyword(predicate))

    def both(self, op: type[Operation], a: Value, b: Value) -> Value:
        return self.make(op, [a, b], shape_of(a), i1)

    def number(self, value: Value) -> Value:
        return self.make(ew.ConvertOp, [value], shape_of(value), i64)

    def constant(self, value: int) -> Value:
        return before(self._place, ConstantOp, [], i64, {"value": literal(value, i64)})


def _block_of(value: Value) -> Block | None:
    return value.owner.parent if isinstance(value.owner, Operation) else None


def _reshaped(place: Operation, value: Value, shape: Shape) -> Value:
    if shape_of(value) == shape:
        return value
    return before(place, ReshapeOp, [value], array_type(shape, element_of(value)))


def _to_numbers(numbers: Value, batches: int) -> Region:
    """The region `(*b, k, *j) -> (*b, numbers[k, *j], *j)`."""
    block = Block(arg_types=[i64] * (batches + len(shape_of(numbers))))
    batch, own = block.args[:batches], block.args[batches:]
    row = IndexOp.create(operands=[numbers, *own], result_types=[i64])
    block.add_ops([row, YieldOp.create(operands=[*batch, row.results[0], *own[1:]])])
    return Region(block)


def _sets(op: ScatterOp | UpdateOp) -> bool:
    return isinstance(op, UpdateOp) and op.kind.data != "add"


def _is_argument(value: Value, argument: BlockArgument, extent: int) -> bool:
    """Tell whether a position is an argument of a region, perhaps by a table that has each at its place."""
    if value is argument:
        return True
    op = value.owner
    if not isinstance(op, IndexOp) or not isinstance(op.operand.owner, ConstantOp):
        return False
    positions = own_operands(op)[1:]
    if [p for p in positions if p is argument] != [argument]:
        return False
    known = [None if p is argument else scalar_of(p) for p in positions]
    if known.count(None) != 1 or len(known) != len(shape_of(op.operand)):
        return False
    table = literal_array(op.operand.owner)
    line = table[tuple(slice(None) if k is None else int(k) for k in known)]
    return np.array_equal(line, np.arange(extent))
