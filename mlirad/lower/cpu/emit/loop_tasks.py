"""Loops over kernels as tasks: the addresses that a task works on, and its iterations.

    %p = array.scan (%t) over 16 {...} attributes {kernel.parallel = 2}

    task k: iterations 2 k and 2 k + 1, on the arrays that the loop reads and writes, which are given to it,
    and on
            scratch memory in the place of that part of the arena in which its kernels lay

Where strips overlap, the last two, which write the same rows, are of one task. Of loops with sizes in their
iterations, tasks have as many iterations as the attribute says at the size of the call.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import at_most, divides, is_static
from mlirad.dialects.kernel.parallel import stated_parallel
from mlirad.dialects.kernel.plans import stated_carries
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.buffers import Memory, MemorySlot
from mlirad.lower.cpu.emit.addresses import ValueAddresses, aligned_offset, in_arena
from mlirad.lower.cpu.emit.kernels import SIZES_PLACE, read_sizes
from mlirad.lower.cpu.emit.parallel import Tasks, begin_task, call_tasks
from mlirad.lower.kernels.plan_memory.carries import carry_arguments
from mlirad.lower.llvm.text import Value
from mlirad.lower.native_program import BUFFER_ALIGNMENT

_OUTSIDE: Final = ("input", "output", "constant")
"""Regions of memory whose addresses a task is given, whoever made the value that lies there."""

_CELLS: Final = ("fault", "profile", "sizes")
"""Regions of the words in which programs note what they find, and of the sizes of the call."""


@dataclass(frozen=True)
class LoopTasks:
    """A loop cut into tasks; the last one also has the strip that overlaps its neighbour, if there is one.

    Its kernels lie in a part of the arena: `start` is the first byte, `end` that behind it.
    """

    op: ScanOp | StripsOp
    tasks: Tasks
    start: int
    end: int

    @staticmethod
    def of(op: ScanOp | StripsOp, memory: Memory) -> LoopTasks | None:
        """The tasks of a loop; None if it is to be one, or where its kernels lie depends on the size."""
        block = stated_parallel(op)
        if block is None:
            return None
        tasks = Tasks.of(op.rows // op.strip_rows if isinstance(op, StripsOp) else op.iterations, block)
        own = _own_memory(op, memory)
        return None if tasks is None or own is None else LoopTasks(op, tasks, *own)

    @property
    def most_iterations(self) -> int | None:
        """Return how many iterations a task has at most, where that is known."""
        overlaps = isinstance(self.op, StripsOp) and divides(self.op.strip_rows, self.op.rows) is not True
        return self.tasks.block + int(overlaps) if self.tasks.are_known else None

    @contextmanager
    def written(self, at: ValueAddresses) -> Generator[tuple[ValueAddresses, Value, Value]]:
        """Write the function of a task and the call of all tasks.

        Gives the addresses in that function, and from which iteration to which the task runs.
        """
        places = list(dict.fromkeys(self._places(at)))
        module = at.f.module
        task = begin_task(module, module.fresh_name("loop"), len(places))
        f = task.f
        known = dict(zip(places, task.addresses, strict=True))
        if SIZES_PLACE in known:
            read_sizes(f, at.f.sizes, known)
        arena = f.gep(task.scratch, f.neg(f.value(aligned_offset(f, self.start), "i64")), "i8")
        inside = ValueAddresses(f, arena, at.memory, known)
        lower = f.mul(task.number, self.tasks.block)
        is_last = f.icmp("eq", f.add(task.number, 1), self.tasks.count(f))
        upper = f.select(is_last, self.op.iterations, f.add(lower, self.tasks.block))
        yield inside, lower, upper
        f.ret()
        bytes_ = self.end - self.start + (0 if is_static(self.start) else BUFFER_ALIGNMENT - 1)
        scratch = in_arena(at.f, at.arena, self.start), bytes_
        addresses = [at.pointers[place] for place in places]
        call_tasks(at.f, module.merged(f.name), addresses, self.tasks.count(at.f), scratch)

    def _places(self, at: ValueAddresses) -> Iterator[MemorySlot]:
        """The places that the iterations share."""
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


def _own_memory(op: Operation, memory: Memory) -> tuple[int, int] | None:
    """The part of the arena in which the kernels of a loop lie: its first byte, and that behind it.

    None where it depends on the size which of them is first or last.
    """
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
    if not parts:
        return 0, 0
    starts, ends = [first for first, _ in parts], [first + size for first, size in parts]
    start = next((a for a in starts if all(at_most(a, b) for b in starts)), None)
    end = next((a for a in ends if all(at_most(b, a) for b in ends)), None)
    return None if start is None or end is None else (start, end)
