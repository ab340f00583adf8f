"""The loops over the output space of a kernel, segment by segment, or those of one task.

    for o in 0, 8, ..., 88:        the segments of each loop, from the outermost inwards
      point()                      what happens there is written by the kernel

Entering a loop sets the state of the code: where the block of iterations starts, how wide it is, which of its
lanes count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import NestOp, RecurrenceOp
from mlirad.dialects.kernel.schedules import CutLoops, Segment
from mlirad.dialects.shapes import integer_of
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.bodies.segments import pieced_lanes, remaining_lanes, valid_lanes
from mlirad.lower.cpu.emit.kernels import KernelText
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.llvm.text import CountedLoop, Operand, Value


def tasks_of(op: NestOp | RecurrenceOp, loops: CutLoops) -> Tasks | None:
    """The tasks that the outermost loop is cut into: blocks of its first segment, for as many iterations as
    the kernel states.
    """
    if op.parallel is None or not loops.may_be_shared:
        return None
    first = loops.segments[loops.order[0]][0]
    return Tasks.of(first.blocks, -(-integer_of(op.parallel) // first.step))


class OutputLoops(ABC):
    """Writes the loops of one kernel around the points of its output."""

    def __init__(
        self,
        kernel: KernelText,
        loops: CutLoops,
        code: BodyCode,
        tasks: Tasks | None,
        bounds: Sequence[tuple[int, int, int]] = (),
    ):
        self._kernel = kernel
        self._f = kernel.f
        self._loops = loops
        self._tasks = tasks
        self._bounds = bounds
        """Elements are wanted whose index x is at most index y + c, for all (x, y, c)."""
        self._code = code
        self._lengths: dict[int, int] = {}
        """The iterations of the current block of each loop."""
        self._remaining: Value | None = None
        """Lanes of the current block that no block before has done; None for all of them."""

    @abstractmethod
    def _point(self) -> None:
        """Write what happens at one point, or one block of points, of the output."""

    def _outer(self, level: int) -> None:
        """The loops around a store."""
        if level == self._loops.outer:
            self._point()
            return
        task, tasks = self._kernel.task, self._tasks
        if level == 0 and task is not None and tasks is not None:
            self._task(task, tasks)
            return
        for segment in self._loops.segments[self._loops.order[level]]:
            lower, upper = self._wanted(level, segment)
            self._around(level, segment, lower, upper, segment.known_blocks)

    def _wanted(self, level: int, segment: Segment) -> tuple[Operand, Operand]:
        """The bounds of a loop over a segment without the blocks that have no wanted element, which depend on
        the current blocks of the loops around it.
        """
        f, d, step = self._f, self._loops.order[level], segment.step
        around = self._loops.order[:level]
        lower: Operand = segment.lower
        upper: Operand = segment.upper
        for x, y, offset in self._bounds:
            if x == d and y in around:
                last = f.add(self._code.start[y], self._lengths[y] - 1 + offset)
                blocks = f.sdiv(f.sub(last, segment.lower - step), step)
                end = f.add(f.mul(f.intrinsic("smax", blocks, 0), step), segment.lower)
                upper = f.intrinsic("smin", end, upper)
            elif y == d and x in around:
                first = f.sub(self._code.start[x], segment.lower + offset)
                skipped = f.intrinsic("smax", f.sdiv(first, step), 0)
                lower = f.intrinsic("smax", f.add(f.mul(skipped, step), segment.lower), lower)
        return lower, upper

    def _around(
        self,
        level: int,
        segment: Segment,
        lower: Operand,
        upper: Operand,
        at_most: int | None = None,
        expected: int | None = None,
    ) -> None:
        """One loop around a store, over a part of a segment, which is not empty unless that may be."""
        d = self._loops.order[level]
        self._code.lanes_ahead(level, segment.width)
        with self._f.loop(
            lower,
            upper,
            segment.step,
            name=f"i{d}",
            at_most=at_most,
            at_least=0 if self._bounds else segment.least_blocks,
            expected=expected,
        ) as loop:
            self._enter(level, segment, loop)
            self._outer(level + 1)

    def _enter(self, level: int, segment: Segment, loop: CountedLoop) -> None:
        """Set the state of the code at the start of a loop body and print what belongs there."""
        f, code = self._f, self._code
        d = self._loops.order[level]
        start = loop.index
        if segment.clamped:
            start = f.intrinsic("umin", start, segment.last_start)
        code.start[d] = start
        self._lengths[d] = segment.width * segment.copies
        if d == self._loops.lane:
            code.width = segment.width
            self._remaining, code.valid = remaining_lanes(f, segment), valid_lanes(f, segment, start)
            code.pieced_lanes = pieced_lanes(segment)
        if d == self._loops.tile:
            code.tiles = segment.copies
        if d == self._loops.unroll:
            code.unrolls = segment.copies
        code.opened(level)

    def _task(self, task: Value, tasks: Tasks) -> None:
        """The part of the outermost loop that is one task: some blocks of its first segment.

        The other segments, which are short and may overlap its end, belong to the last task.
        """
        f, loops = self._f, self._loops
        first, *others = loops.segments[loops.order[0]]
        rows = tasks.block * first.step
        lower = f.add(f.mul(task, rows), first.lower)
        upper = f.add(lower, rows)
        if not tasks.are_known or tasks.iterations % tasks.block:
            upper = f.intrinsic("smin", upper, first.upper)
        known = tasks.block if tasks.are_known else None
        self._around(0, first, lower, upper, known, nominal(tasks.block))
        if others:
            with f.conditional(f.icmp("eq", f.add(task, 1), tasks.count(f))):
                for segment in others:
                    self._around(0, segment, segment.lower, segment.upper, segment.known_blocks)
