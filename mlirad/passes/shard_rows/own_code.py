"""The code of a chunk: a function of all rows, changed in place where a chunk differs.

- `array.size` becomes the number of all rows, and `array.iota` along rows counts from the chunk's first row.
- A value that all chunks have and that a sum over chunks must have once is replaced by 0 in all chunks but
  the first.
- Where numbers of rows are read that are positions in the chunk, that of its first row is added.
- Rows that are read or written by number are those of the chunk that has them (`picked.py`), and the number
  of its first row is added to positions that are results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects.builtin import i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, IotaOp, SizeOp
from mlirad.dialects.extents import Quotient, Terms, evaluate, size, sizes_of
from mlirad.dialects.shapes import Value, element_of, integer_of, ints, keyword, shape_of
from mlirad.distributed.plan import Argument, ChunkNumber, Combined, Extent, FirstRow, Source
from mlirad.ir.free_values import own_operands, replace_operand
from mlirad.ir.regions import nested_ops
from mlirad.passes.shard_rows import neighbours, picked, prefixes
from mlirad.passes.shard_rows.emission import before, replace
from mlirad.passes.shard_rows.flow import Flow
from mlirad.passes.shard_rows.orders import RanksOp
from mlirad.passes.shard_rows.searches import counted
from mlirad.passes.shard_rows.states import refused, rows_of


def own_code(function: FuncOp, flow: Flow) -> dict[BlockArgument, Source]:
    """Change the function in place; returns the sources of its arguments, some of them new."""
    return _OwnCode(function, flow).sources


class _OwnCode:
    def __init__(self, function: FuncOp, flow: Flow):
        self.block = function.body.block
        self.name = flow.name
        self._flow = flow
        self.sources: dict[BlockArgument, Source] = {
            argument: Argument(k) for k, argument in enumerate(self.block.args)
        }
        self._made: dict[object, Value] = {}
        # In front of an op that stays: the first one of the function may be replaced.
        first = next(op for op in self.block.ops if not isinstance(op, SizeOp))
        mark = before(first, ConstantOp, [], i64, {"value": literal(0, i64)}).owner
        assert isinstance(mark, ConstantOp)
        self._start = mark
        for op in list(nested_ops(function.body)):
            if isinstance(op, SizeOp):
                self._size(op)
            elif isinstance(op, IotaOp):
                self._iota(op)
        for op, operands in flow.masked.items():
            for k in operands:
                replace_operand(op, k, self._in_first_chunk(op, own_operands(op)[k]))
        for op, numbered in flow.numbered.items():
            for k, each in numbered.items():
                total = before(op, ew.AddOp, [own_operands(op)[k], self.first(each)], i64)
                replace_operand(op, k, total)
        for op in list(self.block.ops):
            if isinstance(op, RanksOp):
                self.sources[counted(op, self.block, flow)] = Combined(-1)
            elif isinstance(op, neighbours.BorderOp):
                neighbours.border(op, flow)
            elif isinstance(op, neighbours.ShiftedOp):
                neighbours.shifted(op, flow)
            elif prefixes.is_at_edge(op):
                prefixes.at_edges(op, flow, self)
        for op, each in flow.counted.items():
            self._count(op, each)
        for op, rows in flow.picked.items():
            picked.rewrite(op, rows, flow, self)
        self._start.detach()
        self._start.erase()

    def _once(self, key: object, make: Callable[[], Value]) -> Value:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _input(self, source: Source) -> Value:
        def make() -> Value:
            argument = self.block.insert_arg(i64, len(self.block.args))
            self.sources[argument] = source
            return argument

        return self._once(source, make)

    def constant(self, value: int) -> Value:
        """A number that is known."""
        return self._once(
            ("constant", value),
            lambda: before(self._start, ConstantOp, [], i64, {"value": literal(value, i64)}),
        )

    def extent(self, scale: int, offset: int) -> Value:
        """`scale * n + offset` for the number n of all rows."""
        return self._input(Extent(scale, offset))

    def first(self, each: int) -> Value:
        """The number of the chunk's first element along a dimension that has `each` for each row."""
        first = self._input(FirstRow())
        if each == 1:
            return first
        return self._once(
            ("first", each), lambda: before(self._start, ew.MulOp, [first, self.constant(each)], i64)
        )

    def _size(self, op: SizeOp) -> None:
        extent = op.extent.data
        if self.name not in sizes_of(extent):
            return
        if sizes_of(extent) != frozenset((self.name,)):
            raise refused(op, f"{extent} is computed of the number of rows", "compute it outside")
        replace(op, self._number(extent))

    def _number(self, extent: int) -> Value:
        """An extent for the number of all rows."""
        offset, one = (evaluate(extent, {self.name: n}) for n in (0, 1))
        if extent == (one - offset) * size(self.name) + offset:
            return self.extent(one - offset, offset)
        return self._once(("extent", extent), lambda: self._of_terms(cast(Any, extent).terms))

    def _of_terms(self, terms: Terms) -> Value:
        """The sum of monomials for the number of all rows."""
        total = self.constant(0)
        for atoms, factor in terms:
            value = self.constant(factor)
            for atom in atoms:
                part = self.extent(1, 0)
                if isinstance(atom, Quotient):
                    whole, divisor = self._of_terms(atom.terms), self.constant(atom.divisor)
                    part = before(self._start, ew.FloorDivOp, [whole, divisor], i64)
                value = before(self._start, ew.MulOp, [value, part], i64)
            total = before(self._start, ew.AddOp, [total, value], i64)
        return total

    def _iota(self, op: IotaOp) -> None:
        rows = rows_of(op.result, self.name, op)
        if rows is None or rows.dim != integer_of(op.dim):
            return
        following = op.next_op
        assert following is not None
        first = self.first(rows.each)
        shift = before(following, BroadcastOp, [first], op.result.type, {"dims": ints(())})
        total = before(following, ew.AddOp, [op.result, shift], op.result.type)
        op.result.replace_uses_with_if(total, lambda use: use.operation is not total.owner)
        if op.result in self._flow.levels:
            self._flow.states[total], self._flow.levels[total] = rows, 0

    def _count(self, op: Operation, each: int) -> None:
        """Positions that an op finds among the rows of the chunk become those among all rows."""
        found, following = op.results[0], op.next_op
        assert following is not None
        shift = self.first(each)
        if shape_of(found):
            shift = before(following, BroadcastOp, [shift], found.type, {"dims": ints(())})
        total = before(following, ew.AddOp, [found, shift], found.type)
        found.replace_uses_with_if(total, lambda use: use.operation is not total.owner)
        self._flow.rename(found, total)

    def _in_first_chunk(self, op: Operation, value: Value) -> Value:
        """The value in the first chunk, 0 in all others."""
        is_first = self._once(
            "is first",
            lambda: before(
                self._start,
                ew.CompareOp,
                [self._input(ChunkNumber()), self.constant(0)],
                i1,
                {"predicate": keyword("eq")},
            ),
        )
        element = element_of(value)
        zero = before(op, ConstantOp, [], element, {"value": literal(0, element)})
        if shape_of(value):
            zero = before(op, BroadcastOp, [zero], value.type, {"dims": ints(())})
        return before(op, ew.SelectOp, [is_first, value, zero], value.type)
