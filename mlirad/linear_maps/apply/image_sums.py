"""Images added to a sum: what a map writes to few places of an array is written to these alone.

    sum + (one_hot[i] d) x        update add sum[i], d x

A map that ends in a sum or tuple of such is taken apart to its terms, as far as nothing else reads the nodes
in between. The terms are added to the sum in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast

from xdsl.ir import Attribute, Block, Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of
from mlirad.linear_maps.apply.in_place import IMAGE_IN_PLACE, accumulate_image
from mlirad.linear_maps.elements import Element, accumulated, parts
from mlirad.linear_maps.transposes import Captured

Path: TypeAlias = tuple[int, ...]
"""The places of nested components."""


class Terms:
    """The terms that a map is the sum of, each with the component of the codomain that it adds to."""

    def __init__(self, root: Value):
        self.space = codomain_of(root)
        self.terms: list[tuple[Value, Path]] = []
        self.passed: set[Value] = set()
        """The nodes whose images are not needed: they are added to the sum by parts."""
        pending: list[tuple[Value, Path]] = [(root, ())]
        while pending:
            node, path = pending.pop()
            op = node.owner
            inside: list[tuple[Value, Path]] | None = None
            if node is root or node.has_one_use():
                match op:
                    case linear.AddOp():
                        inside = [(m, path) for m in own_operands(op)]
                    case linear.VcatOp():
                        inside = [(m, (*path, k)) for k, m in enumerate(own_operands(op))]
                    case _:
                        if _written_in_place(op):
                            self.passed.add(node)
            if inside is None:
                self.terms.append((node, path))
            else:
                self.passed.add(node)
                pending += reversed(inside)

    def added(
        self, b: ArrayBuilder, captured: Captured, images: Mapping[Value, Element], x: Element, sum_: Element
    ) -> Element:
        """The sum with every term added, given the images of the nodes that are not passed over."""
        for node, path in self.terms:
            op = cast("linear.MapOp", node.owner)
            if node not in self.passed:
                local, argument = None, images[node]
            elif isinstance(op, linear.ComposeOp):
                outer, inner = own_operands(op)
                local, argument = cast("linear.MapOp", outer.owner), images[inner]
            else:
                local, argument = op, x
            if argument is not None:
                sum_ = self._added(b, captured, sum_, path, self.space, (local, argument))
        return sum_

    def _added(
        self,
        b: ArrayBuilder,
        captured: Captured,
        sum_: Element,
        path: Path,
        space: Attribute,
        term: tuple[linear.MapOp | None, Element],
    ) -> Element:
        """The sum, in `space`, with one term added at a path: an element, or its image under a local map."""
        if path:
            first, *rest = path
            spaces = components_of(space)
            sums = list(parts(sum_, len(spaces)))
            sums[first] = self._added(b, captured, sums[first], tuple(rest), spaces[first], term)
            return sums
        local, argument = term
        if local is None:
            return accumulated(b, sum_, argument)
        return accumulate_image(b, local, captured, sum_, argument)


def _written_in_place(op: Operation | Block) -> bool:
    """Whether a node is a local map that adds to parts of a sum, or a composition with one."""
    if isinstance(op, linear.ComposeOp):
        return type(own_operands(op)[0].owner) in IMAGE_IN_PLACE
    return type(op) in IMAGE_IN_PLACE
