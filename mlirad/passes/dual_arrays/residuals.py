"""What the maps of a region keep of its values.

The maps of a region read some of its values. The residuals are values of each trip from which all of these
are had again, closed under rematerialisation:

    outer values, the index of the trip                   read where they are
    slices of the loop's inputs                           kept; they take no memory
    what is the same in every trip                        computed again
    constants, iotas, index code, structural ops and
      cheap arithmetic on what is had again               computed again
    a broadcast, reshape, negation ... of a value         the value is kept, the op computed again
    tapes, which cannot be stacked                        the loop runs again
    all else                                              kept

With `recompute` everything is computed again from the carries at the start of the trip. Without, the carries
are kept instead of what cheap arithmetic makes of them, if that keeps fewer elements and the arithmetic is
short: a Runge-Kutta step keeps its y and not its four stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Block, BlockArgument, Operation

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.control import TapeType
from mlirad.dialects.shapes import Value, is_float, size_of
from mlirad.ir.free_values import free_values, own_operands

_STRUCTURAL: tuple[type[Operation], ...] = (
    structural.ConstantOp,
    structural.IotaOp,
    structural.BroadcastOp,
    structural.TransposeOp,
    structural.ReshapeOp,
    structural.SliceOp,
    structural.PadOp,
    structural.ConcatenateOp,
    structural.ReverseOp,
    structural.StackOp,
    indexing.IndexOp,
    indexing.GatherOp,
)

_CHEAP: tuple[type[Operation], ...] = (
    ew.AddOp,
    ew.SubOp,
    ew.MulOp,
    ew.AbsorbingMulOp,
    ew.NegOp,
    ew.AbsOp,
    ew.MaxOp,
    ew.MinOp,
    ew.SelectOp,
    ew.CompareOp,
    ew.ConvertOp,
)
"""Elementwise ops that take no longer than reading what they compute."""

ARITHMETIC_PER_VALUE = 8
"""Elementwise ops that may run again per value that is not kept: about what storing and loading it costs."""

_SMALLER_OPERAND: tuple[type[Operation], ...] = (
    structural.BroadcastOp,
    structural.TransposeOp,
    structural.ReshapeOp,
    structural.ReverseOp,
    ew.NegOp,
    ew.NotOp,
)
"""Ops of one operand that is no larger than the result."""


def is_inside(value: Value, block: Block) -> bool:
    """Whether a value is an argument of the block or a result of an op of it."""
    if isinstance(value, BlockArgument):
        return value.block is block
    owner = value.owner
    return isinstance(owner, Operation) and owner.parent is block


class Residuals:
    """The plan of a block: which values are kept, and which ops run again to make the maps.

    `free` are arguments of the block that are had again without being kept, `stacked` those that are kept at
    no cost. With `recompute` every argument counts as such and every op runs again. `repeats` says that the
    block is the body of a loop.
    """

    def __init__(
        self,
        block: Block,
        maps: Sequence[Value],
        free: Sequence[Value] = (),
        stacked: Sequence[Value] = (),
        recompute: bool = False,
        repeats: bool = True,
    ):
        self.block = block
        self.free = frozenset(free)
        self.stacked = frozenset(stacked)
        self.kept: dict[Value, None] = {}
        self.again: set[Operation] = set()
        self._plan(maps, recompute, repeats, recompute)
        if not recompute and repeats:
            self._keep_arguments_instead(maps)

    def _plan(self, maps: Sequence[Value], recompute: bool, repeats: bool, from_arguments: bool) -> None:
        self.kept, self.again = {}, set()
        self._had_again = self._values_had_again(recompute, repeats, from_arguments)
        self._demand(maps)

    def _keep_arguments_instead(self, maps: Sequence[Value]) -> None:
        """Keep carries for values that are cheap to make of them, if that is less."""
        kept, again, had_again = self.kept, self.again, self._had_again
        if len(kept) < 2:
            return
        self._plan(maps, False, True, True)
        saved = len(kept) - len(self.kept)
        arithmetic = _arithmetic(self.again) - _arithmetic(again)
        less = sum(map(_elements, self.kept)) < sum(map(_elements, kept))
        if not less or arithmetic > ARITHMETIC_PER_VALUE * saved:
            self.kept, self.again, self._had_again = kept, again, had_again

    def ops_again(self) -> list[Operation]:
        """The ops that make the maps from what is kept, in the order of the block."""
        return [op for op in self.block.ops if op in self.again]

    def _values_had_again(self, recompute: bool, repeats: bool, from_arguments: bool) -> set[Value]:
        found: set[Value] = {*self.free, *self.stacked}
        if from_arguments:
            found.update(self.block.args)
        invariant: set[Value] = set()
        for op in self.block.ops:
            if isinstance(op, linear.MapOp):
                continue
            read = [v for v in free_values(op) if is_inside(v, self.block)]
            if repeats and all(v in invariant for v in read):
                invariant.update(op.results)
                found.update(op.results)
            elif (recompute or _is_cheap(op)) and all(v in found for v in read):
                found.update(op.results)
        return found

    def _demand(self, maps: Sequence[Value]) -> None:
        pending = list(maps)
        seen: set[Value] = set()
        while pending:
            value = pending.pop()
            if value in seen or not is_inside(value, self.block):
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, Block):
                if value not in self.free:
                    self.kept[value] = None
            elif self._runs_again(value, owner):
                self.again.add(owner)
                pending += free_values(owner)
            else:
                self.kept[value] = None

    def _runs_again(self, value: Value, owner: Operation) -> bool:
        return (
            isinstance(owner, (linear.MapOp, *_SMALLER_OPERAND))
            or value in self._had_again
            or isinstance(value.type, TapeType)
        )


def _is_cheap(op: Operation) -> bool:
    """Whether an op is better run again than its result kept."""
    if isinstance(op, (*_STRUCTURAL, *_CHEAP)):
        return True
    return isinstance(op, ew.ElementwiseOp) and not any(is_float(v) for v in (*own_operands(op), *op.results))


def _arithmetic(ops: Iterable[Operation]) -> int:
    """The number of elementwise ops."""
    return sum(isinstance(op, ew.ElementwiseOp) for op in ops)


def _elements(value: Value) -> int:
    """The elements of an array, 1 for what is none."""
    return 1 if isinstance(value.type, TapeType) else size_of(value)
