"""The worker threads of compiled programs: their machine code, made when a call may first have several.

    parallel_address()      the function that runs the tasks of a parallel loop
    prepare()               calls of several threads share them from here on
    counts()                what ran in parallel since the process began

Before the process forks, idle workers end, so that it forks with no threads of theirs; the next call starts
new ones. A child of a process in which a worker was busy finds the pool empty.

Idle threads take the next task. Giving each thread its tasks beforehand would have every call wait for the
slowest, and on a busy machine for a worker that has not even woken. A call takes the job back from workers
that have not begun when everything is done. Workers are threads without Python: CPython's functions for
threads and locks exist on every system and need no compiler; threads of the `threading` module would show in
it, and would take the global lock to begin and to end.

Starting workers again takes less than forking, and Python warns of forks with threads, whatever these do.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import Final, NamedTuple

from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.host import host_address
from mlirad.jit.kept_memory import allocation_address
from mlirad.jit.linked_text import linked_text
from mlirad.jit.once import once
from mlirad.jit.system_text import system_text
from mlirad.jit.threads import MOST_THREADS, usual_threads_address, when_several
from mlirad.lower.native_program import PARALLEL, POLL

SHARE: Final = "mlirad_pool_share"
RETIRE: Final = "mlirad_pool_retire"
RESET: Final = "mlirad_pool_reset"
LAST_THREADS: Final = "mlirad_pool_last_threads"
COUNTS: Final = (
    "mlirad_pool_loops",
    "mlirad_pool_tasks",
    "mlirad_pool_worker_tasks",
    "mlirad_pool_starts",
)
"""The names that `mlirad/runtime/pool.c` defines; the last in the order of `Counts`."""

EXIT_SECONDS: Final = 0.01
"""The time that a fork waits for the system to have done away with a thread that has ended."""


class Counts(NamedTuple):
    """Counts of parallel loops that ran on more threads than one, the tasks of all of them, those that
    workers ran, and the workers that were started.
    """

    loops: int
    tasks: int
    tasks_of_workers: int
    workers_started: int


def parallel_address() -> int:
    """The address of the function that runs the tasks of a parallel loop."""
    return _parallel_code().addresses[PARALLEL]


def prepare() -> None:
    """Make the pool, so that calls of several threads share the tasks of parallel loops."""
    _share.value = _code().addresses[SHARE]


def counts() -> Counts:
    """Return what ran in parallel since the process began."""
    return Counts(*(ctypes.c_int64.from_address(_code().addresses[symbol]).value for symbol in COUNTS))


def retire() -> None:
    """End the workers that are idle: the next call starts others."""
    code = _code()
    ended = _last_threads() if ctypes.CFUNCTYPE(ctypes.c_int64)(code.addresses[RETIRE])() else []
    if sys.platform == "linux":
        deadline = time.monotonic() + EXIT_SECONDS
        while time.monotonic() < deadline and any(os.path.exists(f"/proc/self/task/{n}") for n in ended):
            time.sleep(1e-4)


def _last_threads() -> list[int]:
    """The numbers that the system has given to the last threads of places that are empty."""
    numbers = (ctypes.c_int64 * MOST_THREADS)()
    count = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(_code().addresses[LAST_THREADS])(numbers)
    return numbers[:count]


def _reset() -> None:
    ctypes.CFUNCTYPE(None)(_code().addresses[RESET])()


_share: Final = ctypes.c_void_p()
"""The address of the pool's function, null until there is one."""


@once
def _parallel_code() -> LoadedCode:
    """The function that programs call; they hold its bare address."""
    when_several(prepare)
    addresses = {
        "mlirad_usual_threads": usual_threads_address(),
        "mlirad_pool": ctypes.addressof(_share),
        POLL: host_address(POLL),
    }
    code = load_glue(linked_text(("parallel",), addresses), (PARALLEL,))
    code.keep_loaded()
    return code


@once
def _code() -> LoadedCode:
    """The functions of the pool, with the places of its workers in their text. Workers wait in them until the
    process ends, so they are never unloaded.
    """
    addresses = {
        **{name: allocation_address(name) for name in ("mlirad_rt_malloc", "mlirad_rt_free")},
        POLL: host_address(POLL),
    }
    text = linked_text(("pool",), addresses, system_text())
    code = load_glue(text, (SHARE, RETIRE, RESET, LAST_THREADS, *COUNTS))
    code.keep_loaded()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=retire, after_in_child=_reset)
    return code
