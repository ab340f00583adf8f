"""Chooses which cases run every day, from the times of a whole run.

    python -m pytest -n 2 --junitxml report.xml
    python -m tests.choose_everyday report.xml          rewrites tests/everyday.py

All cases of a test together would take some t seconds. As many run as take about sqrt(t * UNIT), and one
at least: all of a quick test, every tenth of a test of five seconds. `sampling.py` says which these are, and
which values are met in any case. Of the tests of one case that take LONG seconds or more, the quickest of
each file runs every day; those of the repository itself always do. Tests that no run has timed keep what is
stated.
"""

from __future__ import annotations

import argparse
import math
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.everyday import EVERYDAY, LONG_TESTS
from tests.sampling import alternation, left_out_by

UNIT = 0.01
"""The seconds of a test all of whose cases run."""

LONG = 3.0
"""The seconds from which a test of one case is long."""

OF_THE_REPOSITORY = ("tests/test_", "tests/packaging/", "tests/typing/")
"""Files whose tests look at the whole package rather than at programs."""

TABLE = Path(__file__).with_name("everyday.py")


class _Collected:
    """A plugin that keeps what is collected, before anything is left out."""

    def __init__(self) -> None:
        self.tests: dict[str, list[Any]] = defaultdict(list)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self.tests[item.nodeid.partition("[")[0]].append(item)


def main() -> None:
    """Read a report, choose, and rewrite the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report", type=Path, help="a report of pytest, by --junitxml")
    parser.add_argument("--unit", type=float, default=UNIT, metavar="SECONDS")
    options = parser.parse_args()
    seconds, cases = _times(options.report)
    collected = _Collected()
    pytest.main(["--collect-only", "-q", "-q", str(TABLE.parent)], plugins=[collected])
    chosen: dict[str, tuple[int, int]] = {}
    for name, items in sorted(collected.tests.items()):
        sample = EVERYDAY.get(name)
        if cases[name] and hasattr(items[0], "callspec"):
            sample = _sample(name, items, seconds[name] / cases[name], options.unit)
        if sample is not None:
            chosen[name] = sample
    single = {name for name, items in collected.tests.items() if not hasattr(items[0], "callspec")}
    long = {name for name in LONG_TESTS & single if not cases[name]}
    long |= _long_tests({name: seconds[name] for name in single if cases[name]})
    TABLE.write_text(_table(chosen, sorted(long)))


def _times(report: Path) -> tuple[dict[str, float], Counter[str]]:
    """Of each test, how long its cases took together, and how many ran."""
    seconds = defaultdict[str, float](float)
    cases = Counter[str]()
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name'].partition('[')[0]}"
        seconds[name] += float(case.attrib["time"])
        cases[name] += 1
    return seconds, cases


def _sample(name: str, items: list[Any], average: float, unit: float) -> tuple[int, int] | None:
    """The numbers of a test whose cases take `average` seconds each; `None` if all of them may run."""
    wanted = min(round(math.sqrt(len(items) * average / unit)), len(items))
    for n in range(wanted, alternation(items) or 1, -1):
        for k in range(n):
            try:
                left = left_out_by(name, items, n, k)
            except AssertionError:
                continue
            if len(left) < len(items):
                return n, k
    return None


def _long_tests(seconds: dict[str, float]) -> set[str]:
    """Those that take long, but for the quickest of each file and for all tests of the repository."""
    files: dict[str, list[str]] = defaultdict(list)
    for name in sorted(seconds, key=seconds.__getitem__):
        if seconds[name] >= LONG and not name.startswith(OF_THE_REPOSITORY):
            files[name.partition("::")[0]].append(name)
    return {name for names in files.values() for name in names[1:]}


def _table(chosen: dict[str, tuple[int, int]], long: list[str]) -> str:
    lines = "".join(f'    "{name}": ({n}, {k}),\n' for name, (n, k) in chosen.items())
    names = "".join(f'        "{name}",\n' for name in long)
    return (
        '"""Tests of which some cases run every day, by `choose_everyday.py`."""\n\n'
        "# ruff: noqa: E501\n\n"
        "from __future__ import annotations\n\n"
        f"EVERYDAY: dict[str, tuple[int, int]] = {{\n{lines}}}\n\n"
        f"LONG_TESTS: frozenset[str] = frozenset(\n    {{\n{names}    }}\n)\n"
    )


if __name__ == "__main__":
    main()
