"""How calls are timed: interleaved bursts, one thread, medians.

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


def use_one_thread() -> None:
    """Binds the process and the libraries it will load to one processor; call before importing
    them. mlirad takes no compiled program from the disk, so that first calls compile."""
    os.environ["MLIRAD_CACHE"] = "off"
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class Limits(NamedTuple):
    """How often and how long a function is called: at least so often and so long, and if that takes more than
    `max_seconds`, no longer, but `LEAST_RUNS` times."""

    min_runs: int = 20
    min_seconds: float = 1.0
    max_seconds: float = 20.0

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
        _burst(call)
    samples: list[list[float]] = [[] for _ in calls]
    totals = [0.0] * len(calls)

    def is_done(position: int) -> bool:
        return limits.reached(len(samples[position]), totals[position])

    while not all(map(is_done, range(len(calls)))):
        for position, call in enumerate(calls):
            if totals[position] < limits.max_seconds or not is_done(position):
                burst = _burst(call)
                samples[position] += burst
                totals[position] += sum(burst)
    return [statistics.median(taken) for taken in samples]


def _burst(call: Callable[[], Any]) -> list[float]:
    """Single times of consecutive calls, for about `BURST_SECONDS`, at least one."""
    taken: list[float] = []
    clock = time.perf_counter
    end = clock() + BURST_SECONDS
    while True:
        start = clock()
        call()
        stop = clock()
        taken.append(stop - start)
        if stop >= end:
            return taken
