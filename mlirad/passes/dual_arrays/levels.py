"""Which values of a block under construction are had again without being kept, and what keeping others costs.

A region that is traced inside another reads values of the one around it. To the loop, branch or function
around, such a value costs what it would have to keep of it: nothing for constants, positions and slices of
inputs, all its elements for a carry. So who reads one element of a carry keeps the element.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

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

SMALLER_OPERAND: tuple[type[Operation], ...] = (
    structural.BroadcastOp,
    structural.TransposeOp,
    structural.ReshapeOp,
    structural.ReverseOp,
    ew.NegOp,
    ew.NotOp,
)
"""Ops of one operand that is no larger than the result."""

_PARTIAL_READS = (indexing.IndexOp, indexing.GatherOp, structural.SliceOp)
"""Ops that read part of their first operand."""


def is_inside(value: Value, block: Block) -> bool:
    """Whether a value is an argument of the block or a result of an op of it."""
    if isinstance(value, BlockArgument):
        return value.block is block
    owner = value.owner
    return isinstance(owner, Operation) and owner.parent is block


class Level:
    """A block whose maps are applied later, when its values are gone, and the levels around it.

    `free` are arguments that are had again; with `recompute` every op runs again. The block is the body of a
    loop if it `repeats`, of so many `trips` where that is known. It may still grow.
    """

    def __init__(
        self,
        block: Block,
        around: Sequence[Level] = (),
        free: Collection[Value] = (),
        *,
        recompute: bool = False,
        repeats: bool = True,
        trips: int = 1,
        whole: Collection[Value] = (),
    ):
        """`whole` are outer values that are read as they are, whatever they cost."""
        self.block = block
        self.around = around
        self.recompute = recompute
        self.repeats = repeats
        self.trips = trips
        self.whole = frozenset(whole)
        self._found: set[Value] = set(free)
        self._parts: set[Value] = set()
        self._invariant: set[Value] = set()
        self._last: Operation | None = None

    def has_again(self, value: Value) -> bool:
        """Whether a value of the block is had again without being kept."""
        op = self.block.first_op if self._last is None else self._last.next_op
        while op is not None:
            if not isinstance(op, linear.MapOp):
                self._note(op)
            self._last = op
            op = op.next_op
        return value in self._found and value not in self._parts

    def _note(self, op: Operation) -> None:
        if self.part_of(op) is not None:
            if self.recompute:
                # What is made of it runs again, and it is kept.
                self._found.update(op.results)
                self._parts.update(op.results)
            return
        read = [v for v in free_values(op) if is_inside(v, self.block)]
        if self.repeats and all(v in self._invariant for v in read):
            self._invariant.update(op.results)
            self._found.update(op.results)
        elif (self.recompute or _is_cheap(op)) and all(v in self._found for v in read):
            self._found.update(op.results)

    def part_of(self, op: Operation) -> Value | None:
        """The outer array of which an op reads a part that is better kept than the array."""
        if not self.around or not isinstance(op, _PARTIAL_READS):
            return None
        array = own_operands(op)[0]
        if array in self.whole or is_inside(array, self.block):
            return None
        return array if elements(op.results[0]) * self.trips < self.cost_of_outer(array) else None

    def cost_of_outer(self, value: Value) -> int:
        """How many elements the levels around would keep for a value to be read here."""
        for level in reversed(self.around):
            if is_inside(value, level.block):
                return level.cost(value)
        return 0

    def cost(self, value: Value) -> int:
        """How many elements a value of the block costs that is to be read later."""
        while is_inside(value, self.block):
            if self.has_again(value):
                return 0
            owner = value.owner
            if isinstance(owner, Block) or not isinstance(owner, SMALLER_OPERAND):
                return elements(value)
            value = own_operands(owner)[0]
        return self.cost_of_outer(value)


def elements(value: Value) -> int:
    """The elements of an array, 1 for what is none."""
    return 1 if isinstance(value.type, TapeType) else size_of(value)


def _is_cheap(op: Operation) -> bool:
    """Whether an op is better run again than its result kept."""
    if isinstance(op, (*_STRUCTURAL, *_CHEAP)):
        return True
    return isinstance(op, ew.ElementwiseOp) and not any(is_float(v) for v in (*own_operands(op), *op.results))
