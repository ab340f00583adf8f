"""Calls of kernels in a function, and kernels that threads run at the same time, as one group of tasks.

    %k0 = kernel.dot %x, %a {parallel = 64, ...}     tasks 0 and 1 of the group
    %k1 = kernel.dot %x, %b {parallel = 64, ...}     tasks 2 and 3: %b and %k1 share no memory with %k0
    %k2 = kernel.nest %k0, ...                       reads %k0, so the group is called before

A kernel that is cut into tasks waits for others to share threads with, until a kernel follows that needs its
result or its memory, or a loop, branch or call. Kernels that follow and are independent of it go before. The
program and the plan of its memory decide which kernels are a group, not the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from mlirad.lower.bodies.buffers import MemorySlot
from mlirad.lower.cpu.emit.addresses import ValueAddresses
from mlirad.lower.cpu.emit.kernels import KernelCall, KernelEmitter
from mlirad.lower.cpu.emit.parallel import Tasks, begin_task, call_tasks
from mlirad.lower.cpu.emit.profiling import timed
from mlirad.lower.llvm.text import IRBuilder, Value


class KernelCalls:
    """Writes the calls of the kernels of one function, on the addresses that its values have there.

    `flush` writes those that wait. In a profiled program none waits, so that each has its own time.
    """

    def __init__(self, kernels: KernelEmitter, at: ValueAddresses):
        self._kernels = kernels
        self._at = at
        self._group: list[KernelCall] = []

    def write(self, call: KernelCall) -> None:
        """Call a kernel, or have it wait for others that threads run at the same time."""
        if not all(call.is_independent(other) for other in self._group):
            self.flush()
        if call.tasks is not None and call.tasks.are_known and not self._kernels.program.is_profiled:
            self._group.append(call)
            return
        with timed(self._at.f, self._kernels.program, self._at.pointers, call.number):
            self._write_alone(call)

    def flush(self) -> None:
        """Call the kernels that wait."""
        group, self._group = self._group, []
        if len(group) > 1:
            self._write_group(sorted(group, key=self._work_of_task, reverse=True))
        elif group:
            self._write_alone(group[0])

    def _work_of_task(self, call: KernelCall) -> float:
        """Return what threads begin with: the last tasks are small, so that no thread waits long for
        another.
        """
        note = self._kernels.program.kernels[call.number]
        return note.work / note.tasks

    def _name(self, call: KernelCall) -> str:
        return self._kernels.program.kernels[call.number].name

    def _write_alone(self, call: KernelCall) -> None:
        """Call a kernel, or have threads call it for each of its tasks."""
        f = self._at.f
        own_name = self._name(call)
        name = f.module.merged(own_name)
        addresses = [self._at.pointers[p] for p in call.places]
        tasks = call.tasks
        if tasks is None:
            f.call(name, addresses)
            return
        task = begin_task(f.module, own_name, len(addresses))
        task.f.call(name, [*task.addresses, task.number])
        task.f.ret()
        shared = f.module.merged(task.f.name)
        count = tasks.count(f)
        if tasks.are_known:
            call_tasks(f, shared, addresses, count)
            return
        f.run_either(
            f.icmp("eq", f.value(count, "i64"), 1),
            lambda: f.call(name, [*addresses, f.value(0, "i64")]),
            lambda: call_tasks(f, shared, addresses, count),
        )

    def _write_group(self, group: list[KernelCall]) -> None:
        """Have threads call the kernels of a group for the tasks of all, one kernel after the other."""
        f = self._at.f
        places = list(dict.fromkeys(place for call in group for place in call.places))
        task = begin_task(f.module, f"{self._name(group[0])}.group", len(places))
        known = dict(zip(places, task.addresses, strict=True))
        ends = list(accumulate(_count(call.tasks) for call in group))
        member: Value = task.f.value(0, "i64")
        for end in ends[:-1]:
            member = task.f.add(member, task.f.zext(task.f.icmp("sge", task.number, end), "i64"))
        starts = [0, *ends[:-1]]
        task.f.choose(
            member,
            [
                self._member(task.f, call, known, task.number, start)
                for call, start in zip(group, starts, strict=True)
            ],
        )
        task.f.ret()
        addresses = [self._at.pointers[place] for place in places]
        call_tasks(f, f.module.merged(task.f.name), addresses, ends[-1])

    def _member(
        self, f: IRBuilder, call: KernelCall, known: dict[MemorySlot, Value], number: Value, start: int
    ) -> Callable[[], None]:
        """The writer of the call of one kernel, whose tasks begin at `start`."""

        def write() -> None:
            operands = [*(known[place] for place in call.places), f.sub(number, start)]
            f.call(f.module.merged(self._name(call)), operands)

        return write


def _count(tasks: Tasks | None) -> int:
    """Return how many tasks a member of a group has."""
    assert tasks is not None and tasks.are_known
    return tasks.nominal
