"""How calls are timed: interleaved bursts, medians, and a number of threads that all systems keep to.

The functions to compare take turns, each for a burst of calls, until every one has had its
number of calls and its seconds; the median is over the single calls. Turns let slow drifts of
the machine fall on all alike; bursts let each function run with the caches it leaves behind.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

BURST_SECONDS = 0.02
LEAST_RUNS = 3

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
"""By which calls are timed: the time that passes, or that of all threads of the process on a processor, which
is meaningful on a machine that is busy with other things too, for calls of one thread."""


def use_threads(threads: int) -> None:
    """Binds the process and the libraries it will load to so many processors; call before importing
    them. mlirad takes no compiled program from the disk, so that first calls compile."""
    os.environ["MLIRAD_CACHE"] = "off"
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    several = "true" if threads > 1 else "false"
    given = os.environ.get("XLA_FLAGS", "")
    own = f"--xla_cpu_multi_thread_eigen={several} intra_op_parallelism_threads={threads}"
    os.environ["XLA_FLAGS"] = f"{given} {own}".strip()
    os.environ["NPROC"] = str(threads)  # of XLA's thread pools
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[-threads:]))


class Limits(NamedTuple):
    """How often and how long a function is called: at least so often and so long, and if that takes more than
    `max_seconds`, no longer, but `LEAST_RUNS` times. `clock` is one of `CLOCKS`."""

    min_runs: int = 20
    min_seconds: float = 0.5
    max_seconds: float = 10.0
    clock: str = "wall"

    def reached(self, runs: int, seconds: float) -> bool:
        """Whether so many runs in so many seconds are enough."""
        if seconds >= self.max_seconds and runs >= LEAST_RUNS:
            return True
        return runs >= self.min_runs and seconds >= self.min_seconds


def median_seconds(calls: Sequence[Callable[[], Any]], limits: Limits) -> list[float]:
    """The median time of each of the calls. One burst of each goes before, untimed.

    A function that has had its time waits for the others, unless it is slow.
    """
    for call in calls:
        burst(call, CLOCKS[limits.clock])
    samples: list[list[float]] = [[] for _ in calls]
    totals = [0.0] * len(calls)

    def is_done(position: int) -> bool:
        return limits.reached(len(samples[position]), totals[position])

    while not all(map(is_done, range(len(calls)))):
        for position, call in enumerate(calls):
            if totals[position] < limits.max_seconds or not is_done(position):
                taken = burst(call, CLOCKS[limits.clock])
                samples[position] += taken
                totals[position] += sum(taken)
    return [statistics.median(taken) for taken in samples]


def burst(call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Single times of consecutive calls, for about `BURST_SECONDS`, at least one."""
    taken: list[float] = []
    end = clock() + BURST_SECONDS
    while True:
        start = clock()
        call()
        stop = clock()
        taken.append(stop - start)
        if stop >= end:
            return taken
