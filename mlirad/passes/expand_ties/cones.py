"""What depends on a kink in a block, and where to make it smooth: behind the last op that is not linear.

    %a = array.abs %x                  linear in the kink
    %e = array.exp (-%a)               curved
    %l = array.log1p %e                curved, and read by what is linear in it alone: to be made smooth
    %r = array.add %m, %l

What is linear in a kink has the derivative that its convention gives. What is read by ops that are not linear
is read as it is, since these are made smooth as a whole, as are sums with a root, since its derivative is
infinite, and may cancel.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Sequence
from typing import Final

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.moves import sources
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.elementwise_jets import is_followed
from mlirad.passes.expand_ties.kinks import Kink


@dataclass(frozen=True, eq=False)
class Route:
    """The positions of a kink's elements in a value that depends on it; equal positions have one route."""

    op: Operation | None = None
    """The op that moves them last; `None` if none does."""
    sources: tuple[Route | None, ...] = ()
    """The routes in the sources of that op; `None` for a source without them."""
    shape: Shape | None = None
    """Of a kink that is one number: the shape of an array that has it everywhere."""

    def key(self) -> Hashable:
        """A key that routes by the same moves share; moves with regions all differ."""
        op = self.op
        if op is None or op.regions:
            return op or self.shape
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
    """The route of each value that depends on the kink."""
    _known: dict[Hashable, Route]

    @staticmethod
    def of(block: Block, kink: Kink) -> Cone:
        """The cone of a kink in its block, and in the regions that read it."""
        cone = Cone(kink, [], set(), set(), {}, {})
        cone._enter_block(block)
        for op in reversed(cone.ops):
            if any(use.operation in cone.readers_of_raw for use in op.results[0].uses):
                cone.readers_of_raw.add(op)
        return cone

    @property
    def is_alone(self) -> bool:
        """Tell if the kink is one number."""
        return set(shape_of(self.kink.size)) <= {1}

    @property
    def _is_root(self) -> bool:
        """Tell if the kink as written has an infinite derivative at the tie."""
        return any(isinstance(v.owner, ew.SqrtOp) for v in self.kink.symbols)

    def _enter_block(self, block: Block) -> None:
        for op in block.ops:
            if not self._enter(op) and not isinstance(op, CustomOp):
                for region in op.regions:
                    self._enter_block(region.block)

    def _enter(self, op: Operation) -> bool:
        """Take an op in, if its result depends on the kink, and elements do so on one of it each."""
        if not op.results:
            return False
        value = op.results[0]
        if value in self.kink.symbols:
            route: Route | None = Route(shape=shape_of(value)) if self.is_alone else Route()
        else:
            read = [o for o in free_values(op) if o in self.routes]
            if not read or not is_followed(op, alone=self.is_alone):
                return False
            route = self._route(op, read)
            if route is None:
                return False
            if self._is_root or not is_linear(op, self.routes):
                self.readers_of_raw.add(op)
            if op in self.readers_of_raw or self.curved.intersection(read):
                self.curved.add(value)
        self.routes[value] = self._known.setdefault(route.key(), route)
        self.ops.append(op)
        return True

    def _route(self, op: Operation, read: Sequence[Value]) -> Route | None:
        """The route of the result of an op; `None` if one element depends on several of the kink."""
        everywhere = Route(shape=shape_of(op.results[0]))
        if not isinstance(op, MOVES):
            routes = [self.routes[o] for o in read]
            if self.is_alone and all(route.shape is not None for route in routes):
                return everywhere
            return routes[0] if is_followed(op) and all(route is routes[0] for route in routes) else None
        inner = tuple(self.routes.get(v) for v in sources(op))
        if all(route is not None and route.shape is not None for route in inner):
            return everywhere
        return Route(op, inner) if any(inner) else None

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
                    needed.update(free_values(op))
        return found[::-1]


def is_linear(op: Operation, inside: Container[Value]) -> bool:
    """Whether an op is linear in those of its operands that depend on a kink, or chooses between them."""
    match op:
        case ew.MulOp() | ew.AbsorbingMulOp() | DotOp():
            return not (op.lhs in inside and op.rhs in inside)
        case ew.DivOp():
            return op.rhs not in inside
        case _:
            return isinstance(op, _LINEAR)


_LINEAR: Final = (
    *(ew.NegOp, ew.AddOp, ew.SubOp, ew.ConvertOp, ew.SelectOp, ew.MaxOp, ew.MinOp),
    SumOp,
    *MOVES,
)
