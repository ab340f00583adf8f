"""The pool of values from which random ops take their operands, and where their results go.

In smooth mode every float in the pool is bounded: a bound on its magnitude is carried along, and a value
whose bound grows too large enters the pool as its sine. Floats never decide anything there: comparisons,
conversions to integers and positions depend on integers and constants only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.reductions import SumOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import (
    Shape,
    Value,
    array_type,
    element_of,
    ints,
    is_array,
    is_boolean,
    is_float,
    keyword,
    shape_of,
    size_of,
)
from tests.generators.arguments import random_literal, random_value

LARGEST_ARRAY = 100
LARGEST_BOUND = 8.0


class ProgramBuilder:
    """Appends random ops to the innermost open block."""

    def __init__(
        self,
        rng: random.Random,
        block: Block,
        *,
        elements: Mapping[Attribute, int],
        ranks: Sequence[int],
        smooth: bool,
    ):
        self.rng = rng
        self.elements = dict(elements)
        self.ranks = ranks
        self.smooth = smooth
        self.bounds: dict[Value, float] = {}
        self.blocks = [block]
        self.scopes: list[list[Value]] = [list(block.args)]
        self.indices: list[Value] = []
        self.allows: Callable[[type[Operation]], bool] = lambda op_class: True
        self.straight = False
        """True if loops, branches, orderings and products are left out."""
        self.grow: Callable[[], Value] = lambda: self.constant(1, f64)
        """Appends one random op."""

    # Types ---------------------------------------------------------------------------------------

    def extent(self) -> int:
        """A random extent: mostly 2 or 3, sometimes 0, 1 or 4."""
        return self.rng.choices((0, 1, 2, 3, 4), (1, 2, 5, 5, 2))[0]

    def shape(self, least_rank: int = 0) -> Shape:
        """A random shape of at most `LARGEST_ARRAY` elements."""
        rank = max(least_rank, self.rng.choice(self.ranks))
        while True:
            shape = tuple(self.extent() for _ in range(rank))
            if size_of(array_type(shape, f64)) <= LARGEST_ARRAY:
                return shape

    def element(self, allowed: Sequence[Attribute]) -> Attribute:
        """A random element type of the program among the allowed ones (one of these if the program has none
        of them).
        """
        usable = [e for e in self.elements if e in allowed]
        if not usable:
            return self.rng.choice(list(allowed))
        return self.rng.choices(usable, [self.elements[e] for e in usable])[0]

    def fits(self, shape: Shape) -> bool:
        """Return whether an array of this shape is small enough for a random program."""
        return len(shape) <= max(self.ranks) + 1 and size_of(array_type(shape, f64)) <= LARGEST_ARRAY

    # Values --------------------------------------------------------------------------------------

    @property
    def visible(self) -> list[Value]:
        """Every value that an op inserted now may use, the oldest first."""
        return [v for scope in self.scopes for v in scope]

    def some(self, allowed: Sequence[Attribute], least_rank: int = 0) -> Value:
        """A value over one of the allowed element types, of at least the given rank."""
        element = self.element(allowed)
        known = [v for v in self.visible if element_of(v) in allowed and len(shape_of(v)) >= least_rank]
        preferred = [v for v in known if element_of(v) == element] or known
        if preferred and self.rng.random() < 0.9:
            newer = preferred[-6:]
            return self.rng.choice(newer if self.rng.random() < 0.6 else preferred)
        return self.fresh(array_type(self.shape(least_rank), element))

    def like(self, type_: Attribute) -> Value:
        """A value of the given type."""
        known = [v for v in self.visible if v.type == type_]
        if known and self.rng.random() < 0.85:
            return self.rng.choice(known)
        return self.fresh(type_)

    def fresh(self, type_: Attribute) -> Value:
        """A new value of the given type: a literal, or the broadcast sum of another value."""
        element, shape = element_of(type_), shape_of(type_)
        sources = [v for v in self.visible if element_of(v) == element and not is_boolean(v)]
        if sources and self.rng.random() < 0.6:
            x = self.rng.choice(sources)
            scalar = x
            if shape_of(x):
                dims = ints(tuple(range(len(shape_of(x)))))
                scalar = self.emit(SumOp, [x], element, {"dims": dims})
        elif shape and size_of(type_) and self.rng.random() < 0.5:
            value = random_literal(type_, self.rng, special=self.special)
            return self.emit(ConstantOp, [], type_, {"value": value})
        else:
            scalar = self.constant(random_value(element, self.rng, special=self.special), element)
        if not shape:
            return scalar
        return self.emit(BroadcastOp, [scalar], type_, {"dims": ints(())})

    @property
    def special(self) -> bool:
        """Return whether the next literal may hold infinities, NaN and the like."""
        return not self.smooth and self.rng.random() < 0.1

    def constant(self, value: object, element: Attribute) -> Value:
        """A scalar literal."""
        return self.emit(ConstantOp, [], element, {"value": literal(value, element)})

    def position(self, depth: int = 3) -> Value:
        """A scalar i64 from region arguments, captured values and constants; often out of range."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            if self.indices and rng.random() < 0.7:
                return rng.choice(self.indices)
            known = [v for v in self.visible if v.type == i64]
            if known and rng.random() < 0.4:
                return rng.choice(known)
            return self.constant(rng.randint(-1, 4), i64)
        operators = (ew.AddOp, ew.SubOp, ew.MulOp, ew.FloorDivOp, ew.RemOp, ew.MinOp, ew.MaxOp)
        x, y = self.position(depth - 1), self.position(depth - 1)
        if rng.random() < 0.15:
            c = self.emit(ew.CompareOp, [x, y], i1, {"predicate": keyword(rng.choice(ew.PREDICATES))})
            return self.emit(ew.SelectOp, [c, x, y], i64)
        return self.emit(rng.choice(operators), [x, y], i64)

    # Emission ------------------------------------------------------------------------------------

    def emit(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        result: Attribute,
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        bound: float | None = None,
    ) -> Value:
        """Append an op; its result joins the pool. `bound` limits the result's magnitude in smooth mode."""
        op = op_class.create(
            operands=operands, result_types=[result], properties=properties or {}, regions=regions
        )
        self.blocks[-1].add_op(op)
        value = op.results[0]
        if self.smooth and is_float(value):
            value = self._bounded(value, op, bound)
        self.scopes[-1].append(value)
        return value

    def emit_all(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        results: Sequence[Attribute],
        properties: Mapping[str, Attribute],
        regions: Sequence[Region],
        bounds: Sequence[float],
    ) -> list[Value]:
        """Append an op of any number of results; those that are arrays join the pool."""
        op = op_class.create(operands=operands, result_types=results, properties=properties, regions=regions)
        self.blocks[-1].add_op(op)
        values: list[Value] = []
        for value, bound in zip(op.results, bounds, strict=True):
            values.append(self._bounded(value, op, bound) if self.smooth and is_float(value) else value)
            if is_array(value.type):
                self.scopes[-1].append(values[-1])
        return values

    def _bounded(self, value: Value, op: Operation, bound: float | None) -> Value:
        if bound is None:
            known = [self.bound(o) for o in op.operands if is_float(o)]
            bound = max(known, default=2.0) * max(1, *(size_of(o) for o in op.operands), 1)
        if bound <= LARGEST_BOUND:
            self.bounds[value] = bound
            return value
        sine = ew.SinOp.create(operands=[value], result_types=[value.type])
        self.blocks[-1].add_op(sine)
        self.bounds[sine.results[0]] = 1.0
        return sine.results[0]

    def bound(self, value: Value) -> float:
        """A bound on the magnitude of a float (arguments and literals are below 2)."""
        return self.bounds.get(value, 2.0)

    def region(self, arguments: int, body: Callable[[], Sequence[Value]]) -> Region:
        """A region over index arguments; `body` emits its ops and returns what it yields."""
        return self.typed_region([i64] * arguments, lambda args: body(), indices=arguments)

    def typed_region(
        self, types: Sequence[Attribute], body: Callable[[Sequence[Value]], Sequence[Value]], indices: int = 0
    ) -> Region:
        """A region over arguments of any types; the first `indices` arguments are indices."""
        block = Block(arg_types=types)
        self.blocks.append(block)
        self.scopes.append(list(block.args))
        outer, self.indices = self.indices, [*self.indices, *block.args[:indices]]
        yielded = body(block.args)
        block.add_op(YieldOp.create(operands=yielded))
        self.indices = outer
        self.scopes.pop()
        self.blocks.pop()
        return Region(block)

    # Domains of smooth functions -----------------------------------------------------------------

    def at_most(self, x: Value, bound: float) -> Value:
        """`x`, or its sine where `x` may exceed `bound`, which is at least 1."""
        if not self.smooth or not is_float(x) or self.bound(x) <= bound:
            return x
        return self.emit(ew.SinOp, [x], x.type, bound=1)

    def small(self, x: Value) -> Value:
        """`x`, or its sine where `x` may exceed 2."""
        return x if self.bound(x) <= 2 else self.emit(ew.SinOp, [x], x.type, bound=1)

    def positive(self, x: Value) -> Value:
        """Between 0.36 and 2.8."""
        sine = self.emit(ew.SinOp, [x], x.type, bound=1)
        return self.emit(ew.ExpOp, [sine], x.type, bound=2.8)

    def inside_unit(self, x: Value) -> Value:
        """Between -0.8 and 0.8."""
        factor = self.like_constant(0.8, x)
        sine = self.emit(ew.SinOp, [x], x.type, bound=1)
        return self.emit(ew.MulOp, [factor, sine], x.type, bound=0.8)

    def above_one(self, x: Value) -> Value:
        """Between 1.3 and 4."""
        one = self.like_constant(1.0, x)
        return self.emit(ew.AddOp, [one, self.positive(x)], x.type, bound=4)

    def like_constant(self, number: float, x: Value) -> Value:
        """The number in the shape of `x`."""
        scalar = self.constant(number, element_of(x))
        return self.emit(BroadcastOp, [scalar], x.type, {"dims": ints(())}) if shape_of(x) else scalar
