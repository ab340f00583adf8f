"""The worker threads of compiled programs: their machine code, made when a program first needs it.

    parallel_address()      the function that runs the tasks of a parallel loop
    counts()                what ran in parallel since the process began

Before the process forks, idle workers end, so that it forks with no threads of theirs; the next call starts
new ones. A child of a process in which a worker was busy finds the pool empty.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from functools import cache
from typing import Final, NamedTuple

from mlirad.jit import pool_text
from mlirad.jit.c_library import c_library_address
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.host import host_address
from mlirad.jit.threads import MOST_THREADS, usual_threads_address
from mlirad.lower.native_program import PARALLEL, POLL

EXIT_SECONDS: Final = 0.01
"""How long a fork waits for the system to have done away with a thread that has ended."""


class Counts(NamedTuple):
    """How many parallel loops ran on more threads than one, the tasks of all of them, those that workers ran,
    and the workers that were started.
    """

    loops: int
    tasks: int
    tasks_of_workers: int
    workers_started: int


def parallel_address() -> int:
    """The address of the function that runs the tasks of a parallel loop."""
    return _code().addresses[PARALLEL]


def counts() -> Counts:
    """What ran in parallel since the process began."""
    return Counts(*(ctypes.c_int64 * 4).from_address(_code().addresses[pool_text.COUNTS]))


def retire() -> None:
    """End the workers that are idle: the next call starts others."""
    code = _code()
    ended = _numbers() if ctypes.CFUNCTYPE(ctypes.c_int64)(code.addresses[pool_text.RETIRE])() else []
    if sys.platform == "linux":
        deadline = time.monotonic() + EXIT_SECONDS
        while time.monotonic() < deadline and any(os.path.exists(f"/proc/self/task/{n}") for n in ended):
            time.sleep(1e-4)


def _numbers() -> list[int]:
    """The numbers that the system has given to the last workers of places that are empty."""
    words = ctypes.c_int64 * pool_text.SLOT_WORDS
    slots = (words * (MOST_THREADS - 1)).from_address(_code().addresses[pool_text.SLOTS])
    return [slot[pool_text.NUMBER_WORD] for slot in slots if slot[pool_text.NUMBER_WORD] and not slot[0]]


def _reset() -> None:
    ctypes.CFUNCTYPE(None)(_code().addresses[pool_text.RESET])()


@cache
def _code() -> LoadedCode:
    """The functions. Workers wait in them until the process ends, so they are never unloaded."""
    text = pool_text.pool_text(
        usual_threads_address(),
        c_library_address("malloc"),
        c_library_address("free"),
        host_address(POLL),
    )
    symbols = (PARALLEL, pool_text.RETIRE, pool_text.RESET, pool_text.COUNTS, pool_text.SLOTS)
    code = load_glue(text, symbols)
    code.keep_loaded()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=retire, after_in_child=_reset)
    return code
