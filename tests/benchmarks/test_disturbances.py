"""Disturbances of a measurement are seen: stolen time, except in bursts, and threads that spin."""

from __future__ import annotations

import os
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from benchmarks import disturbances, protocol, table
from benchmarks.protocol import LEAST_RUNS, Limits
from benchmarks.results import Measurement, Run

QUIET, DISTURBED = 0.001, 0.03


def timing(monkeypatch: Any, thefts: list[float]) -> protocol.Timing:
    """The timing of a function whose bursts have one call each, which takes longer where time is stolen; the
    thefts of consecutive bursts, again and again.
    """
    now = [0.0]
    following = cycle(thefts)

    def burst(*_: Any) -> list[float]:
        theft = next(following)
        now[0] += theft
        return [DISTURBED if theft else QUIET]

    monkeypatch.setattr(protocol, "burst", burst)
    monkeypatch.setattr(protocol, "stolen_seconds", lambda: now[0])
    limits = Limits(min_runs=LEAST_RUNS, min_seconds=0.0, max_seconds=0.3)
    (found,) = protocol.timings([lambda: None], limits)
    return found


def test_bursts_with_theft_do_not_count(monkeypatch: Any) -> None:
    found = timing(monkeypatch, [0.0, 0.01, 0.01])
    assert found.seconds == QUIET
    assert found.bursts - found.left_out == LEAST_RUNS
    assert found.left_out >= LEAST_RUNS and found.stolen > 0


def test_bursts_count_where_all_have_theft(monkeypatch: Any) -> None:
    found = timing(monkeypatch, [0.01])
    assert (found.seconds, found.bursts, found.left_out) == (DISTURBED, 10, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux counts")
def test_theft_is_that_of_the_processors_of_the_process(tmp_path: Path) -> None:
    allowed = os.sched_getaffinity(0)
    lines = [f"cpu{k} 1 2 3 4 5 6 7 {100 if k in allowed else 5} 9 10" for k in range(max(allowed) + 2)]
    statistics = tmp_path / "stat"
    statistics.write_text("\n".join(["cpu 1 2 3 4 5 6 7 999 9 10", *lines, "intr 5"]))
    wanted = 100 * len(allowed) / os.sysconf("SC_CLK_TCK")
    assert disturbances.stolen_seconds(statistics) == pytest.approx(wanted)
    assert disturbances.stolen_seconds(tmp_path / "none") == 0.0


def clocks(monkeypatch: Any, spins: float) -> None:
    """A process whose threads spin for `spins` seconds, and whose naps take as long as they are asked to."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(disturbances.time, "sleep", sleep)
    monkeypatch.setattr(disturbances.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(disturbances.time, "process_time", lambda: min(now[0], spins))


@pytest.mark.parametrize(("spins", "sleeps"), [(0.0, True), (0.02, True), (60.0, False)])
def test_threads_that_spin_are_waited_for(monkeypatch: Any, spins: float, sleeps: bool) -> None:
    clocks(monkeypatch, spins)
    assert disturbances.wait_for_sleep() == sleeps
    waited = disturbances.time.perf_counter()
    assert min(spins, disturbances.LONGEST_WAIT) <= waited
    assert waited <= min(spins, disturbances.LONGEST_WAIT) + 2 * disturbances.NAP_SECONDS


@pytest.mark.parametrize("threads", [1, 2])
def test_bursts_of_several_threads_begin_awake_and_alone(monkeypatch: Any, threads: int) -> None:
    """Each function is called once, untimed, after the threads of the one before have gone to sleep."""
    happened: list[str] = []
    monkeypatch.setattr(protocol, "wait_for_sleep", lambda: happened.append("sleep"))
    monkeypatch.setattr(protocol, "burst", lambda *_: happened.append("burst") or [QUIET])
    protocol.timings([lambda: happened.append("call")], Limits(min_runs=2, min_seconds=0.0), threads)
    each = ["burst"] if threads == 1 else ["sleep", "call", "burst"]
    assert happened == ["burst", *each, *each]


def test_theft_is_printed() -> None:
    run = Run("A machine", "2026-01-01", 0.1, {})
    assert list(table.theft(run)) == []
    run.measurements = [
        Measurement("lse", "1e4", "mlirad", 2, bursts=10, left_out=2, stolen=0.01),
        Measurement("lse", "1e4", "jax", 2, bursts=20, left_out=1, stolen=0.03),
    ]
    assert list(table.theft(run)) == [
        "- on 2 threads: 3 of 30 bursts left out; 2.0 % of the time in all, 3.0 % in lse 1e4 by JAX"
    ]
