"""Threads that make their first programs together, in processes where nothing is there yet."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEADLINE = 120.0
"""Seconds after which a process counts as hanging."""


def check_process() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.threads.first_calls"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        cwd=ROOT,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_first_calls_of_several_threads() -> None:
    check_process()


@pytest.mark.fuzz
def test_many_processes(fuzz_seconds: float, judged: Counter[str]) -> None:
    end = time.monotonic() + fuzz_seconds
    while time.monotonic() < end:
        judged["processes with first calls of several threads"] += 1
        check_process()
