"""The code that depends on a kink in a block, and the places to make it smooth: those where its slope in the
kink is 0, and that behind the last op that is not linear.

    %a = array.abs %x                  linear in the kink
    %e = array.exp (-%a)               curved
    %l = array.log1p %e                curved, and read by what is linear in it alone: to be made smooth
    %r = array.add %m, %l
    %c = array.cos %a                  even: to be made smooth, and no longer part of the cone

A value that is linear in a kink has the derivative that its convention gives. A value that is read by ops
that are not linear is read unchanged, since these are made smooth as a whole, as are sums with a root, since
its derivative is infinite, and may cancel. Elements of an array depend each on one of the kink, or, behind
what mixes elements, on many: these have coefficients by each element.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import field

from xdsl.ir import Block, Operation, Use

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.ordering import CumulativeOp, SortOp
from mlirad.dialects.array.reductions import ReduceOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.linear.linearity import ALL, LINEAR_IN
from mlirad.dialects.shapes import Shape, Value, is_float, shape_of
from mlirad.errors import DifferentiationError
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.moves import sources
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.code_jets import Code, is_followed
from mlirad.passes.expand_ties.kinks import Kink, square_of_extremum


@dataclass(frozen=True, eq=False)
class Route:
    """The positions of a kink's elements in a value that depends on it; equal positions have one route."""

    op: Operation | None = None
    """The op that moves them last; `None` if none does."""
    sources: tuple[Route | None, ...] = ()
    """The routes in the sources of that op; `None` for a source without them."""
    shape: Shape | None = None
    """The shape of an array that has the kink everywhere, if the kink is one number."""

    def key(self) -> Hashable:
        """A key that routes by the same moves share; moves with regions all differ."""
        op = self.op
        if op is None or op.regions:
            return op or self.shape
        taken = sources(op)
        read = tuple(v.type if v in taken else v for v in own_operands(op))
        return (op.name, self.sources, frozenset(op.properties.items()), read, op.results[0].type)


MOST_OPS = 300
"""Values that are made of a kink by more ops, those in regions included, are left as they are."""

MOST_FOLLOWED = 12_000
"""The number of ops, over all kinks of a function, that may be followed; kinks beyond stay as they are."""


class TooLongError(Exception):
    """A kink has more ops behind it than may be followed."""


