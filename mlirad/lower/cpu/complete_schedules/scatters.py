"""The loops of scatters: lanes where they write to different elements, in an order that does not matter."""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.kernel import ScatterOp
from mlirad.dialects.kernel.nests import number_of
from mlirad.dialects.kernel.schedules import CutLoops, LoopAttr, Segment
from mlirad.dialects.shapes import shape_of
from mlirad.lower.bodies.body import Body
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.cpu.complete_schedules.nests import native_lanes
from mlirad.lower.large_sizes import is_loop


def cut_scatter(op: ScatterOp, body: Body, vector_bytes: int) -> CutLoops:
    """The loops of a scatter, that of the lanes last."""
    order = [d for d, e in enumerate(body.extents) if is_loop(e)]
    segments: dict[int, Sequence[Segment]] = {d: cut.plain(body.extents[d]) for d in order}
    lane = number_of(op.lane)
    width = 1
    if lane in order and may_have_lanes(op, body, lane):
        native = native_lanes(body, lane, vector_bytes)
        asked = native if op.width is None else op.width.value.data
        width = cut.fitting_width(body.extents[lane], asked, native, masks=False)
        order.remove(lane)
        order.append(lane)
        segments[lane] = cut.output_lanes(body.extents[lane], width, native, may_repeat=False, compact=False)
    else:
        lane = None
    stated = [LoopAttr((d, tuple(segments[d]))) for d in order]
    return CutLoops.of(stated, len(body.extents), lane=lane, width=width)


def may_have_lanes(op: ScatterOp, body: Body, lane: int) -> bool:
    """Return whether lanes write to different elements, in an order that does not matter."""
    (output,) = body.result_buffers
    address = body.address(output, body.yielded[1 : 1 + len(shape_of(op.result))])
    moves = address.coefficient(lane) != 0
    is_alone = all(lane not in body.dependences[v] for v, _ in address.values)
    last = max(d for d, e in enumerate(body.extents) if is_loop(e))
    return moves and is_alone and (op.kind.data == "add" or lane == last)
