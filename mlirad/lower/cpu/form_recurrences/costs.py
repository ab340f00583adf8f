"""Costs of a recurrence against those of its scan.

    iteration of the scan          the calls of its kernels, their instructions, and what they carry and pass
                                   to each other, through memory
    iteration of the recurrence    the instructions alone, but each block of elements waits for its own last
                                   iteration

Rows of what is stacked, or read slice by slice, are walked down a few columns at a time by a recurrence,
which costs nothing in the first levels of cache and most of the bandwidth of memory beyond.
"""

from __future__ import annotations

from math import prod
from typing import Final

from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, RecurrenceOp
from mlirad.dialects.shapes import Value, values_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.schedule_kernels.recurrences import IterationCost, best_blocking
from mlirad.lower.kernels.element_loops import ElementLoop
from mlirad.lower.large_sizes import nominal_bytes
from mlirad.lower.machine import (
    CALL_AGAIN,
    CONTIGUOUS_LOAD,
    CONTIGUOUS_STORE,
    L2_BYTES,
    LOOP_START,
    REFETCHED,
    cycles_per_byte,
    op_cost,
)

LEAST_SHARE: Final = 0.15
"""The part of the cost of a scan that a recurrence must save at least."""

LONGEST_BODY: Final = 400
"""The most ops of a body: what several kernels computed is one, which runs out of registers."""

COLUMNS: Final = 4.0
"""The factor by which it takes longer to go through an array beyond the caches of one core down its
columns."""


@dataclass(frozen=True)
class Costs:
    """Cycles of a scan and of the recurrence that would stand for it, and whether that is too long."""

    scan: float
    recurrence: float
    is_long: bool

    @staticmethod
    def of(loop: ElementLoop, new: RecurrenceOp, vector_bytes: int) -> Costs:
        """The costs of a loop and of the recurrence `new`, on vectors of a given size."""
        iteration = IterationCost.of(new, vector_bytes)
        rows = _row_cycles(new)
        return Costs(
            nominal(loop.op.iterations) * iteration_cycles(loop, iteration) + rows,
            best_blocking(new, vector_bytes).cycles + COLUMNS * rows,
            len(new.body.block.ops) > LONGEST_BODY,
        )

    @property
    def pay(self) -> bool:
        """Return whether the recurrence is to stand for the scan."""
        return not self.is_long and self.recurrence < (1 - LEAST_SHARE) * self.scan


def iteration_cycles(loop: ElementLoop, iteration: IterationCost) -> float:
    """Cycles of an iteration of the scan, without what moves beyond the caches of one core.

    `iteration` is that of one vector of the recurrence. Where a row does not end with a block, what reads it
    next waits for two stores, or puts it together from pieces, which costs about as much.
    """
    own = {*loop.carries, *(root for nest in loop.nests for root in nest.roots)}
    vectors = -(-nominal(prod(loop.space)) // iteration.lanes)
    cycles = moved = 0.0
    touched: dict[Value, None] = {}
    for nest in loop.nests:
        touched.update(dict.fromkeys((*nest.operands, *nest.roots)))
        moved += sum(nominal_bytes(v) for v in (*nest.operands, *nest.roots) if v in own)
        body = [op for op in nest.body.block.ops if op.results]
        loads = sum(CONTIGUOUS_LOAD for op in body if isinstance(op, LoadOp | LoadIfOp) and op.positions)
        arithmetic = sum(op_cost(op, iteration.lanes) for op in body if not isinstance(op, LoadOp | LoadIfOp))
        busiest = max(arithmetic, loads, CONTIGUOUS_STORE * len(nest.roots))
        cycles += CALL_AGAIN + LOOP_START + vectors * busiest
    # Memory fetched for later elements arrives while others are computed.
    near = min(sum(nominal_bytes(v) for v in touched), L2_BYTES)
    calls = len(loop.nests) * (CALL_AGAIN + LOOP_START)
    waits = REFETCHED if nominal(loop.space[-1]) % iteration.lanes else 0.0
    return max(cycles, calls + moved * cycles_per_byte(near), calls + iteration.chain) + waits


def _row_cycles(op: RecurrenceOp) -> float:
    """Cycles to move what has a row for each iteration, as far as it lies beyond the caches of one core."""
    iteration = op.body.block.args[len(values_of(op.space))]
    by_iteration = {iteration, *op.carried}
    for inner in op.body.block.ops:
        if any(o in by_iteration for o in inner.operands):
            by_iteration.update(inner.results)
    sliced = {
        inner.buffer
        for inner in op.body.block.ops
        if isinstance(inner, LoadOp | LoadIfOp) and any(p in by_iteration for p in inner.positions)
    }
    rows = prod(op.extents)
    size = sum(nominal_bytes(v) for v in (*op.stacked, *sliced) if rows)
    return size * cycles_per_byte(size) if size > L2_BYTES else 0.0
