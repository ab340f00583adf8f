"""Sessions in child processes, which crashes and hangs end, and the least part of a session that fails.

failure_of(lambda: run_session(steps))     None, or what went wrong
shrunk(steps, fails)                       the fewest steps that still fail
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds after which a forked child counts as hanging."""


def failure_of(run: Callable[[], None]) -> str | None:
    """The failure of a run in a forked child, a traceback or a signal; None if there is no failure."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        try:
            run()
        except BaseException:
            with os.fdopen(send, "w") as pipe:
                pipe.write(traceback.format_exc()[-60_000:])
            os._exit(1)
        os._exit(0)
    os.close(send)
    code = exit_code(child)
    with os.fdopen(receive) as pipe:
        text = pipe.read()
    if code == 0:
        return None
    return text or f"the process ended by signal {-code}"


def shrunk(parts: Sequence[T], fails: Callable[[list[T]], bool]) -> list[T]:
    """The fewest of the parts, in order, that still fail: ever smaller pieces are left out (ddmin)."""
    kept, size = list(parts), max(1, len(parts) // 2)
    while True:
        start, is_smaller = 0, False
        while start < len(kept):
            without = kept[:start] + kept[start + size :]
            if without and fails(without):
                kept, is_smaller = without, True
            else:
                start += size
        if size == 1 and not is_smaller:
            return kept
        size = max(1, size // 2)


def exit_code(child: int) -> int:
    """The exit code of a child process, minus the signal that ended it; a child that hangs is killed."""
    end = time.monotonic() + PATIENCE * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -int(signal.SIGKILL)
