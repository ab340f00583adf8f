"""The number of threads of a call: those of the machine, and the default of this process.

machine_threads()      those that this process may run at once, by processors, affinity and control group
usual_threads()        of calls that state none: as MLIRAD_THREADS or `set_usual_threads` says, or 1

One thread is the default. Most calls are too short to share, and those who run many at once, in pools of
processes, test runners and servers, have already given the processors away: a default of all would start n
threads in each of n processes. Results do not depend on the number. BLAS libraries and JAX decide otherwise,
and must be told in every pool. The number is an argument of the call, not of the compiler: code that knew it
could cut loops into exactly as many parts, but sums would have other bits on another machine, and the caches
would hold a program per number. Tasks that follow from shapes outnumber the threads, which also evens out
threads that begin late.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from math import ceil
from pathlib import Path
from typing import Final, Literal, TypeAlias

from mlirad.errors import ArgumentError

VARIABLE: Final = "MLIRAD_THREADS"
"""The environment variable that says how many threads are usual: a number, or `all`."""

MOST_THREADS: Final = 256
"""The most threads that work on one call."""

Threads: TypeAlias = int | Literal["all"]
"""A number of threads, or as many as the machine has for this process."""

ALL: Final = "all"


def machine_threads() -> int:
    """Return how many threads this process can run at once: processors that it may use, and no more than the
    time that the limit of its control group allows.
    """
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    limit = cgroup_processors()
    return max(1, min(processors, MOST_THREADS, processors if limit is None else ceil(limit)))


def cgroup_processors(root: str = "/sys/fs/cgroup", own: str = "/proc/self/cgroup") -> float | None:
    """Return how many processors' time the control groups around this process allow it; None for no limit.

    Both versions of control groups are read. `root` is where they are mounted, `own` the file that names
    those of the process.
    """
    try:
        groups = [line.split(":", 2) for line in Path(own).read_text().splitlines()]
    except OSError:
        return None
    limits: list[float] = []
    for group in groups:
        if len(group) != 3:
            continue
        _, controllers, path = group
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = Path(root) if not controllers else Path(root, "cpu")
        # A limit of any group around this one holds too; in a container the path may be that of the host.
        parts = [p for p in path.split("/") if p and p != ".."]
        for depth in range(len(parts) + 1):
            limit = _stated(base.joinpath(*parts[:depth]))
            if limit is not None:
                limits.append(limit)
    return min(limits, default=None)


def _stated(group: Path) -> float | None:
    """Processors' time that one group is allowed, in its own files."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            words = [word for name in names for word in (group / name).read_text().split()]
            quota, period = (float(word) for word in words)
        except (OSError, ValueError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return None


def usual_threads() -> int:
    """Return how many threads work on calls that state no number. Raises `ArgumentError` for an environment
    variable that is not a number.
    """
    _read_environment()
    return _usual.value


def set_usual_threads(number: int) -> None:
    """Let a given number of threads work on all calls that state no number, those of programs that
    exist too.
    """
    _read_environment()
    while number > 1 and _preparations:
        _preparations.pop()()
    _usual.value = number


def when_several(prepare: Callable[[], object]) -> None:
    """Call a function once several threads are usual: at once where they are, else before they become so."""
    if usual_threads() > 1:
        prepare()
    else:
        _preparations.append(prepare)


_preparations: Final[list[Callable[[], object]]] = []


def usual_threads_address() -> int:
    """The address of the word that holds the usual number."""
    return ctypes.addressof(_usual)


_usual: Final = ctypes.c_int64(1)


@cache
def _read_environment() -> None:
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return
    if text.lower() == ALL:
        _usual.value = machine_threads()
        return
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= MOST_THREADS:
        raise ArgumentError(
            f"the environment variable {VARIABLE} is {text!r}, and it must be an integer from 1 to "
            f"{MOST_THREADS}, or all",
            hint=f"write {VARIABLE}=4, {VARIABLE}=all for as many as this process may use, or leave it out",
        )
    _usual.value = number
