"""Elements of the spaces of linear maps, as compile-time structures over values, with structural zeros.

    element of f64, tensor<...>     a value
    element of tuple<S1, ..., Sn>   a list of elements
    element of a power              a Function: what it makes of a point is emitted where it is evaluated
    element of a copower            Pairs: what adds each pair to a sum is emitted where it is eliminated
    0 of any space                  None: no code, no memory, no addition

A list belongs to whoever made it: only an accumulator is changed in place, and only by its owner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.shapes import UNIT, Shape, Value, components_of
from mlirad.ir.arrays import ArrayBuilder

Element: TypeAlias = "Value | list[Element] | Function | Pairs | None"
"""An element of a space."""


@dataclass(frozen=True)
class Function:
    """An element of a power: a function of the components of a point, as code that is emitted on demand."""

    at: Callable[[Sequence[Value]], Element]


@dataclass(frozen=True)
class Pair:
    """A point and an element."""

    point: tuple[Value, ...]
    element: Element


@dataclass(frozen=True)
class Family:
    """The pairs that there are at each position of an index space, emitted on demand."""

    extents: Shape
    at: Callable[[Sequence[Value]], Pairs]


@dataclass(frozen=True)
class Pairs:
    """An element of a copower."""

    entries: tuple[Pair | Family, ...]


def part(element: Element, index: int) -> Element:
    """Component `index` of an element of a tuple space."""
    if element is None:
        return None
    assert isinstance(element, list)
    return element[index]


def parts(element: Element, number: int) -> list[Element]:
    """The components of an element of a tuple space."""
    if element is None:
        return [None] * number
    assert isinstance(element, list)
    return element


def components(element: Element, space: Attribute) -> list[Element]:
    """The components of an element of a product; of a product of one the element itself."""
    if not isinstance(space, TupleType):
        return [element]
    return parts(element, len(space.types.data))


def assembled(elements: list[Element], space: Attribute) -> Element:
    """The element of a product with these components."""
    return elements if isinstance(space, TupleType) else elements[0]


def as_value(element: Element) -> Value:
    """An element that is an array, as the value that it is."""
    assert element is not None and not isinstance(element, list | Function | Pairs)
    return element


def value_at(element: Element, point: Sequence[Value]) -> Element:
    """The value of an element of a power at a point."""
    if element is None:
        return None
    assert isinstance(element, Function)
    return element.at(point)


def as_pairs(element: Element) -> Pairs:
    """An element of a copower."""
    if element is None:
        return Pairs(())
    assert isinstance(element, Pairs)
    return element


def is_zero(element: Element) -> bool:
    """Whether every component is a structural zero."""
    if isinstance(element, list):
        return all(is_zero(e) for e in element)
    return element is None


def plus(b: ArrayBuilder, x: Element, y: Element) -> Element:
    """x + y; neither is changed."""
    if x is None:
        return y
    if y is None:
        return x
    if isinstance(x, list):
        assert isinstance(y, list)
        return [plus(b, p, q) for p, q in zip(x, y, strict=True)]
    if isinstance(x, Function):
        f, g = x, y
        assert isinstance(g, Function)
        return Function(lambda point: plus(b, f.at(point), g.at(point)))
    if isinstance(x, Pairs):
        assert isinstance(y, Pairs)
        return Pairs(x.entries + y.entries)
    return b.add(x, as_value(y))


def accumulated(b: ArrayBuilder, accumulator: Element, x: Element) -> Element:
    """The accumulator with x added, changed in place where it is a list; x is not changed."""
    if x is None:
        return accumulator
    if accumulator is None:
        return [accumulated(b, None, e) for e in x] if isinstance(x, list) else x
    if isinstance(accumulator, list):
        for k, e in enumerate(parts(x, len(accumulator))):
            if e is not None:
                accumulator[k] = accumulated(b, accumulator[k], e)
        return accumulator
    return plus(b, accumulator, x)


def value_of(b: ArrayBuilder, element: Element, space: Attribute) -> Value:
    """An element of a space that is not a tuple, zeros written out."""
    return b.zeros(space) if element is None else as_value(element)


def from_values(space: Attribute, values: Sequence[Value]) -> Element:
    """The element whose components that carry data are `values`."""
    if not isinstance(space, TupleType):
        return values[0]
    rest = iter(values)
    return [None if c == UNIT else next(rest) for c in components_of(space)]


def to_values(b: ArrayBuilder, element: Element, space: Attribute) -> list[Value]:
    """The components that carry data, zeros written out."""
    pairs = zip(components(element, space), components_of(space), strict=True)
    return [value_of(b, e, c) for e, c in pairs if c != UNIT]


def leaf_spaces(space: Attribute) -> list[Attribute]:
    """The array spaces that a space is made of, in order."""
    if isinstance(space, TupleType):
        return [leaf for part in space.types.data for leaf in leaf_spaces(part)]
    return [space]


def leaves(b: ArrayBuilder, element: Element, space: Attribute) -> list[Value]:
    """The arrays that an element is made of, in order, zeros written out."""
    if isinstance(space, TupleType):
        pairs = zip(parts(element, len(space.types.data)), space.types.data, strict=True)
        return [value for e, s in pairs for value in leaves(b, e, s)]
    return [value_of(b, element, space)]


def from_leaves(space: Attribute, values: Sequence[Value]) -> Element:
    """The element of a space that is made of these arrays."""
    rest = iter(values)

    def made(part: Attribute) -> Element:
        return [made(t) for t in part.types.data] if isinstance(part, TupleType) else next(rest)

    return made(space)
