"""Values of a block under construction that are available without being kept, and the cost of keeping others.

A region that is traced inside another reads values of the enclosing one. To the enclosing loop, branch or
function such a value costs what would have to be kept of it: nothing for constants, positions and slices of
inputs, all its elements for a carry. So where one element of a carry is read, that element is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.ir import Block, BlockArgument, Operation

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import structural
from mlirad.dialects.array.control import TapeType
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.shapes import Value, is_float, size_of
from mlirad.ir.free_values import free_values, own_operands

_STRUCTURAL: tuple[type[Operation], ...] = (
    structural.ConstantOp,
    structural.IotaOp,
    structural.SizeOp,
    *MOVES,
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


def is_inside(value: Value, block: Block) -> bool:
    """Return whether a value is an argument of the block or a result of an op of it."""
    if isinstance(value, BlockArgument):
        return value.block is block
    owner = value.owner
    return isinstance(owner, Operation) and owner.parent is block


class Level:
    """A block whose maps are applied later, when its values are gone, and the enclosing levels.

    `free` are arguments that are available; with `recompute` every op is recomputed. The block is the body of
    a loop if it `repeats`, of a given number of iterations where that is known. It may still grow.
    """

    def __init__(
        self,
        block: Block,
        around: Sequence[Level] = (),
        free: Collection[Value] = (),
        *,
        recompute: bool = False,
        repeats: bool = True,
        iterations: int = 1,
        whole: Collection[Value] = (),
    ):
        """`whole` are outer values that are read as they are, whatever they cost."""
        self.block = block
        self.around = around
        self.recompute = recompute
        self.repeats = repeats
        self.iterations = iterations
        self.whole = frozenset(whole)
        self._found: set[Value] = set(free)
        self._parts: dict[Value, Value] = {}
        self._sources: dict[Value, Value] = {}
        self._invariant: set[Value] = set()
        self._last: Operation | None = None

    def recomputes(self, value: Value) -> bool:
        """Return whether a value of the block is there without being kept."""
        self._look()
        return value in self._found and value not in self._parts

    def part_of(self, value: Value) -> Value | None:
        """The outer array that has to be there to recompute a value, which is better kept itself."""
        self._look()
        return self._parts.get(value)

    def _look(self) -> None:
        """Take the ops into account that the block has now."""
        op = self.block.first_op if self._last is None else self._last.next_op
        while op is not None:
            if not isinstance(op, linear.MapOp):
                self._note(op)
            self._last = op
            op = op.next_op

    def _note(self, op: Operation) -> None:
        read = free_values(op)
        inside = [v for v in read if is_inside(v, self.block)]
        invariant = self.repeats and all(v in self._invariant for v in inside)
        is_cheap = self.recompute or _is_cheap(op)
        if not invariant and not (is_cheap and all(v in self._found for v in inside)):
            return
        source, cost = self._costliest(read)
        for result in op.results:
            if (
                source is not None
                and elements(result) * self.iterations < cost
                and not isinstance(result.type, TapeType)
            ):
                self._parts[result] = source
                if self.recompute:
                    # Values made of it are recomputed.
                    self._found.add(result)
                continue
            self._found.add(result)
            if invariant:
                self._invariant.add(result)
            if source is not None:
                self._sources[result] = source

    def _costliest(self, read: Sequence[Value]) -> tuple[Value | None, int]:
        """The costliest of the outer arrays that are needed for values that an op reads, if one costs."""
        if not self.around:
            return None, 0
        needed = [v if not is_inside(v, self.block) else self._sources.get(v) for v in read]
        costs = {v: self.cost_of_outer(v) for v in needed if v is not None and v not in self.whole}
        source = max(costs, key=lambda v: costs[v], default=None)
        return (None, 0) if source is None or not costs[source] else (source, costs[source])

    def cost_of_outer(self, value: Value) -> int:
        """Return how many elements the levels around would keep for a value to be read here."""
        for level in reversed(self.around):
            if is_inside(value, level.block):
                return level.cost(value)
        return 0

    def cost(self, value: Value) -> int:
        """Return how many elements a value of the block costs that is to be read later."""
        while is_inside(value, self.block):
            if self.recomputes(value):
                source = self._sources.get(value)
                return 0 if source is None else self.cost_of_outer(source)
            owner = value.owner
            if isinstance(owner, Block) or not isinstance(owner, SMALLER_OPERAND):
                return elements(value)
            value = own_operands(owner)[0]
        return self.cost_of_outer(value)


def elements(value: Value) -> int:
    """The elements of an array; 1 for a tape."""
    return 1 if isinstance(value.type, TapeType) else size_of(value)


def _is_cheap(op: Operation) -> bool:
    """Return whether an op is better recomputed than its result kept."""
    if isinstance(op, (*_STRUCTURAL, *_CHEAP)):
        return True
    return isinstance(op, ew.ElementwiseOp) and not any(is_float(v) for v in (*own_operands(op), *op.results))
