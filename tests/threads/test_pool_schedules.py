"""The text of the pool of worker threads, run on a machine that draws the order in which its threads step.

A processor meets a wrong order once in a million calls. Each schedule here shows whether calls end, each task
runs once, locks and memory are used as they may be, and no two threads touch a word at once, unordered.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from mlirad.jit import pool
from mlirad.jit.linked_text import linked_text
from mlirad.jit.object_layout import python_function
from mlirad.jit.system_text import system_text
from mlirad.jit.threads import MOST_THREADS
from mlirad.lower.native_program import CONTEXT_WORDS, GROUP_WORD, POLL, STATUS_WORD
from tests.runtime.sources import constant
from tests.threads.schedules.instructions import WORD
from tests.threads.schedules.machine import Lock, Machine, Steps

MALLOC, FREE, ENDS, BODY = 101, 102, 103, 104
WORKERS = 3
TASKS = 5
ENDED = 77
"""The status with which a task ends its call."""


def replacing(old: str, new: str) -> Callable[[str], str]:
    """A change of the text, which has to have what the expression `old` matches."""

    def change(text: str) -> str:
        changed, count = re.subn(old, new, text)
        assert count, old
        return changed

    return change


SPINS = constant("pool.c", "SPINS")


def smaller(text: str) -> str:
    """The text of a pool that looks twice before it sleeps, and has few places."""
    for old, new in (
        (rf", {constant('pool.c', 'SPINS')}\b", ", 2"),
        (rf"\[{MOST_THREADS - 1} x", f"[{WORKERS} x"),
        (rf" {MOST_THREADS - 1}\b", f" {WORKERS}"),
        (rf" {MOST_THREADS}\b", f" {WORKERS + 1}"),
    ):
        text = replacing(old, new)(text)
    return text


FUNCTIONS = {"mlirad_rt_malloc": MALLOC, "mlirad_rt_free": FREE, POLL: ENDS}
TEXT = smaller(linked_text(("pool",), FUNCTIONS, system_text()))


class Pool:
    """The pool on a machine, with what CPython and the C library do for it."""

    def __init__(self, seed: int, change: Callable[[str], str] = str):
        self.machine = machine = Machine(change(TEXT), seed)
        self.random = machine.random
        self.locks: dict[int, Lock] = {}
        self.blocks: dict[int, int] = {}
        self.runs: dict[int, list[int]] = {}
        names = ("allocate_lock", "acquire_lock", "acquire_lock_timed", "release_lock", "start_new_thread")
        machine.externals = {python_function(f"PyThread_{name}"): getattr(self, f"_{name}") for name in names}
        machine.externals |= {
            python_function("PyThread_get_thread_native_id"): lambda: self._plain(machine.thread),
            MALLOC: self._malloc,
            FREE: self._free,
            ENDS: self._poll,
            BODY: self._body,
            "llvm.umin.i64": lambda a, b: self._plain(min(a, b)),
            "llvm.x86.sse2.pause": self._pause,
            "llvm.aarch64.hint": lambda kind: self._pause(),
            "llvm.x86.sse.stmxcsr": lambda at: self._plain(0),
            "llvm.x86.sse.ldmxcsr": lambda at: self._plain(0),
            "llvm.aarch64.get.fpcr": lambda: self._plain(0),
            "llvm.aarch64.set.fpcr": lambda mode: self._plain(0),
        }

    def calls(self, count: int) -> Steps:
        """A thread that calls the pool `count` times, and ends its idle workers now and then."""
        machine = self.machine
        for _ in range(count):
            tasks, threads = self.random.randint(1, TASKS), self.random.randint(2, WORKERS + 1)
            ends = self.random.random() < 0.25
            env, context = machine.allocate(2), machine.allocate(CONTEXT_WORDS)
            machine.memory[env] = self.random.randrange(tasks) if ends else TASKS
            runs = self.runs[env] = [0] * tasks
            share = [context, BODY, env, tasks, 0, self.random.choice((64, 128)), threads]
            status = yield from machine.call(pool.SHARE, share)
            if status != ENDED * ends or any(k > 1 if ends else k != 1 for k in runs):
                machine.wrong.append(f"status {status}, runs of tasks {runs}, {ends = }")
            if self.random.random() < 0.2:
                yield from machine.call(pool.RETIRE, [])
        return 0

    def _plain(self, value: int) -> Steps:
        yield None
        return value

    def _pause(self) -> Steps:
        self.machine.give_way()
        yield None
        return 0

    def _allocate_lock(self) -> Steps:
        yield None
        address = self.machine.allocate(1)
        self.locks[address] = Lock()
        return address

    def _acquire_lock(self, address: int, waits: int) -> Steps:
        lock = self.locks[address]
        yield lambda: not lock.is_held
        return self._taken(lock)

    def _acquire_lock_timed(self, address: int, microseconds: int, interrupts: int) -> Steps:
        lock = self.locks[address]
        if self.random.random() < 0.2:
            yield None
            if lock.is_held:
                return 0
        else:
            yield lambda: not lock.is_held
        return self._taken(lock)

    def _taken(self, lock: Lock) -> int:
        lock.is_held = True
        clocks = self.machine.races.clocks[self.machine.thread]
        for thread, time in lock.clock.items():
            clocks[thread] = max(time, clocks.get(thread, 0))
        return 1

    def _release_lock(self, address: int) -> Steps:
        yield None
        lock = self.locks[address]
        if not lock.is_held:
            self.machine.wrong.append("a lock is released that nobody holds")
        self.machine.races.release(self.machine.thread, lock.clock)
        lock.is_held = False
        return 0

    def _start_new_thread(self, function: int, argument: int) -> Steps:
        yield None
        if self.random.random() < 0.1:
            return (1 << 64) - 1
        worker = "mlirad.pool.run_worker"
        assert function == self.machine.code[worker]
        return self.machine.start(self.machine.call(worker, [argument]), self.machine.thread)

    def _malloc(self, size: int) -> Steps:
        yield None
        if self.random.random() < 0.1:
            return 0
        address = self.machine.allocate(1)
        self.blocks[address] = size
        return address

    def _free(self, address: int, size: int) -> Steps:
        yield None
        if address and self.blocks.pop(address, None) != size:
            self.machine.wrong.append("memory is freed that is not there, or is of another size")
        return 0

    def _poll(self, context: int) -> Steps:
        """The status of the call, which another thread may have ended."""
        machine = self.machine
        group = machine.memory[context + WORD * GROUP_WORD]
        yield None
        if group:
            at = group + WORD * 4
            machine.races.access(machine.thread, at, "poll", "monotonic", reads=True, writes=False)
            if machine.memory[at]:
                machine.memory[context + WORD * STATUS_WORD] = machine.memory[at]
        return machine.memory[context + WORD * STATUS_WORD]

    def _body(self, env: int, task: int, scratch: int, context: int) -> Steps:
        """A task: is counted, and may end the call."""
        yield None
        self.runs[env][task] += 1
        if task == self.machine.memory[env]:
            self.machine.memory[context + WORD * STATUS_WORD] = ENDED
        return 0


def wrong(seed: int, change: Callable[[str], str] = str) -> list[str]:
    """The faults in a schedule."""
    pool = Pool(seed, change)
    callers = [pool.machine.start(pool.calls(2)) for _ in range(2)]
    pool.machine.run(callers)
    return pool.machine.wrong


@pytest.mark.parametrize("case", range(60))
def test_calls_end_with_every_task_run_once_and_no_races(case: int) -> None:
    for seed in range(20 * case, 20 * (case + 1)):
        assert wrong(seed) == [], f"in schedule {seed}"


FAULTS = {
    "each worker has its lock noted": (
        replacing(r"br i1 %is_first, label (%[\w.]+), label %[\w.]+", r"br label \1"),
        "in run_worker races with store in enlist",
    ),
    "who has a place is stored plainly": (
        replacing(r"store atomic (i64 %\d+, ptr %owner) monotonic", r"store \1"),
        "store in enlist races with % in dismiss",
    ),
    "places are given back monotonic": (
        replacing(
            r"store atomic i64 1, ptr %arrayidx release", "store atomic i64 1, ptr %arrayidx monotonic"
        ),
        "% in enlist races with store in start",
    ),
    "jobs are left monotonic": (
        replacing(r"store atomic (i64 %\d+, ptr %job\d) seq_cst", r"store atomic \1 monotonic"),
        "% in work races with store in mlirad_pool_share",
    ),
    "what is recalled stays counted": (
        replacing(r"sub ptr %running, i64 1 monotonic", "sub ptr %running, i64 0 monotonic"),
        "all threads wait",
    ),
    "a worker sleeps without a last look": (
        replacing(r"(store atomic i64 1, ptr %sleeps.*\n  %\d+ = )load .*", r"\1add i64 0, 0"),
        "all threads wait",
    ),
}
"""Changes of the text by what they do, and what schedules then show; results of instructions are all %."""


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str) -> None:
    change, sign = FAULTS[fault]
    shown = (re.sub(r"%[\w.]+", "%", text) for seed in range(200) for text in wrong(seed, change))
    assert any(sign in text.replace("mlirad.pool.", "") for text in shown)
