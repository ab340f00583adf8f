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
from mlirad.dialects.kernel.schedules import CutLoops, Segment, lanes_of, loops_around, number_of
from mlirad.dialects.shapes import values_of
from mlirad.lower.bodies.body import Body
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.large_sizes import is_loop
from mlirad.lower.machine import INSTRUCTION, LATENCY, ends_in_pieces, instructions_of

ADD_LATENCY_SLOTS: Final = int(LATENCY / INSTRUCTION)
"""Instructions a processor can start while one float addition is under way."""

MOST_ACCUMULATORS: Final = 4
"""The most sums of one result that are kept side by side to hide the latency of additions."""

LEAST_MASKED_BYTES: Final = 32
"""Processors with vectors of at least this size load and store under a mask."""

SHORT_LOOP: Final = 4
SHORT_LOOP_COST: Final = 24
"""A reduction loop of at most this many iterations, and instructions in all, is unrolled completely."""

COMPACT_COST: Final = 12
"""From this many instructions on a body is written once for whole and last blocks, if it can be."""

LONG_CHAIN: Final = 120
"""From this many instructions on a body is longer than the processor looks ahead: what waits in it for other
instructions leaves units idle, unless another block is computed beside it."""


def cut_nest(
    op: NestOp, body: Body, combiners: Sequence[str], vector_bytes: int, *, may_repeat: bool, runs: int = 1
) -> CutLoops:
    """The loops of a nest that runs about `runs` times; with `may_repeat` it does not write what it reads."""
    rank = len(values_of(op.space))
    extents = body.extents
    lane = _active(number_of(op.lane), extents)
    tile = _active(number_of(op.tile_dim), extents)
    tiles = number_of(op.tile) or 1
    if tile == lane or tiles == 1:
        tile = None
    order, outer = _order(op, rank, extents, lane, combiners)
    in_memory = any(d >= rank for d in order[:outer])
    width, native = lanes_of_block(body, lane, vector_bytes, masks=True)
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
        iterations = nominal(extents[unroll]) // (width if unroll == lane else 1)
        copies = max(copies, _copies_in_flight(inner * parallel, iterations))
        while copies > max(1, iterations):
            copies //= 2
    lane_copies = 1 if lane_is_reduced and unroll != lane else copies
    loops: list[tuple[int, Sequence[Segment]]] = []
    length = instructions_of(needed)
    compact, is_long = length > COMPACT_COST, length > LONG_CHAIN
    in_pieces = _is_in_pieces(op, body, lane, width, native, runs)
    for d in order:
        extent = extents[d]
        if d == lane and in_pieces and lane_copies == 1:
            segments = cut.in_pieces(extent, width, paired=d < rank and is_long)
            width = max(s.width for s in segments)
        elif d == lane and d < rank:
            segments = cut.output_lanes(
                extent, width, native, may_repeat=may_repeat, compact=compact, masks=True
            )
        elif d == lane:
            segments = cut.reduced_lanes(extent, width, lane_copies, may_repeat=idempotent)
        elif d == tile:
            segments = cut.unrolled(extent, tiles, may_repeat=may_repeat)
        elif d == unroll:
            segments = cut.unrolled(extent, copies)
        else:
            segments = cut.plain(extent)
        loops.append((d, segments))
    return CutLoops.of(loops, rank, lane=lane, tile=tile, width=width, accumulators=copies)


def _is_in_pieces(op: NestOp, body: Body, lane: int | None, width: int, native: int, runs: int) -> bool:
    """Return whether the end of the lane loop is loaded and stored in pieces: all lanes lie one after the
    other, or read the same element, and what is loaded may just have been stored.
    """
    if lane is None or not 1 < width <= native or op.parallel is not None or op.bounds:
        return False
    return ends_in_pieces(body.extents[lane], width, runs) and all(
        address.coefficient(lane) in (0, 1)
        and not any(lane in body.dependences[value] for value, _ in address.values)
        for address in (*body.loads(), *body.stores())
    )


def _active(loop: int | None, extents: Sequence[int]) -> int | None:
    return None if loop is None or extents[loop] == 1 else loop


def _order(
    op: NestOp, rank: int, extents: Sequence[int], lane: int | None, combiners: Sequence[str]
) -> tuple[tuple[int, ...], int]:
    """The loops from outermost to innermost, and the number of those around a store."""
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
    outer = loops_around(order, rank)
    if lane is not None and lane >= rank and lane in order[:outer]:
        order.remove(lane)
        order.append(lane)
        outer -= 1
    return tuple(order), outer


def lanes_of_block(body: Body, lane: int | None, vector_bytes: int, *, masks: bool) -> tuple[int, int]:
    """The lanes of a block of the loop `lane`, as stated or one register full, and those of a register.

    `masks`: a block may be longer than the loop, if the processor has vectors whose lanes can be masked off.
    """
    native = max(1, vector_bytes // body.widest(lane))
    if lane is None:
        return 1, native
    has_masks = masks and vector_bytes >= LEAST_MASKED_BYTES
    asked = lanes_of(body.op.width, native)
    return cut.fitting_width(body.extents[lane], asked, native, masks=has_masks), native


def _copies_in_flight(cost: int, iterations: int) -> int:
    """Return how many copies of a reduction step hide the latency of its additions."""
    if iterations <= SHORT_LOOP and cost * iterations <= SHORT_LOOP_COST:
        return iterations
    copies = 1
    while copies < MOST_ACCUMULATORS and copies * cost < ADD_LATENCY_SLOTS and 4 * copies <= iterations:
        copies *= 2
    return copies
