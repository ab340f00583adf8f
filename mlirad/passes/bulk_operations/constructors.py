"""The ops of the language on terms: each combines its operands over the union of their batch axes.

f(i) * g(j)      f is computed over i alone, g over j alone; both are broadcast to (i, j) for the product
sum over d       the same sum, its dimensions counted behind the batch axes
dot a b          batch axes of both operands are batch dimensions; one of one operand alone is a free
                 dimension of it, so an operand that does not depend on a batch axis is not copied along it
scatter, update  the batch axes in front of the positions on both sides
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Shape, Value, array_type, shape_of
from mlirad.ir.indexing import Positions
from mlirad.passes.bulk_operations.term_builder import TermBuilder, name_arguments
from mlirad.passes.bulk_operations.terms import BatchAxes, Term, extents, union

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
        axes = union(operands)
        values = [
            self.align(o, axes) if o.shape else self._spread(o, axes, shape) if o.axes else self.value(o)
            for o in operands
        ]
        return self.term(axes, make(*values))

    def _spread(self, scalar: Term, axes: BatchAxes, shape: Shape) -> Value:
        value = self.align(scalar, axes)
        return self.broadcast_unnamed(value, (*extents(axes), *shape), range(len(axes)))

    def broadcast(self, x: Term, shape: Shape, dims: Dims) -> Term:
        """Dimension k of x becomes dimension `dims[k]`."""
        count = len(x.axes)
        placed = [*range(count), *(count + d for d in dims)]
        return self.term(x.axes, self.b.broadcast(self.value(x), (*extents(x.axes), *shape), placed))

    def reshape(self, x: Term, shape: Shape) -> Term:
        """The elements of x in row-major order in another shape."""
        return self.term(x.axes, self.b.reshape(self.value(x), (*extents(x.axes), *shape)))

    def slice(self, x: Term, starts: Dims, limits: Dims, strides: Dims) -> Term:
        """Every `stride`-th element from `start` below `limit`."""
        shape, count = extents(x.axes), len(x.axes)
        value = self.b.slice(
            self.value(x), [*[0] * count, *starts], [*shape, *limits], [*[1] * count, *strides]
        )
        return self.term(x.axes, value)

    def reverse(self, x: Term, dims: Dims) -> Term:
        """x read backwards along `dims`."""
        count = len(x.axes)
        return self.term(x.axes, self.b.reverse(self.value(x), [count + d for d in dims]))

    def pad(self, x: Term, fill: Term, low: Dims, high: Dims, interior: Dims) -> Term:
        """x surrounded by a scalar; one that differs from member to member is selected where x is not."""
        count = len(x.axes)
        widths = [[*[0] * count, *w] for w in (low, high, interior)]
        if not fill.axes:
            return self.term(x.axes, self.b.pad(self.value(x), self.value(fill), *widths))
        placed = self.term(x.axes, self.b.pad(self.value(x), self.b.zeros(x.element), *widths))
        everywhere = self.b.splat(True, array_type(x.shape, i1))
        covered = self.whole(self.b.pad(everywhere, self.b.splat(False, i1), low, high, interior))
        filling = self.broadcast(fill, placed.shape, ())
        return self.elementwise(ew.SelectOp, (covered, placed, filling), x.element)

    def concatenate(self, parts: Sequence[Term], dim: int) -> Term:
        """The parts one after the other along `dim`."""
        axes = union(parts)
        value = self.b.concatenate([self.align(p, axes) for p in parts], len(axes) + dim)
        return self.term(axes, value)

    def stack(self, parts: Sequence[Term], dim: int) -> Term:
        """The parts as slices along a new dimension `dim`."""
        axes = union(parts)
        return self.term(axes, self.b.stack([self.align(p, axes) for p in parts], len(axes) + dim))

    def sum(self, x: Term, dims: Dims) -> Term:
        """The sum over `dims`."""
        return self.term(x.axes, self.b.sum(self.value(x), [len(x.axes) + d for d in dims]))

    def reduce(self, kind: str, x: Term, dims: Dims) -> Term:
        """Reduction over `dims` by `max`, `min`, `prod`, `and` or `or`."""
        return self.term(x.axes, self.b.reduce(kind, self.value(x), [len(x.axes) + d for d in dims]))

    def along(self, constructor: Callable[[Value, int], Value], x: Term, dim: int) -> Term:
        """Return what a constructor of the builder makes of x along a dimension, such as `sort`."""
        return self.term(x.axes, constructor(self.value(x), len(x.axes) + dim))

    def cumulative(self, kind: str, x: Term, dim: int, reverse: bool) -> Term:
        """Prefix reduction along `dim`."""
        return self.term(x.axes, self.b.cumulative(kind, self.value(x), len(x.axes) + dim, reverse))

    def each(self, constructor: Callable[[Value], Value], x: Term) -> Term:
        """Return what a constructor of the builder makes of each matrix or row, behind any batch
        dimensions.
        """
        return self.term(x.axes, constructor(self.value(x)))

    def solved(
        self, constructor: Callable[[Value, Value], Value], matrix: Term, x: Term, *, is_complex: bool
    ) -> Term:
        """The solutions of linear systems; of one matrix for all members, with right sides side by side."""
        if matrix.axes or not x.axes:
            axes = union((matrix, x))
            return self.term(axes, constructor(self.align(matrix, axes), self.align(x, axes)))
        count, rank = len(x.axes), len(x.shape)
        own = rank - 1 if is_complex else rank  # the dimensions that the members follow
        shape, pair = x.shape[:own], x.shape[own:]
        order = [*range(count, count + own), *range(count), *range(count + own, count + rank)]
        members = extents(x.axes)
        columns = shape[-1] * prod(members)
        wide = self.b.reshape(self.b.transpose(self.value(x), order), (*shape[:-1], columns, *pair))
        found = self.b.reshape(constructor(self.value(matrix), wide), (*shape, *members, *pair))
        return self.term(x.axes, self.b.transpose(found, [order.index(d) for d in range(count + rank)]))

    def dot(self, x: Term, y: Term, batch: tuple[Dims, Dims], contract: tuple[Dims, Dims]) -> Term:
        """General contraction: shared batch axes are batch dimensions, the others free in their operand."""
        if y.axes and not x.axes and not batch[0] and len(y.shape) == len(contract[1]):
            # Multiplication commutes, and so the batch axes come out in front.
            return self.dot(y, x, batch, (contract[1], contract[0]))
        axes = union((x, y))
        shared = [axis for axis in x.axes if axis in y.axes]
        groups = [
            [*[t.axes.index(axis) for axis in shared], *(len(t.axes) + d for d in dims)]
            for t, dims in ((x, batch[0]), (y, batch[1]))
        ]
        pairs = [[len(t.axes) + d for d in dims] for t, dims in ((x, contract[0]), (y, contract[1]))]
        value = self.b.dot(self.value(x), self.value(y), *groups, *pairs)

        # The dimensions of the value by the place each is wanted at: batch axes, batch, free in x, free in y.
        order: list[int] = []
        next_dim = len(axes)
        for own, count in (
            (shared, len(batch[0])),
            (
                [axis for axis in x.axes if axis not in shared],
                len(x.shape) - len(batch[0]) - len(contract[0]),
            ),
            (
                [axis for axis in y.axes if axis not in shared],
                len(y.shape) - len(batch[1]) - len(contract[1]),
            ),
        ):
            order += [*(axes.index(axis) for axis in own), *range(next_dim, next_dim + count)]
            next_dim += count
        return self.term(axes, self.b.transpose(value, [order.index(d) for d in range(len(order))]))

    def scatter(self, x: Term, own: BatchAxes, targets: Sequence[Term], leading: Shape) -> Term:
        """Zeros of leading extents `leading` with `x[own..., rest...]` added at `targets`."""
        axes = tuple(axis for axis in union((x, *targets)) if axis not in own)
        value = self.b.scatter(
            self.align(x, axes),
            len(axes) + len(own),
            (*extents(axes), *leading),
            self._batched_positions(axes, own, targets),
        )
        return self.term(axes, value)

    def update(self, kind: str, base: Term, x: Term, own: BatchAxes, targets: Sequence[Term]) -> Term:
        """`base` with `x[own..., rest...]` added, or set, at `targets`, terms over `own`."""
        axes = tuple(axis for axis in union((base, x, *targets)) if axis not in own)
        value = self.b.update(
            kind,
            self.align(base, axes),
            self.align(x, axes),
            len(axes) + len(own),
            self._batched_positions(axes, own, targets),
        )
        return self.term(axes, value)

    def _batched_positions(self, axes: BatchAxes, own: BatchAxes, targets: Sequence[Term]) -> Positions:
        def body(*args: Value) -> list[Value]:
            return [*args[: len(axes)], *self.points(targets, name_arguments((*axes, *own), args))]

        return body

    def no_dearer(self, value: Value, slots: Sequence[Term | None]) -> bool:
        """Return whether reading `value` this way yields no more elements than it has."""
        rest = prod(e for e, s in zip(shape_of(value), slots, strict=True) if s is None)
        return nominal(prod(extents(union(slots))) * rest) <= nominal(prod(shape_of(value)))
