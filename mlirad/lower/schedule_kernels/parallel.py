"""What threads share: kernels whose outermost loop is one of the output, and loops of independent trips.

    kernel.nest ... {space = [100000], lane = 0, width = 8, parallel = 6256}      16 tasks
    kernel.strips ... attributes {kernel.parallel = 5}                            tasks of five strips

A loop is shared where it costs enough, and cut into tasks that cost enough, by figures for what it computes
and moves through memory. Nothing here depends on how many threads there are, since the number of tasks may
show in results: what each of them adds up is added up by itself. Loops in a shared loop run on one thread.
"""

from __future__ import annotations

from math import prod
from typing import Final

from xdsl.ir import Block

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.kernel import DotOp, FftOp, NestOp, RecurrenceOp, ScatterOp
from mlirad.dialects.kernel.parallel import PARALLEL_ATTRIBUTE, why_dependent
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import integer, values_of
from mlirad.lower.fourier.items import Items
from mlirad.lower.machine import WAKE
from mlirad.lower.schedule_kernels.kernel_costs import cycles_of

SHARED_CYCLES: Final = 8 * WAKE
"""What a loop must cost to be shared: the wake-up of one worker is then an eighth of it."""

TASK_CYCLES: Final = 2 * WAKE
"""What a task should cost at least: threads that begin late find something to do, and taking one costs
nothing beside it."""

MOST_TASKS: Final = 128
"""Into how many tasks a loop is cut at most: several for each thread of a large machine."""

MOST_OP_CYCLES: Final = 25.0
"""What an op in the body of a nest is taken to cost at most in an iteration."""

DOT_ROWS: Final = 256
"""Rows of a contraction that are a task at least, if there are more than two tasks: each has BLAS copy the
other operand, which for half as many rows takes a tenth of the time.
"""

ROWS_MULTIPLE: Final = 16
"""Rows of a task are a multiple of this, so that BLAS fills its registers."""


def share_loops(block: Block, vector_bytes: int) -> None:
    """State which loops of a block and of its regions threads share, in what blocks of iterations."""
    for op in block.ops:
        if op.regions and isinstance(op, ScanOp | StripsOp) and _share_trips(op, vector_bytes):
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


def _share_trips(op: ScanOp | StripsOp, vector_bytes: int) -> bool:
    """Share the trips of a loop if it is independent and costs enough; whether it is shared."""
    if why_dependent(op) is not None or op.trips < 2:
        return False
    tasks = task_count(cycles_of(op, vector_bytes), op.trips)
    if tasks < 2:
        return False
    op.attributes[PARALLEL_ATTRIBUTE] = integer(-(-op.trips // tasks))
    return True


def _share_nest(op: NestOp, vector_bytes: int) -> None:
    """Share the outermost loop of a nest if it is one of the output, and the nest costs enough."""
    if op.reduction_outer is not None or not may_be_shared(op):
        return
    order = range(len(op.extents)) if op.order is None else values_of(op.order)
    first = next((d for d in order if op.extents[d] > 1), None)
    if first is None or first >= len(values_of(op.space)) or order[0] >= len(values_of(op.space)):
        return
    step = 1
    if op.lane is not None and op.lane.value.data == first and op.width is not None:
        step = op.width.value.data
    elif op.tile_dim is not None and op.tile_dim.value.data == first and op.tile is not None:
        step = op.tile.value.data
    steps = -(-op.extents[first] // step)
    tasks = task_count(cycles_of(op, vector_bytes), steps)
    if tasks > 1:
        op.properties["parallel"] = integer(-(-steps // tasks) * step)


def _share_recurrence(op: RecurrenceOp, vector_bytes: int) -> None:
    """Share the outermost loop over the elements of a recurrence that costs enough: that of its lanes, or
    another one that is around it.
    """
    lane = None if op.lane is None else op.lane.value.data
    first = next((d for d, extent in enumerate(values_of(op.space)) if extent > 1 and d != lane), lane)
    if first is None:
        return
    step = op.width.value.data if first == lane and op.width is not None else 1
    steps = -(-op.extents[first] // step)
    tasks = task_count(cycles_of(op, vector_bytes), steps)
    if tasks > 1:
        op.properties["parallel"] = integer(-(-steps // tasks) * step)


def _share_dot(op: DotOp, vector_bytes: int) -> None:
    """Share the batch or the rows of a contraction that costs enough."""
    extent, cycles = op.shared_extent, cycles_of(op, vector_bytes)
    if values_of(op.lhs_batch):
        tasks, multiple = task_count(cycles, extent), 1
    else:
        tasks, multiple = (
            _even(task_count(cycles, max(extent // DOT_ROWS, 2 * (extent >= DOT_ROWS)))),
            ROWS_MULTIPLE,
        )
    if tasks > 1:
        op.properties["parallel"] = integer(-(-extent // (tasks * multiple)) * multiple)


def _even(tasks: int) -> int:
    """No more tasks than these, an even number: while two threads do the last of three, one of them waits."""
    return tasks - tasks % 2


def _share_transform(op: FftOp, vector_bytes: int) -> None:
    """Share the rows, or blocks of columns, of a transform that is compiled and costs enough."""
    items = Items.of_op(op)
    tasks = 1 if items is None else task_count(cycles_of(op, vector_bytes), items.count)
    if items is not None and tasks > 1:
        op.properties["parallel"] = integer(-(-items.count // tasks))


def may_be_shared(op: NestOp) -> bool:
    """Whether a nest has so many iterations that it is worth a look at what they cost."""
    return prod(op.extents) * len(op.body.block.ops) * MOST_OP_CYCLES >= SHARED_CYCLES


def task_count(cycles: float, most: int) -> int:
    """Into how many tasks work of so many cycles is cut, where it cannot be cut into more than `most`."""
    if cycles < SHARED_CYCLES:
        return 1
    return min(most, MOST_TASKS, int(cycles / TASK_CYCLES))
