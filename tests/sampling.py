"""Which cases of tests with many parameters run every day; `make fuzz` runs the others.

    test_reverse_mode[case, interpret]      case 0 compiled, case 1 interpreted, case 2 compiled, ...
    test_forward_mode[case, interpret]      case 0 interpreted, case 1 compiled, case 2 interpreted, ...

Of a test with the numbers (n, k), the everyday run takes the cells of the table of its parameters whose
indices add up to k modulo n. Tests that are run compiled and interpreted have n = 2, and k alternates from
one to the next. Others have what is listed here. So a test with several parameters meets every value of each
of them, which is checked when the tests are collected; of a test with one parameter every n-th case is left.
A test that is named on the command line runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

EVALUATOR = "interpret"
"""The parameter of tests that are run compiled and interpreted."""

EVERYDAY: dict[str, tuple[int, int]] = {
    "tests/acceptance/test_cost.py::test_cases": (3, 0),
    "tests/acceptance/test_growth.py::test_derivatives_agree": (2, 0),
    "tests/acceptance/test_growth.py::test_loops_that_write_single_elements_copy_no_carry": (2, 1),
    "tests/acceptance/test_growth.py::test_memory_is_linear_in_the_number_of_steps": (2, 0),
    "tests/acceptance/test_growth.py::test_work_is_linear_in_the_number_of_steps": (2, 1),
    "tests/acceptance/test_random_programs.py::test_random_programs": (2, 0),
    "tests/acceptance/test_random_programs.py::test_random_programs_in_vectors": (2, 0),
    "tests/docs/test_special_points.py::test_second_derivatives": (2, 0),
    "tests/frontend/test_numpy_gradients.py::test_derivatives": (2, 0),
}


def left_out(items: Iterable[Any]) -> list[Any]:
    """The tests that the everyday run does without.

    Raises `AssertionError` if a test with several parameters would meet a value of one of them on no day.
    """
    tests: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    alternating = Counter[str]()
    found: list[Any] = []
    for name, cells in tests.items():
        sample = EVERYDAY.get(name)
        if hasattr(cells[0], "callspec") and EVALUATOR in cells[0].callspec.params:
            file = name.partition("::")[0]
            sample = sample or (2, alternating[file] % 2)
            alternating[file] += 1
        if sample is not None:
            found += _left_out(name, cells, *sample)
    return found


def _left_out(name: str, items: list[Any], n: int, k: int) -> list[Any]:
    """The tests among those of one function that are left out."""
    indices: dict[str, dict[int, int]] = defaultdict(dict)
    cells: list[list[int]] = []
    for item in items:
        # The values of a table are always the same objects.
        given = item.callspec.params.items()
        cells.append([indices[p].setdefault(id(value), len(indices[p])) for p, value in given])
    met = [cell for cell in cells if sum(cell) % n == k]
    for parameter, column in zip(indices, zip(*met, strict=True), strict=True):
        missing = set(indices[parameter].values()).difference(column)
        is_only = len(indices) == 1 or parameter == EVALUATOR
        assert is_only or not missing, f"tests/sampling.py leaves out values of {parameter} of {name}"
    return [item for item, cell in zip(items, cells, strict=True) if sum(cell) % n != k]
