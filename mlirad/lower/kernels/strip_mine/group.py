"""Groups of kernels that can run strip by strip: those that only work along one dimension, the rows.

A value of a group is

    by rows      it has the rows as a dimension, and row i depends only on row i of other such values
    a total      the sum (maximum, ...) over all rows of something by rows: complete after the last strip
    a sum        a carry of a scan to which iterations add totals: each strip continues from the last result
    of no rows   the same for all rows, such as what a loop counts: recomputed for every strip

A kernel joins when one of its loops runs over the rows and reads what is by rows at its own index; it may not
read a total. A scan joins when its whole body does. Arrays from outside of the group may be read anywhere.

    %a = nest (i, j): x[i] * w[j]                 by rows, dimension 0
    %b = nest (i) sum (j): a[i, j]                by rows
    %c = nest (j) sum (i): a[i, j] * b[i]         a total
    %d = nest (i): a[i, 0] - b[i - 1]             cannot join: it reads another row

Strips are formed of kernels, not of array ops. A kernel's reads are a list of loads, so their indices show
whether it works along one dimension; array ops would need an answer per op.

Steps of a stencil run one after another. They could follow each other at a distance of a few rows, which are
still in the second-level cache, so that arrays which every step reads go through memory once. That was built,
for loops whose kernels read rows at a constant distance, and gave the same bits. Of ten steps on 512 x 512
elements the value took 0.36 instead of 0.38 ns per element and step; the gradient, which was to gain, about
2.5 in either order on a busy machine, and more than before if written by slices: the slice that the forward
sweep keeps for each step comes from memory in any case, and in waves from ten places at once. Prefetching
these slices takes about a tenth off, without a pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.strip_mine.axes import Axis

COMBINED = ("add", "prod", "max", "min", "and", "or")
"""The combiners whose results over parts of the rows can be combined."""

MAX_REPEATED = 256
"""Iterations up to which a kernel of no rows is rerun for every strip."""


@dataclass
class Group:
    """Ops that run together over the rows, which are an axis.

    `rows` has the dimension of the rows in each value by rows, `totals` the combiner of each total, `sums`
    the carry that each sum began as, `loops` the loop over the rows of each nest and scatter. `members` are
    the ops of the block itself, in order.

    Of several loops or dimensions of the axis the first is taken, or the `last`; `is_square` says that there
    were several.
    """

    axis: Axis
    last: bool = False
    is_square: bool = False
    rows: dict[Value, int] = field(default_factory=dict[Value, int])
    totals: dict[Value, str] = field(default_factory=dict[Value, str])
    sums: dict[Value, Value] = field(default_factory=dict[Value, Value])
    loops: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _depth: int = 0
    members: list[Operation] = field(default_factory=list[Operation])

    @property
    def extent(self) -> int:
        """The number of rows."""
        return self.axis.extent

    def admit(self, op: Operation) -> bool:
        """Let an op of the block join if it can."""
        if isinstance(op, ScanOp):
            # Its body may have joined in part when it turns out that it cannot.
            before = dict(self.rows), dict(self.totals), dict(self.sums), dict(self.loops)
            if not self._enter(op):
                self.rows, self.totals, self.sums, self.loops = before
                return False
        elif not self._enter(op):
            return False
        self.members.append(op)
        return True

    def reads_own(self, op: Operation) -> bool:
        """Return whether an op reads anything that the group computes."""
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

    def _in_order(self, choices: Sequence[int]) -> Sequence[int]:
        """The loops or dimensions that could be the rows, in the order in which they are tried."""
        self.is_square = self.is_square or len(choices) > 1
        return choices[::-1] if self.last else choices

    def _loops_over_rows(self, op: ScheduledOp) -> Sequence[int]:
        """The loops of a kernel that run over the rows and read everything by rows at their own index."""
        found = self.axis.loops(op)
        if not found:
            return ()
        loads = [o for o in op.regions[0].block.ops if isinstance(o, LoadOp | LoadIfOp)]
        if any(o.buffer in self.totals for o in loads):
            return ()
        own = [(o.positions, self.rows[o.buffer]) for o in loads if o.buffer in self.rows]
        arguments = op.regions[0].block.args
        return self._in_order([x for x in found if all(p[d] is arguments[x] for p, d in own)])

    def _enter_nest(self, op: NestOp) -> bool:
        space = values_of(op.space)
        if any(shape_of(root)[: len(space)] != space for root in op.roots) or _is_the_same_memory(op):
            return False
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
            own = [d for d in self.axis.dims(op.result) if positions[d] is argument]
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
            if init in self.totals or (init in self.sums and not self._depth):
                return False
            if init in self.rows:
                self.rows[carry] = self.rows[init]
            elif dims := self._in_order(self.axis.dims(carry)):
                self.rows[carry] = dims[0]
            else:
                self.sums[carry] = carry
        for whole, piece in zip(op.xs, slices, strict=True):
            if whole in self.totals or self.rows.get(whole) == 0:
                return False
            if whole in self.rows:
                self.rows[piece] = self.rows[whole] - 1
        self._depth += 1
        entered = self._enter_body(block)
        self._depth -= 1
        if not entered:
            return False
        made = yields(op.body)
        for init, carry, value, result in zip(op.init, carries, made, op.final, strict=False):
            if self.sums.get(value) is carry and value is not carry and value.has_one_use():
                if not self._enter_final_sum(init, carry, result):
                    return False
                continue
            if value in self.totals or value in self.sums or self.rows.get(value) != self.rows.get(carry):
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
        return any(r in self.rows or r in self.totals or r in self.sums for r in op.results)

    def _enter_final_sum(self, init: Value, carry: Value, result: Value) -> bool:
        """Enter the last value of a sum: a total of the strips, or part of a sum of the loop around."""
        if not self._depth:
            self.totals[result] = "add"
            self.sums[result] = carry
            return True
        if init not in self.sums or not init.has_one_use():
            return False
        self.sums[result] = self.sums[init]
        return True

    def _enter_body(self, block: Block) -> bool:
        """Enter the ops of a loop's body; all have to run by rows, or to be short and without rows."""
        for op in block.ops:
            if isinstance(op, YieldOp):
                continue
            if isinstance(op, ScatterOp) and not self._is_local(op):
                if not self._enter_sum(op):
                    return False
                continue
            if isinstance(op, NestOp) and self._enter_sums(op):
                continue
            if self._enter(op):
                if any(self.totals.get(r) == "set" for r in op.results):
                    return False
                continue
            if not isinstance(op, NestOp) or self.reads_own(op) or nominal(prod(op.extents)) > MAX_REPEATED:
                return False
        return True

    def _is_local(self, op: ScatterOp) -> bool:
        """Return whether a scatter in a body works on what the iteration makes."""
        return op.from_zero is not None or op.inputs[0] in self.rows

    def _enter_sum(self, op: ScatterOp) -> bool:
        """Enter a scatter that adds to a sum, which nobody else reads."""
        base = op.inputs[0]
        carry = self.sums.get(base)
        x = next(iter(self._loops_over_rows(op)), None)
        if carry is None or not base.has_one_use() or op.kind.data != "add" or x is None:
            return False
        self.sums[op.result] = carry
        self.loops[op] = x
        return True

    def _enter_sums(self, op: NestOp) -> bool:
        """Enter a nest each of whose results is a sum, at the same element, plus totals that are sums."""
        if values_of(op.reduction) or not any(v in self.totals for v in op.operands):
            return False
        carries: list[Value] = []
        for value in yields(op.body):
            carry = self._summed(value, op)
            if carry is None:
                return False
            carries.append(carry)
        self.sums.update(zip(op.roots, carries, strict=True))
        return True

    def _summed(self, value: Value, op: NestOp) -> Value | None:
        """The carry to which an element of a result adds multiples of totals, if it does nothing else."""
        found: Value | None = None
        pending = [(value, True)]
        while pending:
            term, may_be_sum = pending.pop()
            owner = term.owner
            match owner:
                case ew.AddOp():
                    pending += [(o, may_be_sum) for o in owner.operands]
                case ew.SubOp():
                    pending += [(owner.operands[0], may_be_sum), (owner.operands[1], False)]
                case ew.NegOp():
                    pending.append((owner.operands[0], False))
                case ew.MulOp() if isinstance(owner.operands[0].owner, ConstantOp):
                    pending.append((owner.operands[1], False))
                case ew.MulOp() if isinstance(owner.operands[1].owner, ConstantOp):
                    pending.append((owner.operands[0], False))
                case LoadOp() if self.totals.get(owner.buffer) == "add":
                    pass
                case LoadOp() if may_be_sum and found is None and self._goes_on(owner, op):
                    found = self.sums[owner.buffer]
                case _:
                    return None
        return found

    def _goes_on(self, load: LoadOp, op: NestOp) -> bool:
        """Return whether a nest reads a sum that nobody else reads at the element that it makes."""
        here = list(load.positions) == list(op.body.block.args)
        return load.buffer in self.sums and here and self._only_read_in(load.buffer, op)

    def _only_read_in(self, buffer: Value, op: NestOp) -> bool:
        """Return whether a nest, with one load, is all that reads a buffer."""
        users = [use.operation for use in buffer.uses]
        return all(u is op or u.parent_op() is op for u in users) and len(users) == 2


def totals_of(group: Group) -> list[Value]:
    """The totals that the members of a group compute, in their order."""
    return [r for op in group.members for r in op.results if r in group.totals]


def _is_the_same_memory(op: NestOp) -> bool:
    """Return whether a nest copies what a loop stacks into fewer dimensions. Left alone, it has nothing to
    do.
    """
    copied = yields(op.body)[0].owner
    if len(op.roots) != 1 or not isinstance(copied, LoadOp) or not isinstance(copied.buffer.owner, ScanOp):
        return False
    return len(shape_of(op.roots[0])) < len(shape_of(copied.buffer)) and not values_of(op.reduction)
