"""The loops over the output space of a kernel, segment by segment, or those of one task.

    for o in 0, 8, ..., 88:        the segments of each loop, from the outermost inwards
      point()                      what happens there is written by the kernel

Entering a loop sets the state of the code: where the block of iterations starts, how wide it is, which of its
lanes count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from mlirad.lower.emit.code import BodyCode
from mlirad.lower.emit.kernels import KernelText
from mlirad.lower.emit.schedule import NestSchedule
from mlirad.lower.emit.segments import Segment, trips_of
from mlirad.lower.llvm_text import Loop, Operand, Value


class OutputLoops(ABC):
    """Writes the loops of one kernel around the points of its output."""

    def __init__(self, kernel: KernelText, schedule: NestSchedule, code: BodyCode):
        self._kernel = kernel
        self._f = kernel.f
        self._schedule = schedule
        self._code = code
        self._remaining: Value | None = None
        """Lanes of the current block that no block before has done; None for all of them."""

    @abstractmethod
    def _point(self) -> None:
        """Write what happens at one point, or one block of points, of the output."""

    def _outer(self, level: int) -> None:
        """The loops around a store."""
        if level == self._schedule.outer:
            self._point()
            return
        if level == 0 and self._kernel.task is not None:
            self._task(self._kernel.task)
            return
        for segment in self._schedule.segments[self._schedule.order[level]]:
            self._around(level, segment, segment.lower, segment.upper)

    def _around(
        self, level: int, segment: Segment, lower: Operand, upper: Operand, at_most: int | None = None
    ) -> None:
        """One loop around a store, over a part of a segment, which is not empty unless that may be."""
        d = self._schedule.order[level]
        self._code.lanes_ahead(level, segment.width)
        with self._f.loop(
            lower, upper, segment.step, name=f"i{d}", at_most=at_most, at_least=segment.least_trips
        ) as loop:
            self._enter(level, segment, loop)
            self._outer(level + 1)

    def _enter(self, level: int, segment: Segment, loop: Loop) -> None:
        """Set the state of the code at the start of a loop body and print what belongs there."""
        f, code = self._f, self._code
        d = self._schedule.order[level]
        start = loop.index
        if segment.clamped:
            start = f.intrinsic("umin", start, segment.last_start)
        code.start[d] = start
        if d == self._schedule.lane:
            code.width = segment.width
            self._remaining, code.valid = segment.remaining_lanes(f), segment.valid_lanes(f, start)
        if d == self._schedule.tile:
            code.tiles = segment.copies
        if d == self._schedule.unroll:
            code.unrolls = segment.copies
        code.opened(level)

    def _task(self, task: Value) -> None:
        """The part of the outermost loop that is one task: so many trips of its first segment.

        The others, which are short and may overlap its end, belong to the last task.
        """
        f, schedule = self._f, self._schedule
        first, *others = schedule.segments[schedule.order[0]]
        rows = schedule.task_trips * first.step
        lower = f.add(f.mul(task, rows), first.lower)
        upper = f.add(lower, rows)
        if trips_of(first) % schedule.task_trips:
            upper = f.intrinsic("smin", upper, first.upper)
        self._around(0, first, lower, upper, schedule.task_trips)
        if others:
            with f.conditional(f.icmp("eq", task, schedule.tasks - 1)):
                for segment in others:
                    self._around(0, segment, segment.lower, segment.upper)
