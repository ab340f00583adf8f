"""Calls of Python functions inside builds: one call op for the batch, of all members that run it.

    build n (i. callback f c x)      -->  callback f (build n (i. c) and mask) (build n (i. x))

Its dimensions in front are the batch. A call that no batch axis changes is made once, if any member runs it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.shapes import array_type, element_of, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import Term, extents, joined


def bulk_callback(p: Paths, op: CallbackOp) -> list[Term]:
    """The results, along all batch axes that the condition or an operand depends on."""
    r, b = p.r, p.b
    condition, *values = (p.term(v) for v in own_operands(op))
    axes = joined(t.axes for t in (condition, *values))
    if p.mask is not None:
        mask = p.mask if axes else r.whole(p.any_of(p.mask))
        spread = r.broadcast(mask, condition.shape, ())
        condition = r.elementwise(ew.AndOp, (spread, condition), i1)
        axes = joined((axes, condition.axes))
    made = b.callback(
        op.function.data,
        r.align(condition, axes),
        [r.align(v, axes) for v in values],
        [array_type((*extents(axes), *shape_of(y)), element_of(y)) for y in op.outputs],
        vectorized=op.vectorized is not None,
        source=None if op.source is None else op.source.data,
    )
    return [r.term(axes, y) for y in made]
