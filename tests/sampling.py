"""The cases of tests with parameters that run on a day, and for how long; `make fuzz` runs all of them.

    pytest                          the cases of `DAY`
    pytest --day=today              those of today, or of another day: --day=2026-12-24
    pytest --file-seconds=inf       all of these, however long they take
    pytest tests/x.py::test_y       what is named on the command line runs whole

The cases of a test are put in the order of the digests of their names and the day. The first runs, and so do
all tests without parameters. The others run while the tests of their file have taken less than `SECONDS`, the
second cases of all tests of a file before the third ones, and `CASES` of a test at most. So each day meets
every test, days meet different cases of it, and a slow machine tries fewer.

A change is judged by the cases that the one before it has passed, so `DAY` is stated, and advanced by a
commit of its own: its author runs the cases of the new day with `--file-seconds=inf`, and mends what they
show.

Tests of one case that take long are marked `long`: they run in `make fuzz`, and where they are named. Cases
that are known to fail are in `known_faults.py`.
"""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Generator, Iterable
from datetime import UTC, datetime

import pytest

DAY = "2026-11-30"
"""The day of runs that name none."""

SECONDS = 1.0
"""The time that the tests of a file may have taken when another case begins that may wait for another day."""

CASES = 30
"""The cases of a test that a day may have."""

LEFT = "left for another day"


def day_of(word: str) -> str:
    """The day that a word names: `today` by the clock of the world, or a date."""
    return datetime.now(UTC).date().isoformat() if word == "today" else word


def waiting(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests that may wait for another day: long ones, and all cases of a test but one."""
    return [
        item
        for cases in _tests(items).values()
        for rank, item in enumerate(cases)
        if rank > 0 or item.get_closest_marker("long")
    ]


def _tests(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    return tests


class Day:
    """The plugin of a run of the cases of a day."""

    def __init__(self, day: str, seconds: float) -> None:
        self.day, self.seconds = day, seconds
        self.rank: dict[str, int] = {}
        self.taken: dict[str, float] = defaultdict(float)

    def chosen(self, items: Iterable[pytest.Item]) -> list[pytest.Item]:
        """The tests that may run on this day, those of a file in the order in which they do."""
        files: dict[str, list[pytest.Item]] = defaultdict(list)
        for name, cases in _tests(items).items():
            for rank, item in enumerate(sorted(cases, key=self._digest)[:CASES]):
                if not item.get_closest_marker("long"):
                    self.rank[item.nodeid] = rank
                    files[name.partition("::")[0]].append(item)
        return [
            item
            for tests in files.values()
            for item in sorted(tests, key=lambda test: self.rank[test.nodeid])
        ]

    def _digest(self, item: pytest.Item) -> bytes:
        return hashlib.blake2b(f"{self.day} {item.nodeid}".encode(), digest_size=8).digest()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Count the time of a test to its file."""
        start = time.perf_counter()
        try:
            return (yield)
        finally:
            self.taken[item.nodeid.partition("::")[0]] += time.perf_counter() - start

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leave a case for another day if its file has taken its time."""
        if self.rank.get(item.nodeid, 0) > 0 and self.taken[item.nodeid.partition("::")[0]] > self.seconds:
            pytest.skip(LEFT)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Count cases that are left by themselves, not as tests that cannot run here."""
        if report.skipped and isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(LEFT):
            return LEFT, "", ""
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say the day of a run that failed."""
        if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
            terminalreporter.write_line(f"the cases are those of --day={self.day}")
