"""The sweep of `array.if`, `array.switch` and `array.checkpoint`: back through the branch that ran.

    if p {then} else {otherwise}     forward     y, r = if p {then; residuals} else {otherwise; residuals}
                                     backward    sums = if p {back through then} else {back through otherwise}

Sums of cotangents go in and come out. Residuals of different branches share results where their types agree.
A checkpoint keeps what it captures, and its code is made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import captures, own_operands
from mlirad.passes.chad.sweeps.backward import (
    HANDS_ON_WHOLES,
    READS_PARTS,
    Backward,
    BackwardStep,
    Cotangents,
)
from mlirad.passes.chad.sweeps.sweep import Sweep
from mlirad.passes.chad.sweeps.traces import Traced, trace
from mlirad.passes.chad.sweeps.whole_cotangents import handed_whole
from mlirad.passes.dual_arrays.activity import active_yields
from mlirad.passes.slots import merged


def branch(s: Sweep, op: control.BranchOp | CheckpointOp) -> None:
    """Emit a choice, and note the one that goes back."""
    b = s.b
    captured = [v for v in dict.fromkeys(v for r in op.regions for v in captures(r)) if v in s.active]
    wanted = sorted({k for region in op.regions for k in active_yields(region, captured)})
    recompute = isinstance(op, CheckpointOp)
    traces = [
        trace(s, region, (), captured, wanted, captured, recompute=recompute, repeats=False)
        for region in op.regions
    ]
    slots, places = merged([[v.type for v in t.kept] for t in traces])

    def values(t: Traced, own: Sequence[int]) -> list[Value]:
        made, kept = t.forward(b, ())
        in_slots = dict(zip(own, kept, strict=True))
        return [*made, *(in_slots[k] if k in in_slots else b.zeros(type_) for k, type_ in enumerate(slots))]

    choice = next(map(s.value, own_operands(op)), None)
    results = b.choose(choice, [partial(values, *pair) for pair in zip(traces, places, strict=True)])
    s.env.update(zip(op.results, results, strict=False))
    residuals = results[len(op.results) :]

    def pull(back: Backward, cotangents: Cotangents) -> None:
        given = frozenset(k for k, ct in enumerate(cotangents) if ct is not None)
        reached = sorted({k for t in traces for k in t.reached(given)})
        before = [back.sums.get(v) for v in captured]
        # Made here, so that branches which leave them as they are agree.
        unchanged = {k: back.taken_sum(captured[k]) for k in reached}

        def sums(t: Traced, own: Sequence[int]) -> list[Value]:
            known = {v: residuals[k] for v, k in zip(t.kept, own, strict=True)}
            found = t.backward(back.b, known, cotangents, before)
            return [unchanged[k] if (v := found[k]) is None else v for k in reached]

        branches = [partial(sums, *pair) for pair in zip(traces, places, strict=True)]
        for k, total in zip(reached, back.b.choose(choice, branches), strict=True):
            back.sums[captured[k]] = total

    if not wanted:
        return
    wholes = [v for v in captured if any(handed_whole(region, v, s.wholes_of_calls) for region in op.regions)]
    waits = HANDS_ON_WHOLES if wholes else READS_PARTS
    s.enter(BackwardStep([op.results[k] for k in wanted], captured, wholes, pull, op.location, waits))
