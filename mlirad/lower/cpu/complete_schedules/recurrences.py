"""The loops of recurrences: those of the space, that of the lanes last.

A last block overlaps the one before: as results share no memory with what is read, elements may be computed
twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.kernel import RecurrenceOp
from mlirad.dialects.kernel.nests import number_of
from mlirad.dialects.kernel.schedules import CutLoops, LoopAttr, Segment
from mlirad.dialects.shapes import values_of
from mlirad.lower.bodies.body import Body
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.cpu.complete_schedules.nests import LEAST_MASKED_BYTES, native_lanes
from mlirad.lower.large_sizes import is_loop


def cut_recurrence(op: RecurrenceOp, body: Body, vector_bytes: int) -> CutLoops:
    """The loops around the trips."""
    space = values_of(op.space)
    loops = [d for d, extent in enumerate(space) if is_loop(extent)]
    segments: dict[int, Sequence[Segment]] = {d: cut.plain(space[d]) for d in loops}
    lane = number_of(op.lane)
    width = 1
    if lane in loops:
        loops.remove(lane)
        loops.append(lane)
        native = native_lanes(body, lane, vector_bytes)
        asked = native if op.width is None else op.width.value.data
        masks = vector_bytes >= LEAST_MASKED_BYTES
        width = cut.fitting_width(space[lane], asked, native, masks=masks)
        segments[lane] = cut.output_lanes(
            space[lane], width, native, may_repeat=True, compact=True, masks=True
        )
    stated = [LoopAttr((d, tuple(segments[d]))) for d in loops]
    return CutLoops.of(stated, len(space), lane=lane, width=width)
