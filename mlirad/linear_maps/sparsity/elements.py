"""Elements of spaces whose leaves are patterns: of each array, what its elements can depend on.

A pattern's shape begins with the batch axes of the place. A structural zero depends on nothing.
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Shape, components_of, shape_of
from mlirad.linear_maps.elements import ElementOf, filled, is_zero, sum_of, typed_leaves
from mlirad.linear_maps.sparsity.patterns import Block, Pattern, identity, moved, union
from mlirad.linear_maps.sparsity.relations import NO_INTS, Ints, Relation, relation

Patterns: TypeAlias = "ElementOf[Pattern]"
"""The patterns of an element of a space."""


def depends_on_nothing(x: Patterns) -> bool:
    """Return whether nothing in an element depends on anything."""
    return is_zero(x, lambda pattern: pattern.is_zero)


def plus(x: Patterns, y: Patterns) -> Patterns:
    """The patterns of a sum."""
    return sum_of(x, y, lambda p, q: union(p.shape, [p, q]))


def dimension(space: Attribute) -> int:
    """The number of coordinates of a space."""
    if isinstance(space, TupleType):
        return sum(dimension(part) for part in components_of(space))
    return prod(shape_of(space))


def coordinates(batch: Shape, space: Attribute, first: int = 0) -> Patterns:
    """The element of a space each of whose coordinates depends on itself; the same at all batch positions."""

    def make(part: Attribute) -> Pattern:
        nonlocal first
        own, rank = identity(shape_of(part), first), len(batch)
        first += dimension(part)
        return moved(own, (*batch, *own.shape), {d: d + rank for d in range(len(own.shape))})

    return filled(space, make)


def related(batch: Shape, x: Patterns, domain: Attribute, codomain: Attribute, pairs: Relation) -> Patterns:
    """The patterns of an element of `codomain` whose coordinates depend on those of x.

    The pairs are of a coordinate of the codomain and one of the domain, the same at all batch positions.
    """
    sources: list[tuple[Pattern, int, int]] = []
    first = 0
    for space, pattern in typed_leaves(x, domain):
        if pattern is not None and pattern.terms:
            sources.append((pattern, first, first + dimension(space)))
        first += dimension(space)
    first = 0

    def make(space: Attribute) -> Pattern | None:
        nonlocal first
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

    return filled(codomain, make)


def matrix(batch: Shape, x: Patterns, space: Attribute) -> Relation:
    """The pairs of a coordinate of the space and a column on which it depends at some batch position."""
    rows: list[Ints] = [NO_INTS]
    columns: list[Ints] = [NO_INTS]
    first, rank = 0, len(batch)
    for part, pattern in typed_leaves(x, space):
        if pattern is not None:
            shape = shape_of(part)
            own = moved(pattern, shape, {d + rank: d for d in range(len(shape))})
            for pairs in own.raw_pairs():
                rows.append(pairs.rows + first)
                columns.append(pairs.offsets)
        first += dimension(part)
    return relation(np.concatenate(rows), np.concatenate(columns))


def everything(batch: Shape, x: Patterns, domain: Attribute, codomain: Attribute) -> Patterns:
    """The element of `codomain` whose coordinates each depend on all of x, at each batch position."""
    kept = {d: d for d in range(len(batch))}
    sums = [moved(pattern, batch, kept) for _, pattern in typed_leaves(x, domain) if pattern is not None]
    total = union(batch, sums)
    return filled(codomain, lambda space: moved(total, (*batch, *shape_of(space)), kept))
