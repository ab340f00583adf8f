"""Elements of the spaces of functions as values: closures and collections, their zeros, sums and folds.

    an element of a power        a closure from the components of a point to the leaves of an element
    an element of a copower      a value of an inductive type, whose cell is one of
                                     nothing
                                     a pair: the components of a point and the leaves of an element
                                     a node: two collections, which are added
    an element of an inductive space    a value of an inductive type, whose cell is nothing or the leaves

So a sum takes one cell. A fold of cells that are known is written out. Any other is a loop that turns nodes
to the right until a pair is on the left, and takes as many iterations as there are cells, however they hang
together. Two elements of an inductive space are added cell by cell, by a function that calls itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TupleType, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.function import (
    ClosureType,
    InductiveType,
    InjectOp,
    RollOp,
    SumType,
    TupleOp,
    closure_type,
    inductive_type,
    sum_type,
)
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.shapes import UNIT, Value, components_of, tuple_type
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.free_values import own_operands
from mlirad.ir.symbols import free_name
from mlirad.linear_maps.elements import Element, as_value, sum_of, typed_leaves

NOTHING, PAIR, NODE = range(3)
"""The alternatives of a cell."""

ROLLED = 1
"""The alternative of an element of an inductive space that is not 0."""

MOST_KNOWN = 64
"""The number of pairs of a collection that are written out, where it is known which there are."""

At = Callable[[Sequence[Value], Sequence[Value]], list[Value]]
"""From the components of a point and the leaves of an element to the leaves of what these become."""


class Types:
    """The types of what stands for values whose types are made of maps and spaces of functions."""

    def __init__(self, module: ModuleOp):
        self._names = {
            name
            for op in module.walk()
            for value in (*own_operands(op), *op.results)
            for name in _names_in(value.type)
        }
        self._copowers: dict[InductiveType, linear.CopowerType] = {}
        self._inductive: dict[InductiveType, linear.InductiveSpace] = {}
        self._held: dict[linear.InductiveSpace, tuple[Attribute, ...]] = {}
        self._known: dict[Attribute, Attribute] = {}

    def of(self, type_: Attribute) -> Attribute:
        """The type of what stands for a value of a type, or for an element that is a leaf of a space."""
        if type_ not in self._known:
            self._known[type_] = self._made(type_)
        return self._known[type_]

    def all_of(self, types: Sequence[Attribute]) -> list[Attribute]:
        """The types of what stands for values of some types."""
        return [self.of(t) for t in types]

    def leaves(self, space: Attribute) -> list[Attribute]:
        """The types of what stands for the leaves of an element of a space."""
        return self.all_of(linear.carried(space))

    def point(self, space: linear.FunctionSpace) -> list[Attribute]:
        """The types of what stands for the components of a point."""
        return self.all_of(components_of(space.point))

    def pair(self, copower: linear.CopowerType) -> list[Attribute]:
        """The types of the parts of a pair."""
        return [*self.point(copower), *self.leaves(copower.space)]

    def cell(self, copower: linear.CopowerType) -> SumType:
        """The type that the name of a collection stands for."""
        name = self.of(copower)
        return sum_type([UNIT, joined_type(self.pair(copower)), tuple_type([name, name])])

    def define(self, space: Attribute, held: Sequence[Attribute]) -> None:
        """Note the leaves that the elements of an inductive space are made of."""
        assert isinstance(space, linear.InductiveSpace)
        self._held[space] = tuple(held)

    def held_leaves(self, space: linear.InductiveSpace) -> list[Attribute]:
        """The types of the leaves that an element of an inductive space is made of."""
        return self.all_of(self._held.get(space, ()))

    def rolled_cell(self, space: linear.InductiveSpace) -> SumType:
        """The type that the name of an element of an inductive space stands for."""
        return sum_type([UNIT, joined_type(self.held_leaves(space))])

    def inductive_space(self, name: InductiveType) -> linear.InductiveSpace | None:
        """The inductive space whose elements are the values of an inductive type, if they are."""
        return self._inductive.get(name)

    def sum_cell(self, name: InductiveType) -> SumType:
        """Return what a name stands for whose values a function adds: an alternative for 0, and one for
        others.
        """
        return self.rolled_cell(self._inductive[name])

    def copower_of(self, name: InductiveType) -> linear.CopowerType:
        """The copower whose elements are the values of an inductive type."""
        return self._copowers[name]

    def made_name(self) -> str:
        """A name for a further type of elements of a copower."""
        return self.new_name("collection")

    def new_name(self, wanted: str) -> str:
        """A name that no inductive type has, which is taken then."""
        name = free_name(wanted, self._names, "_")
        self._names.add(name)
        return name

    def _made(self, type_: Attribute) -> Attribute:
        match type_:
            case linear.MapType():
                return closure_type(self.leaves(type_.domain), self.leaves(type_.codomain))
            case linear.PowerType():
                return closure_type(self.point(type_), self.leaves(type_.space))
            case linear.CopowerType():
                made = inductive_type(self.made_name())
                self._copowers[made] = type_
                return made
            case linear.InductiveSpace():
                made = inductive_type(self.new_name(f"{type_.type_name.data}_tangent"))
                self._inductive[made] = type_
                return made
            case ClosureType():
                return closure_type(self.all_of(type_.inputs), self.all_of(type_.outputs))
            case SumType():
                return sum_type(self.all_of(cast("Sequence[Attribute]", type_.types.data)))
            case TupleType():
                return tuple_type(self.all_of(cast("Sequence[Attribute]", type_.types.data)))
            case _:
                return type_


class Elements:
    """Emits elements whose leaves are arrays, closures and values of inductive types.

    `functions` are those that what is emitted calls.
    """

    def __init__(self, module: ModuleOp, types: Types):
        self.types = types
        self.functions: list[FuncOp] = []
        self._taken = dict.fromkeys(functions_by_name(module))
        self._adding: dict[InductiveType, str] = {}

    def written(self, b: ArrayBuilder, element: Element, space: Attribute) -> list[Value]:
        """The leaves of an element, zeros written out."""
        return [
            self.zero(b, self.types.of(s)) if leaf is None else as_value(leaf)
            for s, leaf in typed_leaves(element, space)
        ]

    def zero(self, b: ArrayBuilder, type_: Attribute) -> Value:
        """The zero of what stands for a leaf."""
        match type_:
            case ClosureType():
                return b.lambda_(type_.inputs, lambda *_: [self.zero(b, t) for t in type_.outputs])
            case InductiveType():
                space = self.types.inductive_space(type_)
                if space is not None:
                    return b.roll(b.alternative(b.tuple_([]), NOTHING, self.types.rolled_cell(space)), type_)
                return self._cell(b, self.types.copower_of(type_), NOTHING, b.tuple_([]))
            case _:
                return b.zeros(type_)

    def plus(self, b: ArrayBuilder, x: Element, y: Element) -> Element:
        """The sum of two elements; neither is changed."""
        return sum_of(x, y, lambda f, g: self.added(b, as_value(f), as_value(g)))

    def added(self, b: ArrayBuilder, x: Value, y: Value) -> Value:
        """The sum of two leaves."""
        if isinstance(x.type, ClosureType):

            def both(*point: Value) -> list[Value]:
                images = zip(b.apply(x, point), b.apply(y, point), strict=True)
                return [self.added(b, f, g) for f, g in images]

            return b.lambda_(signature_of(x).inputs, both)
        if isinstance(x.type, InductiveType):
            if self.types.inductive_space(x.type) is not None:
                return self.called_sum(b, x, y)
            return self._cell(b, self.types.copower_of(x.type), NODE, b.tuple_([x, y]))
        return b.add(x, y)

    def rolled(self, b: ArrayBuilder, space: linear.InductiveSpace, leaves: Sequence[Value]) -> Value:
        """The element of an inductive space that these leaves make."""
        name = self.types.of(space)
        assert isinstance(name, InductiveType)
        return b.roll(b.alternative(b.tuple_(leaves), ROLLED, self.types.rolled_cell(space)), name)

    def unrolled(self, b: ArrayBuilder, space: linear.InductiveSpace, element: Value) -> list[Value]:
        """The leaves that an element of an inductive space was made of."""
        types = self.types.held_leaves(space)

        def none(_: Value) -> list[Value]:
            return [self.zero(b, t) for t in types]

        def leaves(held: Value) -> list[Value]:
            return separated(b, held, len(types))

        return b.case(b.unroll(element, self.types.rolled_cell(space)), [none, leaves])

    def called_sum(self, b: ArrayBuilder, x: Value, y: Value) -> Value:
        """The sum of two values of an inductive type with an alternative for 0, by a function."""
        if _is_nothing(x) or _is_nothing(y):
            return y if _is_nothing(x) else x
        assert isinstance(x.type, InductiveType)
        return b.call(self._adding_function(x.type), [x, y], [x.type])[0]

    def held_sum(self, b: ArrayBuilder, type_: InductiveType, p: Value, q: Value) -> Value:
        """The sum of what two values that are not 0 hold."""
        count = len(self.types.held_leaves(cast(linear.InductiveSpace, self.types.inductive_space(type_))))
        pairs = zip(separated(b, p, count), separated(b, q, count), strict=True)
        return b.tuple_([self.added(b, u, v) for u, v in pairs])

    def _adding_function(self, type_: InductiveType) -> str:
        """The name of the function that adds two values of a type, which is made when it is first needed."""
        if type_ in self._adding:
            return self._adding[type_]
        name = self._adding[type_] = free_name(f"plus_{type_.type_name.data}", self._taken, "_")
        self._taken[name] = None
        cell = self.types.sum_cell(type_)

        def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
            def both(p: Value) -> list[Value]:
                def added(q: Value) -> list[Value]:
                    inside = self.held_sum(b, type_, p, q)
                    return [b.roll(b.alternative(inside, ROLLED, cell), type_)]

                return b.case(b.unroll(y, cell), [lambda _: [x], added])

            return b.case(b.unroll(x, cell), [lambda _: [y], both])

        self.functions.append(new_function(name, [type_, type_], body, "private", ["x", "y"]))
        return name

    def single(
        self, b: ArrayBuilder, copower: linear.CopowerType, point: Sequence[Value], leaves: Sequence[Value]
    ) -> Value:
        """The collection of one pair."""
        return self._cell(b, copower, PAIR, b.tuple_([*point, *leaves]))

    def folded(
        self, b: ArrayBuilder, copower: linear.CopowerType, collection: Value, target: Attribute, at: At
    ) -> list[Value]:
        """The leaves of the sum, in the space `target`, of what `at` makes of every pair."""
        cell, count = self.types.cell(copower), len(self.types.point(copower))
        parts_count = len(self.types.pair(copower))

        def with_pair(sums: Sequence[Value], pair: Value) -> list[Value]:
            parts = separated(b, pair, parts_count)
            images = at(parts[:count], parts[count:])
            return [self.added(b, *both) for both in zip(sums, images, strict=True)] if sums else images

        pairs, others = _known_cells(collection)
        total: list[Value] = []
        for pair in pairs:
            total = with_pair(total, pair)
        start = total or [self.zero(b, t) for t in self.types.leaves(target)]
        if not others:
            return start
        nothing = self.zero(b, collection.type)

        def node(left: Value, right: Value) -> Value:
            return self._cell(b, copower, NODE, b.tuple_([left, right]))

        # On the right of a node is nothing or another node, so that a pair is always on the left of one.
        def goes_on(current: Value, *sums: Value) -> Value:
            yes, no = (b.constant(flag, i1) for flag in (True, False))
            return b.case(b.unroll(current, cell), [lambda _: [no], lambda _: [no], lambda _: [yes]])[0]

        def step(current: Value, *sums: Value) -> list[Value]:
            def turned(both: Value) -> list[Value]:
                left, right = b.get(both, 0), b.get(both, 1)

                def added(pair: Value) -> list[Value]:
                    return [right, *(with_pair(sums, pair) if sums else [])]

                def deeper(inner: Value) -> list[Value]:
                    return [node(b.get(inner, 0), node(b.get(inner, 1), right)), *sums]

                return b.case(b.unroll(left, cell), [lambda _: [right, *sums], added, deeper])

            def done(_: Value) -> list[Value]:
                return [nothing, *sums]

            return b.case(b.unroll(current, cell), [done, done, turned])

        rest = nothing
        for other in reversed(others):
            rest = node(other, rest)
        return b.while_([rest, *start], goes_on, step)[1:]

    def _cell(self, b: ArrayBuilder, copower: linear.CopowerType, kind: int, value: Value) -> Value:
        name = self.types.of(copower)
        assert isinstance(name, InductiveType)
        return b.roll(b.alternative(value, kind, self.types.cell(copower)), name)


def _is_nothing(element: Value) -> bool:
    """Return whether an element of an inductive type is known to be its zero."""
    inside = element.owner.value.owner if isinstance(element.owner, RollOp) else None
    return isinstance(inside, InjectOp) and inside.index.value.data == NOTHING


def _known_cells(collection: Value) -> tuple[list[Value], list[Value]]:
    """The pairs of a collection that are known, and the collections that are not, if these are few."""
    pairs: list[Value] = []
    others: list[Value] = []
    pending = [collection]
    while pending:
        current = pending.pop()
        rolled = current.owner.value.owner if isinstance(current.owner, RollOp) else None
        if not isinstance(rolled, InjectOp):
            others.append(current)
        elif rolled.index.value.data == PAIR:
            pairs.append(rolled.value)
        elif rolled.index.value.data == NODE:
            assert isinstance(rolled.value.owner, TupleOp)
            pending += reversed(rolled.value.owner.components)
        if len(pairs) + len(others) > MOST_KNOWN:
            return [], [collection]
    return pairs, others


def joined_type(types: Sequence[Attribute]) -> Attribute:
    """The type of the tuple of values of some types; of one, that type."""
    return types[0] if len(types) == 1 else tuple_type(types)


def separated(b: ArrayBuilder, value: Value, count: int) -> list[Value]:
    """The components of the tuple of a given number of values."""
    return [value] if count == 1 else [b.get(value, k) for k in range(count)]


def _names_in(type_: Attribute) -> list[str]:
    """The names of inductive types in a type."""
    match type_:
        case InductiveType():
            return [type_.type_name.data]
        case ClosureType():
            return [name for t in (*type_.inputs, *type_.outputs) for name in _names_in(t)]
        case SumType() | TupleType():
            return [n for t in cast("Sequence[Attribute]", type_.types.data) for n in _names_in(t)]
        case _:
            return []
