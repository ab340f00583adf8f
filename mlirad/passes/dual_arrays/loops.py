"""D of `array.while`: the loop records residuals on a tape, and the map `linear.while` reads it.

The condition is no float and has no derivative. A tape cannot be kept by another loop or branch; there the
loop runs again when the map is applied.
"""

from __future__ import annotations

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value, integer, tuple_type
from mlirad.errors import DifferentiationError
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures
from mlirad.ir.locations import location_of
from mlirad.passes.dual_arrays.activity import active_carries
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.steps import trace


def while_(d: DualArrays, op: control.WhileOp) -> None:
    """Emit a loop with the map of its results."""
    b, count, block = d.b, len(op.operands), op.body.block
    made = yields(op.body)
    captured = [v for v in captures(op.body) if v in d.maps]
    starts = [v in d.maps for v in op.operands]
    carried, inside = active_carries(block, block.args, made[:count], starts, set(captured))
    carries = [k for k in range(count) if carried[k]]
    if any(v in inside for v in made[count:]):
        raise DifferentiationError(
            "a loop that records floats which are differentiated has no derivative",
            location=location_of(op),
            hint="second derivatives of while loops are not supported: use a scan of a known number of trips",
        )
    step = trace(d, op.body, (), [*(block.args[k] for k in carries), *captured])
    if not carries or op.record is not None:
        # What reads the tape reads it as it is; residuals go on a tape of their own.
        b.rebuild_unfolded(op, d.env)
    if not carries:
        step.discard()
        return

    def condition(*state: Value) -> Value:
        return b.inline_region(op.condition, state, d.env)[0]

    def body(*state: Value) -> list[Value]:
        values, kept = step.values(b, state)
        return [*values[:count], *kept]

    init = [d.value(v) for v in op.operands]
    *final, tape = b.while_(init, condition, body, len(step.kept))
    d.env.update(zip(op.final, final, strict=True))
    region = b.region(
        [v.type for v in step.kept],
        lambda *entry: [step.map(b, list(zip(step.kept, entry, strict=True)), carries)],
    )
    codomain = tuple_type([block.args[k].type for k in carries])
    properties = {"carries": integer(len(carries))}
    companion = b.map_of(linear.WhileOp, step.space, codomain, (tape,), properties, (region,))
    sources = [*(op.operands[k] for k in carries), *captured]
    whole = b.compose(companion, b.vcat(d.space, [d.companion(v) for v in sources]))
    for k, place in enumerate(carries):
        d.enter(op.results[place], b.compose(b.project(codomain, k), whole))
    step.discard()
