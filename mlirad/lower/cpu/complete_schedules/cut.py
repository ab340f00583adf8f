"""Loops cut into segments: full blocks of lanes or of unrolled copies, and the remainder.

    extent 19, 8 lanes, results only stored      blocks at 0, 8 and 11: the last one overlaps its neighbour
    extent 19, 8 lanes, sums                     blocks at 0 and 8, then 11 with its first 5 lanes masked off
    extent 3, 8 lanes                            one block of 4 lanes, the last one masked off
    extent 3, 8 lanes, no masks                  blocks of 2 lanes at 0 and 1
    extent 14, 8 lanes, in pieces                two blocks side by side, whose 14 lanes are 8, 4 and 2

Only power-of-two widths occur, so no vector is narrower or wider than the processor and LLVM like it, and no
block reaches outside the loop.

The remainder of an extent with sizes in it depends on the call. Where the extent is known to be as long as a
block, the last block overlaps the one before, and is there even if nothing is left over.

    extent n from 8 on, 8 lanes, results only stored       blocks up to n // 8 * 8, then one at n - 8
    extent n from 8 on, 8 lanes, sums                      the same, with what it repeats masked off

Where it may be shorter, lanes beyond its end are masked off, or what is left over is done one by one.

    extent n from 2 on, 8 lanes                  blocks up to n // 8 * 8, then one with n % 8 valid lanes
    extent n from 2 on, 8 lanes, no masks        the same blocks, then single iterations
"""

from __future__ import annotations

from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.kernel.schedules import Segment
from mlirad.lower.bodies.segments import floor_power


def ceil_power(number: int) -> int:
    """The least power of two that is at least `number`."""
    return 1 << (number - 1).bit_length()


def plain(extent: int) -> list[Segment]:
    """One iteration at a time."""
    return [Segment(0, extent)]


def fitting_width(extent: int, width: int, native: int, *, masks: bool) -> int:
    """The lanes of a block for a loop of the given extent; more than the extent only with `masks`."""
    width = floor_power(max(1, width))
    if not is_static(extent) or extent >= width:
        return width
    above = ceil_power(extent)
    return above if masks and above <= min(width, native) else floor_power(extent)


def in_pieces(extent: int, width: int, *, paired: bool) -> list[Segment]:
    """Whole blocks of lanes over a loop, and one for what is left over, which neither overlaps nor is masked.

    A load of bytes that several stores have written, or one under a mask, waits until they have left the
    core's queue of stores. Values stored in pieces and loaded in the same pieces do not wait. `paired`: two
    blocks are computed side by side, as the instructions of each may wait for each other.
    """
    block = 2 * width if paired else width
    full = extent // block * block
    segments = [Segment(0, full, 1, block)] if full else []
    last = block if extent - full > width else width
    return [*segments, Segment(full, extent, 1, last, masked=True, in_pieces=True)]


def output_lanes(
    extent: int, width: int, native: int, *, may_repeat: bool, compact: bool, masks: bool = False
) -> list[Segment]:
    """Blocks of lanes over a loop of results.

    `may_repeat`: computing a result twice is harmless. `compact`: one copy of the code is worth more than the
    cheapest remainder. `masks`: lanes outside of a loop that may be shorter than a block are masked off.
    """
    if not is_static(extent):
        if at_most(width, extent):
            return _overlapping_lanes(extent, width, native, may_repeat=may_repeat, compact=compact)
        return _lanes_of_short(extent, width, native, masks=masks)
    if width > extent:
        return [Segment(0, extent, 1, width, masked=True)]
    full = extent // width * width
    left = extent - full
    if not left:
        return [Segment(0, extent, 1, width)]
    tail = ceil_power(left)
    if may_repeat and compact and (tail == width or width <= native):
        return [Segment(0, extent, 1, width, clamped=True)]
    return [
        Segment(0, full, 1, width),
        Segment(extent - tail, extent, 1, tail, 0 if may_repeat else tail - left),
    ]


def _overlapping_lanes(
    extent: int, width: int, native: int, *, may_repeat: bool, compact: bool
) -> list[Segment]:
    """The same for an extent with sizes in it: the last block has as many lanes as a register at most."""
    if may_repeat and compact:
        return [Segment(0, extent, 1, width, clamped=True)]
    full = extent // width * width
    segments = [Segment(0, full, 1, width)]
    last = min(width, native)
    if last < width:
        whole = extent // last * last
        segments.append(Segment(full, whole, 1, last))
        full = whole
    repeated = 0 if may_repeat else last - (extent - full)
    return [*segments, Segment(extent - last, extent, 1, last, repeated)]


def _lanes_of_short(extent: int, width: int, native: int, *, masks: bool) -> list[Segment]:
    """The same for one that may be shorter than a block; what is left over fills registers one by one."""
    full = extent // width * width
    segments = [Segment(0, full, 1, width)]
    if full == extent:
        return segments
    last = min(width, native)
    if masks:
        return [*segments, Segment(full, extent, 1, last, masked=True)]
    if last < width:
        whole = extent // last * last
        segments.append(Segment(full, whole, 1, last))
        full = whole
    return [*segments, Segment(full, extent)]


def reduced_lanes(extent: int, width: int, copies: int, *, may_repeat: bool) -> list[Segment]:
    """Blocks of lanes over a reduction loop, `copies` at a time; every block has the same width."""
    if not is_static(extent):
        block = width * copies
        full, whole = extent // block * block, extent // width * width
        segments = [Segment(0, full, copies, width)]
        if not at_most(width, extent):
            return [*segments, Segment(full, extent, 1, width, masked=True)]
        if copies > 1:
            segments.append(Segment(full, whole, 1, width))
        repeated = 0 if may_repeat else width - (extent - whole)
        return [*segments, Segment(extent - width, extent, 1, width, repeated)]
    if width > extent:
        return [Segment(0, extent, 1, width, masked=True)]
    block = width * copies
    full = extent // block * block
    segments = [Segment(0, full, copies, width)] if full else []
    left = extent - full
    if not left:
        return segments
    if left % width == 0:
        return [*segments, Segment(full, extent, 1, width)]
    if may_repeat:
        return [*segments, Segment(full, extent, 1, width, clamped=True)]
    whole = full + left // width * width
    if whole > full:
        segments.append(Segment(full, whole, 1, width))
    return [*segments, Segment(extent - width, extent, 1, width, width - (extent - whole))]


def unrolled(extent: int, copies: int, *, may_repeat: bool = False) -> list[Segment]:
    """`copies` iterations at a time. With `may_repeat` a last block may start early rather than be short,
    where that repeats at most an eighth of the work."""
    if not is_static(extent):
        if may_repeat and at_most(copies, extent):
            return [Segment(0, extent, copies, clamped=True)]
        full = extent // copies * copies
        segments = [Segment(0, full, copies)]
        if may_repeat and copies > 3:
            half = copies // 2
            whole = full + (extent - full) // half * half
            segments.append(Segment(full, whole, half))
            full = whole
        return [*segments, Segment(full, extent, 1)]
    copies = min(copies, extent)
    left = extent % copies
    if not left:
        return [Segment(0, extent, copies)]
    if may_repeat and 8 * (copies - left) <= extent:
        return [Segment(0, extent, copies, clamped=True)]
    full = extent - left
    return [Segment(0, full, copies), Segment(full, extent, left)]