@dataclass
class Cone:
    """The ops of a block that depend on a kink, in order."""

    kink: Kink
    code: Code
    """The ops, on a symbol for the kink."""
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])
    curved: set[Value] = field(default_factory=set[Value])
    """The results that are not linear in the kink."""
    even: set[Value] = field(default_factory=set[Value])
    """The results with slope 0 where the kink is 0: what reads nothing else of it is not part of the cone."""
    readers_of_raw: set[Operation] = field(default_factory=set[Operation])
    """The ops that read what depends on the kink as it is."""
    routes: dict[Value, Route] = field(default_factory=dict[Value, Route])
    """The route of each value that depends on the kink, even ones included."""
    followed: int = 0
    """The number of ops whose polynomials in the kink have been computed."""
    most: int = MOST_FOLLOWED
    """The number that may be."""
    mixed: set[Value] = field(default_factory=set[Value])
    """The values whose elements depend on several ones of the kink."""
    _mixing: Code | None = None
    """The ops on a symbol and a direction, if there are such values."""
    _known: dict[Hashable, Route] = field(default_factory=dict[Hashable, Route])

    @staticmethod
    def of(block: Block, kink: Kink, most: int = MOST_FOLLOWED) -> Cone:
        """The cone of a kink in its block, and in the regions that read it.

        Raises `TooLongError` if it has more than `most` ops.
        """
        cone = Cone(kink, Code(kink.size.type, kink.symbols, 2), most=most)
        cone._enter_block(block)
        for op in reversed(cone.ops):
            if any(cone._is_read_raw(use) for r in op.results for use in r.uses):
                cone.readers_of_raw.add(op)
        return cone

    @property
    def is_alone(self) -> bool:
        """Tell if the kink is one number."""
        return set(shape_of(self.kink.size)) <= {1}

    @property
    def is_root(self) -> bool:
        """Tell if the kink as written has an infinite derivative at the tie."""
        return any(isinstance(v.owner, ew.SqrtOp) for v in self.kink.symbols)

    # Ops ------------------------------------------------------------------------------------------

    def _enter_block(self, block: Block) -> None:
        for op in block.ops:
            if op.regions and not isinstance(op, (CustomOp, *MOVES)):
                self._enter_regions(op)
            else:
                self._enter(op)

    def _enter_regions(self, op: Operation) -> None:
        """Take in what depends on the kink in regions; the op in place of that if its results do, too."""
        outside = dict(self.ops)
        for region in op.regions:
            self._enter_block(region.block)
        inside, self.ops = self.ops, outside
        made = (v for region in op.regions for v in yields(region))
        if not (self._moving([*own_operands(op), *made]) and self._enter(op)):
            self.ops = inside

    def is_moving(self, value: Value) -> bool:
        """Tell if a value depends on the kink and is not even."""
        return value in self.routes and value not in self.even

    def _moving(self, values: Iterable[Value]) -> list[Value]:
        return [v for v in values if self.is_moving(v)]

    def _enter(self, op: Operation) -> bool:
        """Take an op in, if its result depends on the kink, and elements do so on one of it each."""
        if not op.results or op.results[0] in self.kink.taken:
            return False
        value = op.results[0]
        if value in self.kink.symbols:
            self._follow(self.code, op)
            self._add(op, [value], Route(shape=shape_of(value)) if self.is_alone else Route())
            return True
        read = self._moving(free_values(op))
        if not read:
            return False
        route = self._route(op, read) if is_followed(op, alone=self.is_alone) else None
        if route is None and not self._may_mix(op):
            return False
        code = self.code if route is not None else self._mixing_code()
        try:
            self._follow(code, op)
        except DifferentiationError:  # of an op without derivative
            return False
        is_raw = self.is_root or not is_linear(op, read)
        is_curved = is_raw or not self.curved.isdisjoint(read)
        values = [v for v in op.results if is_float(v) and code.depends(v)]
        for v in values:
            if is_curved:
                self.curved.add(v)
            if route is not None and code.is_even(v):
                self.even.add(v)
        if is_raw or (is_curved and not self.even.isdisjoint(values)):
            self.readers_of_raw.add(op)
        if route is None:
            self.mixed.update(values)
        self._add(op, values, route or Route(shape=()))
        return True

    def _follow(self, code: Code, op: Operation) -> None:
        """Compute the results of an op in the code, and in that along a direction if there is one."""
        for each in (code, self._mixing) if code is self.code and self._mixing is not None else (code,):
            self.followed += 1
            if self.followed > self.most:
                raise TooLongError
            each.enter(op)

    def _may_mix(self, op: Operation) -> bool:
        """Tell if an op may mix elements of the kink; an extremum of magnitudes is another kink."""
        shape = shape_of(self.kink.size)
        if self.is_alone or not all(map(is_static, shape)):
            return False
        return is_followed(op, alone=True) and square_of_extremum(op.results[0]) is None

    def _mixing_code(self) -> Code:
        """The code along a direction, which has all ops that have been taken in."""
        if self._mixing is None:
            self._mixing = Code(self.kink.size.type, self.kink.symbols, 2, along=True)
            for op in self.ops:
                self._follow(self._mixing, op)
        return self._mixing

    def _add(self, op: Operation, values: Iterable[Value], route: Route) -> None:
        for v in values:
            own = route if route.shape is None else Route(shape=shape_of(v))
            self.routes[v] = self._known.setdefault(own.key(), own)
        self.ops[op] = None

    def _route(self, op: Operation, read: Sequence[Value]) -> Route | None:
        """The route of the result of an op; `None` if one element depends on several of the kink."""
        if self.is_alone:
            return Route(shape=())
        if not self.mixed.isdisjoint(read):
            return None
        if not isinstance(op, MOVES):
            first, *others = (self.routes[o] for o in read)
            return first if all(route is first for route in others) else None
        inner = tuple(self.routes[v] if v in read else None for v in sources(op))
        return Route(op, inner) if any(inner) else None

    # Values ---------------------------------------------------------------------------------------

    def _is_read_raw(self, use: Use) -> bool:
        op: Operation | None = use.operation
        while op is not None and op not in self.ops:
            op = op.parent_op()
        return op in self.readers_of_raw

    def ends_of(self, op: Operation) -> list[Value]:
        """The results of an op that have to be made smooth."""
        if op not in self.readers_of_raw:
            return []
        return [
            v
            for v in op.results
            if v in self.curved and (v in self.even or not all(map(self._is_read_raw, v.uses)))
        ]

    @property
    def is_smooth(self) -> bool:
        """Tell if nothing has to be made smooth."""
        return not any(map(self.ends_of, self.ops))

    def behind(self, values: Iterable[Value]) -> list[Operation]:
        """The ops of the cone that values are made of, in order, from what is even on."""
        needed = set(values)
        first = set(needed)
        found: list[Operation] = []
        for op in reversed(self.ops):
            if any(r in needed and (r in first or r not in self.even) for r in op.results):
                found.append(op)
                if op.results[0] not in self.kink.symbols:
                    needed.update(free_values(op))
        return found[::-1]


def size_of_code(ops: Iterable[Operation]) -> int:
    """The number of ops, those in regions included."""
    return sum(1 + sum(1 for region in op.regions for _ in nested_ops(region)) for op in ops)


def is_linear(op: Operation, inside: Container[Value]) -> bool:
    """Return whether an op is linear in those of its operands that depend on a kink, or chooses between
    them.
    """
    if isinstance(op, ew.MaxOp | ew.MinOp | SortOp):
        return True
    if isinstance(op, ReduceOp | CumulativeOp) and op.kind.data in ("max", "min"):
        return True
    if isinstance(op, CumulativeOp) and op.kind.data != "sum":
        return False
    operands = own_operands(op)
    read = {k for k, v in enumerate(operands) if v in inside}
    groups = LINEAR_IN.get(type(op), ())
    return any(group == (ALL,) or read.issubset(group) for group in groups)
