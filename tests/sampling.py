"""Which cases of tests with many parameters run every day; `make fuzz` runs the others.

    "tests/cases/test_cases.py::test_reverse_mode": (2, 0)     case 0 compiled, case 1 interpreted, ...
    "tests/cases/test_cases.py::test_forward_mode": (2, 1)     case 0 interpreted, case 1 compiled, ...

Of a test listed with (n, k), the everyday run takes the cells of the table of its parameters whose indices
add up to k modulo n. A test with several parameters still meets every value of each of them, which is
checked when the tests are collected; of a test with one parameter every n-th case is left. A test that is
named on the command line runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

EVERYDAY: dict[str, tuple[int, int]] = {
    "tests/acceptance/test_cost.py::test_cases": (3, 0),
    "tests/acceptance/test_growth.py::test_derivatives_agree": (2, 0),
    "tests/acceptance/test_growth.py::test_loops_that_write_single_elements_copy_no_carry": (2, 1),
    "tests/acceptance/test_growth.py::test_memory_is_linear_in_the_number_of_steps": (2, 0),
    "tests/acceptance/test_growth.py::test_work_is_linear_in_the_number_of_steps": (2, 1),
    "tests/acceptance/test_masks.py::test_value_first_and_second_derivative": (2, 0),
    "tests/acceptance/test_random_programs.py::test_random_programs": (2, 0),
    "tests/acceptance/test_random_programs.py::test_random_programs_in_vectors": (2, 0),
    "tests/cases/test_cases.py::test_forward_mode": (2, 1),
    "tests/cases/test_cases.py::test_reverse_mode": (2, 0),
    "tests/cases/test_cases.py::test_value": (2, 1),
    "tests/docs/test_special_points.py::test_special_point": (2, 0),
    "tests/frontend/test_numpy_gradients.py::test_derivatives": (2, 0),
}


def left_out(items: Iterable[Any]) -> list[Any]:
    """The tests that the everyday run does without.

    Raises `AssertionError` if a test with several parameters would meet a value of one of them on no day.
    """
    tests: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    return [item for name, cells in tests.items() if name in EVERYDAY for item in _left_out(name, cells)]


def _left_out(name: str, items: list[Any]) -> list[Any]:
    """The tests among those of one function that are left out."""
    indices: dict[str, dict[int, int]] = defaultdict(dict)
    cells: list[list[int]] = []
    for item in items:
        # The values of a table are always the same objects.
        given = item.callspec.params.items()
        cells.append([indices[p].setdefault(id(value), len(indices[p])) for p, value in given])
    n, k = EVERYDAY[name]
    met = [cell for cell in cells if sum(cell) % n == k]
    if len(indices) > 1:
        for parameter, among, of in zip(
            indices, zip(*met, strict=True), zip(*cells, strict=True), strict=True
        ):
            assert set(among) == set(of), f"tests/sampling.py leaves out values of {parameter} of {name}"
    return [item for item, cell in zip(items, cells, strict=True) if sum(cell) % n != k]
