"""The nodes of map expressions, derivatives aside: maps of values, and maps of maps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import (
    Value,
    array_type,
    components_of,
    element_of,
    integer,
    ints,
    product_type,
    shape_of,
)
from mlirad.frontend.linear_map.expressions import (
    POSTFIX,
    PRODUCT,
    SUM,
    ExpressionStep,
    MapExpression,
    MapNode,
    Text,
    leaf_maps,
    paired,
    selection,
)
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass

# Leaves ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Identity(MapNode):
    """x to x."""

    space: Attribute
    form = "I"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.identity_map(self.space)


@dataclass(frozen=True)
class Zero(MapNode):
    """x to 0."""

    domain: Attribute
    codomain: Attribute
    form = "0"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.zero_map(self.domain, self.codomain)


@dataclass(frozen=True)
class Diagonal(MapNode):
    """Each leaf times an array of its type."""

    space: Attribute
    form = "diagonal"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = leaf_maps(b, b.identity_map(self.space))
        scaled = [b.compose(b.scale_map(a.type, a), m) for a, m in zip(arrays, leaves, strict=True)]
        return paired(b, self.space, scaled)


@dataclass(frozen=True)
class Matrix(MapNode):
    """A matrix times a vector."""

    domain: Attribute
    codomain: Attribute
    form = "matrix"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        groups = {"lhs_batch": (), "rhs_batch": (), "lhs_contract": (1,), "rhs_contract": (0,)}
        properties = {name: ints(dims) for name, dims in groups.items()}
        return b.map_of(linear.DotRightOp, self.domain, self.codomain, arrays, properties)


# Maps of maps ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compose(MapNode):
    """x to outer(inner(x))."""

    form, levels = "{} @ {}", (PRODUCT, PRODUCT, POSTFIX)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.compose(maps[0], maps[1])


@dataclass(frozen=True)
class Add(MapNode):
    """x to f(x) + g(x)."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.add_maps(maps[0], maps[1])

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        left, right = maps[0][0], maps[1][0]
        return f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}", SUM


@dataclass(frozen=True)
class Transpose(MapNode):
    """The transposed map."""

    form, levels = "{}.T", (POSTFIX, POSTFIX)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.transpose_map(maps[0])


@dataclass(frozen=True)
class Negate(MapNode):
    """x to -f(x)."""

    form, levels = "-{}", (PRODUCT, PRODUCT)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = leaf_maps(b, maps[0])
        scaled = [b.compose(b.scale_by(codomain_of(m), -1.0), m) for m in leaves]
        return paired(b, domain_of(maps[0]), scaled)


@dataclass(frozen=True)
class Scale(MapNode):
    """x to s f(x), for a scalar s."""

    form, levels = "{1} * {0}", (PRODUCT, PRODUCT)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        scaled: list[Value] = []
        for m in leaf_maps(b, maps[0]):
            space = codomain_of(m)
            scaled.append(b.compose(b.scale_map(space, b.convert(arrays[0], element_of(space))), m))
        return paired(b, domain_of(maps[0]), scaled)


@dataclass(frozen=True)
class Pair(MapNode):
    """x to (f1(x), ..., fn(x))."""

    domain: Attribute
    form = "vstack({every})"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return paired(b, self.domain, [leaf for m in maps for leaf in leaf_maps(b, m)])


@dataclass(frozen=True)
class Stack(MapNode):
    """x to f1(x), ..., fn(x), leaf by leaf along a new first dimension."""

    domain: Attribute
    form = "stack({every})"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        stacked: list[Value] = []
        for leaves in zip(*(leaf_maps(b, m) for m in maps), strict=True):
            leaf = codomain_of(leaves[0])
            space = linear.tuple_type([leaf] * len(leaves))
            whole = array_type((len(leaves), *shape_of(leaf)), element_of(leaf))
            stack = b.map_of(linear.StackOp, space, whole, (), {"dim": integer(0)})
            stacked.append(b.compose(stack, b.vcat(self.domain, leaves)))
        return paired(b, self.domain, stacked)


@dataclass(frozen=True)
class Join(MapNode):
    """(x1, ..., xn) to f1(x1) + ... + fn(xn)."""

    form = "hstack({every})"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = [leaf for m in maps for leaf in components_of(domain_of(m))]
        space = product_type(leaves)
        terms: list[Value] = []
        first = 0
        for m in maps:
            count = len(components_of(domain_of(m)))
            terms.append(b.compose(m, selection(b, space, range(first, first + count))))
            first += count
        return reduce(b.add_maps, terms)


@dataclass(frozen=True)
class Restrict(MapNode):
    """f on the vectors whose only leaves that are not zero are these."""

    domain: Attribute
    places: tuple[int, ...]
    shown: str
    form, levels = "{0}.restrict({self.shown})", (POSTFIX, POSTFIX)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        parts = components_of(self.domain)
        space = product_type([parts[k] for k in self.places])
        chosen = leaf_maps(b, b.identity_map(space))
        whole = [
            chosen[self.places.index(k)] if k in self.places else b.zero_map(space, part)
            for k, part in enumerate(parts)
        ]
        return b.compose(maps[0], paired(b, space, whole))


@dataclass(frozen=True)
class Select(MapNode):
    """Some leaves of f(x)."""

    places: tuple[int, ...]
    shown: str
    form, levels = "{0}[{self.shown}]", (POSTFIX, POSTFIX)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.compose(selection(b, codomain_of(maps[0]), self.places), maps[0])


def transposed(expression: MapExpression) -> MapExpression:
    """The transposed map."""
    steps = expression.steps
    if isinstance(steps[-1].node, Transpose):
        steps = steps[: steps[-1].maps[0] + 1]
    else:
        steps = (*steps, ExpressionStep(Transpose(), (len(steps) - 1,)))
    return MapExpression(expression.codomain, expression.domain, steps)
