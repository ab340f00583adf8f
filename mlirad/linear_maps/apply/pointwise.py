"""`linear.function` and `linear.eliminate` as array code.

    function     forward: a function, whose value at a point is the image under the map of the point
                 transposed: the sum, over the pairs of a collection, of the transposed images
    eliminate    the same with the two directions exchanged

Functions and collections exist while code is emitted only (`mlirad.linear_maps.elements`): a function is
emitted where it is evaluated, and the pair that `single` makes where it is eliminated. Collections made at
every position of an index space are eliminated by a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.apply.indexed import sums_over
from mlirad.linear_maps.apply.regions import Elements, Expressions, enter
from mlirad.linear_maps.elements import (
    Element,
    Family,
    Function,
    Pairs,
    as_pairs,
    assembled,
    components,
    plus,
)
from mlirad.linear_maps.transposes import Captured

Added: TypeAlias = Callable[[Environment, Value, Elements, Elements], Elements]
"""`(env, map, x, sums)`: the sums after the image of x is added."""


def function(
    b: ArrayBuilder, op: linear.FunctionOp, captured: Captured, x: Elements, expressions: Expressions
) -> Elements:
    """The function from a point to the image of x."""
    root = yields(op.body)[0]

    def at(point: Sequence[Value]) -> Element:
        map_, env = enter(b, op.body, point, captured)
        return assembled(expressions.forward(env, map_, x), codomain_of(root))

    return [Function(at)]


def function_transposed(
    b: ArrayBuilder,
    op: linear.FunctionOp,
    captured: Captured,
    sums: Elements,
    ct: Elements,
    expressions: Expressions,
) -> Elements:
    """The sums with the transposed images of all pairs added."""
    space = linear.dual(domain_of(yields(op.body)[0]))
    elements = linear.dual(codomain_of(yields(op.body)[0]))
    return _eliminated(b, op, captured, sums, as_pairs(ct[0]), (elements, space), expressions.transposed)


def eliminate(
    b: ArrayBuilder, op: linear.EliminateOp, captured: Captured, x: Elements, expressions: Expressions
) -> Elements:
    """The sum of the images of all pairs."""
    root = yields(op.body)[0]
    space = codomain_of(root)
    nothing: Elements = [None] * len(components_of(space))
    spaces = domain_of(root), space
    return _eliminated(b, op, captured, nothing, as_pairs(x[0]), spaces, expressions.summed)


def eliminate_transposed(
    b: ArrayBuilder,
    op: linear.EliminateOp,
    captured: Captured,
    sums: Elements,
    ct: Elements,
    expressions: Expressions,
) -> Elements:
    """The function from a point to the transposed image of ct, added to the sum."""
    space = domain_of(yields(op.body)[0])

    def at(point: Sequence[Value]) -> Element:
        map_, env = enter(b, op.body, point, captured)
        nothing: Elements = [None] * len(components_of(space))
        return assembled(expressions.transposed(env, map_, ct, nothing), space)

    return [plus(b, sums[0], Function(at))]


def _eliminated(
    b: ArrayBuilder,
    op: linear.PointwiseMapOp,
    captured: Captured,
    sums: Elements,
    collection: Pairs,
    spaces: tuple[Attribute, Attribute],
    added: Added,
) -> Elements:
    """The sums with the image of each pair of a collection added; `spaces` are those of elements and sums."""
    parts = components_of(spaces[1])
    for entry in collection.entries:
        if isinstance(entry, Family):

            def trip(position: Sequence[Value], before: Elements, family: Family = entry) -> Elements:
                return _eliminated(b, op, captured, before, family.at(position), spaces, added)

            sums = sums_over(b, entry.extents, sums, parts, range(len(parts)), trip)
        elif entry.element is not None:
            map_, env = enter(b, op.body, entry.point, captured)
            sums = added(env, map_, components(entry.element, spaces[0]), sums)
    return sums
