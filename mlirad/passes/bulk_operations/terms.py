"""Terms: values inside builds, known for all positions of the builds at once.

A *batch axis* is one index of a build (or of an index region) around the place where a value is computed. A
term is such a value with the batch axes it depends on, and stands for its *bulk value*, an array whose
leading dimensions are those axes, outermost first. A *member* of the batch is one position along all of them:

    value of shape s that depends on batch axes i < n, j < m      bulk value of shape [n, m, *s]
    value that depends on no batch axis                            itself

A value that does not depend on a batch axis is thus computed once for all of it, and broadcast only where it
meets one that does.

Small integer and boolean code on scalars (positions, guards) keeps a *recipe* as well, by which it can be
written out inside an index region, one position at a time. Its bulk value is made only if something
asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import LocationAttr, i64
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Shape, Value
from mlirad.lazy_dataclass import dataclass

RECIPE_LIMIT = 16
"""The most ops that a recipe writes out; longer code is read from its bulk value. Bounds what is repeated."""


@dataclass(frozen=True, eq=False, slots=True)
class BatchAxis:
    """An index in 0 .. extent - 1; batch axes opened later, further inside, have higher numbers."""

    number: int
    extent: int
    hint: str | None = None


BatchAxes: TypeAlias = tuple[BatchAxis, ...]
"""Distinct batch axes by ascending number."""


@dataclass(frozen=True, eq=False, slots=True)
class Position:
    """Recipe: the index of a batch axis."""

    axis: BatchAxis


@dataclass(frozen=True, eq=False, slots=True)
class Computed:
    """Recipe: elementwise code. `make` works on scalars and on arrays of one shape alike."""

    make: Callable[..., Value]
    operands: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Read:
    """Recipe: the element of an array at a position for every dimension."""

    array: Value
    positions: tuple[Term, ...]


Recipe: TypeAlias = Position | Computed | Read


@dataclass(eq=False, slots=True)
class Term:
    """A value of type `element` and `shape` at every position of `axes`.

    `value` is the bulk value once it is made; a term without batch axes or without a recipe always has one.
    `size` counts the ops of the recipe. The location and the name are for ops that are made later, in the
    scope of the builder, counted from the outermost, where the term was found: inside loops and branches a
    term of the code around them is not made again.
    """

    axes: BatchAxes
    shape: Shape
    element: Attribute
    value: Value | None
    recipe: Recipe | None = None
    size: int = 1
    location: LocationAttr | None = None
    hint: str | None = None
    scope: int = 1


Slots: TypeAlias = tuple[Term | None, ...]
"""The reading of an array: by dimension the position, an i64 scalar, or `None` where it is left whole."""


def position(axis: BatchAxis) -> Term:
    """The index of a batch axis as a term."""
    return Term((axis,), (), i64, None, Position(axis), 0, None, axis.hint)


def union(terms: Sequence[Term | None]) -> BatchAxes:
    """The batch axes that any of the terms depends on."""
    return joined(term.axes for term in terms if term is not None)


def joined(groups: Iterable[BatchAxes]) -> BatchAxes:
    """The batch axes that are in any of the groups."""
    found: BatchAxes = ()
    for axes in groups:
        if not axes or axes == found:
            continue
        if not found:
            found = axes
        elif any(axis not in found for axis in axes):
            found = tuple(sorted({*found, *axes}, key=lambda axis: axis.number))
    return found


def extents(axes: BatchAxes) -> Shape:
    """The extents of batch axes."""
    return tuple(axis.extent for axis in axes)
