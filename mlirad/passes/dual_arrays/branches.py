"""D of `array.if` and `array.switch`: the branch that runs also yields its residuals, which a map reads.

    if p {then} else {otherwise}   -->   y, residuals = if p {values of then} else {values of otherwise}
                                         m = linear.if p {map of then} else {map of otherwise}

Residuals of different branches share results of the op where their types agree; a branch yields zeros for
those of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value, tuple_type
from mlirad.ir.free_values import captures
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.steps import Step, trace


def branch(d: DualArrays, op: control.BranchOp) -> None:
    """Emit a choice with the map of its results."""
    b = d.b
    captured = [v for v in dict.fromkeys(v for r in op.regions for v in captures(r)) if v in d.maps]
    steps = [trace(d, region, (), captured, repeats=False) for region in op.regions]
    slots, places = _slots([[v.type for v in step.kept] for step in steps])
    wanted = [
        k
        for k in range(len(op.results))
        if any(not isinstance(step.tangent_maps[k].owner, linear.ZeroOp) for step in steps)
    ]

    def values(step: Step, own: Sequence[int]) -> Callable[[], list[Value]]:
        def emit() -> list[Value]:
            made, kept = step.values(b, ())
            in_slots = dict(zip(own, kept, strict=True))
            return [*made, *(in_slots[s] if s in in_slots else b.zeros(t) for s, t in enumerate(slots))]

        return emit

    choice = d.value(op.condition if isinstance(op, control.IfOp) else op.index)
    branches = [values(step, own) for step, own in zip(steps, places, strict=True)]
    is_if = isinstance(op, control.IfOp)
    results = b.if_(choice, branches[0], branches[1]) if is_if else b.switch(choice, branches)
    residuals = results[len(op.results) :]
    d.env.update(zip(op.results, results, strict=False))
    if wanted:

        def map_(step: Step, own: Sequence[int]) -> Region:
            known = [(v, residuals[s]) for v, s in zip(step.kept, own, strict=True)]
            return b.region((), lambda: [step.map(b, known, wanted)])

        regions = [map_(step, own) for step, own in zip(steps, places, strict=True)]
        codomain = tuple_type([op.results[k].type for k in wanted])
        b.name_hint = None
        op_class = linear.IfOp if is_if else linear.SwitchOp
        tangent_map = b.map_of(op_class, steps[0].space, codomain, (choice,), None, regions)
        whole = b.compose(tangent_map, b.vcat(d.space, [d.tangent_map(v) for v in captured]))
        for k, place in enumerate(wanted):
            d.enter(op.results[place], b.compose(b.project(codomain, k), whole))
    for step in steps:
        step.discard()


def _slots(types: Sequence[Sequence[Attribute]]) -> tuple[list[Attribute], list[list[int]]]:
    """Results that can hold the residuals of any branch, and for each branch those that hold its own."""
    slots: list[Attribute] = []
    places: list[list[int]] = []
    for own in types:
        left = list(range(len(slots)))
        mine: list[int] = []
        for type_ in own:
            known = next((s for s in left if slots[s] == type_), None)
            if known is None:
                known = len(slots)
                slots.append(type_)
            else:
                left.remove(known)
            mine.append(known)
        places.append(mine)
    return slots, places
