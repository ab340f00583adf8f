"""Reading an array at positions: pushed into the op that made the array where that repeats no work.

    index (exp a) [p]           -->  exp (index a [p])                if nothing else reads exp a
    index (transpose a) [p]     -->  row or column p of a
    index (iota) [p]            -->  clamp p
    index (reshape a) [p, q]    -->  index a [unravel (ravel (clamp p, clamp q))]
    index a [p], p batched      -->  gather a (batch axes) -> p       where nothing more can be pushed

`read` does this for any mixture of dimensions that are read and dimensions that are left whole. Dual arrays
can differentiate an index of any array, so a rule is used only where it costs nothing: through ops that place
elements, as only positions are recomputed; into ops that compute (`single_use` values) only when the array
has no other reader and the reading yields no more elements than the op does.

Positions are clamped wherever a rule drops them or computes with them (source: dual-numbers paper, section
5.1, figures 10 and 11, there for one batch axis and for leading dimensions).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.bulk_operations.constructors import BulkBuilder
from mlirad.passes.bulk_operations.term_builder import name_arguments
from mlirad.passes.bulk_operations.terms import RECIPE_LIMIT, Read, Slots, Term, extents, union

PUSH_LIMIT = 48
"""The number of ops through which a reading is pushed; deeper, the array is read as it is."""

FREE_DEPTH = 4
"""The number of ops that place elements which are read through even where more is read than the array has
elements."""

Evaluate: TypeAlias = Callable[[Region, Sequence[Term]], list[Term]]
"""The values that a region yields when its arguments are these terms."""

ReadingRule: TypeAlias = "Callable[[BatchReader, Any, Slots], Term | None]"
"""The reading of the result of an op at the given slots, `None` where the result itself is to be read."""


class BatchReader(BulkBuilder):
    """Readings of arrays by two tables: through ops that place elements, into ops that compute."""

    def __init__(
        self,
        b: ArrayBuilder,
        evaluate: Evaluate,
        placing: Mapping[type[Operation], ReadingRule],
        computing: Mapping[type[Operation], ReadingRule],
    ):
        super().__init__(b)
        self.evaluate = evaluate
        self._placing = placing
        self._computing = computing
        self.single_use: set[Value] = set()
        """Arrays whose one reader is a reading: computing them can be replaced by computing what is read."""
        self._depth = 0

    def index(self, x: Term, positions: Sequence[Term]) -> Term:
        """The sub-array of x at leading positions, each clamped to its dimension."""
        return self.read_term(x, (*positions, *[None] * (len(x.shape) - len(positions))))

    def read_term(self, x: Term, slots: Slots) -> Term:
        """x read at the given dimensions."""
        return self.read(self.value(x), (*self.positions(x.axes), *slots))

    def read(self, value: Value, slots: Slots) -> Term:
        """An array read at the given dimensions; those left whole are the dimensions of the result."""
        shape = shape_of(value)
        rest = tuple(e for e, s in zip(shape, slots, strict=True) if s is None)
        if len(rest) == len(shape):
            return self.whole(value)
        if any(e == 0 and s is not None for e, s in zip(shape, slots, strict=True)):
            return self.whole(self.b.zeros(array_type(rest, element_of(value))))
        rule = self._rule(value, slots)
        if rule is not None:
            self._depth += 1
            found = rule(self, value.owner, slots)
            self._depth -= 1
            if found is not None:
                return found
        return self.read_elements(value, slots)

    def _rule(self, value: Value, slots: Slots) -> ReadingRule | None:
        """The rule to push a reading of `value` by, if it may be pushed."""
        op_class = type(value.owner)
        if self._depth >= PUSH_LIMIT or not issubclass(op_class, Operation):
            return None
        placing = self._placing.get(op_class)
        if placing is not None and (self._depth < FREE_DEPTH or self.no_dearer(value, slots)):
            return placing
        if value in self.single_use and self.no_dearer(value, slots):
            return placing or self._computing.get(op_class)
        return None

    def read_elements(self, value: Value, slots: Slots) -> Term:
        """The reading itself: an `index` without batch axes, else a `gather` over them, or its recipe."""
        shape, axes = shape_of(value), union(slots)
        last = max(d for d, s in enumerate(slots) if s is not None)
        positions = [s for s in slots[: last + 1] if s is not None]
        leading = len(positions) == last + 1
        if not axes and leading:
            return self.whole(self.b.index(value, [self.value(p) for p in positions]))
        if len(positions) == len(shape) and not is_float(value):
            size = 1 + sum(p.size for p in positions)
            if size <= RECIPE_LIMIT:
                recipe, b, element = Read(value, tuple(positions)), self.b, element_of(value)
                return Term(axes, (), element, None, recipe, size, b.location, b.name_hint, len(b.scopes))
        static = self._read_constants(value, slots)
        if static is not None:
            return static
        free = [shape[d] for d in range(last + 1) if slots[d] is None]

        def body(*args: Value) -> list[Value]:
            points = iter(self.points(positions, name_arguments(axes, args[: len(axes)])))
            whole = iter(args[len(axes) :])
            return [next(whole) if slots[d] is None else next(points) for d in range(last + 1)]

        return self.term(axes, self.b.gather(value, (*extents(axes), *free), body))

    def _read_constants(self, value: Value, slots: Slots) -> Term | None:
        """Constant positions as a slice, where that moves no more elements than the reading yields."""
        shape = shape_of(value)
        fixed: dict[int, int] = {}
        for d, slot in enumerate(slots):
            if slot is not None and not slot.axes:
                known = self.b.scalar_of(self.value(slot))
                place = None if known is None else _clamped(int(known), shape[d])
                if place is not None:
                    fixed[d] = place
        if not fixed:
            return None
        left = tuple(e for d, e in enumerate(shape) if d not in fixed)
        yielded = prod(extents(union(slots))) * prod(
            e for e, s in zip(shape, slots, strict=True) if s is None
        )
        if nominal(prod(left)) > nominal(yielded):
            return None
        starts = [fixed.get(d, 0) for d in range(len(shape))]
        limits = [fixed[d] + 1 if d in fixed else e for d, e in enumerate(shape)]
        sliced = self.b.reshape(self.b.slice(value, starts, limits, [1] * len(shape)), left)
        remaining = tuple(s for d, s in enumerate(slots) if d not in fixed)
        if all(s is None for s in remaining):
            return self.whole(sliced)
        return self.read_elements(sliced, remaining)

    # Position arithmetic -------------------------------------------------------------------------

    def clamp(self, p: Term, extent: int) -> Term:
        """A position forced into 0 .. extent - 1."""

        def make(v: Value) -> Value:
            return self.b.clamp(v, extent)

        return self.code(make, (p,), i64)

    def affine(self, p: Term, factor: int, offset: int) -> Term:
        """factor * p + offset."""

        def make(v: Value) -> Value:
            scaled = self.b.mul(v, self.b.splat(factor, v.type))
            return self.b.add(scaled, self.b.splat(offset, v.type))

        return self.code(make, (p,), i64)

    def ravel(self, positions: Sequence[Term], shape: Shape) -> Term:
        """The row-major number of a clamped position."""
        b = self.b

        def appended(extent: int) -> Callable[[Value, Value], Value]:
            return lambda n, p: b.add(b.mul(n, b.splat(extent, n.type)), b.clamp(p, extent))

        number = self.whole(b.index_constant(0))
        for p, extent in zip(positions, shape, strict=True):
            number = self.code(appended(extent), (number, p), i64)
        return number

    def unravel(self, number: Term, shape: Shape) -> list[Term]:
        """The position of the given row-major number."""
        b = self.b

        def digit(stride: int, extent: int) -> Callable[[Value], Value]:
            def make(n: Value) -> Value:
                high = floor_divided(b, n, stride)
                leading = stride * extent == prod(shape)
                return high if leading else b.binary(ew.RemOp, high, b.splat(extent, n.type))

            return make

        strides = [prod(shape[d + 1 :]) for d in range(len(shape))]
        return [
            self.code(digit(stride, extent), (number,), i64)
            for stride, extent in zip(strides, shape, strict=True)
        ]


def _clamped(position: int, extent: int) -> int | None:
    """A position forced into 0 .. extent - 1, None where that depends on the size."""
    last = extent - 1
    if at_most(last, position):
        return last
    return max(position, 0) if at_most(position, last) else None


def floor_divided(b: ArrayBuilder, v: Value, divisor: int) -> Value:
    """v // divisor, for a positive divisor."""
    return v if divisor == 1 else b.binary(ew.FloorDivOp, v, b.splat(divisor, v.type))


def dims_left(slots: Sequence[Term | None]) -> list[int]:
    """The dimensions left whole."""
    return [d for d, s in enumerate(slots) if s is None]
