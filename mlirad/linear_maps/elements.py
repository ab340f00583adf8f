"""Elements of the spaces of linear maps, with structural zeros, over leaves of any type.

    element of f64, tensor<...>     a leaf: a value where code is emitted, a pattern where sparsity is found
    element of tuple<S1, ..., Sn>   a list of elements
    element of a power              a Function: what it makes of a point is emitted where it is evaluated
    element of a copower            Pairs: what adds each pair to a sum is emitted where it is eliminated
    0 of any space                  None: no code, no memory, no addition

A list belongs to whoever made it: only an accumulator is changed in place, and only by its owner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Shape, Value, components_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")

ElementOf: TypeAlias = "T | list[ElementOf[T]] | None"
"""An element of a space, whose leaves are of type T."""

Leaf: TypeAlias = "Value | Function | Pairs"
"""An element of a space other than a tuple while code is emitted."""

Element: TypeAlias = "ElementOf[Leaf]"
"""An element of a space while code is emitted."""

Elements: TypeAlias = "list[Element]"
"""The components of an element; of a space that is not a tuple, the element alone."""


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


# Elements over any leaves ----------------------------------------------------------------------------


def part(element: ElementOf[T], index: int) -> ElementOf[T]:
    """Component `index` of an element of a tuple space."""
    if element is None:
        return None
    assert isinstance(element, list)
    return cast("list[ElementOf[T]]", element)[index]


def parts(element: ElementOf[T], number: int) -> list[ElementOf[T]]:
    """The components of an element of a tuple space."""
    if element is None:
        return [None] * number
    assert isinstance(element, list)
    return cast("list[ElementOf[T]]", element)


def components(element: ElementOf[T], space: Attribute) -> list[ElementOf[T]]:
    """The components of an element of a product; of a product of one the element itself."""
    return parts(element, len(space.types.data)) if isinstance(space, TupleType) else [element]


def assembled(elements: list[ElementOf[T]], space: Attribute) -> ElementOf[T]:
    """The element of a product with these components."""
    return elements if isinstance(space, TupleType) else elements[0]


def injected(element: ElementOf[T], space: Attribute, index: int) -> ElementOf[T]:
    """The element of a tuple space that is zero except for component `index`."""
    elements: list[ElementOf[T]] = [None] * len(components_of(space))
    elements[index] = element
    return elements


def is_zero(element: ElementOf[T], is_zero_leaf: Callable[[T], bool] | None = None) -> bool:
    """Return whether every component is a structural zero, or a leaf that is as good as one."""
    if isinstance(element, list):
        return all(is_zero(e, is_zero_leaf) for e in cast("list[ElementOf[T]]", element))
    return element is None or (is_zero_leaf is not None and is_zero_leaf(cast("T", element)))


def typed_leaves(element: ElementOf[T], space: Attribute) -> list[tuple[Attribute, T | None]]:
    """The spaces that a space is made of, in order, each with the element's leaf there."""
    if isinstance(space, TupleType):
        pairs = zip(components(element, space), components_of(space), strict=True)
        return [leaf for e, s in pairs for leaf in typed_leaves(e, s)]
    return [(space, cast("T | None", element))]


def mapped(element: ElementOf[T], change: Callable[[T], T]) -> ElementOf[T]:
    """An element with each of its leaves changed."""
    if isinstance(element, list):
        return [mapped(e, change) for e in cast("list[ElementOf[T]]", element)]
    return None if element is None else change(cast("T", element))


def filled(space: Attribute, leaf: Callable[[Attribute], T | None]) -> ElementOf[T]:
    """The element of a space with a leaf for each of the spaces that it is made of, made in order."""
    if isinstance(space, TupleType):
        return [filled(s, leaf) for s in space.types.data]
    return leaf(space)


def sum_of(x: ElementOf[T], y: ElementOf[T], add: Callable[[T, T], T]) -> ElementOf[T]:
    """x + y, given the sum of two leaves; neither is changed."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, list):
        mine = cast("list[ElementOf[T]]", x)
        return [sum_of(p, q, add) for p, q in zip(mine, parts(y, len(mine)), strict=True)]
    return add(cast("T", x), cast("T", y))


# Elements while code is emitted ----------------------------------------------------------------------


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


def plus(b: ArrayBuilder, x: Element, y: Element) -> Element:
    """x + y; neither is changed."""

    def add(f: Leaf, g: Leaf) -> Leaf:
        if isinstance(f, Function):
            return Function(lambda point: plus(b, value_at(f, point), value_at(g, point)))
        if isinstance(f, Pairs):
            return Pairs(f.entries + as_pairs(g).entries)
        return b.add(f, as_value(g))

    return sum_of(x, y, add)


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


def leaf_spaces(space: Attribute) -> list[Attribute]:
    """The array spaces that a space is made of, in order."""
    return [s for s, _ in typed_leaves(None, space)]


def leaves(b: ArrayBuilder, element: Element, space: Attribute) -> list[Value]:
    """The arrays that an element is made of, in order, zeros written out."""
    return [value_of(b, leaf, s) for s, leaf in typed_leaves(element, space)]


def from_leaves(space: Attribute, values: Sequence[Value]) -> Element:
    """The element of a space that is made of these arrays."""
    rest = iter(values)
    return filled(space, lambda _: next(rest))
