"""D of a loop that multiplies the elements of an array, one after the other: that of their product.

    scan (c0; x) {c -> c x_i}    -->    c = scan (c0; x) {c -> c x_i}
                                        d_c = sum (c0 times the product of all other elements) d_x

The loop itself stays as it is, in its order. Its map needs no loop: the products of all others are made in
blocks, which threads share, where a loop would keep the products so far and reverse every step.

A loop that multiplies has the derivative of a product. Its own would keep every product so far and go back
through them, one element after the other. The products of all other factors are made in blocks, which vectors
and threads share. The value is that of the loop, in its order; only the derivative is rounded otherwise.
Factors that do not fill whole blocks, and those of an unknown number, keep the derivative of the loop.
"""

from __future__ import annotations

from collections.abc import Container

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, ints, is_float, shape_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.rules.ordering_derivatives import in_blocks, products_of_others


def is_long_product(op: control.ScanOp, active: Container[Value]) -> bool:
    """Return whether all that a loop does is to multiply enough floats for their products to be made in
    blocks.

    Of its operands only the factors depend on the inputs.
    """
    made = yields(op.body)
    if len(op.xs) != 1 or len(made) != 1 or len(op.init) != 1 or op.init[0] in active:
        return False
    _, carry, factor = op.body.block.args
    multiplied = made[0].owner
    if not isinstance(multiplied, ew.MulOp) or multiplied.parent is not op.body.block:
        return False
    return (
        is_float(carry)
        and set(own_operands(multiplied)) == {carry, factor}
        and in_blocks(shape_of(op.xs[0])[0])
    )


def product(d: DualArrays, op: control.ScanOp) -> None:
    """Emit such a loop, and the map of its product."""
    b, x = d.b, d.value(op.xs[0])
    b.rebuild(op, d.env)
    result = d.env[op.results[0]]
    dims = range(1, len(shape_of(x)))
    start = b.broadcast(d.value(op.init[0]), shape_of(x), dims)
    factors = b.mul(start, products_of_others(b, x, (0,)))
    summed = b.map_of(linear.SumOp, x.type, result.type, (), {"dims": ints((0,))})
    scaled = d.after(b.compose(summed, b.scale_map(x.type, factors)), d.tangent_map(op.xs[0]))
    d.enter(op.results[0], scaled)
