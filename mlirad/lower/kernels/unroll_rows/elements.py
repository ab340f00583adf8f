"""The elements of a row, each as a scalar of one body: what kernels over rows compute, loops unrolled.

`Elements` takes in one kernel after the other. For every iteration of a kernel's loops but the first its body
is evaluated with the indices as literals; loads of what the group has computed become its scalars.

A result may have dimensions without a loop in its kernel; the elements along them are yielded one by one. So
a kernel over the rows of a Jacobian can compute a whole row in registers, with the values that its columns
share, and a structural zero among them is a literal. A loop over the columns would compute every column and
select.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import ScheduledOp, is_element_wise
from mlirad.dialects.shapes import Shape, Value, element_of, ints, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.dead_code import erase_unused
from mlirad.lower.kernels.kernel_groups import around
from mlirad.lower.kernels.strip_mine.totals import COMBINING

MOST_ELEMENTS = 64
"""The most iterations of a kernel for one row."""

LONGEST = 16
"""The most iterations of one of its loops: longer ones fill vectors of their own."""

MOST_OPS = 1200
"""The most ops of a body. LLVM takes time quadratic in it."""

Row: TypeAlias = dict[Shape, Value]
"""The elements of one row of a value, by their positions in the row."""


class Elements:
    """Kernels over `rows` rows as one body. `values` has the elements of a row of each of their results."""

    def __init__(self, rows: int):
        self.rows = rows
        self.members: list[NestOp | ScatterOp] = []
        self.values: dict[Value, Row] = {}
        self.block = Block(arg_types=[i64])
        self.b = ArrayBuilder(self.block)
        self.b.ranges.set(self.block.args[0], 0, rows - 1)

    def admit(self, op: NestOp | ScatterOp) -> bool:
        """Let a kernel join if it can; the body has its code then."""
        if not self._suits(op):
            return False
        self.b.location = op.location
        last = self.block.last_op
        made = self._nest(op) if isinstance(op, NestOp) else self._scatter(op)
        if made is None or sum(1 for _ in self.block.ops) > MOST_OPS:
            self._forget_after(last)
            return False
        self.values.update(made)
        self.members.append(op)
        return True

    @property
    def unrolled(self) -> int:
        """Return how many kernels have loops besides that over the rows."""
        return sum(prod(op.extents[1:]) > 1 for op in self.members)

    def _forget_after(self, last: Operation | None) -> None:
        """Take back the ops of the body after one of them."""
        ops = list(self.block.ops)
        new = ops[ops.index(last) + 1 :] if last is not None else ops
        self.b.forget(new)
        for op in reversed(new):
            op.detach()
            op.erase()

    def discard(self) -> None:
        """Erase the body, which reads buffers, where no kernel is made of it."""
        erase_unused(self.block)

    def results(self) -> list[Value]:
        """The values of the group that others read, in their order."""
        members: set[Operation] = set(self.members)
        return [
            r
            for op in self.members
            for r in op.results
            if any(around(use.operation, op) not in members for use in r.uses)
        ]

    def nest(self) -> NestOp:
        """The one kernel."""
        results = self.results()
        yielded = [element for r in results for _, element in sorted(self.values[r].items())]
        self.block.add_op(YieldOp.create(operands=yielded))
        erase_unused(self.block)
        loaded = [o.buffer for o in self.block.ops if isinstance(o, LoadOp | LoadIfOp)]
        properties: dict[str, Attribute] = {"space": ints((self.rows,)), "reduction": ints(())}
        return NestOp.create(
            operands=list(dict.fromkeys(loaded)),
            result_types=[r.type for r in results],
            properties=properties,
            regions=[Region(self.block)],
            location=self.members[0].location,
        )

    def _suits(self, op: NestOp | ScatterOp) -> bool:
        """Return whether a kernel runs over the rows first, and makes few iterations for each."""
        if op.extents[:1] != (self.rows,) or not 1 <= prod(op.extents[1:]) <= MOST_ELEMENTS:
            return False
        if max(op.extents[1:], default=1) > LONGEST:
            return False
        if isinstance(op, ScatterOp):
            base = None if op.from_zero is not None else op.inputs[0]
            first = yields(op.body)[1:2]
            small = prod(shape_of(op.result)[1:]) <= MOST_ELEMENTS
            at_rows = bool(first) and first[0] is op.body.block.args[0] and small
            return (
                shape_of(op.result)[:1] == (self.rows,) and at_rows and (base is None or base in self.values)
            )
        combiners = [] if op.combiners is None else [c.data for c in op.combiners.data]
        is_plain = is_element_wise(op) and values_of(op.space)[:1] == (self.rows,)
        return is_plain and all(c in COMBINING for c in combiners)

    # Kernels -------------------------------------------------------------------------------------

    def _nest(self, op: NestOp) -> dict[Value, Row] | None:
        space, reduction = values_of(op.space)[1:], values_of(op.reduction)
        made: list[Row] = [{} for _ in op.roots]
        for position in product(*map(range, space)):
            totals: list[Value] | None = None
            for inner in product(*map(range, reduction)):
                values = self._body(op, (*position, *inner))
                if values is None:
                    return None
                totals = values if totals is None else self._combined(op, totals, values)
            if totals is None:
                return None
            for row, value in zip(made, totals, strict=True):
                row[position] = value
        return dict(zip(op.roots, made, strict=True))

    def _combined(self, op: NestOp, totals: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        assert op.combiners is not None
        kinds = [COMBINING[c.data] for c in op.combiners.data]
        return [self.b.binary(k, a, b) for k, a, b in zip(kinds, totals, values, strict=True)]

    def _scatter(self, op: ScatterOp) -> dict[Value, Row] | None:
        b, shape = self.b, shape_of(op.result)
        if op.from_zero is None:
            row = dict(self.values[op.inputs[0]])
        else:
            row = {p: b.zeros(element_of(op.result)) for p in product(*map(range, shape[1:]))}
        for inner in product(*map(range, op.extents[1:])):
            values = self._body(op, inner)
            if values is None:
                return None
            value, _, *rest = values
            position = self._literals(rest[: len(shape) - 1])
            if position is None:
                return None
            new = b.add(row[position], value) if op.kind.data == "add" else value
            if op.kind.data not in ("add", "set"):
                return None
            guards = rest[len(shape) - 1 :]
            row[position] = b.select(guards[0], new, row[position]) if guards else new
        return {op.result: row}

    def _body(self, op: ScheduledOp, inner: Sequence[int]) -> list[Value] | None:
        """Return what a body yields for literal indices of its loops but the first; None if it cannot
        join.
        """
        b, block = self.b, op.regions[0].block
        env: dict[Value, Value] = {block.args[0]: self.block.args[0]}
        env.update(zip(block.args[1:], map(b.index_constant, inner), strict=True))
        for old in block.ops:
            if isinstance(old, YieldOp):
                break
            new = self._op(old, env)
            if new is None:
                return None
            env[old.results[0]] = new
        return [env[v] for v in yields(op.regions[0])]

    def _op(self, op: Operation, env: dict[Value, Value]) -> Value | None:
        b = self.b
        b.name_hint = op.results[0].name_hint
        match op:
            case LoadOp() | LoadIfOp():
                return self._load(op, [env[p] for p in op.positions], env)
            case ConstantOp() | NoFrameOp():
                return b.rebuild_unfolded(op, {}).results[0]
            case ew.ElementwiseOp():
                operands = [env[o] for o in op.operands]
                return b.apply_elementwise(type(op), operands, op.properties, element_of(op.results[0]))
            case _:
                return None

    def _load(self, op: LoadOp | LoadIfOp, positions: list[Value], env: dict[Value, Value]) -> Value | None:
        b, element = self.b, element_of(op.buffer)
        guard = None if isinstance(op, LoadOp) else env[op.guard]
        if guard is not None and b.scalar_of(guard) is not None:
            if not b.scalar_of(guard):
                return b.zeros(element)
            guard = None
        row = self.values.get(op.buffer)
        if row is not None:
            literals = self._literals(positions[1:])
            value = None if literals is None or positions[0] is not self.block.args[0] else row.get(literals)
            return b.select(guard, value, b.zeros(element)) if guard is not None and value else value
        if guard is not None:
            return b.emit(LoadIfOp, (guard, op.buffer, *positions), element)
        return b.emit(LoadOp, (op.buffer, *positions), element)

    def _literals(self, positions: Sequence[Value]) -> Shape | None:
        """The numbers that positions are, if they are literals."""
        found = [self.b.scalar_of(p) for p in positions]
        return None if any(f is None for f in found) else tuple(int(f) for f in found if f is not None)
