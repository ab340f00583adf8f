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
    BatchAxes,
    BatchAxis,
    Computed,
    Position,
    Read,
    Term,
    extents,
    position,
    union,
)

AxisIndices = Mapping[BatchAxis, Value]
"""The region argument that stands for each batch axis."""


class TermBuilder:
    """Makes terms, and the ops that terms stand for, through one `ArrayBuilder`."""

    def __init__(self, b: ArrayBuilder):
        self.b = b
        self.opened = 0
        """The number of batch axes that were opened so far: the number of the next one."""

    # Batch axes ----------------------------------------------------------------------------------

    def open(self, shape: Shape, indices: Sequence[Value]) -> BatchAxes:
        """New innermost batch axes of the given extents, named after the region arguments they stand for."""
        first = self.opened
        self.opened += len(shape)
        pairs = zip(shape, indices, strict=True)
        return tuple(BatchAxis(first + k, extent, index.name_hint) for k, (extent, index) in enumerate(pairs))

    def positions(self, axes: BatchAxes) -> list[Term]:
        """The indices of batch axes; of an extent of 1 the constant 0, which depends on nothing."""
        return [self.whole(self.b.index_constant(0)) if k.extent == 1 else position(k) for k in axes]

    def close(self, term: Term, own: BatchAxes) -> Term:
        """The array of `term` over the innermost batch axes `own`, which become its dimensions."""
        outer = tuple(axis for axis in term.axes if axis not in own)
        return self.term(outer, self.align(term, (*outer, *own)))

    # Terms ---------------------------------------------------------------------------------------

    def whole(self, value: Value) -> Term:
        """A value that depends on no batch axis."""
        return Term((), shape_of(value), element_of(value), value, None, 0)

    def term(self, axes: BatchAxes, value: Value) -> Term:
        """The term of a bulk value. Batch axes along which the value is merely broadcast are dropped."""
        owner = value.owner
        shape, count = shape_of(value), len(axes)
        if count and isinstance(owner, BroadcastOp):
            dims = values_of(owner.dims)
            kept = [k for k in range(count) if k in dims]
            if len(kept) < count:
                left = [*kept, *range(count, len(shape))]
                value = self.b.broadcast(
                    owner.operand, [shape[d] for d in left], [left.index(d) for d in dims]
                )
                axes, shape, count = tuple(axes[k] for k in kept), shape_of(value), len(kept)
        return Term(axes, shape[count:], element_of(value), value, None, 1 if axes else 0)

    def code(self, make: Callable[..., Value], operands: Sequence[Term], element: Attribute) -> Term:
        """Elementwise code on scalars: kept as a recipe where it is small and discrete, else made at once."""
        axes = union(operands)
        if not axes:
            return self.whole(make(*[self.value(o) for o in operands]))
        size = 1 + sum(o.size for o in operands)
        if size > RECIPE_LIMIT or is_float(element) or any(is_float(o.element) for o in operands):
            return self.term(axes, make(*[self.align(o, axes) for o in operands]))
        recipe = Computed(make, tuple(operands))
        b = self.b
        return Term(axes, (), element, None, recipe, size, b.location, b.name_hint, len(b.scopes))

    # Bulk values ---------------------------------------------------------------------------------

    def value(self, term: Term) -> Value:
        """The bulk value of a term, of shape `[*axes, *shape]`."""
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
            case Position(axis):
                return self.b.iota((axis.extent,), 0)
            case Computed(make, operands):
                return make(*[self.align(o, term.axes) for o in operands])
            case Read(array, positions):
                shape = extents(term.axes)

                def body(*args: Value) -> list[Value]:
                    return self.points(positions, name_arguments(term.axes, args))

                return self.b.gather(array, shape, body)
            case None:
                raise AssertionError("a term without a recipe has a value")

    def align(self, term: Term, axes: BatchAxes) -> Value:
        """The bulk value of a term over more batch axes than it depends on."""
        value = self.value(term)
        if term.axes == axes:
            return value
        own = [axes.index(axis) for axis in term.axes]
        rest = range(len(axes), len(axes) + len(term.shape))
        return self.broadcast_unnamed(value, (*extents(axes), *term.shape), [*own, *rest])

    # Position by position ------------------------------------------------------------------------

    def points(self, terms: Sequence[Term], args: AxisIndices) -> list[Value]:
        """The terms at one position of their batch axes, which `args` names, emitted here."""
        memo: dict[Term, Value] = {}
        return [self._point(t, args, memo) for t in terms]

    def _point(self, term: Term, args: AxisIndices, memo: dict[Term, Value]) -> Value:
        if not term.axes:
            return self.value(term)
        known = memo.get(term)
        if known is not None:
            return known
        with self._as(term):
            match term.recipe:
                case Position(axis):
                    point = args[axis]
                case Computed(make, operands):
                    inner = [self._point(o, args, memo) for o in operands]
                    point = make(*inner)
                case Read(array, positions):
                    point = self.b.index(array, [self._point(p, args, memo) for p in positions])
                case None:
                    point = self.b.index(self.value(term), [args[axis] for axis in term.axes])
        memo[term] = point
        return point


def name_arguments(axes: BatchAxes, args: Sequence[Value]) -> dict[BatchAxis, Value]:
    """Region arguments by the batch axes they stand for, and named after them."""
    for axis, arg in zip(axes, args, strict=True):
        arg.name_hint = axis.hint
    return dict(zip(axes, args, strict=True))
