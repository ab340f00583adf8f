"""The ops of the language on terms: each combines its operands over the union of their lanes.

f(i) * g(j)      f is computed over i alone, g over j alone; both are broadcast to (i, j) for the product
sum over d       the same sum, its dimensions counted behind the lanes
dot a b          lanes of both operands are batch dimensions; a lane of one alone is a free dimension of it,
                 so an operand that does not depend on a lane is not copied along it
scatter, update  the lanes in front of the positions on both sides
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Shape, Value, array_type, shape_of
from mlirad.ir.indexing import Positions
from mlirad.passes.bulk_operations.term_builder import TermBuilder, name_arguments
from mlirad.passes.bulk_operations.terms import Lanes, Term, extents, union

Dims = Sequence[int]


class BulkBuilder(TermBuilder):
    """Constructors of the array dialect on terms; those that read at positions stand in `readings`."""

    def elementwise(
        self,
        op_class: type[ew.ElementwiseOp],
        operands: Sequence[Term],
        element: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> Term:
        """An elementwise op with results of type `element`; the condition of a select may be scalar."""

        def make(*values: Value) -> Value:
            return self.b.apply_elementwise(op_class, values, properties, element)

        shape = operands[-1].shape
        if not shape:
            return self.code(make, operands, element)
        lanes = union(operands)
        values = [
            self.align(o, lanes) if o.shape else self._spread(o, lanes, shape) if o.lanes else self.value(o)
            for o in operands
        ]
        return self.term(lanes, make(*values))

    def _spread(self, scalar: Term, lanes: Lanes, shape: Shape) -> Value:
        value = self.align(scalar, lanes)
        return self.broadcast_unnamed(value, (*extents(lanes), *shape), range(len(lanes)))

    def broadcast(self, x: Term, shape: Shape, dims: Dims) -> Term:
        """Dimension k of x becomes dimension `dims[k]`."""
        count = len(x.lanes)
        placed = [*range(count), *(count + d for d in dims)]
        return self.term(x.lanes, self.b.broadcast(self.value(x), (*extents(x.lanes), *shape), placed))

    def reshape(self, x: Term, shape: Shape) -> Term:
        """The elements of x in row-major order in another shape."""
        return self.term(x.lanes, self.b.reshape(self.value(x), (*extents(x.lanes), *shape)))

    def slice(self, x: Term, starts: Dims, limits: Dims, strides: Dims) -> Term:
        """Every `stride`-th element from `start` below `limit`."""
        shape, count = extents(x.lanes), len(x.lanes)
        value = self.b.slice(
            self.value(x), [*[0] * count, *starts], [*shape, *limits], [*[1] * count, *strides]
        )
        return self.term(x.lanes, value)

    def reverse(self, x: Term, dims: Dims) -> Term:
        """x read backwards along `dims`."""
        count = len(x.lanes)
        return self.term(x.lanes, self.b.reverse(self.value(x), [count + d for d in dims]))

    def pad(self, x: Term, fill: Term, low: Dims, high: Dims, interior: Dims) -> Term:
        """x surrounded by a scalar; one that differs from lane to lane is selected where x is not."""
        count = len(x.lanes)
        widths = [[*[0] * count, *w] for w in (low, high, interior)]
        if not fill.lanes:
            return self.term(x.lanes, self.b.pad(self.value(x), self.value(fill), *widths))
        placed = self.term(x.lanes, self.b.pad(self.value(x), self.b.zeros(x.element), *widths))
        everywhere = self.b.splat(True, array_type(x.shape, i1))
        covered = self.whole(self.b.pad(everywhere, self.b.splat(False, i1), low, high, interior))
        filling = self.broadcast(fill, placed.shape, ())
        return self.elementwise(ew.SelectOp, (covered, placed, filling), x.element)

    def concatenate(self, parts: Sequence[Term], dim: int) -> Term:
        """The parts one after the other along `dim`."""
        lanes = union(parts)
        value = self.b.concatenate([self.align(p, lanes) for p in parts], len(lanes) + dim)
        return self.term(lanes, value)

    def stack(self, parts: Sequence[Term], dim: int) -> Term:
        """The parts as slices along a new dimension `dim`."""
        lanes = union(parts)
        return self.term(lanes, self.b.stack([self.align(p, lanes) for p in parts], len(lanes) + dim))

    def sum(self, x: Term, dims: Dims) -> Term:
        """The sum over `dims`."""
        return self.term(x.lanes, self.b.sum(self.value(x), [len(x.lanes) + d for d in dims]))

    def reduce(self, kind: str, x: Term, dims: Dims) -> Term:
        """Reduction over `dims` by `max`, `min`, `prod`, `and` or `or`."""
        return self.term(x.lanes, self.b.reduce(kind, self.value(x), [len(x.lanes) + d for d in dims]))

    def argmax(self, x: Term, dim: int) -> Term:
        """The position of the first largest element along `dim`."""
        return self.term(x.lanes, self.b.argmax(self.value(x), len(x.lanes) + dim))

    def argmin(self, x: Term, dim: int) -> Term:
        """The position of the first smallest element along `dim`."""
        return self.term(x.lanes, self.b.argmin(self.value(x), len(x.lanes) + dim))

    def sort(self, x: Term, dim: int) -> Term:
        """The elements along `dim` in ascending order."""
        return self.term(x.lanes, self.b.sort(self.value(x), len(x.lanes) + dim))

    def argsort(self, x: Term, dim: int) -> Term:
        """The positions of the sorted elements along `dim`."""
        return self.term(x.lanes, self.b.argsort(self.value(x), len(x.lanes) + dim))

    def cumulative(self, kind: str, x: Term, dim: int, reverse: bool) -> Term:
        """Prefix reduction along `dim`."""
        return self.term(x.lanes, self.b.cumulative(kind, self.value(x), len(x.lanes) + dim, reverse))

    def dot(self, x: Term, y: Term, batch: tuple[Dims, Dims], contract: tuple[Dims, Dims]) -> Term:
        """General contraction: shared lanes are batch dimensions, the others free ones of their operand."""
        if y.lanes and not x.lanes and not batch[0] and len(y.shape) == len(contract[1]):
            # Multiplication commutes, and so the lanes come out in front.
            return self.dot(y, x, batch, (contract[1], contract[0]))
        lanes = union((x, y))
        shared = [lane for lane in x.lanes if lane in y.lanes]
        groups = [
            [*[t.lanes.index(lane) for lane in shared], *(len(t.lanes) + d for d in dims)]
            for t, dims in ((x, batch[0]), (y, batch[1]))
        ]
        pairs = [[len(t.lanes) + d for d in dims] for t, dims in ((x, contract[0]), (y, contract[1]))]
        value = self.b.dot(self.value(x), self.value(y), *groups, *pairs)

        # The dimensions of the value by the place each is wanted at: lanes, batch, free in x, free in y.
        order: list[int] = []
        next_dim = len(lanes)
        for own, count in (
            (shared, len(batch[0])),
            (
                [lane for lane in x.lanes if lane not in shared],
                len(x.shape) - len(batch[0]) - len(contract[0]),
            ),
            (
                [lane for lane in y.lanes if lane not in shared],
                len(y.shape) - len(batch[1]) - len(contract[1]),
            ),
        ):
            order += [*(lanes.index(lane) for lane in own), *range(next_dim, next_dim + count)]
            next_dim += count
        return self.term(lanes, self.b.transpose(value, [order.index(d) for d in range(len(order))]))

    def scatter(self, x: Term, own: Lanes, targets: Sequence[Term], leading: Shape) -> Term:
        """Zeros of leading extents `leading` with `x[own..., rest...]` added at `targets`."""
        lanes = tuple(lane for lane in union((x, *targets)) if lane not in own)
        value = self.b.scatter(
            self.align(x, lanes),
            len(lanes) + len(own),
            (*extents(lanes), *leading),
            self._laned_positions(lanes, own, targets),
        )
        return self.term(lanes, value)

    def update(self, kind: str, base: Term, x: Term, own: Lanes, targets: Sequence[Term]) -> Term:
        """`base` with `x[own..., rest...]` added, or set, at `targets`, terms over `own`."""
        lanes = tuple(lane for lane in union((base, x, *targets)) if lane not in own)
        value = self.b.update(
            kind,
            self.align(base, lanes),
            self.align(x, lanes),
            len(lanes) + len(own),
            self._laned_positions(lanes, own, targets),
        )
        return self.term(lanes, value)

    def _laned_positions(self, lanes: Lanes, own: Lanes, targets: Sequence[Term]) -> Positions:
        def body(*args: Value) -> list[Value]:
            return [*args[: len(lanes)], *self.points(targets, name_arguments((*lanes, *own), args))]

        return body

    def no_dearer(self, value: Value, slots: Sequence[Term | None]) -> bool:
        """Whether reading `value` this way yields no more elements than it has."""
        rest = prod(e for e, s in zip(shape_of(value), slots, strict=True) if s is None)
        return prod(extents(union(slots))) * rest <= prod(shape_of(value))
