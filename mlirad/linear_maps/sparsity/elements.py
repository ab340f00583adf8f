"""Elements of spaces, as the patterns of their arrays.

element of f64, tensor<...>     a pattern, whose shape begins with the batch axes of the place
element of tuple<S1, ..., Sn>   a list of elements
0 of any space                  None
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Shape, components_of, shape_of
from mlirad.linear_maps.sparsity.patterns import Block, Pattern, identity, moved, union
from mlirad.linear_maps.sparsity.relations import NO_INTS, Ints, Relation, relation

Element: TypeAlias = "Pattern | list[Element] | None"
"""The patterns of an element of a space."""


def parts_of(x: Element, count: int) -> list[Element]:
    """The components of an element of a tuple."""
    if x is None:
        return [None] * count
    assert isinstance(x, list)
    return x


def factors_of(x: Element, space: Attribute) -> list[Element]:
    """The components of an element of a product; of a product of one the element itself."""
    return parts_of(x, len(components_of(space))) if isinstance(space, TupleType) else [x]


def assembled(parts: list[Element], space: Attribute) -> Element:
    """The element of a product with these components."""
    return parts if isinstance(space, TupleType) else parts[0]


def is_zero(x: Element) -> bool:
    """Whether nothing in an element depends on anything."""
    if isinstance(x, list):
        return all(is_zero(part) for part in x)
    return x is None or x.is_zero


def plus(x: Element, y: Element) -> Element:
    """The patterns of a sum."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, list):
        assert isinstance(y, list)
        return [plus(p, q) for p, q in zip(x, y, strict=True)]
    assert not isinstance(y, list)
    return union(x.shape, [x, y])


def dimension(space: Attribute) -> int:
    """The number of coordinates of a space."""
    if isinstance(space, TupleType):
        return sum(dimension(part) for part in components_of(space))
    return prod(shape_of(space))


def coordinates(batch: Shape, space: Attribute, first: int = 0) -> Element:
    """The element of a space each of whose coordinates depends on itself; the same at all batch positions."""
    if isinstance(space, TupleType):
        parts: list[Element] = []
        for part in components_of(space):
            parts.append(coordinates(batch, part, first))
            first += dimension(part)
        return parts
    shape, rank = shape_of(space), len(batch)
    own = identity(shape, first)
    return moved(own, (*batch, *shape), {d: d + rank for d in range(len(shape))})


def leaves(x: Element, space: Attribute) -> list[tuple[Attribute, Pattern | None]]:
    """The arrays of a space with the patterns of their elements, in order."""
    if isinstance(space, TupleType):
        spaces = components_of(space)
        return [leaf for p, s in zip(parts_of(x, len(spaces)), spaces, strict=True) for leaf in leaves(p, s)]
    assert not isinstance(x, list)
    return [(space, x)]


def related(batch: Shape, x: Element, domain: Attribute, codomain: Attribute, pairs: Relation) -> Element:
    """The patterns of an element of `codomain`, coordinates of which depend on those of x.

    The pairs are of a coordinate of the codomain and one of the domain, the same at all batch positions.
    """
    sources: list[tuple[Pattern, int, int]] = []
    first = 0
    for space, pattern in leaves(x, domain):
        if pattern is not None and pattern.terms:
            sources.append((pattern, first, first + dimension(space)))
        first += dimension(space)
    first = 0

    def make(space: Attribute) -> Element:
        nonlocal first
        if isinstance(space, TupleType):
            return [make(part) for part in components_of(space)]
        shape, rank, low = shape_of(space), len(batch), first
        first += dimension(space)
        begin, end = np.searchsorted(pairs.rows, [low, first])
        rows, columns = pairs.rows[begin:end] - low, pairs.offsets[begin:end]
        found: list[Pattern] = []
        for pattern, lower, upper in sources:
            inside = (columns >= lower) & (columns < upper)
            if not inside.any():
                continue
            old_axes = tuple(range(rank, len(pattern.shape)))
            new_axes = tuple(range(rank, rank + len(shape)))
            block = Block(old_axes, new_axes, columns[inside] - lower, rows[inside])
            found.append(moved(pattern, (*batch, *shape), {d: d for d in range(rank)}, [block]))
        return union((*batch, *shape), found) if found else None

    return make(codomain)


def matrix(batch: Shape, x: Element, space: Attribute) -> Relation:
    """The pairs of a coordinate of the space and a column on which it depends at some batch position."""
    rows: list[Ints] = [NO_INTS]
    columns: list[Ints] = [NO_INTS]
    first, rank = 0, len(batch)
    for part, pattern in leaves(x, space):
        if pattern is not None:
            shape = shape_of(part)
            own = moved(pattern, shape, {d + rank: d for d in range(len(shape))})
            for pairs in own.raw_pairs():
                rows.append(pairs.rows + first)
                columns.append(pairs.offsets)
        first += dimension(part)
    return relation(np.concatenate(rows), np.concatenate(columns))


def everything(batch: Shape, x: Element, domain: Attribute, codomain: Attribute) -> Element:
    """The element of `codomain` each coordinate of which depends on all of x, at each batch position."""
    sums = [
        moved(pattern, batch, {d: d for d in range(len(batch))})
        for _, pattern in leaves(x, domain)
        if pattern is not None
    ]
    total = union(batch, sums)

    def make(space: Attribute) -> Element:
        if isinstance(space, TupleType):
            return [make(part) for part in components_of(space)]
        return moved(total, (*batch, *shape_of(space)), {d: d for d in range(len(batch))})

    return make(codomain)
