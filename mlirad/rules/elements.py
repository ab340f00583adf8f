"""Elements of the spaces of linear maps, as compile-time structures over values, with structural zeros.

    element of f64, tensor<...>     a value
    element of tuple<S1, ..., Sn>   a list of elements
    0 of any space                  None: no code, no memory, no addition

A list belongs to whoever made it: only an accumulator is changed in place, and only by its owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.shapes import UNIT, Value, components_of
from mlirad.ir.arrays import ArrayBuilder

Element: TypeAlias = "Value | list[Element] | None"
"""An element of a space."""


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
    assert not isinstance(y, list)
    return b.add(x, y)


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
    assert not isinstance(element, list)
    return b.zeros(space) if element is None else element


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
