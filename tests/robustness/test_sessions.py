"""Random sessions of calls, changes, threads, interrupts and forks give what fresh functions give.

The same sessions are run every day, with `--fuzz-seconds` fresh ones. A failure is cut to the steps it needs.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import pytest

from tests.robustness.sessions import Step, failure_of, random_session, run_session, shrunk

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="sessions run in forked processes")

LENGTH = 10


def check(steps: list[Step]) -> None:
    """Run a session in a child; of one that fails, show the least part that does."""
    first = failure_of(lambda: run_session(steps))
    if first is None:
        return
    least = shrunk(steps, lambda part: failure_of(lambda: run_session(part)) is not None)
    failure = failure_of(lambda: run_session(least)) or f"not when run again, but at first:\n{first}"
    text = ", ".join(f"Step{tuple(step)}" for step in least)
    raise AssertionError(f"run_session([{text}]) fails:\n{failure}")


@pytest.mark.parametrize("seed", range(8))
def test_sessions(seed: int) -> None:
    check(random_session(seed, LENGTH))


@pytest.mark.fuzz
def test_many_sessions(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        judged["sessions"] += 1
        check(random_session(seeds.randrange(2**32), seeds.randint(2, 3 * LENGTH)))


def test_failures_are_reduced() -> None:
    """The two steps that fail together are what is left of many."""
    parts = list(range(40))
    assert shrunk(parts, lambda part: {7, 31} <= set(part)) == [7, 31]


def test_crashes_and_errors_are_reported() -> None:
    """A child that dies of a signal, and one that raises."""
    assert "signal" in (failure_of(lambda: os.kill(os.getpid(), signal.SIGKILL)) or "")
    assert "ZeroDivisionError" in (failure_of(lambda: (1 // 0, None)[1]) or "")
