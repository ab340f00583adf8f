"""`linear.function` and `linear.eliminate` as array code.

    function     forward: a function, whose value at a point is the image under the map of the point
                 transposed: the sum, over the pairs of a collection, of the transposed images
    eliminate    the same with the two directions exchanged

Functions and collections exist only while code is emitted (`mlirad.linear_maps.elements`): a function is
emitted where it is evaluated, and the pair that `single` makes where it is eliminated. Collections made at
every position of an index space are eliminated by a loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.builder import yields
from mlirad.linear_maps.apply.indexed import sums_over
from mlirad.linear_maps.apply.regions import Application
from mlirad.linear_maps.elements import (
    Element,
    Elements,
    Family,
    Function,
    Pairs,
    as_pairs,
    assembled,
    components,
    plus,
)


def at_points(m: Application, op: linear.PointwiseMapOp, x: Elements, sums: Elements) -> Elements:
    """The sums with the function of a point added, or with the images of all pairs."""
    if isinstance(op, linear.FunctionOp) == m.transposed:
        return _eliminated(m, op, as_pairs(x[0]), sums)
    space = m.spaces(yields(op.body)[0])[1]

    def at(point: Sequence[Value]) -> Element:
        return assembled(m.image(op.body, point, x), space)

    return [plus(m.b, sums[0], Function(at))]


def _eliminated(m: Application, op: linear.PointwiseMapOp, collection: Pairs, sums: Elements) -> Elements:
    """The sums with the image of each pair of a collection added."""
    source, target = m.spaces(yields(op.body)[0])
    spaces = components_of(target)
    for entry in collection.entries:
        if isinstance(entry, Family):

            def iteration(position: Sequence[Value], before: Elements, family: Family = entry) -> Elements:
                return _eliminated(m, op, family.at(position), before)

            sums = sums_over(m.b, entry.extents, sums, spaces, range(len(spaces)), iteration)
        elif entry.element is not None:
            sums = m.image(op.body, entry.point, components(entry.element, source), sums)
    return sums
