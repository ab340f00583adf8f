"""The ops of a group in a strip: the loop over the rows as long as a strip, other loops as they were.

    kernel.nest %x, %a (%i) {space = [10000]}            kernel.nest %start, %x, %a' (%i) {space = [80]}
      %u = load %x[%i + 1]                                 %s = load %start
      %v = load %a[%i]                           -->       %u = load %x[%s + %i + 1]
                                                           %v = load %a'[%i]

where %a is of the group and %x is not. A total is a carry of the strips: each adds its own part. Where the
last strip overlaps the one before, it leaves out what that one has done.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    integer,
    ints,
    keyword,
    shape_of,
    values_of,
)
from mlirad.ir.builder import yields
from mlirad.lower.kernels.strip_mine.group import Group, totals_of
from mlirad.lower.kernels.strip_mine.totals import (
    combined,
    copied_strip,
    identity,
    initial_total,
    loaded,
    plain_nest,
)


def in_strips(group: Group, block: int, joined: Sequence[Value]) -> list[Operation]:
    """The ops that replace the members of a group: initial totals, then the strips, `block` rows each.

    `joined` are the values by rows that are read outside. The last op's results are the totals, in their
    order in the group's members, then those.
    """
    return _Strips(group, block, joined).write()


class _Strips:
    """Writes the ops of one group; `env` maps its values to what stands for them in a strip."""

    def __init__(self, group: Group, block: int, joined: Sequence[Value]):
        self.group = group
        self.rows = block
        self.joined = joined
        self.overlaps = group.extent % block != 0
        self.totals = totals_of(group)
        self.env: dict[Value, Value] = {}
        self.before: list[Operation] = []
        init = [self._initial(total) for total in self.totals]
        self.body = Block(arg_types=[i64, i64, *(v.type for v in init)])
        self.start, self.done = self.body.args[0], self.body.args[1]
        self.start.name_hint, self.done.name_hint = "start", "done"
        self.carries = dict(zip(self.totals, self.body.args[2:], strict=True))
        self.init = init

    def write(self) -> list[Operation]:
        for op in self.group.members:
            self._write(op, self.body)
        made = [self.env[v] for v in (*self.totals, *self.joined)]
        self.body.add_op(YieldOp.create(operands=made))
        strips = StripsOp.create(
            operands=self.init,
            result_types=[v.type for v in (*self.totals, *self.joined)],
            properties={
                "carries": integer(len(self.init)),
                "extent": integer(self.group.extent),
                "block": integer(self.rows),
            },
            regions=[Region(self.body)],
            location=self.group.members[0].location,
        )
        for old, new in zip((*self.totals, *self.joined), strips.results, strict=True):
            new.name_hint = old.name_hint
        return [*self.before, strips]

    def _initial(self, total: Value) -> Value:
        """Return what a total starts at, before the strips."""
        op = total.owner
        if isinstance(op, ScatterOp) and op.from_zero is None:
            return op.inputs[0]
        if isinstance(op, ScanOp) and total in self.group.sums:
            return op.init[op.results.index(total)]
        nest = initial_total(total, self.group.totals[total])
        self.before.append(nest)
        return nest.results[0]

    def _write(self, op: Operation, into: Block) -> None:
        """Write what an op of the group does in a strip to the end of a block."""
        match op:
            case NestOp():
                new: Operation = self._nest(op)
            case ScatterOp():
                new = self._scatter(op)
            case ScanOp():
                new = self._scan(op, into)
            case _:
                raise AssertionError(op.name)
        into.add_op(new)
        for old, result in zip(op.results, new.results, strict=True):
            self.env[old] = result
            result.name_hint = old.name_hint
        if not isinstance(op, ScatterOp):
            mine = [r for r in op.results if r in self.carries and r not in self.group.sums]
            for shape in dict.fromkeys(shape_of(r) for r in mine):
                totals = [r for r in mine if shape_of(r) == shape]
                pairs = [(self.carries[t], self.env[t], self.group.totals[t]) for t in totals]
                nest = combined(pairs, op)
                into.add_op(nest)
                self.env.update(zip(totals, nest.roots, strict=True))

    def _type(self, value: Value) -> Attribute:
        """The type of what stands for a value in a strip."""
        d = self.group.rows.get(value)
        if d is None:
            return value.type
        shape = list(shape_of(value))
        shape[d] = self.rows
        return array_type(tuple(shape), element_of(value))

    # Kernels -------------------------------------------------------------------------------------

    def _nest(self, op: NestOp) -> NestOp:
        rank = len(values_of(op.space))
        x = self.group.loops.get(op)
        extents = [self.rows if k == x else e for k, e in enumerate(op.extents)]
        block, values = self._body(op, x)
        if x is not None and x >= rank and self.overlaps:
            assert op.combiners is not None
            combiners = [c.data for c in op.combiners.data]
            values = [
                v
                if c in ("max", "min", "and", "or")
                else self._in_remainder(block, x, v, identity(c, v.type))
                for c, v in zip(combiners, values, strict=True)
            ]
        block.add_op(YieldOp.create(operands=values))
        types = [self._type(r) for r in op.roots]
        return plain_nest(tuple(extents[rank:]), tuple(extents[:rank]), types, block, op, op.combiners)

    def _scatter(self, op: ScatterOp) -> ScatterOp:
        x = self.group.loops[op]
        block, values = self._body(op, x)
        operands: list[Value] = []
        properties = dict(op.properties)
        properties["space"] = ints(tuple(self.rows if k == x else e for k, e in enumerate(op.extents)))
        if op.result in self.group.totals or op.result in self.group.sums:
            if op.result in self.carries:
                properties.pop("from_zero", None)
                operands.append(self.carries[op.result])
            elif op.from_zero is None:
                operands.append(self.env[op.inputs[0]])
            if self.overlaps and op.kind.data == "add":
                rank = len(shape_of(op.result))
                values = self._guarded(block, x, values, rank)
        else:
            if op.from_zero is None:
                operands.append(self.env[op.inputs[0]])
            d = self.group.rows[op.result]
            values[1 + d] = block.args[x]
        block.add_op(YieldOp.create(operands=values))
        inputs = [v for v in loaded(block) if v not in operands]
        return ScatterOp.create(
            operands=[*operands, *inputs],
            result_types=[self._type(op.result)],
            properties=properties,
            regions=[Region(block)],
            location=op.location,
        )

    def _body(self, op: ScheduledOp, x: int | None) -> tuple[Block, list[Value]]:
        """The body of a kernel whose loop x runs over a strip, without its end, and what it yields."""
        old = op.regions[0].block
        block = Block(arg_types=[i64] * len(old.args))
        env: dict[Value, Value] = dict(zip(old.args, block.args, strict=True))
        rows = self.group.rows
        if x is not None and self._needs_number(old, x):
            first = LoadOp.create(operands=[self.start], result_types=[i64])
            number = ew.AddOp.create(operands=[block.args[x], first.result], result_types=[i64])
            block.add_ops([first, number])
            env[old.args[x]] = number.results[0]
        for inner in old.ops:
            if isinstance(inner, YieldOp):
                break
            operands = [env.get(o) or self.env.get(o, o) for o in inner.operands]
            if isinstance(inner, LoadOp | LoadIfOp) and inner.buffer in rows and x is not None:
                operands[rows[inner.buffer] - len(inner.positions)] = block.args[x]
            new = type(inner).create(
                operands=operands,
                result_types=inner.result_types,
                properties=inner.properties,
                location=inner.location,
            )
            block.add_op(new)
            env[inner.results[0]] = new.results[0]
            new.results[0].name_hint = inner.results[0].name_hint
        return block, [env[v] for v in yields(op.regions[0])]

    def _needs_number(self, body: Block, x: int) -> bool:
        """Return whether a body uses the number of a row other than to read, or write to, values by rows."""
        for use in body.args[x].uses:
            user = use.operation
            if not isinstance(user, LoadOp | LoadIfOp) or user.buffer not in self.group.rows:
                return True
            if use.index != len(user.operands) - len(user.positions) + self.group.rows[user.buffer]:
                return True
        return False

    def _is_in_remainder(self, block: Block, x: int) -> Value:
        """Return whether a row is in the remainder: not in the strip before."""
        done = LoadOp.create(operands=[self.done], result_types=[i64])
        test = ew.CompareOp.create(
            operands=[block.args[x], done.result],
            result_types=[i1],
            properties={"predicate": keyword("ge")},
        )
        block.add_ops([done, test])
        return test.results[0]

    def _in_remainder(self, block: Block, x: int, value: Value, otherwise: Attribute) -> Value:
        """A value where a row is in the remainder, a literal elsewhere."""
        constant = ConstantOp.create(result_types=[value.type], properties={"value": otherwise})
        test = self._is_in_remainder(block, x)
        chosen = ew.SelectOp.create(operands=[test, value, constant.result], result_types=[value.type])
        block.add_ops([constant, chosen])
        return chosen.results[0]

    def _guarded(self, block: Block, x: int, values: Sequence[Value], rank: int) -> list[Value]:
        """Return what a scatter yields, guarded so that it adds only rows that are not in the strip
        before.
        """
        test = self._is_in_remainder(block, x)
        if len(values) > 1 + rank:
            both = ew.AndOp.create(operands=[values[1 + rank], test], result_types=[i1])
            block.add_op(both)
            return [*values[: 1 + rank], both.results[0], *values[2 + rank :]]
        return [*values, test]

    # Loops ---------------------------------------------------------------------------------------

    def _scan(self, op: ScanOp, into: Block) -> ScanOp:
        old = op.body.block
        count = op.carry_count
        operands = [self.env.get(v, v) for v in op.operands]
        for k, carry in enumerate(old.args[1 : 1 + count]):
            if carry in self.group.rows and op.operands[k] not in self.env:
                copy = copied_strip(op.operands[k], self.group.rows[carry], self.rows, self.start, op)
                into.add_op(copy)
                operands[k] = copy.results[0]
            elif op.results[k] in self.carries and op.results[k] in self.group.sums:
                operands[k] = self.carries[op.results[k]]
        block = Block(arg_types=[self._type(a) for a in old.args])
        for argument, new in zip(old.args, block.args, strict=True):
            self.env[argument] = new
            new.name_hint = argument.name_hint
        last = old.last_op
        for inner in old.ops:
            if inner is not last:
                self._write(inner, block)
        block.add_op(YieldOp.create(operands=[self.env[v] for v in yields(op.body)]))
        return ScanOp.create(
            operands=operands,
            result_types=[self._type(r) for r in op.results],
            properties=op.properties,
            regions=[Region(block)],
            location=op.location,
        )
