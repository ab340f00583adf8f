"""The loops of recurrences and scatters: single iterations, the loop of the lanes innermost.

    recurrence over 100, 8 lanes     blocks at 0, 8, ..., 88 and 92: elements may be computed twice
    scatter over 100, 8 lanes        4 lanes at 96, as a sum adds each element once

The results of a recurrence share no memory with what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.kernel import RecurrenceOp, ScatterOp
from mlirad.dialects.kernel.schedules import CutLoops, Segment, number_of
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.lower.bodies.body import Body
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.cpu.complete_schedules.nests import lanes_of_block
from mlirad.lower.large_sizes import is_loop


def cut_recurrence(op: RecurrenceOp, body: Body, vector_bytes: int) -> CutLoops:
    """The loops around the iterations of a recurrence."""
    return _cut(body, len(values_of(op.space)), number_of(op.lane), vector_bytes, may_repeat=True)


def cut_scatter(op: ScatterOp, body: Body, vector_bytes: int) -> CutLoops:
    """The loops of a scatter, with lanes where they write to different elements."""
    lane = number_of(op.lane)
    if lane is not None and not (is_loop(body.extents[lane]) and may_have_lanes(op, body, lane)):
        lane = None
    return _cut(body, len(body.extents), lane, vector_bytes, may_repeat=False)


def _cut(body: Body, outputs: int, lane: int | None, vector_bytes: int, *, may_repeat: bool) -> CutLoops:
    """The loops below `outputs`; with `may_repeat` iterations may run twice, and lanes may be masked off."""
    loops: dict[int, Sequence[Segment]] = {
        d: cut.plain(extent) for d, extent in enumerate(body.extents[:outputs]) if is_loop(extent)
    }
    width = 1
    if lane is not None and lane in loops:
        del loops[lane]
        width, native = lanes_of_block(body, lane, vector_bytes, masks=may_repeat)
        loops[lane] = cut.output_lanes(
            body.extents[lane], width, native, may_repeat=may_repeat, compact=may_repeat, masks=may_repeat
        )
    return CutLoops.of(list(loops.items()), outputs, lane=lane, width=width)


def may_have_lanes(op: ScatterOp, body: Body, lane: int) -> bool:
    """Return whether lanes write to different elements, in an order that does not matter."""
    (output,) = body.result_buffers
    address = body.address(output, body.yielded[1 : 1 + len(shape_of(op.result))])
    moves = address.coefficient(lane) != 0
    is_alone = all(lane not in body.dependences[v] for v, _ in address.values)
    last = max(d for d, e in enumerate(body.extents) if is_loop(e))
    return moves and is_alone and (op.kind.data == "add" or lane == last)
