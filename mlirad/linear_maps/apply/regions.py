"""What maps with regions ask of whoever applies whole expressions, and the code that their regions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from xdsl.ir import Region

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields
from mlirad.linear_maps.elements import Element
from mlirad.linear_maps.nonzeros import Alive
from mlirad.linear_maps.transposes import Captured

Elements: TypeAlias = list[Element]
"""The components of an element; of a space that is no tuple, the element alone."""


class Expressions(Protocol):
    """Whoever applies whole expressions: maps with regions ask it for the images of what these yield."""

    def forward(self, env: Environment, map_: Value, x: Elements) -> Elements:
        """The components of the image of x."""
        ...

    def transposed(self, env: Environment, map_: Value, ct: Elements, sums: Elements) -> Elements:
        """The sums of cotangents after the transposed image of ct is added to each."""
        ...

    def summed(self, env: Environment, map_: Value, x: Elements, sums: Elements) -> Elements:
        """The sums after the image of x is added to each."""
        ...

    def alive_image(self, map_: Value, x: Alive) -> Alive:
        """The components of an image that can differ from zero."""
        ...

    def alive_cotangent(self, map_: Value, ct: Alive) -> Alive:
        """The components of a transposed image that can differ from zero."""
        ...

    def whole_components(self, map_: Value) -> Alive:
        """The components of the domain to which the transposed image may add a whole."""
        ...


def enter(
    b: ArrayBuilder, region: Region, arguments: Sequence[Value], captured: Captured
) -> tuple[Value, Environment]:
    """Emit the primal code of a region here; returns its map and the values its map ops capture."""
    env = dict(captured)
    env.update(zip(region.block.args, arguments, strict=True))
    for op in region.block.ops:
        if not isinstance(op, linear.MapOp | YieldOp):
            b.rebuild(op, env)
    return yields(region)[0], env


def present(elements: Sequence[Element]) -> Alive:
    """The places of the elements that are not structural zeros."""
    return frozenset(k for k, e in enumerate(elements) if e is not None)
