"""Elements of the spaces that linear maps go between.

Of a tuple space a Python tuple, of a power a `Function`, of a copower `Pairs`, of an inductive space
`Rolled`, of others an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.linear import CopowerType, ElementSpace, InductiveSpace, PowerType
from mlirad.dialects.shapes import shape_of, size_of
from mlirad.interpreter.arrays import Array
from mlirad.lazy_dataclass import dataclass

Element: TypeAlias = Any
"""An element of a space: an array, a tuple of elements, a `Function`, `Pairs` or `Rolled`."""


@dataclass(frozen=True)
class Function:
    """An element of a power: a function of the components of a point."""

    at: Callable[..., Element]


@dataclass(frozen=True)
class Pairs:
    """An element of a copower: pairs of the components of a point and an element."""

    pairs: tuple[tuple[tuple[Any, ...], Element], ...] = ()


@dataclass(frozen=True)
class Rolled:
    """An element of an inductive space: its leaves, or None for 0."""

    leaves: tuple[Element, ...] | None


def dimension(space: Attribute) -> int:
    """The number of coordinates of a space; those whose elements are not arrays have none."""
    if isinstance(space, ElementSpace):
        return 0
    if isinstance(space, TupleType):
        return sum(dimension(part) for part in space.types.data)
    return size_of(space)


def zeros(space: Attribute) -> Element:
    """The zero of a space."""
    match space:
        case TupleType():
            return tuple(zeros(part) for part in space.types.data)
        case PowerType():
            return Function(lambda *_: zeros(space.space))
        case CopowerType():
            return Pairs()
        case InductiveSpace():
            return Rolled(None)
        case _:
            return _array_zeros(space)


def _array_zeros(space: Attribute) -> Array:
    return from_coordinates(space, np.zeros(dimension(space)))


def plus(x: Element, y: Element) -> Element:
    """The sum of two elements of one space."""
    if isinstance(x, tuple):
        return tuple(plus(a, b) for a, b in zip(cast(Any, x), y, strict=True))
    if isinstance(x, Function):
        return Function(lambda *point: plus(x.at(*point), y.at(*point)))
    if isinstance(x, Pairs):
        return Pairs(x.pairs + y.pairs)
    if isinstance(x, Rolled):
        return y if x.leaves is None else x if y.leaves is None else Rolled(plus(x.leaves, y.leaves))
    return np.add(x, y)


def coordinates(x: Element) -> Array:
    """All numbers of an element, in order."""
    if isinstance(x, tuple):
        parts = [coordinates(part) for part in cast("tuple[Any, ...]", x)]
        return np.concatenate([np.zeros(0), *parts])
    return np.asarray(x).ravel()


def from_coordinates(space: Attribute, numbers: Array) -> Element:
    """The element of a space with the given coordinates, converted to the element types of the space."""
    return _converted(space, in_shape_of(space, numbers))


def in_shape_of(space: Attribute, numbers: Array) -> Element:
    """The numbers, unconverted, arranged as an element of a space."""
    if isinstance(space, TupleType):
        cuts = np.cumsum([dimension(part) for part in space.types.data])[:-1]
        pieces = np.split(numbers, cuts) if space.types.data else []
        return tuple(in_shape_of(s, n) for s, n in zip(space.types.data, pieces, strict=True))
    return numbers.reshape(shape_of(space))


def _converted(space: Attribute, x: Element) -> Element:
    if isinstance(space, TupleType):
        return tuple(_converted(s, part) for s, part in zip(space.types.data, x, strict=True))
    return x.astype(numpy_dtype(space))


def stacked(space: Attribute, extents: Sequence[int], elements: Sequence[Element]) -> Element:
    """The elements of a space at all positions, in row-major order, as arrays with these leading extents."""
    if isinstance(space, TupleType):
        parts = space.types.data
        return tuple(stacked(s, extents, [e[k] for e in elements]) for k, s in enumerate(parts))
    whole = np.asarray(elements, numpy_dtype(space))
    return whole.reshape((*extents, *shape_of(space)))


def parts_of(x: Element) -> tuple[Array, ...]:
    """The components of an element: of a tuple its members, of anything else itself alone."""
    return cast("tuple[Array, ...]", x) if isinstance(x, tuple) else (x,)


def product_of(space: Attribute, parts: Sequence[Element]) -> Element:
    """The element of a space with the given components."""
    return tuple(parts) if isinstance(space, TupleType) else parts[0]
