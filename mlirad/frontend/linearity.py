"""Which values of a region are 0 wherever some of its arguments are: a judgement on code, not on numbers.

    %y = array.mul %k, %dx      0 where %dx is 0, whatever %k is
    %z = array.add %y, %k       not, unless %k is 0

A derivative must be linear in its tangents. That its map does not depend on them is checked when it is
differentiated; what is left is a constant part, which this finds. An op is taken to hand 0 on if it is linear
in what is 0: sums and ops that move elements if all their operands are 0, products if one is, and all others
if something that they read is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control, indexing, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.free_values import free_values, own_operands

_SUMS = (
    ew.AddOp,
    ew.SubOp,
    structural.ConcatenateOp,
    structural.StackOp,
    structural.PadOp,
    indexing.UpdateOp,
)
_CHOICES = (ew.SelectOp,)
_PRODUCTS = (ew.MulOp, ew.AbsorbingMulOp, reductions.DotOp)
_APPLICATIONS = (linear.ApplyOp, linear.ApplyTransposeOp)


def zero_with(region: Region, arguments: Iterable[Value]) -> list[bool]:
    """For each value that a region yields, or a function returns, whether it is 0 wherever all of these
    arguments are."""
    return _Zeros(set(arguments)).yielded(region)


class _Zeros:
    """The values known to be 0, or to be no floats."""

    def __init__(self, zeros: set[Value]):
        self.zeros = zeros

    def is_zero(self, value: Value) -> bool:
        """Whether a value is 0."""
        if value in self.zeros:
            return True
        owner = value.owner
        if isinstance(owner, Block):
            return False
        match owner:
            case structural.ConstantOp():
                return not literal_array(owner).any()
            case structural.BroadcastOp():
                return self.is_zero(owner.operand)
            case _:
                return False

    def yielded(self, region: Region, arguments: Sequence[tuple[Value, bool]] = ()) -> list[bool]:
        """What the values that a region yields are, given which of its arguments are 0."""
        self.zeros.difference_update(arg for arg, _ in arguments)
        self.zeros.update(arg for arg, is_zero in arguments if is_zero)
        for op in region.block.ops:
            if op.results:
                found = self._results(op)
                self.zeros.difference_update(op.results)
                self.zeros.update(r for r, is_zero in zip(op.results, found, strict=True) if is_zero)
        last = region.block.last_op
        return [] if last is None else [self.is_zero(v) for v in own_operands(last)]

    def _results(self, op: Operation) -> Sequence[bool]:
        count = len(op.results)
        match op:
            case structural.ConstantOp():
                return [self.is_zero(op.result)]
            case _ if isinstance(op, _SUMS):
                return [all(self.is_zero(o) for o in own_operands(op) if is_float(o))]
            case _ if isinstance(op, _CHOICES):
                return [all(self.is_zero(o) for o in own_operands(op)[1:])]
            case _ if isinstance(op, _PRODUCTS):
                return [any(self.is_zero(o) for o in own_operands(op))]
            case ew.DivOp():
                return [self.is_zero(op.lhs)]
            case _ if isinstance(op, _APPLICATIONS):
                return [all(self.is_zero(o) for o in own_operands(op)[1:])] * count
            case indexing.BuildOp() | CheckpointOp():
                return self.yielded(op.regions[0])
            case control.IfOp() | control.SwitchOp():
                sides = [self.yielded(region) for region in op.regions]
                return [all(column) for column in zip(*sides, strict=True)]
            case control.ScanOp():
                return self._scan(op)
            case control.WhileOp():
                return self._while(op)
            case CustomOp():
                return self.yielded(op.body, [(a, self.is_zero(x)) for a, x in _pairs(op)])
            case _:
                return [any(self.is_zero(v) for v in free_values(op))] * count

    def _scan(self, op: control.ScanOp) -> Sequence[bool]:
        count, args = op.carry_count, op.body.block.args
        carries = [self.is_zero(v) for v in op.init]
        slices = [(a, self.is_zero(x)) for a, x in zip(args[count + 1 :], op.xs, strict=True)]
        while True:
            given = list(zip(args[1 : count + 1], carries, strict=True))
            made = self.yielded(op.body, [*given, *slices])
            after = [a and b for a, b in zip(carries, made, strict=False)]
            if after == carries:
                return [*carries, *made[count:]]
            carries = after

    def _while(self, op: control.WhileOp) -> Sequence[bool]:
        carries = [self.is_zero(v) for v in op.init]
        while True:
            made = self.yielded(op.body, list(zip(op.body.block.args, carries, strict=True)))
            after = [a and b for a, b in zip(carries, made, strict=False)]
            if after == carries:
                return [*carries, *[False] * (len(op.results) - len(carries))]
            carries = after


def _pairs(op: CustomOp) -> Iterable[tuple[Value, Value]]:
    return zip(op.body.block.args, op.inputs, strict=True)
