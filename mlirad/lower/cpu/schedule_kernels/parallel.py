"""Work that threads share: kernels whose outermost loop is one of the output, and loops of independent
iterations.

    kernel.nest ... {space = [100000], lane = 0, width = 8, parallel = 6256}      16 tasks
    kernel.strips ... attributes {kernel.parallel = 5}                            tasks of five strips
    kernel.nest ... {space = [n], ..., parallel = n // 128 + 5000}                tasks of 5000 or more

A loop is shared where it costs enough, and cut into tasks that cost enough, by figures for what it computes
and moves through memory. Nothing here depends on how many threads there are, since the number of tasks may
show in results: what each of them adds up is added up by itself. Loops in a shared loop run on one thread.
"""

from __future__ import annotations

from math import ceil, prod
from typing import Final

from xdsl.ir import Block

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import at_most, is_static, nominal
from mlirad.dialects.kernel import DotOp, FftOp, NestOp, RecurrenceOp, ScatterOp
from mlirad.dialects.kernel.parallel import PARALLEL_ATTRIBUTE, why_dependent
from mlirad.dialects.kernel.schedules import lanes_of, number_of
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import integer, values_of
from mlirad.lower.cpu.schedule_kernels.kernel_costs import cycles_of
from mlirad.lower.large_sizes import greatest
from mlirad.lower.machine import WAKE

SHARED_CYCLES: Final = 8 * WAKE
"""The least cost of a loop that is shared: the wake-up of one worker is then an eighth of it."""

TASK_CYCLES: Final = 2 * WAKE
"""The least cost that a task should have: threads that begin late find something to do, and taking one costs
nothing beside it.
"""

MOST_TASKS: Final = 128
"""The most tasks that a loop is cut into: several for each thread of a large machine."""

LEAST_TASKS: Final = 2
"""The least number of tasks for work that is worth sharing, if the number depends on sizes."""

MOST_OP_CYCLES: Final = 25.0
"""The assumed highest cost of an op in the body of a nest, per iteration."""

DOT_ROWS: Final = 256
"""Rows of a contraction that are a task at least where their number depends on sizes: each task has BLAS copy
the other operand, which for half as many rows takes a tenth of the time.
"""


def share_loops(block: Block, vector_bytes: int) -> None:
    """State which loops of a block and of its regions threads share, in what blocks of iterations."""
    for op in block.ops:
        if op.regions and isinstance(op, ScanOp | StripsOp) and _share_iterations(op, vector_bytes):
            continue
        if isinstance(op, NestOp):
            _share_nest(op, vector_bytes)
        elif isinstance(op, RecurrenceOp):
            _share_recurrence(op, vector_bytes)
        elif isinstance(op, DotOp):
            _share_dot(op, vector_bytes)
        elif isinstance(op, FftOp):
            _share_transform(op, vector_bytes)
        elif not isinstance(op, ScatterOp):
            for region in op.regions:
                share_loops(region.block, vector_bytes)


def _share_iterations(op: ScanOp | StripsOp, vector_bytes: int) -> bool:
    """Share the iterations of a loop if it is independent and costs enough; whether it is shared."""
    if why_dependent(op) is not None or at_most(op.iterations, 1):
        return False
    block = task_block(cycles_of(op, vector_bytes), op.iterations)
    if block is None:
        return False
    op.attributes[PARALLEL_ATTRIBUTE] = integer(block)
    return True


def _share_nest(op: NestOp, vector_bytes: int) -> None:
    """Share the outermost loop of a nest if it is one of the output, and the nest costs enough."""
    if op.reduction_outer is not None or not may_be_shared(op):
        return
    order = range(len(op.extents)) if op.order is None else values_of(op.order)
    first = next((d for d in order if not at_most(op.extents[d], 1)), None)
    if first is None or first >= len(values_of(op.space)) or order[0] >= len(values_of(op.space)):
        return
    step = op.block_of(first)
    block = task_block(cycles_of(op, vector_bytes), -(-op.extents[first] // step))
    if block is not None:
        op.properties["parallel"] = integer(block * step)


def _share_recurrence(op: RecurrenceOp, vector_bytes: int) -> None:
    """Share the outermost loop over the elements of a recurrence that costs enough: that of its lanes, or
    another one that is around it.
    """
    lane = number_of(op.lane)
    first = next(
        (d for d, extent in enumerate(values_of(op.space)) if not at_most(extent, 1) and d != lane), lane
    )
    if first is None:
        return
    step = lanes_of(op.width) if first == lane else 1
    block = task_block(cycles_of(op, vector_bytes), -(-op.extents[first] // step))
    if block is not None:
        op.properties["parallel"] = integer(block * step)


def _share_dot(op: DotOp, vector_bytes: int) -> None:
    """Share the batch, or blocks of rows and columns, of a contraction that costs enough."""
    from mlirad.lower.cpu.schedule_kernels.contraction_blocks import BLOCK_MULTIPLE, best_blocks

    extent, cycles = op.shared_extent, cycles_of(op, vector_bytes)
    if values_of(op.lhs_batch):
        block = task_block(cycles, extent)
    elif is_static(extent) and is_static(op.column_extent):
        blocks = best_blocks(op, task_count(cycles, MOST_TASKS), vector_bytes)
        block = blocks.rows if blocks.count > 1 else None
        if block is not None and blocks.columns < op.column_extent:
            op.properties["columns"] = integer(blocks.columns)
    else:
        rows = task_block(cycles, extent, DOT_ROWS)
        block = None if rows is None else -(-rows // BLOCK_MULTIPLE) * BLOCK_MULTIPLE
    if block is not None:
        op.properties["parallel"] = integer(block)


def _share_transform(op: FftOp, vector_bytes: int) -> None:
    """Share the rows, or blocks of columns, of a transform that is compiled and costs enough."""
    from mlirad.lower.cpu.fourier.items import Items

    items = Items.of_op(op)
    block = None if items is None else task_block(cycles_of(op, vector_bytes), items.count)
    if block is not None:
        op.properties["parallel"] = integer(block)


def may_be_shared(op: NestOp) -> bool:
    """Return whether a nest has enough iterations to be worth a look at what they cost."""
    return greatest(prod(op.extents)) * len(op.body.block.ops) * MOST_OP_CYCLES >= SHARED_CYCLES


def task_block(cycles: float, steps: int, least: int = 1) -> int | None:
    """Return how many steps of a loop that costs a given number of cycles are a task, `least` at least; None
    for all of them.

    Of extents with sizes in them the cycles are those at the nominal size, and what is given is an extent: as
    many steps as cost enough, and a part of all steps, so that no size makes more than `MOST_TASKS` tasks.
    """
    if is_static(steps):
        tasks = task_count(cycles, steps // least)
        return None if tasks < 2 else -(-steps // tasks)
    each = cycles / max(1, nominal(steps))
    if each * greatest(steps) < SHARED_CYCLES:
        return None
    return max(least, ceil(SHARED_CYCLES / (LEAST_TASKS * each))) + steps // MOST_TASKS


def task_count(cycles: float, most: int) -> int:
    """The number of tasks for work of a given number of cycles that cannot be cut into more than `most`."""
    if cycles < SHARED_CYCLES:
        return 1
    return min(most, MOST_TASKS, int(cycles / TASK_CYCLES))
