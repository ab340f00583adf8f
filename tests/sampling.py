"""Which cases of tests with many parameters run every day; `make fuzz` runs the others.

    test_reverse_mode[case, evaluator]      case 0 compiled, case 1 interpreted, case 2 by chad, ...
    test_forward_mode[case, evaluator]      case 0 interpreted, case 1 by chad, case 2 compiled, ...

Of a test with the numbers (n, k), the everyday run takes the cells of the table of its parameters whose
indices add up to k modulo n. Tests with the parameters of `ALTERNATING` have the n that is stated there, and
a k that goes on from one test to the next; others have what `everyday.py` lists, which `choose_everyday.py`
writes. So a test with several parameters meets every value of each of them but the alternating and the
sampled ones, which is checked when the tests are collected; of a test with one parameter every n-th case is
left. Tests of one case that take long are in `LONG_TESTS`, all but the quickest of each file, and run in
`make fuzz` alone. A test named on the command line runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tests.everyday import EVERYDAY, LONG_TESTS

ALTERNATING = {"interpret": 2, "evaluator": 3, "features": 3, "seed": 5}
"""Compiled and interpreted; these and by `chad`; code for three processors; random programs."""

SAMPLED = ("case", "name")
"""Parameters whose values are cases of one kind: with `EVERYDAY`, some of them are left out altogether."""


def left_out(items: Iterable[Any]) -> list[Any]:
    """The tests that the everyday run does without.

    Raises `AssertionError` if a test with several parameters would meet a value of one of them on no day, and
    if `EVERYDAY` lists what is no test.
    """
    tests: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    files = {name.partition("::")[0] for name in tests}
    listed = [*EVERYDAY, *sorted(LONG_TESTS)]
    unknown = [name for name in listed if name.partition("::")[0] in files and name not in tests]
    assert not unknown, f"tests/everyday.py lists {unknown}"
    alternating = Counter[str]()
    found: list[Any] = []
    for name, cells in tests.items():
        if name in LONG_TESTS:
            found += cells
            continue
        sample = EVERYDAY.get(name)
        n = alternation(cells)
        if n is not None:
            file = name.partition("::")[0]
            sample = sample or (n, alternating[file] % n)
            alternating[file] += 1
        if sample is not None:
            found += left_out_by(name, cells, *sample)
    return found


def alternation(items: list[Any]) -> int | None:
    """The n of a test with the parameters of `ALTERNATING`; `None` if it has none of them."""
    given: Iterable[str] = items[0].callspec.params if hasattr(items[0], "callspec") else ()
    return max((min(ALTERNATING[p], _values(items, p)) for p in given if p in ALTERNATING), default=None)


def _values(items: list[Any], parameter: str) -> int:
    """How many values a parameter has."""
    return len({id(item.callspec.params[parameter]) for item in items})


def left_out_by(name: str, items: list[Any], n: int, k: int) -> list[Any]:
    """The cases of one test that its numbers leave out."""
    indices: dict[str, dict[int, int]] = defaultdict(dict)
    cells: list[list[int]] = []
    for item in items:
        # The values of a table are always the same objects.
        given = item.callspec.params.items()
        cells.append([indices[p].setdefault(id(value), len(indices[p])) for p, value in given])
    met = [cell for cell in cells if sum(cell) % n == k]
    for place, parameter in enumerate(indices):
        missing = set(indices[parameter].values()).difference(cell[place] for cell in met)
        may_miss = len(indices) == 1 or parameter in ALTERNATING or parameter in SAMPLED
        assert may_miss or not missing, f"tests/sampling.py leaves out values of {parameter} of {name}"
    return [item for item, cell in zip(items, cells, strict=True) if sum(cell) % n != k]
