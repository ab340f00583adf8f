"""Which cases of tests with many parameters run every day; `make fuzz` runs the others.

    test_reverse_mode[case, evaluator]      case 0 compiled, case 1 interpreted, case 2 by chad, ...
    test_forward_mode[case, evaluator]      case 0 interpreted, case 1 by chad, case 2 compiled, ...

Of a test with the numbers (n, k), the everyday run takes the cells of the table of its parameters whose
indices add up to k modulo n. Tests with the parameters of `ALTERNATING` have the n that is stated there, and
a k that goes on from one test to the next; others have what `EVERYDAY` lists. So a test with several
parameters meets every value of each of them but the alternating and the sampled ones, which is checked when
the tests are collected; of a test with one parameter every n-th case is left. A test named on the command
line runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

ALTERNATING = {"interpret": 2, "evaluator": 3, "features": 3, "seed": 5}
"""Compiled and interpreted; these and by `chad`; code for three processors; random programs."""

SAMPLED = ("case", "name")
"""Parameters whose values are cases of one kind: with `EVERYDAY`, some of them are left out altogether."""

EVERYDAY: dict[str, tuple[int, int]] = {
    "tests/acceptance/test_cells.py::test_programs": (4, 1),
    "tests/acceptance/test_composition.py::test_pairs": (2, 0),
    "tests/acceptance/test_cost.py::test_cases": (6, 0),
    "tests/acceptance/test_cost.py::test_examples": (4, 0),
    "tests/acceptance/test_growth.py::test_derivatives_agree": (2, 0),
    "tests/acceptance/test_growth.py::test_loops_that_write_single_elements_copy_no_carry": (2, 1),
    "tests/acceptance/test_growth.py::test_memory_is_linear_in_the_number_of_steps": (2, 0),
    "tests/acceptance/test_growth.py::test_what_a_loop_keeps_changes_no_derivative": (2, 0),
    "tests/acceptance/test_growth.py::test_work_is_linear_in_the_number_of_steps": (2, 1),
    "tests/acceptance/test_masks.py::test_value_first_and_second_derivative": (2, 0),
    "tests/acceptance/test_second_derivatives.py::test_hessian": (2, 0),
    "tests/benchmarks/test_gradbench.py::test_golden_figures": (2, 0),
    "tests/benchmarks/test_problems.py::test_mlirad_is_as_accurate_as_float32_allows": (3, 0),
    "tests/benchmarks/test_problems.py::test_mlirad_reproduces_the_golden_figures": (2, 0),
    "tests/benchmarks/test_problems.py::test_other_methods_reproduce_the_golden_figures": (2, 0),
    "tests/benchmarks/test_problems.py::test_the_smallest_size_has_finite_figures": (6, 0),
    "tests/cases/test_cases.py::test_forward_mode": (6, 0),
    "tests/cases/test_cases.py::test_reverse_mode": (6, 3),
    "tests/cases/test_methods.py::test_methods_agree": (2, 0),
    "tests/docs/test_special_points.py::test_second_derivatives": (2, 0),
    "tests/examples/test_by_chad.py::test_examples": (3, 0),
    "tests/examples/test_by_chad.py::test_golden_figures_of_benchmarks": (3, 1),
    "tests/examples/test_while_loops.py::test_an_adaptive_solver": (2, 1),
    "tests/examples/test_while_loops.py::test_second_derivatives_of_an_adaptive_solver": (2, 1),
    "tests/frontend/solvers/test_differential_equations.py::test_derivatives_of_a_closed_form": (2, 0),
    "tests/frontend/solvers/test_differential_equations.py::test_mistakes_are_told_at_the_users_line": (2, 0),
    "tests/frontend/solvers/test_equations.py::test_methods_agree": (3, 1),
    "tests/frontend/solvers/test_equations.py::test_mistakes_are_told_at_the_users_line": (2, 0),
    "tests/frontend/solvers/test_linear_equations.py::test_derivatives": (2, 0),
    "tests/frontend/solvers/test_linear_equations.py::test_maps": (2, 0),
    "tests/frontend/solvers/test_linear_equations.py::test_mistakes_are_told_at_the_users_line": (2, 1),
    "tests/frontend/solvers/test_linear_equations.py::test_solutions": (2, 1),
    "tests/frontend/test_closures.py::test_forward_and_second_derivatives": (2, 0),
    "tests/frontend/test_closures.py::test_values_and_gradients": (4, 1),
    "tests/frontend/test_debug_print.py::test_derivatives_print_once_and_are_those_without": (2, 0),
    "tests/frontend/test_linear_algebra.py::test_derivatives": (6, 0),
    "tests/frontend/test_linear_algebra.py::test_second_derivatives": (3, 1),
    "tests/frontend/test_more_numpy_functions.py::test_every_method_of_quantiles": (3, 0),
    "tests/frontend/test_numpy_functions.py::test_reductions": (2, 0),
    "tests/frontend/test_numpy_gradients.py::test_derivatives": (4, 0),
    "tests/frontend/test_ufuncs.py::test_python_scalars_are_weak": (2, 0),
    "tests/frontend/test_writes.py::test_every_function_shares_and_orders_elements_as_numpy_does": (2, 0),
    "tests/frontend/test_wrong_kinds.py::test_calls_are_right_with_the_arguments_listed": (4, 0),
    "tests/lower/test_emit_nest.py::test_combiners": (6, 0),
    "tests/lower/test_emit_nest.py::test_schedules_of_a_product": (3, 0),
    "tests/lower/test_emit_nest.py::test_schedules_on_other_processors_and_types": (2, 0),
    "tests/lower/test_emit_scatter.py::test_rows_at_positions_from_memory": (2, 0),
    "tests/lower/test_ordering.py::test_prefix_reductions": (2, 0),
    "tests/passes/bulk/test_bulk_forms.py::test_an_op_inside_a_build_becomes_its_bulk_form": (2, 0),
    "tests/passes/bulk/test_bulk_forms.py::test_an_op_read_at_positions_is_that_op_on_what_is_read": (2, 0),
    "tests/passes/chad/test_cost.py::test_gradients_cost_a_constant_times_the_function": (3, 0),
    "tests/passes/test_builds_to_loops.py::test_first_derivatives_are_those_of_bulk_operations": (6, 0),
    "tests/passes/test_builds_to_loops.py::test_second_derivatives_are_those_of_bulk_operations": (4, 0),
    "tests/passes/test_detach_shifts.py::test_what_cancels_is_detached_and_has_the_same_derivatives": (2, 0),
    "tests/random/test_distributions.py::test_continuous_draws_fit_their_distribution": (4, 0),
    "tests/robustness/test_leaks.py::test_no_objects_are_left_of_dropped_programs": (4, 0),
    "tests/rules/test_special_derivatives.py::test_derivatives_of_orders_up_to_three": (4, 0),
    "tests/rules/test_special_derivatives.py::test_the_other_argument": (3, 0),
    "tests/stablehlo/test_programs.py::test_values_and_gradients": (8, 1),
    "tests/test_doors.py::test_every_door_runs_the_same_passes": (2, 0),
    "tests/test_doors.py::test_stages_are_those_of_the_compile": (2, 1),
    "tests/threads/test_same_bits.py::test_calls": (3, 0),
    "tests/threads/test_same_bits.py::test_golden_problems": (4, 2),
}


def left_out(items: Iterable[Any]) -> list[Any]:
    """The tests that the everyday run does without.

    Raises `AssertionError` if a test with several parameters would meet a value of one of them on no day, and
    if `EVERYDAY` lists what is no test.
    """
    tests: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    files = {name.partition("::")[0] for name in tests}
    unknown = [name for name in EVERYDAY if name.partition("::")[0] in files and name not in tests]
    assert not unknown, f"tests/sampling.py lists {unknown}"
    alternating = Counter[str]()
    found: list[Any] = []
    for name, cells in tests.items():
        sample = EVERYDAY.get(name)
        given = cells[0].callspec.params if hasattr(cells[0], "callspec") else {}
        n = max((min(ALTERNATING[p], _values(cells, p)) for p in given if p in ALTERNATING), default=None)
        if n is not None:
            file = name.partition("::")[0]
            sample = sample or (n, alternating[file] % n)
            alternating[file] += 1
        if sample is not None:
            found += _left_out(name, cells, *sample)
    return found


def _values(items: list[Any], parameter: str) -> int:
    """How many values a parameter has."""
    return len({id(item.callspec.params[parameter]) for item in items})


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
        may_miss = len(indices) == 1 or parameter in ALTERNATING or parameter in SAMPLED
        assert may_miss or not missing, f"tests/sampling.py leaves out values of {parameter} of {name}"
    return [item for item, cell in zip(items, cells, strict=True) if sum(cell) % n != k]
