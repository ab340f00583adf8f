"""Reports inside builds: one report of all batch members that run it, one by one.

    build n (i. report t c x)        -->  report t (build n (i. c) and mask) (build n (i. x))

A report of a member is made for it alone, in the order of the batch. A report that no batch axis changes
is made once, by all members together.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reporting import ReportOp
from mlirad.ir.free_values import own_operands
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import Term, joined


def bulk_report(p: Paths, op: ReportOp) -> list[Term]:
    """The token, which is one for the whole batch."""
    r, b = p.r, p.b
    token, condition, *values = (p.term(v) for v in own_operands(op))
    if p.mask is not None:
        mask = r.broadcast(p.mask, condition.shape, ())
        condition = r.elementwise(ew.AndOp, (mask, condition), i1)
    axes = joined(t.axes for t in (condition, *values))
    before = b.reduce("max", r.value(token), range(len(token.axes)))
    source = None if op.source is None else op.source.data
    given = [r.align(v, axes) for v in values]
    after = b.report(op.kind.data, before, r.align(condition, axes), given, op.message.data, source)
    return [r.whole(after)]
