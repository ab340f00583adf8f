"""What depends on a kink in a block, and where to make it smooth: behind the last op that is not linear.

    %a = array.abs %x                  linear in the kink
    %e = array.exp (-%a)               curved
    %l = array.log1p %e                curved, and read by what is linear in it alone: to be made smooth
    %r = array.add %m, %l

What is linear in a kink has the derivative that its convention gives. What is read by ops that are not linear
is read as it is, since these are made smooth as a whole.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final, TypeAlias

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.elementwise_jets import MOVES, is_followed
from mlirad.passes.expand_ties.kinks import Kink

Moves: TypeAlias = tuple[Operation, ...]

MOST_OPS = 60
"""Values that depend on more ops are left as they are."""


@dataclass
class Cone:
    """The ops of a block that depend on a kink, in order."""

    kink: Kink
    ops: list[Operation]
    curved: set[Value]
    """The results that are not linear in the kink."""
    readers_of_raw: set[Operation]
    """The ops that read what depends on the kink as it is."""
    moves: dict[Value, Moves]
    """What moves the elements of the kink to those of a value that depends on it."""

    @staticmethod
    def of(block: Block, kink: Kink) -> Cone:
        """The cone of a kink in its block."""
        cone = Cone(kink, [], set(), set(), {})
        for op in block.ops:
            if op.results:
                cone._enter(op)
        for op in reversed(cone.ops):
            if any(use.operation in cone.readers_of_raw for use in op.results[0].uses):
                cone.readers_of_raw.add(op)
        return cone

    def _enter(self, op: Operation) -> None:
        """Take an op in, if its result depends on the kink, and elements do so on one of it each."""
        value = op.results[0]
        if value in self.kink.symbols:
            self.moves[value] = ()
        else:
            read = [o for o in own_operands(op) if o in self.moves]
            if not is_followed(op) or len({self.moves[o] for o in read}) != 1:
                return
            if not is_linear(op, self.moves):
                self.readers_of_raw.add(op)
            if op in self.readers_of_raw or self.curved.intersection(read):
                self.curved.add(value)
            self.moves[value] = self.moves[read[0]] + ((op,) if isinstance(op, MOVES) else ())
        self.ops.append(op)

    @property
    def ends(self) -> list[Value]:
        """The values that have to be made smooth, in order."""
        made = [
            op.results[0] for op in self.ops if op in self.readers_of_raw and op.results[0] in self.curved
        ]
        return [v for v in made if any(use.operation not in self.readers_of_raw for use in v.uses)]

    def behind(self, value: Value) -> list[Operation]:
        """The ops of the cone that a value is made of, in order."""
        needed = {value}
        found: list[Operation] = []
        for op in reversed(self.ops):
            if op.results[0] in needed:
                found.append(op)
                if op.results[0] not in self.kink.symbols:
                    needed.update(own_operands(op))
        return found[::-1]


def is_linear(op: Operation, inside: Container[Value]) -> bool:
    """Whether an op is linear in those of its operands that depend on a kink, or chooses between them."""
    match op:
        case ew.MulOp() | ew.AbsorbingMulOp():
            return not (op.lhs in inside and op.rhs in inside)
        case ew.DivOp():
            return op.rhs not in inside
        case _:
            return isinstance(op, _LINEAR)


_LINEAR: Final = (*(ew.NegOp, ew.AddOp, ew.SubOp, ew.ConvertOp, ew.SelectOp, ew.MaxOp, ew.MinOp), *MOVES)
