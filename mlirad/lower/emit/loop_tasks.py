"""Loops over kernels as tasks: the addresses that a task works on, and its trips.

    %p = array.scan (%t) over 16 {...} attributes {kernel.parallel = 2}

    task k: trips 2 k and 2 k + 1, on the arrays that the loop reads and writes, which are given to it, and on
            scratch memory in the place of that part of the arena in which its kernels lay

Where strips overlap, the last two, which write the same rows, are of one task.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.kernel.parallel import stated_parallel
from mlirad.dialects.kernel.plans import stated_carries
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.ir.free_values import free_values
from mlirad.lower.emit.addresses import ValueAddresses
from mlirad.lower.emit.buffers import Memory, Place
from mlirad.lower.emit.parallel import begin_task, call_tasks
from mlirad.lower.llvm_text import Value
from mlirad.lower.plan_memory.carries import carry_arguments

_OUTSIDE: Final = ("input", "output", "constant")
"""Regions of memory whose addresses a task is given, whoever made the value that lies there."""

_CELLS: Final = ("fault", "profile")
"""Regions of the words in which programs note what they find."""


@dataclass(frozen=True)
class LoopTasks:
    """A loop cut into tasks of so many trips each; the last task may have one more."""

    op: ScanOp | StripsOp
    trips: int
    count: int
    most_trips: int

    @staticmethod
    def of(op: ScanOp | StripsOp) -> LoopTasks | None:
        """The tasks of a loop, None if it is to be one."""
        trips = stated_parallel(op)
        if trips is None:
            return None
        overlaps = int(isinstance(op, StripsOp) and op.rows % op.strip_rows != 0)
        count = -(-(op.trips - overlaps) // trips)
        return LoopTasks(op, trips, count, trips + overlaps) if count > 1 else None

    @contextmanager
    def written(self, at: ValueAddresses) -> Generator[tuple[ValueAddresses, Value, Value]]:
        """Write the function of a task and the call of all tasks.

        Gives the addresses in that function, and from which trip to which the task runs.
        """
        places = list(dict.fromkeys(self._places(at)))
        start, end = _own_memory(self.op, at.memory)
        module = at.f.module
        task = begin_task(module, module.fresh_name("loop"), len(places))
        f = task.f
        arena = f.gep(task.scratch, -start, "i8")
        inside = ValueAddresses(f, arena, at.memory, dict(zip(places, task.addresses, strict=True)))
        lower = f.mul(task.number, self.trips)
        is_last = f.icmp("eq", task.number, self.count - 1)
        upper = f.select(is_last, self.op.trips, f.add(lower, self.trips))
        yield inside, lower, upper
        f.ret()
        scratch = at.f.gep(at.arena, start, "i8"), end - start
        addresses = [at.pointers[place] for place in places]
        call_tasks(at.f, module.merged(f.name), addresses, self.count, scratch)

    def _places(self, at: ValueAddresses) -> Iterator[Place]:
        """The places that the trips share."""
        buffers = at.memory.buffers
        for value in (*free_values(self.op), *self.op.results):
            if value in buffers and buffers[value].place.region != "literal":
                at.pointer(value)
                yield buffers[value].place
        for inner in self.op.walk():
            for value in inner.results:
                if value in buffers and buffers[value].place.region in _OUTSIDE:
                    yield buffers[value].place
        yield from (place for place in at.pointers if place.region in _CELLS)


def _own_memory(op: Operation, memory: Memory) -> tuple[int, int]:
    """The part of the arena in which the kernels of a loop lie: its first byte, and that behind it."""
    parts: list[tuple[int, int]] = []
    for inner in op.walk():
        if inner is op:
            continue
        buffers = [memory.buffers[v] for v in inner.results if v in memory.buffers]
        parts += [(b.place.number, b.nbytes) for b in buffers if b.place.region == "arena"]
        modes = stated_carries(inner)
        if modes:
            carries = zip(carry_arguments(inner), modes, strict=True)
            parts += [(mode, memory.buffers[a].nbytes) for a, mode in carries if mode >= 0]
    start = min((first for first, _ in parts), default=0)
    return start, max((first + size for first, size in parts), default=start)
