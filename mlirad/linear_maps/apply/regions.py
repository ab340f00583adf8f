"""The application of a map with regions, or of a call: in which direction, where, and what it may ask for.

    rule(m, op, x, sums)      the sums with the image of x added, where m.transposed with its transposed image

Elements and sums are lists of components. In forward application every sum starts as zero. So each rule
states both directions, and what they share once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import Elements
from mlirad.linear_maps.nonzeros import Nonzero, Reach
from mlirad.linear_maps.transposes import Captured


class Expressions(Protocol):
    """Whoever applies whole expressions: maps with regions ask it for the images of what these yield."""

    def forward(self, env: Environment, map_: Value, x: Elements) -> Elements:
        """The components of the image of x."""
        ...

    def summed(self, env: Environment, map_: Value, x: Elements, sums: Elements) -> Elements:
        """The sums after the image of x is added to each."""
        ...

    def transposed_onto(self, env: Environment, map_: Value, ct: Elements, sums: Elements) -> Elements:
        """The sums of cotangents after the transposed image of ct is added to each."""
        ...

    def reach(self, map_: Value) -> Reach:
        """Return which components of the domain reach which of the codomain."""
        ...


@dataclass(frozen=True)
class Application:
    """An application of a map with regions, or of a call, in one direction."""

    b: ArrayBuilder
    captured: Captured
    expressions: Expressions
    transposed: bool

    def own(self, values: Iterable[Value]) -> list[Value]:
        """Captured values where code is emitted."""
        return [self.captured.get(v, v) for v in values]

    def directed(self, domain: Attribute, codomain: Attribute) -> tuple[Attribute, Attribute]:
        """The spaces of what is given and of the image, for a map between these spaces."""
        return (linear.dual(codomain), linear.dual(domain)) if self.transposed else (domain, codomain)

    def spaces(self, map_: Value) -> tuple[Attribute, Attribute]:
        """The spaces of what is given to a map and of its image."""
        return self.directed(domain_of(map_), codomain_of(map_))

    def nonzero(self, region: Region, x: Nonzero) -> Nonzero:
        """The components that the image under the map of a region can have, from those of x."""
        reach = self.expressions.reach(yields(region)[0])
        return reach.transposed(x) if self.transposed else reach.image(x)

    def image(
        self, region: Region, arguments: Sequence[Value], x: Elements, sums: Elements | None = None
    ) -> Elements:
        """The image of x under the map of a region, added to the sums, if there are any.

        The primal code of the region is emitted here.
        """
        return self.image_in(self.enter(region, arguments), region, x, sums)

    def enter(self, region: Region, arguments: Sequence[Value]) -> Environment:
        """Emit the primal code of a region here; returns the values that its map ops capture."""
        env = dict(self.captured)
        env.update(zip(region.block.args, arguments, strict=True))
        for op in region.block.ops:
            if not isinstance(op, linear.MapOp | YieldOp):
                self.b.rebuild(op, env)
        return env

    def image_in(self, env: Environment, region: Region, x: Elements, sums: Elements | None) -> Elements:
        """`image`, after the region was entered."""
        map_ = yields(region)[0]
        if self.transposed:
            nothing: Elements = [None] * len(components_of(domain_of(map_)))
            return self.expressions.transposed_onto(env, map_, x, nothing if sums is None else sums)
        if sums is None:
            return self.expressions.forward(env, map_, x)
        return self.expressions.summed(env, map_, x, sums)
