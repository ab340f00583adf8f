"""Expressions of linear maps over arrays: what a `LinearMap` is, apart from its arrays.

    (J.T @ D @ J)      nodes   0  D(f) of arrays 0, 1       1  transpose of 0      2  diagonal of array 2
                               3  compose 1, 2              4  compose 3, 0

A `Structure` is a list of nodes, each made of arrays and of nodes before it, the last of which is the map. It
is hashable and holds no array, so that programs are kept by it and serve all points. Emitted by the folding
constructors of the `linear` dialect, equal parts become one value.

In the program the leaves of a space are components of one flat tuple, however they are nested in Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import UNIT, Value, components_of, element_of, ints, product_type
from mlirad.frontend.spaces import Space
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import function_block
from mlirad.ir.maps import codomain_of, domain_of

if TYPE_CHECKING:
    from mlirad.frontend.derivatives import Linearization
    from mlirad.frontend.linearization import Linearized

Text: TypeAlias = tuple[str, int]
"""An expression as text, and how tightly its outermost operator binds."""

SUM, PRODUCT, POSTFIX, ATOM = range(4)


class Kind(ABC):
    """What a node is: a map made of other maps and of arrays."""

    @abstractmethod
    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        """The map in the program."""

    @abstractmethod
    def text(self, maps: Sequence[Text]) -> Text:
        """The map as one would write it in Python."""


@dataclass(frozen=True)
class Node:
    """A kind, and the numbers of the nodes and arrays it is made of."""

    kind: Kind
    maps: tuple[int, ...] = ()
    arrays: tuple[int, ...] = ()


@dataclass(frozen=True)
class Structure:
    """An expression between two spaces."""

    domain: Space
    codomain: Space
    nodes: tuple[Node, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.domain, self.codomain, self.nodes))

    def __hash__(self) -> int:
        return self._hash

    @property
    def programs(self) -> tuple[Linearized, ...]:
        """The linearised functions whose maps it is made of."""
        return tuple(n.kind.program for n in self.nodes if isinstance(n.kind, Derivative))

    @property
    def is_traced(self) -> bool:
        """Whether it is made of derivatives that only the trace around it knows."""
        return any(isinstance(node.kind, TracedDerivative) for node in self.nodes)

    def emit(self, b: ArrayBuilder, arrays: Sequence[Value]) -> Value:
        """The map in the program, of its arrays there."""
        made: list[Value] = []
        for node in self.nodes:
            made.append(node.kind.emit(b, [made[k] for k in node.maps], [arrays[k] for k in node.arrays]))
        return made[-1]

    def __str__(self) -> str:
        shown: list[Text] = []
        for node in self.nodes:
            text, level = node.kind.text([shown[k] for k in node.maps])
            shown.append((text if len(text) <= MAX_TEXT else "...", level))
        return shown[-1][0]


MAX_TEXT = 160
"""Length beyond which a part of an expression is printed as dots."""


# Leaves ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Derivative(Kind):
    """The derivative of a compiled function, made of its residuals."""

    program: Linearized

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        location, hint = b.location, b.name_hint
        made = b.inline_block(function_block(self.program.split.map), arrays, {})
        b.location, b.name_hint = location, hint
        return made[0]

    def text(self, maps: Sequence[Text]) -> Text:
        return f"D({self.program.name})", ATOM


@dataclass(frozen=True)
class TracedDerivative(Kind):
    """The derivative of a function of the module being traced, made of the operands it is linearised at."""

    name: str
    at: Linearization = field(compare=False)

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        whole = self.at.map(arrays)
        codomain = codomain_of(whole)
        carried = [k for k, part in enumerate(components_of(codomain)) if part != UNIT]
        if len(carried) == len(components_of(codomain)):
            return whole
        return paired(b, domain_of(whole), [b.compose(b.project(codomain, k), whole) for k in carried])

    def text(self, maps: Sequence[Text]) -> Text:
        return f"D({self.name})", ATOM


@dataclass(frozen=True)
class Identity(Kind):
    """x to x."""

    space: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.identity_map(self.space)

    def text(self, maps: Sequence[Text]) -> Text:
        return "I", ATOM


@dataclass(frozen=True)
class Zero(Kind):
    """x to 0."""

    domain: Attribute
    codomain: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.zero_map(self.domain, self.codomain)

    def text(self, maps: Sequence[Text]) -> Text:
        return "0", ATOM


@dataclass(frozen=True)
class Diagonal(Kind):
    """Each leaf times an array of its type."""

    space: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = leaf_maps(b, b.identity_map(self.space))
        scaled = [b.compose(b.scale_map(a.type, a), m) for a, m in zip(arrays, leaves, strict=True)]
        return paired(b, self.space, scaled)

    def text(self, maps: Sequence[Text]) -> Text:
        return "diagonal", ATOM


@dataclass(frozen=True)
class Matrix(Kind):
    """A matrix times a vector."""

    domain: Attribute
    codomain: Attribute

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        groups = {"lhs_batch": (), "rhs_batch": (), "lhs_contract": (1,), "rhs_contract": (0,)}
        properties = {name: ints(dims) for name, dims in groups.items()}
        return b.map_of(linear.DotRightOp, self.domain, self.codomain, arrays, properties)

    def text(self, maps: Sequence[Text]) -> Text:
        return "matrix", ATOM


# Maps of maps ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compose(Kind):
    """x to outer(inner(x))."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.compose(maps[0], maps[1])

    def text(self, maps: Sequence[Text]) -> Text:
        outer, inner = (bound(m, PRODUCT) for m in maps)
        return f"{outer} @ {inner}", PRODUCT


