"""The completed schedule of a nest: loop order, lanes, unrolling, and how each loop is cut into segments.

What a nest leaves open gets a default. Loops of the output come first, the lane loop last
among its kind; without a lane everything is scalar. Several sums are kept in flight where one addition would
wait for the one before.

Emission completes a schedule, and shows none of it in the IR. The number of accumulators of one result, the
cut of a loop into whole vectors and a remainder, and fast paths follow from the printed kernel, its target
and the cost model, and no other kernel depends on them. As properties they would be numbers with one right
value per text. The price is that they are neither explained nor drawn at random like the moves: a test that
wants another choice sets the limits here and in `lower/cpu/emit/fast_path.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import integer_of, values_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies import segments
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.reductions import IDEMPOTENT
from mlirad.lower.bodies.segments import Segment, trips_of
from mlirad.lower.cpu.emit.kernels import cost_of
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.large_sizes import is_loop
from mlirad.lower.machine import INSTRUCTION, LATENCY, ends_in_pieces

ADD_LATENCY_SLOTS = int(LATENCY / INSTRUCTION)
"""Instructions a processor can start while one float addition is under way."""

MOST_ACCUMULATORS = 4
"""How many sums of one result are kept side by side to hide the latency of additions."""

LEAST_MASKED_BYTES = 32
"""Processors with vectors of at least this size load and store under a mask."""

SHORT_LOOP = 4
SHORT_LOOP_COST = 24
"""A reduction loop of at most this many iterations, and instructions in all, is written out."""

COMPACT_COST = 12
"""From this many instructions on a body is written once for whole and last blocks, if it can be."""


@dataclass(frozen=True)
class NestSchedule:
    """The completed schedule of a nest; loops of extent 1 are left out.

    `order[:outer]` are the loops around a store, `order[outer:]` the reductions in registers. `in_memory`
    says that reduction loops are among the outer ones. Threads may share `tasks`: trips of the first segment
    of the outermost loop. Of the results, only elements whose index x is at most index y + c are wanted, for
    all (x, y, c) of `bounds`.
    """

    order: tuple[int, ...]
    outer: int
    lane: int | None
    tile: int | None
    unroll: int | None
    lane_is_reduced: bool
    width: int
    copies: int
    in_memory: bool
    segments: dict[int, list[Segment]]
    tasks: Tasks | None = None
    bounds: Sequence[tuple[int, int, int]] = ()

    @classmethod
    def of(
        cls,
        op: NestOp,
        body: Body,
        combiners: Sequence[str],
        vector_bytes: int,
        *,
        may_repeat: bool,
        runs: int = 1,
    ) -> NestSchedule:
        """The completed schedule of a nest that runs so often; with `may_repeat` it does not write what it
        reads.
        """
        rank = len(values_of(op.space))
        extents = body.extents
        lane = _active(None if op.lane is None else op.lane.value.data, extents)
        tile = _active(None if op.tile_dim is None else op.tile_dim.value.data, extents)
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
            width = segments.fitting_width(extents[lane], asked, native, masks=masks)
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
            inner = cost_of(o for o in needed if unroll in body.dependences[o.results[0]]) + len(combiners)
            parallel = (min(tiles, nominal(extents[tile])) if tile is not None else 1) * max(
                1, width // native
            )
            trips = nominal(extents[unroll]) // (width if unroll == lane else 1)
            copies = max(copies, _copies_in_flight(inner * parallel, trips))
            while copies > max(1, trips):
                copies //= 2
            if copies == 1:
                unroll = None
        if lane_is_reduced and unroll != lane:
            lane_copies = 1
        else:
            lane_copies = copies
        cut: dict[int, list[Segment]] = {}
        compact = cost_of(needed) > COMPACT_COST
        in_pieces = _is_in_pieces(op, body, lane, width, native, runs)
        for d in order:
            extent = extents[d]
            if d == lane and in_pieces and lane_copies == 1:
                cut[d] = segments.in_pieces(extent, width)
            elif d == lane and d < rank:
                cut[d] = segments.output_lanes(
                    extent, width, native, may_repeat=may_repeat, compact=compact, masks=True
                )
            elif d == lane:
                cut[d] = segments.reduced_lanes(extent, width, lane_copies, may_repeat=idempotent)
            elif d == tile:
                cut[d] = segments.unrolled(extent, tiles, may_repeat=may_repeat)
            elif d == unroll:
                cut[d] = segments.unrolled(extent, copies)
            else:
                cut[d] = segments.plain(extent)
        if unroll is None:
            copies = 1
        tasks = None
        if op.parallel is not None and order and not in_memory and order[0] < rank:
            tasks = tasks_of(cut[order[0]], integer_of(op.parallel))
        return cls(
            order,
            outer,
            lane,
            tile,
            unroll,
            lane_is_reduced,
            width,
            copies,
            in_memory,
            cut,
            tasks,
            op.bounds,
        )


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


def tasks_of(cut: Sequence[Segment], iterations: int) -> Tasks | None:
    """The tasks that a loop is cut into, of so many iterations each, by trips of its first segment."""
    first = cut[0]
    return Tasks.of(trips_of(first), -(-iterations // first.step))


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
