"""Derivatives of programs in which closures hold closures of their own kind: rows in the place of records."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.frames import FRAME_OPS, NextRowOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.errors import NoRoomError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.passes import records_to_rows
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion
from tests.generators import arguments_for, random_higher_order
from tests.lower.native import compiled_program
from tests.passes.derivatives import function_of, run_passes
from tests.passes.growing import COMPOSED, LINEAR, MANY_TIMES, PROGRAMS, C, Growing

GRADIENT = "differentiate{function=main wrt=0,1}"


def expanded(module: ModuleOp, first: str, method: str, rooms: str = "") -> ModuleOp:
    """The module with derivatives by a method, and rooms for records of each type."""
    passes = ",".join([first, *expansion(method)])
    if rooms:
        passes = passes.replace("records-to-rows", f"records-to-rows{{rooms={rooms}}}")
    return run_passes(module, passes)


def compiled(module: ModuleOp, function: str) -> NativeFunction:
    return NativeFunction(compiled_program(module, function, checks=True), target=find_target(), debug=True)


def arguments_of_size(n: int) -> list[Any]:
    return [np.float64(0.7), np.linspace(0.6, 1.3, n)]


def differences(program: Growing, x: Any, w: Any) -> tuple[Any, Any]:
    """The gradient by differences of order 4 of what functions of Python compute."""

    def slope(dx: float, dw: Any) -> float:
        def at(h: float) -> float:
            return float(program.expected(x + h * dx, w + h * dw))

        h = 1e-3
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    return slope(1.0, 0 * w), [slope(0.0, e) for e in np.eye(len(w))]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradients_and_slopes(program: Growing, method: str) -> None:
    x, w = arguments_of_size(5)
    by_x, by_w = differences(program, x, w)
    module = expanded(program.module(5), GRADIENT, method)
    for value, dx, dw in (
        run_function(module, [x, w], function="main_grad"),
        compiled(module, "main_grad")(x, w),
    ):
        assert value == pytest.approx(program.expected(x, w), rel=1e-12)
        assert dx == pytest.approx(by_x, rel=1e-7)
        np.testing.assert_allclose(dw, by_w, rtol=1e-7, atol=1e-10)
    forward = expanded(program.module(5), "differentiate{function=main wrt=0,1 mode=forward}", method)
    tangents = [np.float64(0.3), np.linspace(-1, 1, 5)]
    expected = pytest.approx(dx * tangents[0] + dw @ tangents[1], rel=1e-9)
    assert run_function(forward, [x, w, *tangents], function="main_jvp")[1] == expected
    assert compiled(forward, "main_jvp")(x, w, *tangents)[1] == expected


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("program", PROGRAMS[:6], ids=lambda p: p.name)
def test_second_derivatives(program: Growing, method: str) -> None:
    """The gradient of a slope, against differences of the gradient."""
    x, w = arguments_of_size(4)
    slope = run_passes(program.module(4), "differentiate{function=main wrt=0 mode=forward}")
    module = expanded(slope, "differentiate{function=main_jvp wrt=0,1}", method)
    ones = [np.float64(0.0), np.float64(1.0)]
    gradient = expanded(program.module(4), GRADIENT, method)

    def at(h: float) -> Any:
        _, dx, dw = run_function(gradient, [x + h, w], function="main_grad")
        return np.array([dx, *dw])

    h = 1e-4
    expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    for run in (
        lambda *args: run_function(module, args, function="main_jvp_grad"),
        compiled(module, "main_jvp_grad"),
    ):
        *_, dx, dw = run(x, w, np.float64(1.0), *ones)
        np.testing.assert_allclose([dx, *dw], expected, rtol=1e-7, atol=1e-9)


# By `chad`, a loop that calls a function adds all cotangents of an array whose elements the function reads.
OF_LINEAR_COST = [(p, m) for p in LINEAR for m in METHODS if (p, m) != (MANY_TIMES, "chad")]


@pytest.mark.parametrize(("program", "method"), OF_LINEAR_COST, ids=lambda x: getattr(x, "name", x))
def test_cost_of_gradients_is_linear(program: Growing, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_to_rows, "ROOM", 128)

    def cost(n: int) -> int:
        module = expanded(program.module(n), GRADIENT, method)
        counter = OperationCounter()
        run_function(module, arguments_of_size(n), function="main_grad", counter=counter)
        return counter.total

    small, middle, large = cost(12), cost(24), cost(48)
    assert middle <= 2.05 * small
    assert large <= 2.05 * middle


# Random programs ---------------------------------------------------------------------------------


def check_random_program(seed: int, size: int) -> bool:
    """All methods and differences agree on the gradient of a random program; whether it has rows."""
    module = random_higher_order(seed, size, growing=True)
    x, v, n = arguments_for(module, random.Random(seed))
    rng = np.random.default_rng(seed)
    dx, dv = rng.normal(), rng.normal(size=3)

    def at(h: float) -> float:
        return float(run_function(module, [np.float64(x + h * dx), v + h * dv, n], function="main")[0])

    h = 1e-3
    expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    has_rows = False
    for method in METHODS:
        made = expanded(module.clone(), GRADIENT, method, ",".join(["512"] * 12))
        has_rows = has_rows or any(isinstance(op, NextRowOp) for op in made.walk())
        for value, by_x, by_v in (
            run_function(made, [x, v, n], function="main_grad"),
            compiled(made, "main_grad")(x, v, n),
        ):
            assert value == pytest.approx(at(0.0), rel=1e-9, abs=1e-12)
            assert by_x * dx + by_v @ dv == pytest.approx(expected, rel=1e-6, abs=1e-6)
        if not has_rows:
            break
    return has_rows


def test_gradients_of_random_programs() -> None:
    for seed in (2, 9, 10):
        assert check_random_program(seed, 3 + seed % 8)


@pytest.mark.fuzz
def test_gradients_of_many_random_programs(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        seed, size = seeds.randrange(2**32), seeds.randint(2, 14)
        print(f"seed {seed}, size {size}")  # noqa: T201
        judged["with rows" if check_random_program(seed, size) else "without rows"] += 1


# The pass ----------------------------------------------------------------------------------------


def rows_of(module: ModuleOp, rooms: str = "") -> ModuleOp:
    """A module with a gradient to be taken, on rows."""
    options = f"{{rooms={rooms}}}" if rooms else ""
    return run_passes(module, f"{GRADIENT},eliminate-functions,records-to-rows{options}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_rows_keep_values(program: Growing) -> None:
    module, arguments = program.module(6), arguments_of_size(6)
    after = rows_of(module.clone())
    assert not any(isinstance(op, FRAME_OPS) and not isinstance(op, NextRowOp) for op in after.walk())
    expected = run_function(module, arguments, function="main")
    assert run_function(after, arguments, function="main") == expected


def test_records_stay_where_nothing_is_differentiated() -> None:
    module = run_passes(COMPOSED.module(3), "eliminate-functions")
    text = str(module)
    assert str(run_passes(module, "records-to-rows")) == text


def test_rows_are_used_again_where_no_record_leaves() -> None:
    """Each iteration composes four functions, so there is room for all iterations where there is for one."""
    arguments = arguments_of_size(9)
    module = rows_of(MANY_TIMES.module(9), "4,1")
    (value,) = run_function(module, arguments, function="main")
    assert value == pytest.approx(MANY_TIMES.expected(*arguments))
    made = expanded(MANY_TIMES.module(9), GRADIENT, "dual-arrays", "4,1")
    _, dx, dw = compiled(made, "main_grad")(*arguments)
    by_x, by_w = differences(MANY_TIMES, *arguments)
    assert dx == pytest.approx(by_x, rel=1e-7)
    np.testing.assert_allclose(dw, by_w, rtol=1e-7)


def test_a_call_without_room_ends_at_once() -> None:
    module = expanded(COMPOSED.module(9), GRADIENT, "dual-arrays", "9")
    for run in (
        lambda *args: run_function(module, args, function="main_grad"),
        compiled(module, "main_grad"),
    ):
        with pytest.raises(NoRoomError, match="more functions of their own kind") as error:
            run(*arguments_of_size(9))
        assert error.value.record == 0
        assert "number 0 of records-to-rows{rooms=64,64}" in str(error.value)
    enough = expanded(COMPOSED.module(9), GRADIENT, "dual-arrays", "10")
    assert compiled(enough, "main_grad")(*arguments_of_size(9))[0] == pytest.approx(
        COMPOSED.expected(*arguments_of_size(9))
    )


SAVING_BUILD = f"""
func.func @main(%x: f64, %w: tensor<4xf64>) -> f64 {{
  %ys = array.build (%i, %j) : -> tensor<2x4xf64> {{
    %e = array.index %w[%j] : tensor<4xf64> -> f64
    %f = function.lambda (%z: f64) : -> {C} {{
      %a = array.mul %z, %e : f64
      array.yield %a : f64
    }}
    %g = array.scan %f (%k, %h: {C}) {{carries = 1, length = 3}} : {C} -> {C} {{
      %l = function.lambda (%z: f64) : -> {C} {{
        %a = array.sin %z : f64
        %b = array.mul %a, %x : f64
        %c = function.apply %h, %b : {C}, f64 -> f64
        array.yield %c : f64
      }}
      array.yield %l : {C}
    }}
    %y = function.apply %g, %e : {C}, f64 -> f64
    array.yield %y : f64
  }}
  %s = array.sum %ys {{dims = [0, 1]}} : tensor<2x4xf64> -> f64
  func.return %s : f64
}}"""


def test_builds_that_save_are_scans() -> None:
    def expected(x: Any, w: Any) -> Any:
        z = w
        for _ in range(3):
            z = np.sin(z) * x
        return 2 * np.sum(z * w)

    program = Growing("in a build", SAVING_BUILD, expected)
    arguments = arguments_of_size(4)
    module = rows_of(parse_module(SAVING_BUILD), "4")
    main = function_of(module, "main")
    assert sum(isinstance(op, ScanOp) for op in main.walk()) == 3
    assert not any(isinstance(op, BuildOp) for op in main.walk())
    assert run_function(module, arguments, function="main")[0] == pytest.approx(expected(*arguments))
    by_x, by_w = differences(program, *arguments)
    for method in METHODS:
        made = expanded(parse_module(SAVING_BUILD), GRADIENT, method)
        _, dx, dw = compiled(made, "main_grad")(*arguments)
        assert dx == pytest.approx(by_x, rel=1e-7)
        np.testing.assert_allclose(dw, by_w, rtol=1e-7)
