"""Patterns through map expressions.

image(place, %map, x)       the patterns of the image of an element with the patterns x
"""

from __future__ import annotations

from collections.abc import Mapping

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.fold import Fold
from mlirad.linear_maps.sparsity.control import CONTROL_PATTERNS
from mlirad.linear_maps.sparsity.elements import (
    Patterns,
    coordinates,
    depends_on_nothing,
    everything,
    matrix,
    plus,
    related,
)
from mlirad.linear_maps.sparsity.patterns import Pattern
from mlirad.linear_maps.sparsity.primitives import PRIMITIVE_PATTERNS, MapContext
from mlirad.linear_maps.sparsity.relations import relation

MAX_CALLS = 1000
"""The number of calls of functions that are followed; what those beyond return depends on all that they are
given."""


def image(m: MapContext, root: Value, x: Patterns, given: Mapping[Value, Patterns] | None = None) -> Patterns:
    """The patterns of the image of x; `given` are images of nodes to take as they are."""
    return _Images(m).images(root, x, given)[root]


class _Images(Fold[Pattern]):
    """The patterns of images under maps that stand at one place."""

    def __init__(self, m: MapContext):
        self.m = m

    def plus(self, x: Patterns, y: Patterns) -> Patterns:
        return plus(x, y)

    def is_zero(self, x: Patterns) -> bool:
        return depends_on_nothing(x)

    def local(self, op: linear.MapOp, x: Patterns) -> Patterns:
        m = self.m
        if type(op) in PRIMITIVE_PATTERNS:
            return PRIMITIVE_PATTERNS[type(op)](m, op, x)
        if type(op) in CONTROL_PATTERNS:
            return CONTROL_PATTERNS[type(op)](m, op, x, image)
        match op:
            case linear.PointMapOp() | linear.PointwiseMapOp():
                raise UnsupportedError(
                    f"{op.name} has no structure: a space of functions has no coordinates",
                    location=location_of(op),
                    hint="run simplify-maps before: where functions are evaluated, they are eliminated",
                )
            case linear.CallOp():
                return self._called(op, x)
            case _:
                # Derivatives of functions that call themselves, and linear code that was not expanded.
                return everything(m.batch, x, op.domain, op.codomain)

    def transposed(self, map_: Value, x: Patterns) -> Patterns:
        """The patterns by the pairs of the map; those of all batch positions together."""
        domain, codomain, batch = domain_of(map_), codomain_of(map_), self.m.batch
        pairs = matrix(batch, self.image(map_, coordinates(batch, domain)), codomain)
        return related(batch, x, codomain, domain, relation(pairs.offsets, pairs.rows))

    def _called(self, op: linear.CallOp, x: Patterns) -> Patterns:
        """The image under the map that a function makes; calls beyond the limit give a superset."""
        m = self.m
        maker = m.known.functions.get(op.callee_name)
        m.known.calls += 1
        if maker is None or m.known.calls > MAX_CALLS:
            return everything(m.batch, x, op.domain, op.codomain)
        values = [m.value(a) for a in own_operands(op)]
        inside = MapContext(
            m.known, m.scope.called(dict(zip(function_block(maker).args, values, strict=True)))
        )
        return image(inside, returned(maker)[0], x)
