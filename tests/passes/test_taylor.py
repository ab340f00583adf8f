"""Taylor mode against nested derivatives: random programs, control flow, special points, and its cost."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.array.control import ReplayOp, WhileOp
from mlirad.dialects.shapes import is_float
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.interpreter import run_function
from mlirad.interpreter.counting import OperationCounter
from mlirad.ir.parsing import parse_module
from mlirad.passes.taylor.control import JET_RULES
from mlirad.rules.derivatives import DERIVATIVES
from mlirad.rules.series import BY_DERIVATIVE, FACTORED, SERIES
from tests.generators import arguments_for, random_program
from tests.passes.derivatives import EXPAND, differentiated, float_arguments, function_of, run_passes

Derivatives = dict[int, Sequence[Any]]
"""By argument its derivatives by t: the argument itself, then from order 1 on."""


def taylor(program: ModuleOp, order: int, wrt: Sequence[int], function: str = "main") -> ModuleOp:
    names = ",".join(map(str, wrt))
    return run_passes(program.clone(), f"taylor{{function={function} order={order} wrt={names}}},{EXPAND}")


def by_taylor(program: ModuleOp, arguments: Sequence[Any], given: Derivatives, order: int) -> list[Any]:
    """The derivatives of the last order of all float results."""
    series = [d / factorial(k) for own in given.values() for k, d in enumerate(own) if k]
    module = taylor(program, order, list(given))
    results = run_function(module, [*arguments, *series], function="main_taylor")
    types = function_of(program, "main").function_type.outputs.data
    rest = results[len(types) :]
    return [rest[k] * factorial(order) for k in range(order - 1, len(rest), order)]


def by_nesting(program: ModuleOp, arguments: Sequence[Any], given: Derivatives, order: int) -> list[Any]:
    """The same by forward mode of forward mode: each level has the tangents of what the one below takes."""
    module, name = program, "main"
    taken = [(k, 0) for k in range(len(arguments))]
    for _ in range(order):
        moving = [n for n, (k, _) in enumerate(taken) if k in given]
        module = differentiated(module, name, tuple(moving), "forward")
        taken += [(taken[n][0], taken[n][1] + 1) for n in moving]
        name += "_jvp"
    values = [given[k][j] if k in given else arguments[k] for k, j in taken]
    results = run_function(module, values, function=name)
    floats = sum(map(is_float, function_of(program, "main").function_type.outputs.data))
    return list(results[len(results) - floats :])


def check(program: ModuleOp, arguments: Sequence[Any], order: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    given: Derivatives = {
        k: [arguments[k], *(rng.normal(size=np.shape(arguments[k])).astype(np.asarray(arguments[k]).dtype)[()]
                            for _ in range(order))]
        for k in float_arguments(program, "main")
    }  # fmt: skip
    found = by_taylor(program, arguments, given, order)
    expected = by_nesting(program, arguments, given, order)
    assert len(found) == len(expected) > 0
    for a, b in zip(found, expected, strict=True):
        is_single = np.asarray(b).dtype == np.float32
        scale = 1 + np.max(np.abs(b[np.isfinite(b)] if np.shape(b) else b), initial=0)
        np.testing.assert_allclose(a, b, rtol=0, atol=(1e-2 if is_single else 1e-8) * scale)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_have_the_coefficients_of_nested_derivatives(seed: int) -> None:
    program = random_program(
        seed + 500, 4 + seed % 7, smooth=True, allow=lambda op: op not in (ReplayOp, WhileOp)
    )
    if not float_arguments(program, "main"):
        pytest.skip("takes no float")
    check(program, arguments_for(program, random.Random(seed)), 2 + seed % 2, seed)


def test_every_op_with_a_derivative_has_coefficients() -> None:
    tables = (SERIES, FACTORED, BY_DERIVATIVE)
    for op in DERIVATIVES:
        assert sum(op in table for table in tables) == 1, op.name
    assert {op for table in tables for op in table} <= set(DERIVATIVES)
    assert not set(JET_RULES) & set(DERIVATIVES)


LOOPS = {
    "scan": """func.func @main(%x: f64, %c: tensor<4xf64>) -> (f64, tensor<4xf64>) {
      %y, %ys = array.scan %x, %c (%i, %a : f64, %b : f64) {carries = 1, length = 4}
          : f64, tensor<4xf64> -> (f64, tensor<4xf64>) {
        %s = array.sin %a : f64
        %p = array.mul %s, %b : f64
        array.yield %p, %s : f64, f64
      }
      func.return %y, %ys : f64, tensor<4xf64> }""",
    "while": """func.func @main(%x: f64, %n: i64) -> f64 {
      %one = array.constant 1 : i64
      %none = array.constant 0 : i64
      %y, %m = array.while %x, %n (%a : f64, %k) : f64, i64 -> (f64, i64) {
        %more = array.compare gt %k, %none : i64, i64 -> i1
        array.yield %more : i1
      } do (%a : f64, %k) {
        %s = array.sin %a : f64
        %p = array.mul %s, %x : f64
        %l = array.sub %k, %one : i64
        array.yield %p, %l : f64, i64
      }
      func.return %y : f64 }""",
    "if": """func.func @main(%x: f64) -> f64 {
      %zero = array.constant 0.0 : f64
      %p = array.compare gt %x, %zero : f64, f64 -> i1
      %y = array.if %p : i1 -> f64 {
        %s = array.sin %x : f64
        array.yield %s : f64
      } else {
        %e = array.exp %x : f64
        array.yield %e : f64
      }
      %z = array.mul %y, %x : f64
      func.return %z : f64 }""",
    "recursion": """func.func @main(%x: f64, %n: i64) -> f64 {
      %y = func.call @f(%x, %n) : (f64, i64) -> f64
      func.return %y : f64 }
    func.func private @f(%x: f64, %n: i64) -> f64 {
      %none = array.constant 0 : i64
      %p = array.compare gt %n, %none : i64, i64 -> i1
      %y = array.if %p : i1 -> f64 {
        %one = array.constant 1 : i64
        %m = array.sub %n, %one : i64
        %r = func.call @f(%x, %m) : (f64, i64) -> f64
        %s = array.sin %r : f64
        %q = array.mul %s, %x : f64
        array.yield %q : f64
      } else {
        array.yield %x : f64
      }
      func.return %y : f64 }""",
}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("scan", [0.7, np.array([1.1, 0.4, -0.8, 1.3])]),
        ("while", [1.3, 4]),
        ("while", [1.3, 0]),
        ("if", [0.8]),
        ("if", [-0.8]),
        ("recursion", [0.9, 3]),
    ],
)
@pytest.mark.parametrize("order", [1, 3])
def test_control_flow(name: str, arguments: list[Any], order: int) -> None:
    check(parse_module(LOOPS[name]), arguments, order)


SPECIAL_POINTS = {
    "array.abs %x": (0.0, -0.0, 2.0),
    "array.sqrt %x": (4.0,),
    "array.cbrt %x": (-8.0,),
    "array.tanh %x": (0.0, 400.0),
    "array.logistic %x": (0.0, -800.0, 800.0),
    "array.softplus %x": (0.0, -800.0, 800.0),
    "array.erf %x": (0.0, 30.0),
    "array.atan %x": (0.0, 1e200),
    "array.asinh %x": (0.0, 1e200),
    "array.expm1 %x": (0.0,),
    "array.log1p %x": (0.0,),
    "array.cos %x": (0.0,),
    "array.floor %x": (2.0,),
}


@pytest.mark.parametrize(("text", "x"), [(t, x) for t, xs in SPECIAL_POINTS.items() for x in xs])
def test_special_points_have_the_conventions_of_nested_derivatives(text: str, x: float) -> None:
    program = parse_module(
        f"func.func @main(%x: f64) -> f64 {{\n %y = {text} : f64\n func.return %y : f64 }}"
    )
    for order in (1, 2, 3):
        given: Derivatives = {0: [x, 1.0, 0.0, 0.0][: order + 1]}
        found, expected = (f(program, [x], given, order) for f in (by_taylor, by_nesting))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


POWERS = [(0.0, 3.0), (0.0, 2.5), (0.0, 1.0), (-2.0, 3.0), (-2.0, -1.0), (-2.0, -2.0), (2.0, 0.5), (0.0, 7.0)]


@pytest.mark.parametrize(("x", "a"), POWERS)
def test_powers_of_numbers(x: float, a: float) -> None:
    program = parse_module(
        f"""func.func @main(%x: f64) -> f64 {{
          %a = array.constant {a} : f64
          %y = array.pow %x, %a : f64
          func.return %y : f64 }}"""
    )
    for order in (1, 2, 3):
        (found,) = by_taylor(program, [x], {0: [x, 1.0, 0.0, 0.0][: order + 1]}, order)
        factor = np.prod([a - k for k in range(order)])
        if x or a >= order or not factor:
            expected = factor * x ** (a - order) if factor else 0.0
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        else:
            assert not np.isfinite(found)


def operations(order: int, *, nested: bool) -> int:
    """The number of operations of the derivatives of a chain of functions."""
    text = """func.func @main(%x: f64) -> f64 {
      %a = array.sin %x : f64
      %b = array.mul %a, %x : f64
      %c = array.exp %b : f64
      %d = array.tanh %c : f64
      %e = array.div %d, %x : f64
      func.return %e : f64 }"""
    program = parse_module(text)
    counter = OperationCounter()
    if nested:
        module, name = program, "main"
        for level in range(order):
            module = differentiated(module, name, tuple(range(2**level)), "forward")
            name += "_jvp"
        run_function(module, [0.7] * 2**order, function=name, counter=counter)
    else:
        run_function(
            taylor(program, order, [0]), [0.7] * (order + 1), function="main_taylor", counter=counter
        )
    return counter.total


def test_the_cost_is_quadratic_in_the_order() -> None:
    counts = {order: operations(order, nested=False) for order in (4, 8, 16, 32)}
    assert counts[32] < 4.2 * counts[16] < 4.2**2 * counts[8] < 4.2**3 * counts[4]
    nested = [operations(order, nested=True) for order in (3, 4, 5)]
    assert nested[2] > 1.8 * nested[1] > 1.8**2 * nested[0]
    assert operations(5, nested=False) < nested[2] / 2


def test_a_tape_and_a_wrong_order_are_refused() -> None:
    program = parse_module(LOOPS["if"])
    with pytest.raises(UnsupportedError, match="order is 0"):
        taylor(program, 0, [0])
    with pytest.raises(DifferentiationError, match="wrt names argument 1"):
        taylor(program, 2, [1])
