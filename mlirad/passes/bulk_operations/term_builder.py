"""From terms to ops: bulk values, and position code written out inside index regions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.ir import Attribute

from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Shape, Value, element_of, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.bulk_operations.terms import (
    RECIPE_LIMIT,
    Computed,
    Lane,
    Lanes,
    Position,
    Read,
    Term,
    extents,
    position,
    union,
)

LaneValues = Mapping[Lane, Value]
"""The region argument that stands for each lane."""


class TermBuilder:
    """Makes terms, and the ops that terms stand for, through one `ArrayBuilder`."""

    def __init__(self, b: ArrayBuilder):
        self.b = b
        self.opened = 0
        """How many lanes were opened so far: the number of the next one."""

    # Lanes ---------------------------------------------------------------------------------------

    def open(self, shape: Shape, indices: Sequence[Value]) -> Lanes:
        """New innermost lanes of the given extents, named after the region arguments they stand for."""
        first = self.opened
        self.opened += len(shape)
        pairs = zip(shape, indices, strict=True)
        return tuple(Lane(first + k, extent, index.name_hint) for k, (extent, index) in enumerate(pairs))

    def positions(self, lanes: Lanes) -> list[Term]:
        """The indices of lanes; of an extent of 1 the constant 0, which depends on nothing."""
        return [self.whole(self.b.index_constant(0)) if k.extent == 1 else position(k) for k in lanes]

    def close(self, term: Term, own: Lanes) -> Term:
        """The array of `term` at all positions of the innermost lanes `own`: these become its dimensions."""
        outer = tuple(lane for lane in term.lanes if lane not in own)
        return self.term(outer, self.align(term, (*outer, *own)))

    # Terms ---------------------------------------------------------------------------------------

    def whole(self, value: Value) -> Term:
        """A value that depends on no lane."""
        return Term((), shape_of(value), element_of(value), value, None, 0)

    def term(self, lanes: Lanes, value: Value) -> Term:
        """The term of a bulk value. Lanes along which the value is merely broadcast are dropped."""
        owner = value.owner
        shape, count = shape_of(value), len(lanes)
        if count and isinstance(owner, BroadcastOp):
            dims = values_of(owner.dims)
            kept = [k for k in range(count) if k in dims]
            if len(kept) < count:
                left = [*kept, *range(count, len(shape))]
                value = self.b.broadcast(
                    owner.operand, [shape[d] for d in left], [left.index(d) for d in dims]
                )
                lanes, shape, count = tuple(lanes[k] for k in kept), shape_of(value), len(kept)
        return Term(lanes, shape[count:], element_of(value), value, None, 1 if lanes else 0)

    def code(self, make: Callable[..., Value], operands: Sequence[Term], element: Attribute) -> Term:
        """Elementwise code on scalars: kept as a recipe where it is small and discrete, else made at once."""
        lanes = union(operands)
        if not lanes:
            return self.whole(make(*[self.value(o) for o in operands]))
        size = 1 + sum(o.size for o in operands)
        if size > RECIPE_LIMIT or is_float(element) or any(is_float(o.element) for o in operands):
            return self.term(lanes, make(*[self.align(o, lanes) for o in operands]))
        recipe = Computed(make, tuple(operands))
        b = self.b
        return Term(lanes, (), element, None, recipe, size, b.location, b.name_hint, len(b.scopes))

    # Bulk values ---------------------------------------------------------------------------------

    def value(self, term: Term) -> Value:
        """The bulk value of a term, of shape `[*lanes, *shape]`."""
        if term.value is None:
            with self._as(term), self.in_scope(term.scope):
                term.value = self._made(term)
        return term.value

    @contextmanager
    def in_scope(self, scope: int) -> Generator[None]:
        """Emit in front of the loop or branch under construction that stands in scope number `scope`."""
        inner = self.b.scopes
        self.b.scopes = inner[:scope]
        yield
        self.b.scopes = inner

    @contextmanager
    def _as(self, term: Term) -> Generator[None]:
        """Emit under the location and name of `term`."""
        b = self.b
        before = b.location, b.name_hint
        if term.location is not None:
            b.location = term.location
        b.name_hint = term.hint
        yield
        b.location, b.name_hint = before

    def broadcast_unnamed(self, value: Value, shape: Shape, dims: Sequence[int]) -> Value:
        """A broadcast that only fits an operand to others; it does not carry the name of the result."""
        hint, self.b.name_hint = self.b.name_hint, None
        value = self.b.broadcast(value, shape, dims)
        self.b.name_hint = hint
        return value

    def _made(self, term: Term) -> Value:
        match term.recipe:
            case Position(lane):
                return self.b.iota((lane.extent,), 0)
            case Computed(make, operands):
                return make(*[self.align(o, term.lanes) for o in operands])
            case Read(array, positions):
                shape = extents(term.lanes)

                def body(*args: Value) -> list[Value]:
                    return self.points(positions, name_arguments(term.lanes, args))

                return self.b.gather(array, shape, body)
            case None:
                raise AssertionError("a term without a recipe has a value")

    def align(self, term: Term, lanes: Lanes) -> Value:
        """The bulk value of a term over more lanes than it depends on."""
        value = self.value(term)
        if term.lanes == lanes:
            return value
        own = [lanes.index(lane) for lane in term.lanes]
        rest = range(len(lanes), len(lanes) + len(term.shape))
        return self.broadcast_unnamed(value, (*extents(lanes), *term.shape), [*own, *rest])

    # Position by position ------------------------------------------------------------------------

    def points(self, terms: Sequence[Term], args: LaneValues) -> list[Value]:
        """The terms at one position of their lanes, which `args` names, emitted here."""
        memo: dict[Term, Value] = {}
        return [self._point(t, args, memo) for t in terms]

    def _point(self, term: Term, args: LaneValues, memo: dict[Term, Value]) -> Value:
        if not term.lanes:
            return self.value(term)
        known = memo.get(term)
        if known is not None:
            return known
        with self._as(term):
            match term.recipe:
                case Position(lane):
                    point = args[lane]
                case Computed(make, operands):
                    inner = [self._point(o, args, memo) for o in operands]
                    point = make(*inner)
                case Read(array, positions):
                    point = self.b.index(array, [self._point(p, args, memo) for p in positions])
                case None:
                    point = self.b.index(self.value(term), [args[lane] for lane in term.lanes])
        memo[term] = point
        return point


def name_arguments(lanes: Lanes, args: Sequence[Value]) -> dict[Lane, Value]:
    """Region arguments by the lanes they stand for, and named after them."""
    for lane, arg in zip(lanes, args, strict=True):
        arg.name_hint = lane.hint
    return dict(zip(lanes, args, strict=True))
