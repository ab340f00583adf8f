"""The timing of calls: interleaved bursts, medians, and a number of threads that all systems keep to.

The functions to compare take turns, each for a burst of calls, until every one has had its
number of calls and its seconds; the median is over the single calls. Turns let slow drifts of
the machine fall on all alike; bursts let each function run with the caches it leaves behind.

With several threads each burst begins when the threads of all systems sleep, with a call that is not timed
and wakes its own. A burst in which a hypervisor kept processors for itself does not count. Both rules are the
same for every system.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.disturbances import stolen_seconds, wait_for_sleep

BURST_SECONDS = 0.02
LEAST_RUNS = 3

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
"""The clocks that time calls: the time that passes, or that of all threads of the process on a processor,
which is meaningful on a machine that is busy with other things too, for calls of one thread.
"""


def use_threads(threads: int) -> None:
    """Binds the process and the libraries it will load to `threads` processors; call before importing them.
    mlirad takes no compiled program from the disk, so that first calls compile.
    """
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
    """Limits on the calls of a function: their least number and time, and if that takes more than
    `max_seconds`, no longer, but `LEAST_RUNS` times. `clock` is one of `CLOCKS`."""

    min_runs: int = 20
    min_seconds: float = 0.5
    max_seconds: float = 10.0
    clock: str = "wall"

    def reached(self, runs: int, seconds: float) -> bool:
        """Return whether this number of runs in these seconds is enough."""
        if seconds >= self.max_seconds and runs >= LEAST_RUNS:
            return True
        return runs >= self.min_runs and seconds >= self.min_seconds


class Timing(NamedTuple):
    """The median time of a call in seconds, in how many bursts it was called, how many of them were left out
    as time was stolen in them, and what part of the processors' time that was, in all bursts."""

    seconds: float
    bursts: int
    left_out: int
    stolen: float


@dataclass
class _Samples:
    """The times of single calls of one function, in bursts with and without theft."""

    undisturbed: list[float] = field(default_factory=list[float])
    disturbed: list[float] = field(default_factory=list[float])
    bursts: int = 0
    left_out: int = 0
    stolen: float = 0.0
    passed: float = 0.0

    def take(self, call: Callable[[], Any], limits: Limits, threads: int) -> None:
        """A burst of calls."""
        if threads > 1:
            wait_for_sleep()
            if not self.is_slow:
                call()
        stolen, start = stolen_seconds(), time.perf_counter()
        taken = burst(call, CLOCKS[limits.clock])
        self.passed += time.perf_counter() - start
        stolen = stolen_seconds() - stolen
        self.bursts += 1
        self.left_out += stolen > 0
        self.stolen += stolen
        (self.disturbed if stolen else self.undisturbed).extend(taken)

    @property
    def is_slow(self) -> bool:
        """Return whether a call is a burst: threads that wake up meanwhile make no difference to it."""
        return bool(self.bursts) and self.passed / self.bursts > 2 * BURST_SECONDS

    def is_done(self, limits: Limits) -> bool:
        """Return whether there are enough calls without theft, or whether all of them have taken too long."""
        seconds = sum(self.undisturbed)
        return limits.reached(len(self.undisturbed), seconds) or self.is_over(limits)

    def is_over(self, limits: Limits) -> bool:
        """Return whether all calls together have taken as long as they may."""
        calls = len(self.undisturbed) + len(self.disturbed)
        return calls >= LEAST_RUNS and sum(self.undisturbed) + sum(self.disturbed) >= limits.max_seconds

    def timing(self, threads: int) -> Timing:
        """The median without theft; of all calls where theft has left fewer than `LEAST_RUNS`."""
        enough = len(self.undisturbed) >= LEAST_RUNS
        taken = self.undisturbed if enough else self.undisturbed + self.disturbed
        share = self.stolen / (threads * self.passed) if self.passed else 0.0
        return Timing(statistics.median(taken), self.bursts, self.left_out if enough else 0, share)


def timings(calls: Sequence[Callable[[], Any]], limits: Limits, threads: int = 1) -> list[Timing]:
    """The median time of each of the calls, which have this number of threads. Of each a burst goes before,
    untimed.

    A function that has had its time waits for the others, unless it is slow.
    """
    for call in calls:
        burst(call, CLOCKS[limits.clock])
    samples = [_Samples() for _ in calls]
    while not all(taken.is_done(limits) for taken in samples):
        for taken, call in zip(samples, calls, strict=True):
            if not taken.is_over(limits):
                taken.take(call, limits, threads)
    return [taken.timing(threads) for taken in samples]


def median_seconds(calls: Sequence[Callable[[], Any]], limits: Limits, threads: int = 1) -> list[float]:
    """The median time of each of the calls, in seconds."""
    return [timing.seconds for timing in timings(calls, limits, threads)]


def first_call(call: Callable[[], Any], clock: str = "wall") -> tuple[float, Any]:
    """The seconds that a call takes, which compiles if it is the first one, and its result."""
    start = CLOCKS[clock]()
    result = call()
    return CLOCKS[clock]() - start, result


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
