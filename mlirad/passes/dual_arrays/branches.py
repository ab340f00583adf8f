"""D of `array.if` and `array.switch`: the branch that runs also yields its residuals, which a map reads.

    if p {then} else {otherwise}   -->   y, residuals = if p {values of then} else {values of otherwise}
                                         m = linear.if p {map of then} else {map of otherwise}

Residuals of different branches share results of the op where their types agree; a branch yields zeros for
those of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.ir import Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value, tuple_type
from mlirad.ir.free_values import captures, own_operands
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.traced_regions import TracedRegion, trace
from mlirad.passes.slots import merged


def branch(d: DualArrays, op: control.BranchOp) -> None:
    """Emit a choice with the map of its results."""
    b = d.b
    captured = [v for v in dict.fromkeys(v for r in op.regions for v in captures(r)) if v in d.maps]
    steps = [trace(d, region, (), captured, repeats=False) for region in op.regions]
    slots, places = merged([[v.type for v in step.kept] for step in steps])
    wanted = [
        k
        for k in range(len(op.results))
        if any(not isinstance(step.tangent_maps[k].owner, linear.ZeroOp) for step in steps)
    ]

    def values(step: TracedRegion, own: Sequence[int]) -> list[Value]:
        made, kept = step.values(b, ())
        in_slots = dict(zip(own, kept, strict=True))
        return [*made, *(in_slots[s] if s in in_slots else b.zeros(t) for s, t in enumerate(slots))]

    choice = d.value(own_operands(op)[0])
    results = b.choose(choice, [partial(values, *pair) for pair in zip(steps, places, strict=True)])
    residuals = results[len(op.results) :]
    d.env.update(zip(op.results, results, strict=False))
    if wanted:

        def map_(step: TracedRegion, own: Sequence[int]) -> Region:
            known = [(v, residuals[s]) for v, s in zip(step.kept, own, strict=True)]
            return b.region((), lambda: [step.map(b, known, wanted)])

        regions = [map_(step, own) for step, own in zip(steps, places, strict=True)]
        codomain = tuple_type([op.results[k].type for k in wanted])
        b.name_hint = None
        op_class = linear.IfOp if isinstance(op, control.IfOp) else linear.SwitchOp
        tangent_map = b.map_of(op_class, steps[0].space, codomain, (choice,), None, regions)
        d.enter_image([op.results[k] for k in wanted], tangent_map, captured)
    for step in steps:
        step.discard()
