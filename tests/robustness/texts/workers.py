"""Texts judged in child processes: a crash or a hang ends the child, is recorded, and the next child goes on.

    with Workers(count=2, depth=Depth()) as workers:
        for task, verdict in workers.judge(tasks): ...

A child is forked per batch from a process that has imported everything. It writes the number of the text
and each stage before it begins, so whoever reads knows what it died of.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.robustness.texts.judging import Depth, Failure, Verdict, judge

BATCH = 500
"""Texts per child. A fork costs about 20 ms, and what texts leave behind in a child ends with it."""

WALL_SECONDS = 30.0
"""The time that a stage may take on the clock of an idle machine; its processor time is limited in the child.
"""

RUN_SECONDS = 5.0
"""The same for machine code, which no signal handler of Python interrupts."""

MEMORY = 3 << 30
"""The address space that a child may have beyond what it begins with."""


@dataclass(frozen=True)
class Task:
    """A text to judge, and the seed of the choices that judging makes."""

    key: Any
    text: Callable[[], str]
    seed: str


@dataclass
class _Child:
    """A child process at work on tasks."""

    tasks: Sequence[Task]
    pid: int = 0
    stream: int = -1
    errors: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    at: int = -1
    stage: str = "start"
    since: float = field(default_factory=time.monotonic)
    pending: bytes = b""
    finished: bool = False


def judged(
    tasks: Iterable[Task], depth: Depth, workers: int, batch: int = BATCH
) -> Iterator[tuple[Task, Verdict]]:
    """Each task with its verdict, in no order, by `workers` processes at once."""
    source = iter(tasks)
    children: list[_Child] = []
    waiting: list[Sequence[Task]] = []
    try:
        while True:
            while len(children) < workers:
                part = waiting.pop() if waiting else _taken(source, batch)
                if not part:
                    break
                children.append(_start(part, depth))
            if not children:
                return
            ready, _, _ = select.select([c.stream for c in children], [], [], 0.5)
            for child in list(children):
                if child.stream in ready:
                    yield from _received(child)
                allowed = RUN_SECONDS if child.stage == "run" else WALL_SECONDS
                hangs = not child.finished and time.monotonic() - child.since > allowed * _waiting()
                if hangs:
                    os.kill(child.pid, signal.SIGKILL)
                if child.finished or hangs:
                    children.remove(child)
                    os.close(child.stream)
                    status = os.waitpid(child.pid, 0)[1]
                    rest, lost = _lost(child, status, hangs)
                    child.errors.close()
                    if lost is not None:
                        yield lost
                    if rest:
                        waiting.append(rest)
    finally:
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)
            os.close(child.stream)
            child.errors.close()


def _waiting() -> float:
    """The number of processes that share a processor: everything takes that much longer."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _taken(source: Iterator[Task], count: int) -> list[Task]:
    return [task for _, task in zip(range(count), source, strict=False)]


def _start(tasks: Sequence[Task], depth: Depth) -> _Child:
    child = _Child(tasks)
    child.stream, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(child.stream)
            _work(tasks, depth, writing, child.errors.fileno())
            status = 0
        except BaseException:
            os.write(child.errors.fileno(), traceback.format_exc().encode())
        finally:
            os._exit(status)
    os.close(writing)
    child.pid = pid
    return child


def _work(tasks: Sequence[Task], depth: Depth, stream: int, errors: int) -> None:
    """The work of a child. Standard output goes nowhere: programs print."""
    faulthandler.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(errors, 2)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Collecting garbage would touch, and so copy, all that the parent holds.
    gc.freeze()
    gc.set_threshold(200_000, 50, 50)
    for number, task in enumerate(tasks):
        _write(stream, ["task", number])
        verdict = judge(
            task.text(),
            random.Random(task.seed),
            depth,
            announce=lambda stage: _write(stream, ["stage", stage]),
        )
        failure = None if verdict.failure is None else asdict(verdict.failure)
        _write(stream, ["done", number, verdict.classes, failure])
    _write(stream, ["end"])


def _write(stream: int, message: list[Any]) -> None:
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(stream, data) :]


def _received(child: _Child) -> Iterator[tuple[Task, Verdict]]:
    data = os.read(child.stream, 1 << 16)
    if not data:
        child.finished = True
        return
    *lines, child.pending = (child.pending + data).split(b"\n")
    for line in lines:
        child.since = time.monotonic()
        match json.loads(line):
            case ["task", number]:
                child.at, child.stage = number, "start"
            case ["stage", stage]:
                child.stage = stage
            case ["done", number, classes, failure]:
                child.stage = "done"
                yield child.tasks[number], Verdict(classes, None if failure is None else Failure(**failure))
            case _:
                child.at = len(child.tasks)


def _lost(child: _Child, status: int, hangs: bool) -> tuple[Sequence[Task], tuple[Task, Verdict] | None]:
    """The tasks that a child that ended early had not begun, and the verdict on what ended it."""
    if child.at >= len(child.tasks):
        return (), None
    if child.stage == "done":
        return child.tasks[child.at + 1 :], None
    child.errors.seek(0)
    detail = child.errors.read()[-3000:].decode(errors="replace")
    if hangs:
        kind = "long run" if child.stage == "run" else "hang"
        failure = Failure(kind, child.stage, "", detail)
    else:
        number = os.waitstatus_to_exitcode(status)
        name = signal.Signals(-number).name if number < 0 else f"exit {number}"
        last = detail.strip().rpartition("\n")[2][:80] if number > 0 else ""
        failure = Failure(f"crash {name}", child.stage, last, detail)
    verdict = Verdict([f"FAILED: {failure.kind}"], failure)
    if child.at < 0:
        raise RuntimeError(f"a child process cannot work: {detail}")
    return child.tasks[child.at + 1 :], (child.tasks[child.at], verdict)


def prepare() -> None:
    """Import and run everything once, so that children need not."""
    text = """
    func.func @f(%x: tensor<3xf64>) -> f64 {
      %a = array.sin %x : tensor<3xf64>
      %b = array.sum %a {dims = [0]} : tensor<3xf64> -> f64
      func.return %b : f64
    }
    """
    deep = Depth(passes=1, interpreter=1, native=1)
    for k in range(60):
        judge(text, random.Random(k), deep)