@dataclass(frozen=True)
class Add(Kind):
    """x to f(x) + g(x)."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.add_maps(maps[0], maps[1])

    def text(self, maps: Sequence[Text]) -> Text:
        left, right = maps[0][0], maps[1][0]
        return f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}", SUM


@dataclass(frozen=True)
class Transpose(Kind):
    """The transposed map."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.transpose_map(maps[0])

    def text(self, maps: Sequence[Text]) -> Text:
        return f"{bound(maps[0], POSTFIX)}.T", POSTFIX


@dataclass(frozen=True)
class Negate(Kind):
    """x to -f(x)."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        leaves = leaf_maps(b, maps[0])
        scaled = [b.compose(b.scale_by(codomain_of(m), -1.0), m) for m in leaves]
        return paired(b, domain_of(maps[0]), scaled)

    def text(self, maps: Sequence[Text]) -> Text:
        return f"-{bound(maps[0], PRODUCT)}", PRODUCT


@dataclass(frozen=True)
class Scale(Kind):
    """x to s f(x), for a scalar s."""

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        scaled: list[Value] = []
        for m in leaf_maps(b, maps[0]):
            space = codomain_of(m)
            scaled.append(b.compose(b.scale_map(space, b.convert(arrays[0], element_of(space))), m))
        return paired(b, domain_of(maps[0]), scaled)

    def text(self, maps: Sequence[Text]) -> Text:
        return f"s * {bound(maps[0], PRODUCT)}", PRODUCT


@dataclass(frozen=True)
class Pair(Kind):
    """x to (f1(x), ..., fn(x))."""

    domain: Attribute
    name: str = "vstack"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return paired(b, self.domain, [leaf for m in maps for leaf in leaf_maps(b, m)])

    def text(self, maps: Sequence[Text]) -> Text:
        return f"{self.name}({', '.join(text for text, _ in maps)})", ATOM


@dataclass(frozen=True)
class Join(Kind):
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

    def text(self, maps: Sequence[Text]) -> Text:
        return f"hstack({', '.join(text for text, _ in maps)})", ATOM


@dataclass(frozen=True)
class Restrict(Kind):
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

    def text(self, maps: Sequence[Text]) -> Text:
        return f"{bound(maps[0], POSTFIX)}.restrict({self.shown})", POSTFIX


@dataclass(frozen=True)
class Select(Kind):
    """Some leaves of f(x)."""

    places: tuple[int, ...]
    shown: str

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        return b.compose(selection(b, codomain_of(maps[0]), self.places), maps[0])

    def text(self, maps: Sequence[Text]) -> Text:
        return f"{bound(maps[0], POSTFIX)}[{self.shown}]", POSTFIX


def bound(text: Text, level: int) -> str:
    """Text in parentheses if it binds less tightly than what it stands in."""
    return text[0] if text[1] >= level else f"({text[0]})"


# Parts of flat spaces ----------------------------------------------------------------------------


def leaf_maps(b: ArrayBuilder, m: Value) -> list[Value]:
    """The maps to the leaves of the codomain."""
    codomain = codomain_of(m)
    if not isinstance(codomain, TupleType):
        return [m]
    return [b.compose(b.project(codomain, k), m) for k in range(len(components_of(codomain)))]


def paired(b: ArrayBuilder, domain: Attribute, leaves: Sequence[Value]) -> Value:
    """The map to the product of the leaves' codomains."""
    return leaves[0] if len(leaves) == 1 else b.vcat(domain, leaves)


def selection(b: ArrayBuilder, space: Attribute, places: Sequence[int]) -> Value:
    """The map from a space to some of its leaves."""
    leaves = leaf_maps(b, b.identity_map(space))
    return paired(b, space, [leaves[k] for k in places])
