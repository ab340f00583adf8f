"""The number of elements of a recurrence that iterate together: a few vectors of lanes.

    carries 2, loads 1         4 vectors: 8 registers for carries, 4 for what is loaded
    carries 9, long chains     1 vector

An iteration waits for the one before, so several vectors side by side keep the processor busy, as long as
their carries fit its registers. Lanes run along the last dimension, along which arrays are stored.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, RecurrenceOp
from mlirad.dialects.shapes import Shape, Value, element_of, integer, values_of
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.large_sizes import are_static, is_loop
from mlirad.lower.machine import (
    CONFLICTING_BYTES,
    CONTIGUOUS_LOAD,
    CONTIGUOUS_STORE,
    L1_BYTES,
    LATENCY,
    LINE_BYTES,
    LOOP_START,
    UNIFORM_LOAD,
    element_bytes,
    op_cost,
    op_latency,
    registers,
)

MOST_VECTORS = 4
"""The number of vectors of elements that are in flight at most."""

ITERATION = 1.0
"""Cycles to count an iteration."""

LONG_BODY = 60.0
"""Cycles of a body from which on it is compiled for one vector of elements only."""


@dataclass(frozen=True)
class RecurrenceBlocking:
    """The lanes of a block, and the cycles that all iterations of all blocks cost."""

    width: int
    cycles: float


def state_lanes(op: RecurrenceOp, vector_bytes: int) -> None:
    """Write down which loop of a recurrence runs across lanes, and how many there are, if any does."""
    lane = lane_of(values_of(op.space))
    if lane is not None:
        op.properties["lane"] = integer(lane)
        op.properties["width"] = integer(best_blocking(op, vector_bytes).width)


def state_pitch(op: RecurrenceOp) -> None:
    """Write down that the rows of what is stacked lie further apart, if a column would conflict in the cache.

    Stacked values are written down their columns. Rows at a multiple of many lines share few sets of the
    first level of cache, which then evicts a line for every one that is written.
    """
    row = prod(values_of(op.space))
    if not op.stacked or not are_static(op.extents):
        return
    kinds = {element_bytes(element_of(v)) for v in op.stacked}
    if len(kinds) > 1 or not all(_may_be_pitched(v, op) for v in op.stacked):
        return
    (element,) = kinds
    if row * element % CONFLICTING_BYTES == 0 and op.iterations * row * element > L1_BYTES:
        op.properties["pitch"] = integer(row + LINE_BYTES // element)


def _may_be_pitched(value: Value, op: RecurrenceOp) -> bool:
    """Return whether kernels of the same block, which take any strides, are all that reads a stacked
    value.
    """
    readers = [use.operation for use in value.uses]
    kernels = [r.parent_op() if isinstance(r, LoadOp | LoadIfOp) else r for r in readers]
    return all(isinstance(k, NestOp | RecurrenceOp) and k.parent is op.parent for k in kernels)


def lane_of(space: Shape) -> int | None:
    """The last dimension of a space, unless it has one element: then the one before, and so on."""
    return next((d for d in reversed(range(len(space))) if is_loop(space[d])), None)


def best_blocking(op: RecurrenceOp, vector_bytes: int) -> RecurrenceBlocking:
    """The blocks of lanes that cost least, the narrowest of equals."""
    iteration = IterationCost.of(op, vector_bytes)
    lane = lane_of(values_of(op.space))
    extent = 1 if lane is None else nominal(op.extents[lane])
    lines = nominal(prod(values_of(op.space))) // max(1, extent)
    budget = registers(vector_bytes)
    choices: list[RecurrenceBlocking] = []
    vectors = 1
    while vectors <= (MOST_VECTORS if iteration.busy <= LONG_BODY else 1):
        width = vectors * iteration.lanes
        blocks = lines * -(-extent // width)
        cycles = blocks * (LOOP_START + nominal(op.iterations) * iteration.cycles(vectors, budget))
        if vectors == 1 or width <= extent:
            choices.append(RecurrenceBlocking(width, cycles))
        vectors *= 2
    return min(choices, key=lambda choice: choice.cycles)


@dataclass(frozen=True)
class IterationCost:
    """One iteration of one vector of `lanes` elements.

    `busy` are the cycles of the instructions of the busiest kind, `chain` those from the carries of an
    iteration to the next ones; `live` vectors are live through all iterations.
    """

    lanes: int
    busy: float
    chain: float
    live: int

    def cycles(self, vectors: int, budget: int) -> float:
        """Cycles of an iteration of a given number of vectors side by side, with a given number of registers.

        Values that do not fit the registers are stored and loaded again.
        """
        spilled = max(0, vectors * (self.live + 1) - budget)
        work = vectors * self.busy + spilled * (CONTIGUOUS_LOAD + CONTIGUOUS_STORE)
        return ITERATION + max(work, self.chain)

    @staticmethod
    def of(op: RecurrenceOp, vector_bytes: int) -> IterationCost:
        """The cost of an iteration of a recurrence."""
        *body, _ = op.body.block.ops
        kinds = [element_of(v) for v in (*op.operands, *op.results)]
        lanes = max(1, vector_bytes // max(element_bytes(kind) for kind in kinds))
        indices, lane = op.body.block.args[: len(op.extents)], lane_of(values_of(op.space))
        waits: dict[Value, float] = dict.fromkeys(op.carried, 0.0)
        by_iteration: set[Value] = {indices[-1], *op.carried}
        by_lane: set[Value] = set() if lane is None else {indices[lane]}
        arithmetic, loads, live = 0.0, 0.0, op.carry_count
        for inner in body:
            result = inner.results[0]
            varies, moves = (any(o in found for o in inner.operands) for found in (by_iteration, by_lane))
            is_load = isinstance(inner, LoadIfOp | LoadOp)
            if is_load:
                live += moves and not varies
            if varies and is_load:
                loads += CONTIGUOUS_LOAD if moves else UNIFORM_LOAD
            elif varies:
                arithmetic += op_cost(inner, lanes)
            if varies:
                by_iteration.add(result)
            if moves:
                by_lane.add(result)
            start = max((waits[o] for o in inner.operands if o in waits), default=None)
            if start is not None:
                waits[result] = start + (LATENCY if is_load else op_latency(inner, lanes))
        made = yields(op.body)
        chain = max((waits.get(v, 0.0) for v in made[: op.carry_count]), default=0.0)
        return IterationCost(lanes, max(arithmetic, loads, CONTIGUOUS_STORE * len(op.stacked)), chain, live)
