"""Branches and checkpoints inside builds.

    build n (i. if p t u), i not in p    -->  if p (build n (i. t)) (build n (i. u))
    build n (i. if p t u)                -->  select (build n (i. p)) t' u'

where t' is t over the batch under the mask of the members for which p holds, and u' is u under that of the
others. Both sides are computed for all members, where a loop over the members would run one side for each.
(Source: dual-numbers paper, figure 9, has the second form for a conditional whose sides do not fail.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects.builtin import i1
from xdsl.ir import Region

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.shapes import Value
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import Term


def bulk_if(p: Paths, op: control.IfOp) -> list[Term]:
    """One side for all members, or for each member the side that its condition chooses."""
    condition = p.term(op.condition)
    if not condition.axes:
        return bulk_choice(p, op, p.r.value(condition))
    then = p.evaluate(p.restricted(condition), op.then, ())
    otherwise = p.evaluate(p.restricted(condition, negated=True), op.otherwise, ())
    return _selected(p, condition, then, otherwise)


def bulk_switch(p: Paths, op: control.SwitchOp) -> list[Term]:
    """One branch for all members, or for each member the branch that its index chooses."""
    r, index = p.r, p.term(op.index)
    if not index.axes:
        return bulk_choice(p, op, r.value(index))
    index = r.clamp(index, len(op.branches))
    chosen = [r.code(_equals(p, k), (index,), i1) for k in range(len(op.branches))]
    sides = [p.evaluate(p.restricted(c), region, ()) for c, region in zip(chosen, op.branches, strict=True)]
    result = sides[-1]
    for c, values in zip(chosen[-2::-1], sides[-2::-1], strict=True):
        result = _selected(p, c, values, result)
    return result


def bulk_choice(p: Paths, op: control.BranchOp | CheckpointOp, choice: Value | None = None) -> list[Term]:
    """The branch of the choice over the batch, for all members; without a choice that of a checkpoint."""
    axes = p.result_axes(op)

    def emit(region: Region) -> list[Value]:
        found = p.evaluate(p.mask, region, ())
        return [p.r.align(t, own) for t, own in zip(found, axes, strict=True)]

    values = p.b.choose(choice, [partial(emit, region) for region in op.regions])
    return [p.r.term(own, v) for own, v in zip(axes, values, strict=True)]


def _equals(p: Paths, number: int) -> Callable[[Value], Value]:
    return lambda index: p.b.compare("eq", index, p.b.splat(number, index.type))


def _selected(p: Paths, condition: Term, then: Sequence[Term], otherwise: Sequence[Term]) -> list[Term]:
    pairs = zip(then, otherwise, strict=True)
    return [p.r.elementwise(ew.SelectOp, (condition, x, y), x.element) for x, y in pairs]
