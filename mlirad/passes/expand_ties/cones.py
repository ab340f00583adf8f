"""What depends on a kink in a block, and where to make it smooth: behind the last op that is not linear.

    %a = array.abs %x                  linear in the kink
    %e = array.exp (-%a)               curved
    %l = array.log1p %e                curved, and read by what is linear in it alone: to be made smooth
    %r = array.add %m, %l

What is linear in a kink has the derivative that its convention gives. What is read by ops that are not linear
is read as it is, since these are made smooth as a whole.
"""

from __future__ import annotations

from collections.abc import Container, Hashable
from typing import Final

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.moves import MOVES, sources
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.elementwise_jets import is_followed
from mlirad.passes.expand_ties.kinks import Kink


@dataclass(frozen=True, eq=False)
class Route:
    """Where the elements of a kink are in a value that depends on it: one for each way."""

    op: Operation | None = None
    """What moves them last; `None` if they are where they were."""
    sources: tuple[Route | None, ...] = ()
    """Where they are in each source of that op; `None` if they are not in it."""

    def key(self) -> Hashable:
        """What routes with the same moves have in common; moves with regions are all different."""
        op = self.op
        if op is None or op.regions:
            return op
        taken = sources(op)
        read = tuple(v.type if v in taken else v for v in own_operands(op))
        return (op.name, self.sources, frozenset(op.properties.items()), read, op.results[0].type)


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
    routes: dict[Value, Route]
    """Where the elements of the kink are in the values that depend on it."""
    _known: dict[Hashable, Route]

    @staticmethod
    def of(block: Block, kink: Kink) -> Cone:
        """The cone of a kink in its block."""
        cone = Cone(kink, [], set(), set(), {}, {})
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
            route = Route()
        else:
            read = [o for o in free_values(op) if o in self.routes]
            if not read or not is_followed(op):
                return
            if isinstance(op, MOVES):
                route = Route(op, tuple(self.routes.get(v) for v in sources(op)))
                if not any(route.sources):
                    return
            else:
                route = self.routes[read[0]]
                if any(self.routes[o] is not route for o in read):
                    return
            if not is_linear(op, self.routes):
                self.readers_of_raw.add(op)
            if op in self.readers_of_raw or self.curved.intersection(read):
                self.curved.add(value)
        self.routes[value] = self._known.setdefault(route.key(), route)
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
