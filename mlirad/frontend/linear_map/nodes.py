"""The nodes of map expressions, derivatives aside: maps of values, and maps of maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    ATOM,
    POSTFIX,
    PRODUCT,
    SUM,
    MapNode,
    Text,
    bound,
    leaf_maps,
    paired,
    selection,
)
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.maps import codomain_of, domain_of

# Leaves ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Identity(MapNode):
    """x to x."""

    space: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.identity_map(self.space)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return "I", ATOM


@dataclass(frozen=True)
class Zero(MapNode):
    """x to 0."""

    domain: Attribute
    codomain: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.zero_map(self.domain, self.codomain)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return "0", ATOM


@dataclass(frozen=True)
class Diagonal(MapNode):
    """Each leaf times an array of its type."""

    space: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = leaf_maps(b, b.identity_map(self.space))
        scaled = [b.compose(b.scale_map(a.type, a), m) for a, m in zip(arrays, leaves, strict=True)]
        return paired(b, self.space, scaled)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return "diagonal", ATOM


@dataclass(frozen=True)
class Matrix(MapNode):
    """A matrix times a vector."""

    domain: Attribute
    codomain: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        groups = {"lhs_batch": (), "rhs_batch": (), "lhs_contract": (1,), "rhs_contract": (0,)}
        properties = {name: ints(dims) for name, dims in groups.items()}
        return b.map_of(linear.DotRightOp, self.domain, self.codomain, arrays, properties)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return "matrix", ATOM


# Maps of maps ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compose(MapNode):
    """x to outer(inner(x))."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.compose(maps[0], maps[1])

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        outer, inner = bound(maps[0], PRODUCT), bound(maps[1], POSTFIX)
        return f"{outer} @ {inner}", PRODUCT


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

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.transpose_map(maps[0])

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"{bound(maps[0], POSTFIX)}.T", POSTFIX


@dataclass(frozen=True)
class Negate(MapNode):
    """x to -f(x)."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = leaf_maps(b, maps[0])
        scaled = [b.compose(b.scale_by(codomain_of(m), -1.0), m) for m in leaves]
        return paired(b, domain_of(maps[0]), scaled)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"-{bound(maps[0], PRODUCT)}", PRODUCT


@dataclass(frozen=True)
class Scale(MapNode):
    """x to s f(x), for a scalar s."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        scaled: list[Value] = []
        for m in leaf_maps(b, maps[0]):
            space = codomain_of(m)
            scaled.append(b.compose(b.scale_map(space, b.convert(arrays[0], element_of(space))), m))
        return paired(b, domain_of(maps[0]), scaled)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"{arrays[0]} * {bound(maps[0], PRODUCT)}", PRODUCT


@dataclass(frozen=True)
class Pair(MapNode):
    """x to (f1(x), ..., fn(x))."""

    domain: Attribute
    name: str = "vstack"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return paired(b, self.domain, [leaf for m in maps for leaf in leaf_maps(b, m)])

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"{self.name}({', '.join(text for text, _ in maps)})", ATOM


@dataclass(frozen=True)
class Stack(MapNode):
    """x to f1(x), ..., fn(x), leaf by leaf along a new first dimension."""

    domain: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        stacked: list[Value] = []
        for leaves in zip(*(leaf_maps(b, m) for m in maps), strict=True):
            leaf = codomain_of(leaves[0])
            space = linear.tuple_type([leaf] * len(leaves))
            whole = array_type((len(leaves), *shape_of(leaf)), element_of(leaf))
            stack = b.map_of(linear.StackOp, space, whole, (), {"dim": integer(0)})
            stacked.append(b.compose(stack, b.vcat(self.domain, leaves)))
        return paired(b, self.domain, stacked)

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"stack({', '.join(text for text, _ in maps)})", ATOM


@dataclass(frozen=True)
class Join(MapNode):
    """(x1, ..., xn) to f1(x1) + ... + fn(xn)."""

    codomain: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = [leaf for m in maps for leaf in components_of(domain_of(m))]
        space = product_type(leaves)
        total: Value | None = None
        first = 0
        for m in maps:
            count = len(components_of(domain_of(m)))
            term = b.compose(m, selection(b, space, range(first, first + count)))
            total = term if total is None else b.add_maps(total, term)
            first += count
        return b.zero_map(space, self.codomain) if total is None else total

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"hstack({', '.join(text for text, _ in maps)})", ATOM


@dataclass(frozen=True)
class Restrict(MapNode):
    """f on the vectors whose only leaves that are not zero are these."""

    domain: Attribute
    places: tuple[int, ...]
    shown: str

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        parts = components_of(self.domain)
        space = product_type([parts[k] for k in self.places])
        chosen = leaf_maps(b, b.identity_map(space))
        whole = [
            chosen[self.places.index(k)] if k in self.places else b.zero_map(space, part)
            for k, part in enumerate(parts)
        ]
        return b.compose(maps[0], paired(b, space, whole))

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"{bound(maps[0], POSTFIX)}.restrict({self.shown})", POSTFIX


@dataclass(frozen=True)
class Select(MapNode):
    """Some leaves of f(x)."""

    places: tuple[int, ...]
    shown: str

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.compose(selection(b, codomain_of(maps[0]), self.places), maps[0])

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        return f"{bound(maps[0], POSTFIX)}[{self.shown}]", POSTFIX
