"""The loops of nests: their order, lanes, unrolled copies, and the segments that each is cut into.

Loops that the nest leaves open get a default. Those of the output come first, the lane loop last among its
kind; without a lane everything is scalar. Several sums are kept in flight where one addition would wait for
the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlirad.dialects.array.reductions import IDEMPOTENT
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.kernel.nests import number_of
from mlirad.dialects.kernel.schedules import CutLoops, LoopAttr, Segment
from mlirad.dialects.shapes import values_of
from mlirad.lower.bodies.body import Body
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.large_sizes import is_loop
from mlirad.lower.machine import INSTRUCTION, LATENCY, ends_in_pieces, instructions_of

ADD_LATENCY_SLOTS: Final = int(LATENCY / INSTRUCTION)
"""Instructions a processor can start while one float addition is under way."""

MOST_ACCUMULATORS: Final = 4
"""How many sums of one result are kept side by side to hide the latency of additions."""

LEAST_MASKED_BYTES: Final = 32
"""Processors with vectors of at least this size load and store under a mask."""

SHORT_LOOP: Final = 4
SHORT_LOOP_COST: Final = 24
"""A reduction loop of at most this many iterations, and instructions in all, is written out."""

COMPACT_COST: Final = 12
"""From this many instructions on a body is written once for whole and last blocks, if it can be."""


def cut_nest(
    op: NestOp, body: Body, combiners: Sequence[str], vector_bytes: int, *, may_repeat: bool, runs: int = 1
) -> CutLoops:
    """The loops of a nest that runs so often; with `may_repeat` it does not write what it reads."""
    rank = len(values_of(op.space))
    extents = body.extents
    lane = _active(number_of(op.lane), extents)
    tile = _active(number_of(op.tile_dim), extents)
    tiles = 1 if op.tile is None else max(1, op.tile.value.data)
    if tile == lane or tiles == 1:
        tile = None
    order, outer = _order(op, rank, extents, lane, combiners)
    in_memory = any(d >= rank for d in order[:outer])
    native = native_lanes(body, lane, vector_bytes)
    width = 1
    if lane is not None:
        asked = native if op.width is None else op.width.value.data
        masks = vector_bytes >= LEAST_MASKED_BYTES
        width = cut.fitting_width(extents[lane], asked, native, masks=masks)
    lane_is_reduced = lane is not None and lane >= rank
    idempotent = all(c in IDEMPOTENT for c in combiners)
    may_repeat = may_repeat and (not in_memory or idempotent)
    needed = body.needed(body.yielded)
    copies = 1
    unroll = order[-1] if outer < len(order) else None
    if lane_is_reduced:
        copies = max(1, min(MOST_ACCUMULATORS, width // native))
        width = min(width, native)
    if unroll is not None:
        inner = instructions_of(o for o in needed if unroll in body.dependences[o.results[0]]) + len(
            combiners
        )
        parallel = (min(tiles, nominal(extents[tile])) if tile is not None else 1) * max(1, width // native)
        trips = nominal(extents[unroll]) // (width if unroll == lane else 1)
        copies = max(copies, _copies_in_flight(inner * parallel, trips))
        while copies > max(1, trips):
            copies //= 2
    lane_copies = 1 if lane_is_reduced and unroll != lane else copies
    segments: dict[int, Sequence[Segment]] = {}
    compact = instructions_of(needed) > COMPACT_COST
    in_pieces = _is_in_pieces(op, body, lane, width, native, runs)
    for d in order:
        extent = extents[d]
        if d == lane and in_pieces and lane_copies == 1:
            segments[d] = cut.in_pieces(extent, width)
        elif d == lane and d < rank:
            segments[d] = cut.output_lanes(
                extent, width, native, may_repeat=may_repeat, compact=compact, masks=True
            )
        elif d == lane:
            segments[d] = cut.reduced_lanes(extent, width, lane_copies, may_repeat=idempotent)
        elif d == tile:
            segments[d] = cut.unrolled(extent, tiles, may_repeat=may_repeat)
        elif d == unroll:
            segments[d] = cut.unrolled(extent, copies)
        else:
            segments[d] = cut.plain(extent)
    stated = [LoopAttr((d, tuple(segments[d]))) for d in order]
    return CutLoops.of(stated, rank, lane=lane, tile=tile, width=width, accumulators=copies)


def _is_in_pieces(op: NestOp, body: Body, lane: int | None, width: int, native: int, runs: int) -> bool:
    """Return whether the end of the lane loop is loaded and stored in pieces: where all lanes lie one after
    the other, or read the same element, and what is loaded may just have been stored.
    """
    if lane is None or not 1 < width <= native or op.parallel is not None or op.bounds:
        return False
    loads = [body.addresses[o] for o in body.needed(body.yielded) if o in body.addresses]
    results = [a for b in body.result_buffers for a in body.own_addresses(b, values_of(op.space))]
    return ends_in_pieces(body.extents[lane], width, runs) and all(
        address.coefficient(lane) in (0, 1)
        and not any(lane in body.dependences[value] for value, _ in address.values)
        for address in (*loads, *results)
    )


def _active(loop: int | None, extents: Sequence[int]) -> int | None:
    return None if loop is None or extents[loop] == 1 else loop


def _order(
    op: NestOp, rank: int, extents: Sequence[int], lane: int | None, combiners: Sequence[str]
) -> tuple[tuple[int, ...], int]:
    """The loops from outermost to innermost, and how many of them stand around a store."""
    if op.order is not None:
        order = list(values_of(op.order))
    else:
        order = [d for d in range(len(extents)) if d != lane]
        if lane is not None:
            order.insert(rank - 1 if lane < rank else len(order), lane)
        if op.reduction_outer is not None:
            order.sort(key=lambda d: d < rank or d == lane)
    if any(c.startswith("arg") for c in combiners):
        # an extremum in memory would need its value there too
        order.sort(key=lambda d: d >= rank)
    order = [d for d in order if is_loop(extents[d])]
    outer = len(order)
    while outer and order[outer - 1] >= rank:
        outer -= 1
    if lane is not None and lane >= rank and lane in order[:outer]:
        order.remove(lane)
        order.append(lane)
        outer -= 1
    return tuple(order), outer


def native_lanes(body: Body, lane: int | None, vector_bytes: int) -> int:
    """Lanes that fill one vector register, by the widest values that differ between lanes."""
    return max(1, vector_bytes // body.widest(lane))


def _copies_in_flight(cost: int, trips: int) -> int:
    """Return how many copies of a reduction step hide the latency of its additions."""
    if trips <= SHORT_LOOP and cost * trips <= SHORT_LOOP_COST:
        return trips
    copies = 1
    while copies < MOST_ACCUMULATORS and copies * cost < ADD_LATENCY_SLOTS and 4 * copies <= trips:
        copies *= 2
    return copies
