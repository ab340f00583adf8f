"""Application of map expressions as array code: an image per node from the inputs on, or the reverse sweep.

MapEvaluator(b, op, env).run(False, map, x)      the image of x
MapEvaluator(b, op, env).run(True, map, ct)      the transposed image of ct
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.linear_maps.apply.contributions import ADDS_TO_SUMS, Contributions
from mlirad.linear_maps.apply.control_flow import CONTROL
from mlirad.linear_maps.apply.image_sums import added_by_terms, with_image
from mlirad.linear_maps.apply.primitives import apply_primitive
from mlirad.linear_maps.apply.regions import Application
from mlirad.linear_maps.apply.reverse_sweep import swept
from mlirad.linear_maps.apply.sums_of_pulls import Sums, SumsOfNodes
from mlirad.linear_maps.elements import Element, Elements, Leaf, assembled, components, plus
from mlirad.linear_maps.fold import Fold, topological
from mlirad.linear_maps.nonzeros import Nonzero, Reach, reach_of
from mlirad.linear_maps.transposes import Primitive

MAX_NESTED_NODES = 1 << 16
"""The number of nodes of composite left operands that one application may write out."""


class MapEvaluator(Fold[Leaf]):
    """One application, or the part of one in a region."""

    def __init__(self, b: ArrayBuilder, op: Operation, env: Environment, around: MapEvaluator | None = None):
        """`around` evaluates the map whose region this is in."""
        self.b = b
        self.op = op
        self.env = env
        self._orders: dict[Value, list[Value]] = {} if around is None else around._orders
        self._reach: dict[Value, Reach] = {} if around is None else around._reach
        self._contributions: dict[Value, Contributions] = {} if around is None else around._contributions
        self._sums: dict[Value, SumsOfNodes] = {} if around is None else around._sums
        self._made: SumsOfNodes = {}
        """The sums of the expression that is being applied."""
        self._totals: dict[Value, Element] = {}
        self._passed: Container[Value] = ()
        self._nested = 0

    def run(self, transposed: bool, map_: Value, element: Element) -> Element:
        """The image of an element."""
        return swept(self, map_, element) if transposed else self.image(map_, element)

    # Requests of maps with regions ----------------------------------------------------------------

    def forward(self, env: Environment, map_: Value, x: Elements) -> Elements:
        """The components of the image of x under a map of a region, whose captured values `env` gives."""
        image = self._inside(env).image(map_, assembled(x, domain_of(map_)))
        return components(image, codomain_of(map_))

    def summed(self, env: Environment, map_: Value, x: Elements, sums: Elements) -> Elements:
        """`sums` with the components of the image of x added, in place where the terms allow it."""
        inside, space, given = self._inside(env), codomain_of(map_), assembled(x, domain_of(map_))
        inside._passed = added_by_terms(map_)
        images = inside.images(map_, given, passed=inside._passed)
        return components(with_image(self.b, env, map_, images, given, assembled(sums, space)), space)

    def transposed_onto(self, env: Environment, map_: Value, ct: Elements, sums: Elements) -> Elements:
        """`sums` with the components of the transposed image of ct added."""
        image = swept(self._inside(env), map_, assembled(ct, codomain_of(map_)), sums)
        return components(image, domain_of(map_))

    def _inside(self, env: Environment) -> MapEvaluator:
        return MapEvaluator(self.b, self.op, env, self)

    def reach(self, map_: Value) -> Reach:
        """Return which components of a map's domain reach which of its codomain."""
        if map_ not in self._reach:
            self._reach[map_] = reach_of(map_)
        return self._reach[map_]

    # The algebra --------------------------------------------------------------------------------------

    def order(self, root: Value) -> list[Value]:
        """The nodes of an expression, operands before users."""
        if root not in self._orders:
            order = topological(root, location=location_of(self.op))
            sums = Sums(order)
            self._sums[root] = sums.of_node
            if sums.of_node:
                order = topological(root, location=location_of(self.op), before=sums.before)
            self._orders[root] = order
        return self._orders[root]

    def images(
        self,
        root: Value,
        x: Element,
        given: Mapping[Value, Element] | None = None,
        passed: Container[Value] = (),
    ) -> dict[Value, Element]:
        """The image under every node; sums are made in place by the nodes of this expression."""
        self.order(root)
        around = self._made, self._totals
        self._made, self._totals = self._sums[root], {}
        try:
            return super().images(root, x, given, passed)
        finally:
            self._made, self._totals = around

    def start(self, op: linear.MapOp) -> None:
        self.b.location = op.location

    def plus(self, x: Element, y: Element) -> Element:
        return plus(self.b, x, y)

    def local(self, op: linear.MapOp, x: Element) -> Element:
        if not isinstance(op, ADDS_TO_SUMS):
            return apply_primitive(self.b, Primitive.of(op), self.env, x)
        nothing: Elements = [None] * len(components_of(op.codomain))
        return assembled(self.control(False, op, x, nothing), op.codomain)

    def composed(self, op: linear.ComposeOp, images: Mapping[Value, Element]) -> Element:
        """The composition; what a pull finds has its components added to the totals of their sums."""
        outer, inner = own_operands(op)
        added = [(k, s) for k, s in self._made.get(op.result, ()) if s.root not in self._passed]
        for _, sum_ in added:
            if sum_.first is op.result:
                self._totals[sum_.root] = self._total([images[m] for m in sum_.others])
        if not added or images[inner] is None:
            return super().composed(op, images)
        map_ = outer.owner
        assert isinstance(map_, linear.MapOp)
        before: Elements = [None] * len(components_of(map_.codomain))
        for k, sum_ in added:
            before[k] = self._totals[sum_.root]
        image = self.control(False, map_, images[inner], before)
        for k, sum_ in added:
            self._totals[sum_.root] = image[k]
        return assembled(image, map_.codomain)

    def added(self, op: linear.AddOp, images: Mapping[Value, Element]) -> Element:
        """The sum; one that is made in place is its total, which includes all terms of terms."""
        if op.result in self._totals:
            return self._totals[op.result]
        return super().added(op, images)

    def _total(self, elements: Sequence[Element]) -> Element:
        total: Element = None
        for element in elements:
            total = self.plus(total, element)
        return total

    def transposed(self, map_: Value, x: Element) -> Element:
        self._count(map_)
        return swept(self, map_, x)

    def composite(self, map_: Value, x: Element) -> Element:
        self._count(map_)
        return self.image(map_, x)

    def _count(self, map_: Value) -> None:
        self._nested += len(self.order(map_))
        if self._nested > MAX_NESTED_NODES:
            raise UnsupportedError(
                f"the map applies composite maps {self._nested} times over",
                location=location_of(self.op),
                hint="apply the maps one after the other instead of composing them with themselves",
            )

    def control(self, transposed: bool, op: linear.MapOp, x: Element, sums: Elements) -> Elements:
        """The sums with the image of x, which is not zero, added under a map with regions or of a call."""
        given = components(x, op.codomain if transposed else op.domain)
        return CONTROL[type(op)](Application(self.b, self.env, self, transposed), op, given, sums)

    # The reverse sweep --------------------------------------------------------------------------------

    def contributions(self, root: Value) -> Contributions:
        """Return what the nodes of an expression add to which, in the reverse sweep."""
        if root not in self._contributions:
            self._contributions[root] = Contributions(self.order(root), self._wholes)
        return self._contributions[root]

    def _wholes(self, map_: Value) -> Nonzero:
        return self.contributions(map_).whole_components()
