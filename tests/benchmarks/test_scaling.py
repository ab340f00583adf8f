"""The simulation of many threads, on a profile with known times."""

from __future__ import annotations

import pytest

from benchmarks import scaling
from mlirad.frontend.compiling.profile import KernelTime, Profile

KERNELS = (
    KernelTime("k0", "dot", "model.py:3", 8e-3, 1, 1 << 20, 1e6, "L2", 8, 4),
    KernelTime("k1", "exp", "model.py:4", 3e-3, 10, 1 << 20, 1e6, "L2", 8, 1, 30),
    KernelTime("k2", "sum", None, 1e-3, 1, 1 << 10, 1e3, "L1"),
)
PROFILE = Profile(10, 13e-3, KERNELS)
WAKE = scaling.WAKE_SECONDS


def test_tasks_divide_among_threads() -> None:
    assert [scaling.seconds_of(KERNELS[0], n) for n in (1, 2, 3, 4, 64)] == pytest.approx(
        [8e-3, 4e-3 + WAKE, 4e-3 + WAKE, 2e-3 + WAKE, 2e-3 + WAKE]
    )
    # The tasks of a loop around a kernel wake nobody again.
    assert [scaling.seconds_of(KERNELS[1], n) for n in (1, 4, 16)] == pytest.approx(
        [3e-3, 3e-3 * 8 / 30, 3e-3 * 2 / 30]
    )
    assert scaling.seconds_of(KERNELS[2], 64) == 1e-3


def test_no_kernel_takes_longer_than_on_one_thread() -> None:
    short = KernelTime("k3", "exp", None, 1e-6, 1, 8, 8, "L1", 8, 2)
    assert scaling.seconds_of(short, 2) == 1e-6


def test_rows_name_what_limits() -> None:
    assert scaling.seconds(PROFILE, 1) == pytest.approx(13e-3)
    assert scaling.seconds(PROFILE, 4) == pytest.approx(2e-3 + WAKE + 0.8e-3 + 1e-3 + 1e-3)
    row = scaling.row("net", "large", PROFILE, (4, 64))
    assert row == "| net | large | 13 ms | 2.7 | 3.2 | 49% dot, 4 tasks of 256 KiB |"


def test_the_table_of_a_problem() -> None:
    lines = list(scaling.table(["lse"], [2, 8], kernels=1))
    assert lines[0].startswith("| problem | size | one thread | 2 threads | 8 threads |")
    cells = [line.count("|") for line in lines]
    assert len(lines) >= 4 and len(set(cells)) == 1
