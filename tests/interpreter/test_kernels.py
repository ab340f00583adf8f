"""Nests, scatters, contractions and loads of the kernel dialect."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.errors import InterpreterError
from tests.interpreter.programs import run


def nest(space: list[int], reduction: list[int], combiner: str, element: str, result: str) -> str:
    loops = len(space) + len(reduction)
    names = ", ".join(f"%i{k}" for k in range(loops))
    out = f"tensor<{'x'.join(map(str, space))}x{result}>" if space else result
    shape = "x".join(map(str, [*space, *reduction]))
    combiners = f", combiners = [{combiner}]" if reduction else ""
    return f"""
    %y = kernel.nest %x ({names}) {{space = {space}, reduction = {reduction}{combiners}}}
        : tensor<{shape}x{element}> -> {out} {{
      %v = kernel.load %x[{names}] : tensor<{shape}x{element}> -> {element}
      array.yield %v : {element}
    }}
    func.return %y : {out}"""


@pytest.mark.parametrize("combiner", ["add", "max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("extent", [0, 1, 5])
def test_reductions(combiner, extent) -> None:
    result = "i64" if combiner.startswith("arg") else "f64"
    body = nest([3], [extent], combiner, "f64", result)
    x = np.random.default_rng(0).normal(size=(3, extent))
    y = run(f"%x : tensor<3x{extent}xf64>", f"tensor<3x{result}>", body, x)
    if extent == 0:
        empty = {"add": 0, "max": -np.inf, "min": np.inf, "argmax": 0, "argmin": 0}[combiner]
        expected = np.full(3, empty)
    else:
        function = {"add": np.sum, "max": np.max, "min": np.min, "argmax": np.argmax, "argmin": np.argmin}
        expected = function[combiner](x, axis=1)
    np.testing.assert_allclose(y, expected)


@pytest.mark.parametrize(("combiner", "function"), [("and", np.all), ("or", np.any)])
def test_boolean_reductions(combiner, function) -> None:
    body = nest([], [2, 3], combiner, "i1", "i1")
    for x in (np.zeros((2, 3), bool), np.ones((2, 3), bool), np.eye(2, 3, dtype=bool)):
        assert run("%x : tensor<2x3xi1>", "i1", body, x) == function(x)


def test_a_map_over_a_space_with_two_results() -> None:
    body = """
    %y, %z = kernel.nest %x, %k (%i, %j) {space = [2, 3], reduction = []}
        : tensor<3xf64>, f64 -> (tensor<2x3xf64>, tensor<2x3xi64>) {
      %v = kernel.load %x[%j] : tensor<3xf64> -> f64
      %w = kernel.load %k : f64 -> f64
      %p = array.mul %v, %w : f64
      %n = array.add %i, %j : i64
      array.yield %p, %n : f64, i64
    }
    func.return %y, %z : tensor<2x3xf64>, tensor<2x3xi64>"""
    x = np.arange(3.0)
    y, z = run("%x : tensor<3xf64>, %k : f64", "tensor<2x3xf64>, tensor<2x3xi64>", body, x, 2.0)
    np.testing.assert_array_equal(y, [2 * x, 2 * x])
    np.testing.assert_array_equal(z, [[0, 1, 2], [1, 2, 3]])


def scatter(kind: str, from_zero: bool, guarded: bool) -> str:
    guard, type_ = (", %g", ", i1") if guarded else ("", "")
    flags = ", from_zero" if from_zero else ""
    operands, types = ("%x", "tensor<5xf64>") if from_zero else ("%b, %x", "tensor<3xf64>, tensor<5xf64>")
    return f"""
    %y = kernel.scatter {kind} {operands} (%i) {{space = [5]{flags}}} : {types} -> tensor<3xf64> {{
      %v = kernel.load %x[%i] : tensor<5xf64> -> f64
      %c3 = array.constant 3 : i64
      %p = array.rem %i, %c3 : i64
      %g = array.compare ne %i, %c3 : i64, i64 -> i1
      array.yield %v, %p{guard} : f64, i64{type_}
    }}
    func.return %y : tensor<3xf64>"""


@pytest.mark.parametrize("kind", ["add", "set"])
@pytest.mark.parametrize("from_zero", [False, True])
@pytest.mark.parametrize("guarded", [False, True])
def test_scatter(kind, from_zero, guarded) -> None:
    base, x = np.array([10.0, 20.0, 30.0]), np.arange(1.0, 6.0)
    parameters = "%b : tensor<3xf64>, %x : tensor<5xf64>"
    y = run(parameters, "tensor<3xf64>", scatter(kind, from_zero, guarded), base, x)
    expected = np.zeros(3) if from_zero else base.copy()
    for i in range(5):
        if not (guarded and i == 3):
            expected[i % 3] = x[i] + (expected[i % 3] if kind == "add" else 0)
    np.testing.assert_array_equal(y, expected)


def test_dot() -> None:
    body = """
    %y = kernel.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
        : tensor<2x3xf64>, tensor<3x4xf64> -> tensor<2x4xf64>
    func.return %y : tensor<2x4xf64>"""
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    y = run("%a : tensor<2x3xf64>, %b : tensor<3x4xf64>", "tensor<2x4xf64>", body, a, b)
    np.testing.assert_allclose(y, a @ b)


def window(load: str) -> str:
    return f"""
    %y = kernel.nest %x (%i) {{space = [5], reduction = []}} : tensor<3xf64> -> tensor<5xf64> {{
      %c1 = array.constant 1 : i64
      %c3 = array.constant 3 : i64
      %c0 = array.constant 0 : i64
      %p = array.sub %i, %c1 : i64
      %low = array.compare ge %p, %c0 : i64, i64 -> i1
      %high = array.compare lt %p, %c3 : i64, i64 -> i1
      %g = array.and %low, %high : i1
      {load}
      array.yield %v : f64
    }}
    func.return %y : tensor<5xf64>"""


def test_guarded_loads_read_zero_outside() -> None:
    body = window("%v = kernel.load_if %g, %x[%p] : i1, tensor<3xf64> -> f64")
    y = run("%x : tensor<3xf64>", "tensor<5xf64>", body, np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(y, [0, 1, 2, 3, 0])


def test_loads_outside_are_errors() -> None:
    body = window("%v = kernel.load %x[%p] : tensor<3xf64> -> f64")
    message = r"test.mlir:11: in kernel.load: position -1 lies outside dimension 0 of extent 3"
    with pytest.raises(InterpreterError, match=message):
        run("%x : tensor<3xf64>", "tensor<5xf64>", body, np.zeros(3))
    unguarded = window("%t = array.constant true\n %v = kernel.load_if %t, %x[%p] : i1, tensor<3xf64> -> f64")
    with pytest.raises(InterpreterError, match=r"in kernel.load_if: position -1"):
        run("%x : tensor<3xf64>", "tensor<5xf64>", unguarded, np.zeros(3))


def test_stores_outside_are_errors() -> None:
    body = """
    %y = kernel.scatter add %x (%i) {space = [4], from_zero} : tensor<4xf64> -> tensor<3xf64> {
      %v = kernel.load %x[%i] : tensor<4xf64> -> f64
      array.yield %v, %i : f64, i64
    }
    func.return %y : tensor<3xf64>"""
    with pytest.raises(InterpreterError, match=r"in kernel.scatter: position 3 lies outside"):
        run("%x : tensor<4xf64>", "tensor<3xf64>", body, np.zeros(4))
