"""Sums of contractions, taken of an operand first: the sum over n of Q g[n] is Q times the sum of g.

    %c = array.dot %q, %g : 10x10, 10x1000 -> 10x1000            %s = array.sum %g : 10x1000 -> 10
    %s = array.sum %c : 10x1000 -> 10                   -->      %r = array.dot %q, %s : 10x10, 10 -> 10

So the cotangent of what was broadcast before a product with a matrix costs no product per copy. This is for
images under linear maps alone: of a program's own values the sum of infinite products may be another one.

Sums are taken before contractions in derivatives, not in programs. The cotangent of a mean that is subtracted
from n points, which a matrix then multiplies, is a sum of n products with the matrix, or one product with a
sum. With infinite entries the two differ, so a program's own sum stays as it is written, and only images
under maps are rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import reductions, structural
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, shape_of, size_of, values_of
from mlirad.ir.arrays import ArrayBuilder


def summed(b: ArrayBuilder, x: Value, dims: Sequence[int]) -> Value:
    """The sum of an image over dimensions."""
    rank = len(shape_of(x))
    order, value, is_negative = list(range(rank)), x, False
    while True:
        op = value.owner
        match op:
            case ew.NegOp():
                value, is_negative = op.operand, not is_negative
            case structural.BroadcastOp() if len(shape_of(op.operand)) == rank and rank:
                places = values_of(op.dims)
                order, value = [places.index(d) for d in order], op.operand
            case reductions.DotOp():
                found = _summed_contraction(b, op, {order[d] for d in dims})
                if found is None:
                    return b.sum(x, dims)
                kept = [order[d] for d in range(rank) if d not in dims]
                total = b.transpose(found, [sorted(kept).index(d) for d in kept])
                return b.neg(total) if is_negative else total
            case _:
                return b.sum(x, dims)


def _summed_contraction(b: ArrayBuilder, op: reductions.DotOp, dims: set[int]) -> Value | None:
    """A contraction summed over dimensions of its result, if an operand that is no larger can be summed."""
    batch, contract = (
        [list(values_of(group)) for group in groups]
        for groups in ((op.lhs_batch, op.rhs_batch), (op.lhs_contract, op.rhs_contract))
    )
    operands = [op.lhs, op.rhs]
    place, moves = len(batch[0]), False
    for k, operand in enumerate(operands):
        free = [d for d in range(len(shape_of(operand))) if d not in (*batch[k], *contract[k])]
        moved = [d for n, d in enumerate(free) if place + n in dims]
        place += len(free)
        if not moved:
            continue
        if nominal(size_of(operand)) > nominal(size_of(op.result)):
            return None
        moves = True
        left = [d for d in range(len(shape_of(operand))) if d not in moved]
        operands[k] = b.sum(operand, moved)
        batch[k], contract[k] = ([left.index(d) for d in group] for group in (batch[k], contract[k]))
    if not moves:
        return None
    small = b.dot(operands[0], operands[1], *batch, *contract)
    return b.sum(small, [d for d in range(len(batch[0])) if d in dims])
