"""Disturbances of a measurement: threads that spin after the work of another system, and a hypervisor.

wait_for_sleep()                  until no thread of the process takes processor time
stolen = stolen_seconds()         what the hypervisor has kept from the processors of the process so far

OpenMP's pools go on spinning for some milliseconds after a loop that they shared, on processors that the
next system is then measured without. The guest of a hypervisor waits for a processor that others have, and
Linux counts for how long: the column `steal` of `/proc/stat`, in units of 10 ms as a rule.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

NAP_SECONDS: Final = 0.002
"""The time for which the process is watched while it sleeps."""

AWAKE_SHARE: Final = 0.1
"""The part of a nap that threads may take on a processor and count as asleep: it takes some to wake up."""

LONGEST_WAIT: Final = 0.25
"""Seconds after which a system whose threads never sleep is not waited for."""

STATISTICS: Final = Path("/proc/stat")
"""The file in which Linux counts the work of processors."""

_STEAL_COLUMN: Final = 8


def wait_for_sleep() -> bool:
    """Sleep until all threads of the process do; whether they do after `LONGEST_WAIT`."""
    end = time.perf_counter() + LONGEST_WAIT
    while True:
        taken, start = time.process_time(), time.perf_counter()
        time.sleep(NAP_SECONDS)
        now = time.perf_counter()
        if time.process_time() - taken <= AWAKE_SHARE * (now - start):
            return True
        if now >= end:
            return False


def stolen_seconds(statistics: Path = STATISTICS) -> float:
    """The time that a hypervisor has kept this process from its processors, in all; 0 where nobody counts.

    The process is taken to be bound to these processors (`benchmarks.protocol.use_threads`).
    """
    if not (statistics.exists() and hasattr(os, "sched_getaffinity")):
        return 0.0
    names = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    lines = (line.split() for line in statistics.read_text().splitlines())
    ticks = sum(
        int(fields[_STEAL_COLUMN])
        for fields in lines
        if fields and fields[0] in names and len(fields) > _STEAL_COLUMN
    )
    return ticks / os.sysconf("SC_CLK_TCK")
