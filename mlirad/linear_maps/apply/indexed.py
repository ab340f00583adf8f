"""`linear.build` and `linear.build_transpose` as array code.

    collect      the images of one element under the maps at all positions: an `array.build` per component
    accumulate   the sum of the images of the elements of an array: for scalars the sum of an `array.build`;
                 for arrays a loop that adds to the sums in place, so that n maps which each reach one element
                 of an array of n cost O(n)

`build` collects, and its transpose accumulates; `build_transpose` does the reverse. Builds become bulk
afterwards, which restores the sharing between components of an image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import Shape, Value, components_of, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.linear_maps.apply.regions import Application
from mlirad.linear_maps.elements import (
    Element,
    Elements,
    Family,
    Function,
    Leaf,
    Pairs,
    accumulated,
    as_pairs,
    as_value,
    from_leaves,
    leaf_spaces,
    leaves,
    mapped,
    part,
    value_at,
)
from mlirad.linear_maps.nonzeros import nonzero

Iteration: TypeAlias = Callable[[Sequence[Value], Elements], Elements]
"""`(position, sums)`: the sums after what there is at a position is added."""


def at_positions(m: Application, op: linear.IndexedMapOp, x: Elements, sums: Elements) -> Elements:
    """The sums with the array of the images of x added, or with the images of the elements of x."""
    reached = sorted(m.nonzero(op.body, nonzero(x)))
    spaces = components_of(m.spaces(yields(op.body)[0])[1])
    if isinstance(op, linear.BuildOp) == m.transposed:

        def iteration(position: Sequence[Value], before: Elements) -> Elements:
            env = m.enter(op.body, position)
            return m.image_in(env, op.body, [_slice(m.b, e, position) for e in x], before)

        return sums_over(m.b, op.space, sums, spaces, reached, iteration)
    if 0 in op.space:
        return sums
    result = list(sums)
    for k in reached:
        arrays: list[Value] = []
        for place in range(len(leaf_spaces(spaces[k]))):

            def body(*position: Value, k: int = k, place: int = place) -> Value:
                return leaves(m.b, m.image(op.body, position, x)[k], spaces[k])[place]

            arrays.append(m.b.build(op.space, body))
        result[k] = accumulated(m.b, result[k], from_leaves(spaces[k], arrays))
    return result


def sums_over(
    b: ArrayBuilder,
    extents: Shape,
    sums: Elements,
    spaces: Sequence[Attribute],
    targets: Sequence[int],
    iteration: Iteration,
) -> Elements:
    """The sums after an iteration at every position; only the `targets`, of these spaces, change."""
    result = list(sums)
    if 0 in extents:
        return result
    nothing: Elements = [None] * len(spaces)
    arrays: list[int] = []
    for k in targets:
        if linear.is_plain(spaces[k]):
            arrays.append(k)
        else:
            made = _functions(b, extents, spaces[k], lambda i, k=k: iteration(i, list(nothing))[k])
            result[k] = accumulated(b, result[k], made)
    scalar = not any(shape_of(s) for k in arrays for s in leaf_spaces(spaces[k]))
    if scalar:
        for k in arrays:
            totals: list[Value] = []
            for place in range(len(leaf_spaces(spaces[k]))):

                def body(*i: Value, k: int = k, place: int = place) -> Value:
                    return leaves(b, iteration(i, list(nothing))[k], spaces[k])[place]

                totals.append(b.sum(b.build(extents, body), range(len(extents))))
            result[k] = accumulated(b, result[k], from_leaves(spaces[k], totals))
    elif arrays:
        init = [v for k in arrays for v in leaves(b, sums[k], spaces[k])]

        def with_sums(position: Sequence[Value], state: Sequence[Value]) -> list[Value]:
            image = iteration(position, _components(spaces, arrays, state))
            return [v for k in arrays for v in leaves(b, image[k], spaces[k])]

        final = _components(spaces, arrays, _loops(b, extents, with_sums, init))
        for k in arrays:
            result[k] = final[k]
    return result


def _functions(
    b: ArrayBuilder, extents: Shape, space: Attribute, at: Callable[[Sequence[Value]], Element]
) -> Element:
    """The sum over all positions of elements of a space of functions, emitted where it is used."""
    match space:
        case TupleType():
            parts = enumerate(space.types.data)
            return [_functions(b, extents, s, lambda i, k=k: part(at(i), k)) for k, s in parts]
        case linear.CopowerType():
            return Pairs((Family(extents, lambda i: as_pairs(at(i))),))
        case linear.PowerType():
            values = space.space

            def summed(point: Sequence[Value]) -> Element:
                def iteration(i: Sequence[Value], before: Elements) -> Elements:
                    return [accumulated(b, before[0], value_at(at(i), point))]

                return sums_over(b, extents, [None], (values,), (0,), iteration)[0]

            return Function(summed)
        case _:
            return sums_over(
                b, extents, [None], (space,), (0,), lambda i, before: [accumulated(b, before[0], at(i))]
            )[0]


def _loops(
    b: ArrayBuilder,
    extents: Shape,
    iteration: Callable[[Sequence[Value], Sequence[Value]], list[Value]],
    init: Sequence[Value],
    position: Sequence[Value] = (),
) -> list[Value]:
    """A loop per extent, each inside the one before; `iteration` takes a position and the carries."""
    if not extents:
        return iteration(position, init)

    def body(index: Value, carries: list[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
        return _loops(b, extents[1:], iteration, carries, (*position, index)), []

    return b.scan(init, [], extents[0], body)[0]


def _components(spaces: Sequence[Attribute], targets: Sequence[int], values: Sequence[Value]) -> Elements:
    """The components of an element, zero except for the targets, whose leaves in order are given."""
    rest = list(values)
    elements: Elements = [None] * len(spaces)
    for k in targets:
        count = len(leaf_spaces(spaces[k]))
        elements[k] = from_leaves(spaces[k], rest[:count])
        del rest[:count]
    return elements


def _slice(b: ArrayBuilder, x: Element, position: Sequence[Value]) -> Element:
    """The element at a position of an array of elements."""

    def slice_of(leaf: Leaf) -> Leaf:
        return b.index(as_value(leaf), position)

    return mapped(x, slice_of)
