"""Results beyond the limits of the analysis: the same pattern at more cost, or a superset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlirad.ir.builder import returned
from mlirad.ir.call_graph import functions_by_name, functions_of
from mlirad.ir.parsing import parse_module
from mlirad.linear_maps.sparsity import Known, control, images, known_values, patterns, sparsity_of
from tests.generators.maps import random_map
from tests.linear_maps.sparsity.test_patterns import captured_values, dense, found


def cases(count: int) -> list[tuple[Any, Any, Any]]:
    """Random maps with values for what they capture, and their dense matrices."""
    made: list[tuple[Any, Any, Any]] = []
    for seed in range(count):
        module = random_map(seed, 6, "general" if seed % 2 else "spine")
        function = functions_of(module)[0]
        captured = captured_values(function, seed)
        made.append((module, captured, dense(function, captured) != 0))
    return made


CASES = cases(25)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (patterns, "MAX_TERMS", 1),
        (patterns, "SMALL", 0),
        (patterns, "JOINED_PAIRS", 1),
    ],
)
def test_how_sets_are_kept_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, value: int
) -> None:
    before = [found(m, captured, integers_only=True) for m, captured, _ in CASES]
    monkeypatch.setattr(module, name, value)
    for (m, captured, _), expected in zip(CASES, before, strict=True):
        np.testing.assert_array_equal(found(m, captured, integers_only=True), expected)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (control, "MAX_ITERATIONS", 0),
        (control, "MAX_POWERS", 0),
        (known_values, "MAX_RUNS", 0),
        (images, "MAX_CALLS", 0),
    ],
)
def test_beyond_a_limit_no_entry_is_missing(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, value: int
) -> None:
    monkeypatch.setattr(module, name, value)
    for m, captured, expected in CASES:
        assert not (expected & ~found(m, captured, integers_only=True)).any()


CALLS = """
func.func private @power(%n: i64, %k: f64) -> !linear.map<tensor<2xf64>, tensor<2xf64>> {
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %more = array.compare gt %n, %zero : i64, i64 -> i1
  %m = linear.if %more : i1 -> !linear.map<tuple<tensor<2xf64>>, tuple<tensor<2xf64>>> {
    %less = array.sub %n, %one : i64
    %again = linear.call %less, %k {callee = @power} : i64, f64 -> !linear.map<tensor<2xf64>, tensor<2xf64>>
    %turn = linear.reverse {dims = [0]} : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
    %x = linear.project {index = 0} : -> !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>>
    %turned = linear.compose %turn, %x : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>> -> !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>>
    %y = linear.compose %again, %turned : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>> -> !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>>
    %pair = linear.vcat %y : !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>> -> !linear.map<tuple<tensor<2xf64>>, tuple<tensor<2xf64>>>
    array.yield %pair : !linear.map<tuple<tensor<2xf64>>, tuple<tensor<2xf64>>>
  } else {
    %same = linear.identity : -> !linear.map<tuple<tensor<2xf64>>, tuple<tensor<2xf64>>>
    array.yield %same : !linear.map<tuple<tensor<2xf64>>, tuple<tensor<2xf64>>>
  }
  %in = linear.inject {index = 0} : -> !linear.map<tensor<2xf64>, tuple<tensor<2xf64>>>
  %out = linear.project {index = 0} : -> !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>>
  %a = linear.compose %m, %in : !linear.map<tuple<tensor<2xf64>>, tuple<tensor<2xf64>>>, !linear.map<tensor<2xf64>, tuple<tensor<2xf64>>> -> !linear.map<tensor<2xf64>, tuple<tensor<2xf64>>>
  %r = linear.compose %out, %a : !linear.map<tuple<tensor<2xf64>>, tensor<2xf64>>, !linear.map<tensor<2xf64>, tuple<tensor<2xf64>>> -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  func.return %r : !linear.map<tensor<2xf64>, tensor<2xf64>>
}
func.func @main(%n: i64, %k: f64) -> !linear.map<tensor<2xf64>, tensor<2xf64>> {
  %m = linear.call %n, %k {callee = @power} : i64, f64 -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  func.return %m : !linear.map<tensor<2xf64>, tensor<2xf64>>
}
"""  # noqa: E501


@pytest.mark.parametrize(("n", "columns"), [(0, [0, 1]), (1, [1, 0]), (2, [0, 1]), (7, [1, 0])])
def test_calls_are_followed_as_far_as_integers_say(n: int, columns: list[int]) -> None:
    functions = functions_by_name(parse_module(CALLS))
    main = functions["main"]
    count = main.body.block.args[0]
    pattern = sparsity_of(returned(main)[0], Known({count: np.asarray(n)}, functions))
    assert pattern.columns.tolist() == columns


def test_calls_without_known_end_are_followed_up_to_a_limit() -> None:
    functions = functions_by_name(parse_module(CALLS))
    unknown = sparsity_of(returned(functions["main"])[0], Known({}, functions))
    assert unknown.count == 4
