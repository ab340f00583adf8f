"""Images added to a sum: what a map writes to few positions of an array is written to these alone.

    sum + (one_hot[i] d) x        update add sum[i], d x

A map that ends in a sum or tuple of such maps is taken apart into its terms, as far as nothing else reads the
nodes in between. The terms are added to the sum in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.apply.in_place import IN_PLACE, accumulate_image
from mlirad.linear_maps.elements import Element, accumulated, is_zero, parts
from mlirad.linear_maps.transposes import Captured, Primitive


def added_by_terms(root: Value) -> set[Value]:
    """The nodes whose images are not needed, as they are added to the sum by parts."""
    found: set[Value] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        op = node.owner
        if node is not root and not node.has_one_use():
            continue
        if isinstance(op, linear.AddOp | linear.VcatOp):
            found.add(node)
            pending += own_operands(op)
        elif type(own_operands(op)[0].owner if isinstance(op, linear.ComposeOp) else op) in IN_PLACE:
            found.add(node)
    return found


def with_image(
    b: ArrayBuilder,
    captured: Captured,
    node: Value,
    images: Mapping[Value, Element],
    x: Element,
    sum_: Element,
) -> Element:
    """The sum with the image of x under a node added, given the images of the nodes not added by terms."""
    if node in images:
        return accumulated(b, sum_, images[node])
    op = cast("linear.MapOp", node.owner)
    match op:
        case linear.AddOp():
            for m in own_operands(op):
                sum_ = with_image(b, captured, m, images, x, sum_)
            return sum_
        case linear.VcatOp():
            pairs = zip(own_operands(op), parts(sum_, len(op.maps)), strict=True)
            sums = [with_image(b, captured, m, images, x, s) for m, s in pairs]
            return None if is_zero(sums) else sums
        case linear.ComposeOp():
            outer, inner = own_operands(op)
            m = Primitive.of(cast("linear.MapOp", outer.owner))
            return accumulate_image(b, m, captured, sum_, images[inner])
        case _:
            return accumulate_image(b, Primitive.of(op), captured, sum_, x)
