"""Segments of loops in code: which lanes of a block count.

A block has as many lanes as its segment says. Of the last one of a loop the first lanes may have been done
before, or the last ones may be outside of the loop: these are masked off.
"""

from __future__ import annotations

from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel.schedules import Segment
from mlirad.lower.llvm.text import IRBuilder, Value, lanes, vector


def valid_lanes(f: IRBuilder, segment: Segment, start: Value) -> Value | None:
    """The lanes of the block at `start` that are inside the loop, as a mask; None for all of them."""
    if not segment.masked:
        return None
    if is_static(segment.upper):
        return vector("i1", [segment.lower + lane < segment.upper for lane in range(segment.width)])
    return f.icmp("slt", lanes(segment.width), f.sub(segment.upper, start))


def pieced_lanes(segment: Segment) -> int | None:
    """Return how many lanes are loaded and stored in pieces; None if none are."""
    return segment.upper - segment.lower if segment.in_pieces else None


def remaining_lanes(f: IRBuilder, segment: Segment) -> Value | None:
    """The lanes that no block before has done, as a mask; None for all of them."""
    if not is_static(segment.repeated):
        return f.icmp("sge", lanes(segment.width), segment.repeated)
    if not segment.repeated:
        return None
    return vector("i1", [lane >= segment.repeated for lane in range(segment.width)])


def floor_power(number: int) -> int:
    """The greatest power of two that is at most `number`."""
    return 1 << (number.bit_length() - 1)
