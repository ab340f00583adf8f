"""D of `array.while`: the loop records residuals on a tape, and the map `linear.while` reads it.

    while c0 {p} {t}       -->   c, tape = while c0 {p} {values of t; record residuals}
                                 m = linear.while tape {map of t},    d_c = m (d_c0 x d_captured)
    replay tape r0 {u}     -->   D of the loop that recorded the tape, rerun with u after each iteration

The condition is not a float and has no derivative. A tape cannot be kept by another loop or branch; there the
loop is recomputed when the map is applied. A replay from the newest entry to the oldest, which is what the
transposed map of a `while` becomes, has no derivative: in functions that are differentiated to a higher order
a `while` is treated as a call (`calls.py`) until nothing is left to differentiate.
"""

from __future__ import annotations

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value, integer, tuple_type
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, free_values
from mlirad.ir.locations import location_of
from mlirad.passes.dual_arrays.activity import active_carries
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.traced_regions import trace


def while_(d: DualArrays, op: control.WhileOp) -> None:
    """Emit a loop with the map of its results."""
    b, count, block = d.b, len(op.init), op.body.block
    made = yields(op.body)
    captured = [v for v in captures(op.body) if v in d.maps]
    starts = [v in d.maps for v in op.init]
    carried, inside = active_carries(block, block.args, made[:count], starts, set(captured))
    carries = [k for k in range(count) if carried[k]]
    if op.tape is not None and any(v in inside for v in made[count:]):
        d.tapes.add(op.tape)
    step = trace(d, op.body, (), [*(block.args[k] for k in carries), *captured])
    if not carries or op.record is not None:
        # The readers of the tape read it unchanged; residuals go on a tape of their own.
        b.rebuild_unfolded(op, d.env)
    if not carries:
        step.discard()
        return

    def condition(*state: Value) -> Value:
        return b.inline_region(op.condition, state, d.env)[0]

    def body(*state: Value) -> list[Value]:
        values, kept = step.values(b, state)
        return [*values[:count], *kept]

    init = [d.value(v) for v in op.init]
    *final, tape = b.while_(init, condition, body, len(step.kept))
    d.env.update(zip(op.final, final, strict=True))
    region = b.region(
        [v.type for v in step.kept],
        lambda *entry: [step.map(b, list(zip(step.kept, entry, strict=True)), carries)],
    )
    b.name_hint = None
    codomain = tuple_type([block.args[k].type for k in carries])
    properties = {"carries": integer(len(carries))}
    tangent_map = b.map_of(linear.WhileOp, step.space, codomain, (tape,), properties, (region,))
    sources = [*(op.init[k] for k in carries), *captured]
    d.enter_image([op.results[k] for k in carries], tangent_map, sources)
    step.discard()


def replay(d: DualArrays, op: control.ReplayOp) -> None:
    """Emit a replay with the map of its results: the recording loop and the replay in one loop."""
    loop = op.tape.owner
    if op.reverse is not None or not isinstance(loop, control.WhileOp):
        raise DifferentiationError(
            "the transposed derivative of a while loop has no derivative",
            location=location_of(op),
            hint="differentiate the derivative before it is expanded to array code",
        )
    free = [v for v in dict.fromkeys((*free_values(loop), *free_values(op))) if v is not op.tape]
    count = len(loop.init)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(free, args, strict=True))

        def condition(*state: Value) -> Value:
            return b.inline_region(loop.condition, state[:count], env)[0]

        def iteration(*state: Value) -> list[Value]:
            made = b.inline_region(loop.body, state[:count], env)
            return [*made[:count], *b.inline_region(op.body, [*made[count:], *state[count:]], env)]

        init = [env[v] for v in (*loop.init, *op.init)]
        return b.while_(init, condition, iteration)[count:]

    d.substitute(op, free, new_function("replayed", [v.type for v in free], body))
