"""Which kernels can run strip by strip: those that only work along one dimension, the rows.

A value of a group is

    by rows      it has the rows as a dimension, and row i depends on row i of other such values alone
    a total      the sum (maximum, ...) over all rows of something by rows: complete after the last strip
    of no rows   the same for all rows, such as what a loop counts: computed anew for every strip

A kernel joins when one of its loops runs over the rows and reads what is by rows at its own index; it may not
read a total. A scan joins when its whole body does. Arrays from outside of the group may be read anywhere.

    %a = nest (i, j): x[i] * w[j]                 by rows, dimension 0
    %b = nest (i) sum (j): a[i, j]                by rows
    %c = nest (j) sum (i): a[i, j] * b[i]         a total
    %d = nest (i): a[i, 0] - b[i - 1]             cannot join: it reads another row
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp, ScheduledOp
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values

COMBINED = ("add", "prod", "max", "min", "and", "or")
"""The combiners whose results over parts of the rows can be combined."""

MAX_REPEATED = 256
"""Iterations up to which a kernel of no rows is run again for every strip."""


@dataclass
class Group:
    """Ops that run together over the rows, of which there are `extent`.

    `rows` has the dimension of the rows in each value by rows, `totals` the combiner of each total, `loops`
    the loop over the rows of each nest and scatter. `members` are the ops of the block itself, in order.
    """

    extent: int
    rows: dict[Value, int] = field(default_factory=dict[Value, int])
    totals: dict[Value, str] = field(default_factory=dict[Value, str])
    loops: dict[Operation, int] = field(default_factory=dict[Operation, int])
    members: list[Operation] = field(default_factory=list[Operation])

    def admit(self, op: Operation) -> bool:
        """Let an op of the block join if it can."""
        before = dict(self.rows), dict(self.totals), dict(self.loops)
        if self._enter(op):
            self.members.append(op)
            return True
        self.rows, self.totals, self.loops = before
        return False

    def reads_own(self, op: Operation) -> bool:
        """Whether an op reads anything that the group computes."""
        return any(v in self.rows or v in self.totals for v in free_values(op))

    def _enter(self, op: Operation) -> bool:
        match op:
            case NestOp():
                return self._enter_nest(op)
            case ScatterOp():
                return self._enter_scatter(op)
            case ScanOp():
                return self._enter_scan(op)
            case _:
                return False

    # Kernels -------------------------------------------------------------------------------------

    def _loops_over_rows(self, op: ScheduledOp) -> Iterable[int]:
        """The loops of a kernel that run over the rows and read everything by rows at their own index."""
        loads = [o for o in op.regions[0].block.ops if isinstance(o, LoadOp | LoadIfOp)]
        if any(o.buffer in self.totals for o in loads):
            return
        own = [(o.positions, self.rows[o.buffer]) for o in loads if o.buffer in self.rows]
        for x, argument in enumerate(op.regions[0].block.args):
            if op.extents[x] == self.extent and all(p[d] is argument for p, d in own):
                yield x

    def _enter_nest(self, op: NestOp) -> bool:
        rank = len(values_of(op.space))
        combiners = [] if op.combiners is None else [c.data for c in op.combiners.data]
        for x in self._loops_over_rows(op):
            if x < rank:
                self.rows.update(dict.fromkeys(op.roots, x))
            elif all(c in COMBINED for c in combiners):
                self.totals.update(zip(op.roots, combiners, strict=True))
            else:
                continue
            self.loops[op] = x
            return True
        return False

    def _enter_scatter(self, op: ScatterOp) -> bool:
        base = None if op.from_zero is not None else op.inputs[0]
        rank = len(shape_of(op.result))
        positions = yields(op.body)[1 : 1 + rank]
        for x in self._loops_over_rows(op):
            argument = op.body.block.args[x]
            own = [
                d for d, p in enumerate(positions) if p is argument and shape_of(op.result)[d] == self.extent
            ]
            if own and (base is None or self.rows.get(base) == own[0]):
                self.rows[op.result] = own[0]
            elif (op.kind.data == "add" or x == 0) and base not in self.rows and base not in self.totals:
                # Of several writes the last one wins: strips keep the order if the rows are outermost.
                self.totals[op.result] = op.kind.data
            else:
                continue
            self.loops[op] = x
            return True
        return False

    # Loops ---------------------------------------------------------------------------------------

    def _enter_scan(self, op: ScanOp) -> bool:
        block, count = op.body.block, op.carry_count
        carries, slices = block.args[1 : 1 + count], block.args[1 + count :]
        for init, carry in zip(op.init, carries, strict=True):
            if init in self.totals:
                return False
            if init in self.rows:
                self.rows[carry] = self.rows[init]
            elif self.extent in shape_of(init):
                self.rows[carry] = shape_of(init).index(self.extent)
        for whole, piece in zip(op.xs, slices, strict=True):
            if whole in self.totals or self.rows.get(whole) == 0:
                return False
            if whole in self.rows:
                self.rows[piece] = self.rows[whole] - 1
        if not self._enter_body(block):
            return False
        made = yields(op.body)
        for carry, value, result in zip(carries, made, op.final, strict=False):
            if value in self.totals or self.rows.get(value) != self.rows.get(carry):
                return False
            if carry in self.rows:
                self.rows[result] = self.rows[carry]
            elif result.first_use is not None:
                return False
        for value, result in zip(made[count:], op.stacked, strict=True):
            if value in self.rows:
                self.rows[result] = self.rows[value] + 1
            elif value in self.totals:
                self.totals[result] = self.totals[value]
            elif result.first_use is not None:
                return False
        return any(r in self.rows or r in self.totals for r in op.results)

    def _enter_body(self, block: Block) -> bool:
        """Enter the ops of a loop's body, all of which have to run by rows or to be of no rows and short."""
        for op in block.ops:
            if isinstance(op, YieldOp):
                continue
            if isinstance(op, ScatterOp) and not self._is_local(op):
                return False
            if self._enter(op):
                if any(self.totals.get(r) == "set" for r in op.results):
                    return False
                continue
            if not isinstance(op, NestOp) or self.reads_own(op) or prod(op.extents) > MAX_REPEATED:
                return False
        return True

    def _is_local(self, op: ScatterOp) -> bool:
        """Whether a scatter in a body works on what the trip makes."""
        return op.from_zero is not None or op.inputs[0] in self.rows
