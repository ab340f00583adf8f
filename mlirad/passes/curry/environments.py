"""Tangents of closures by what these captured: types that only the code of the closure takes apart.

    f, captures x: f64 and g: (f64) -> f64         the tangent of f holds that of x and that of g

The code of a closure is known only when the program runs, so the tangents of all closures of a type are
values of one inductive type: 0, or the tangents of the context of one of the `curry` ops that make such
closures. An op packs its own contexts and takes apart no others. The alternatives are halved by sums of two,
so that to find one of n takes log n choices, and to add any two n of them. Arrays are in boxes, inductive
types of their own: a cell has slots for any alternative, and contexts without arrays are as small as if no
context had any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.function import (
    ClosureType,
    InductiveType,
    SumType,
    closure_type,
    inductive_type,
    sum_type,
)
from mlirad.dialects.function.combinators import CurryOp
from mlirad.dialects.shapes import UNIT, Value, shape_of, tuple_type
from mlirad.ir.arrays import ArrayBuilder
from mlirad.linear_maps.elements import Element, from_leaves
from mlirad.passes.chad.types import Types as Tangents
from mlirad.passes.maps_to_closures.elements import Elements, Types, joined_type, separated

HELD = 1
"""The alternative of a tangent that is not 0."""


class EnvironmentTangents(Tangents):
    """The parts of types: the map of a closure also makes its own tangent, before those of its parameters."""

    def closure(self, type_: ClosureType) -> ClosureType:
        """The primal part of a function."""
        plain = super().closure(type_)
        own = tuple_type([self.linear(type_), *map(self.linear, type_.inputs)])
        map_ = self.map(own, self.linear_product(type_.outputs))
        return closure_type(plain.inputs, [*plain.outputs[:-1], map_])


class EnvironmentTypes(Types):
    """The types of what stands for values and tangents, with the contexts of all closures of each type."""

    def __init__(self, module: ModuleOp, tangents: Tangents):
        super().__init__(module)
        self._contexts: dict[linear.FunctionSpace, list[Attribute]] = {}
        self._boxes: dict[Attribute, InductiveType] = {}
        for op in module.walk():
            if isinstance(op, CurryOp):
                space = tangents.linear(op.codomain)
                assert isinstance(space, linear.CopowerType)
                known = self._contexts.setdefault(space, [])
                context = tangents.linear(op.domain)
                if context not in known:
                    known.append(context)

    def contexts(self, closures: linear.FunctionSpace) -> list[Attribute]:
        """The spaces of the tangents of contexts that closures may have, each once."""
        return self._contexts.get(closures, [])

    def cell(self, copower: linear.CopowerType) -> SumType:
        """The type that the name of a tangent stands for."""
        return sum_type([UNIT, self.halved(self.contexts(copower))])

    def sum_cell(self, name: InductiveType) -> SumType:
        """Return what the name of a tangent, or of an element of an inductive space, stands for."""
        if self.inductive_space(name) is not None:
            return super().sum_cell(name)
        return self.cell(self.copower_of(name))

    def halved(self, contexts: Sequence[Attribute]) -> Attribute:
        """The type of the tangents of one of several contexts."""
        if len(contexts) < 2:
            return joined_type([self.held(t) for c in contexts for t in self.leaves(c)])
        middle = len(contexts) // 2
        return sum_type([self.halved(contexts[:middle]), self.halved(contexts[middle:])])

    def held(self, type_: Attribute) -> Attribute:
        """The type of what a tangent holds for a leaf: for an array its box."""
        if isinstance(type_, InductiveType | ClosureType) or not shape_of(type_):
            return type_
        if type_ not in self._boxes:
            self._boxes[type_] = inductive_type(self.new_name("box"))
        return self._boxes[type_]

    def made_name(self) -> str:
        """A name for a further type of tangents."""
        return self.new_name("environment")


class Environments(Elements):
    """Emits tangents, those of closures as what these captured."""

    types: EnvironmentTypes

    def __init__(self, module: ModuleOp, types: EnvironmentTypes):
        super().__init__(module, types)
        self.types = types

    def added(self, b: ArrayBuilder, x: Value, y: Value) -> Value:
        """The sum of two leaves: of two tangents of closures by a function that calls itself."""
        if not isinstance(x.type, InductiveType):
            return super().added(b, x, y)
        return self.called_sum(b, x, y)

    def packed(
        self, b: ArrayBuilder, closures: linear.CopowerType, context: Attribute, tangent: Element
    ) -> Value | None:
        """The tangent of a closure whose context has this tangent."""
        if tangent is None:
            return None
        leaves = [self._boxed(b, leaf) for leaf in self.written(b, tangent, context)]
        inside = b.tuple_(leaves)
        contexts = self.types.contexts(closures)
        for part, number in reversed(_way(contexts, context)):
            type_ = self.types.halved(part)
            assert isinstance(type_, SumType)
            inside = b.alternative(inside, number, type_)
        return self._cell(b, closures, HELD, inside)

    def unpacked(
        self, b: ArrayBuilder, closures: linear.CopowerType, context: Attribute, tangent: Value
    ) -> Element:
        """The tangent of the context of a closure, given that of the closure, which packed it."""
        types = self.types.leaves(context)
        zeros = [self.zero(b, t) for t in types]
        way = _way(self.types.contexts(closures), context)

        def within(value: Value, step: int) -> list[Value]:
            if step == len(way):
                return [
                    self._opened(b, v, t) for v, t in zip(separated(b, value, len(types)), types, strict=True)
                ]
            taken = way[step][1]

            def half(number: int) -> Callable[[Value], list[Value]]:
                return lambda v: within(v, step + 1) if number == taken else zeros

            return b.case(value, [half(0), half(1)])

        cell = b.unroll(tangent, self.types.cell(closures))
        return from_leaves(context, b.case(cell, [lambda _: zeros, lambda v: within(v, 0)]))

    def _boxed(self, b: ArrayBuilder, leaf: Value) -> Value:
        box = self.types.held(leaf.type)
        return b.roll(leaf, box) if isinstance(box, InductiveType) and box != leaf.type else leaf

    def _opened(self, b: ArrayBuilder, held: Value, type_: Attribute) -> Value:
        return b.unroll(held, type_) if held.type != type_ else held

    def held_sum(self, b: ArrayBuilder, type_: InductiveType, p: Value, q: Value) -> Value:
        """The sum of what two tangents hold, of a closure those of its context."""
        if self.types.inductive_space(type_) is not None:
            return super().held_sum(b, type_, p, q)
        return self._halves(b, self.types.contexts(self.types.copower_of(type_)), p, q)

    def _halves(self, b: ArrayBuilder, contexts: Sequence[Attribute], p: Value, q: Value) -> Value:
        """The sum of two tangents of one of several contexts, which is the same for both."""
        if len(contexts) < 2:
            types = [t for c in contexts for t in self.types.leaves(c)]
            pairs = zip(separated(b, p, len(types)), separated(b, q, len(types)), types, strict=True)
            sums = [self.added(b, self._opened(b, u, t), self._opened(b, v, t)) for u, v, t in pairs]
            return b.tuple_([self._boxed(b, s) for s in sums])
        middle = len(contexts) // 2
        halves = contexts[:middle], contexts[middle:]
        type_ = p.type
        assert isinstance(type_, SumType)

        def half(number: int) -> Callable[[Value], list[Value]]:
            def of(u: Value) -> list[Value]:
                def same(v: Value) -> list[Value]:
                    return [b.alternative(self._halves(b, halves[number], u, v), number, type_)]

                return b.case(q, [same if k == number else (lambda _: [p]) for k in range(2)])

            return of

        return b.case(p, [half(0), half(1)])[0]


def _way(contexts: Sequence[Attribute], context: Attribute) -> list[tuple[Sequence[Attribute], int]]:
    """Return where a context is among others that are halved: the contexts at each step, and which half it is
    in.
    """
    way: list[tuple[Sequence[Attribute], int]] = []
    while len(contexts) > 1:
        middle = len(contexts) // 2
        number = int(context not in contexts[:middle])
        way.append((contexts, number))
        contexts = contexts[middle:] if number else contexts[:middle]
    return way
