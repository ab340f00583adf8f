"""Functions, arguments, errors, and the counting of operations."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.errors import DtypeError, InterpreterError, MliradError, ShapeError, UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from tests.interpreter.programs import module, run

CALLS = """
func.func @square(%x : f64) -> f64 {
  %y = array.mul %x, %x : f64
  func.return %y : f64
}
func.func @both(%x : f64) -> (f64, f64) {
  %y = func.call @square(%x) : (f64) -> f64
  func.return %x, %y : f64, f64
}
func.func @main(%x : f64) -> f64 {
  %y, %z = func.call @both(%x) : (f64) -> (f64, f64)
  %w = array.add %y, %z : f64
  func.return %w : f64
}
func.func @endless(%x : f64) -> f64 {
  %y = func.call @endless(%x) : (f64) -> f64
  func.return %y : f64
}
func.func @nothing() {
  func.return
}
"""


def test_calls() -> None:
    calls = module(CALLS)
    assert run_function(calls, [3.0]) == (12.0,)
    assert run_function(calls, [3.0], function="both") == (3.0, 9.0)
    assert run_function(calls, [], function="nothing") == ()
    main = next(op for op in calls.ops if isinstance(op, FuncOp) and op.sym_name.data == "both")
    assert run_function(main, [2.0]) == (2.0, 4.0)


def test_endless_recursion_is_an_error_of_the_program() -> None:
    limit = sys.getrecursionlimit()
    with pytest.raises(UnsupportedError, match=r"calls of @endless are nested more than 1000 deep"):
        run_function(module(CALLS), [1.0], function="endless")
    assert sys.getrecursionlimit() == limit


def test_recursion_through_a_build_is_an_error_too() -> None:
    text = """
    func.func @f(%x : f64) -> tensor<2xf64> {
      %y = array.build (%i) : -> tensor<2xf64> {
        %z = func.call @f(%x) : (f64) -> tensor<2xf64>
        %e = array.index %z[%i] : tensor<2xf64> -> f64
        array.yield %e : f64
      }
      func.return %y : tensor<2xf64>
    }"""
    with pytest.raises(MliradError, match="nested more than"):
        run_function(module(text), [1.0])


def test_arguments_must_fit() -> None:
    square = module("func.func @f(%x : tensor<2xf32>) -> tensor<2xf32> {\nfunc.return %x : tensor<2xf32>\n}")
    with pytest.raises(ShapeError, match="takes 1 arguments, got 0"):
        run_function(square, [])
    with pytest.raises(ShapeError, match=r"argument 0 has shape \(3,\), the function takes \(2,\)"):
        run_function(square, [np.zeros(3, np.float32)])
    with pytest.raises(DtypeError, match="argument 0 has dtype float64, the function takes float32"):
        run_function(square, [np.zeros(2)])
    with pytest.raises(UnsupportedError, match="no function @g; it has: @f"):
        run_function(square, [], function="g")


def test_results_are_fresh() -> None:
    x = np.zeros(2)
    y = run("%x : tensor<2xf64>", "tensor<2xf64>", "func.return %x : tensor<2xf64>", x)
    y[0] = 1
    assert x[0] == 0


@pytest.mark.parametrize(
    ("type_", "dtype"), [("f64", "f8"), ("f32", "f4"), ("i64", "i8"), ("i32", "i4"), ("i1", "?")]
)
def test_scalars_are_numpy_scalars_of_their_type(type_, dtype) -> None:
    y = run(f"%x : {type_}", type_, f"func.return %x : {type_}", 1)
    assert isinstance(y, np.generic) and y.dtype == np.dtype(dtype) and y == 1


def test_literals() -> None:
    body = """
    %a = array.constant dense<[true, false]> : tensor<2xi1>
    %b = array.constant dense<1.5> : tensor<2x1xf32>
    %c = array.constant true
    %d = array.constant -3 : i32
    func.return %a, %b, %c, %d : tensor<2xi1>, tensor<2x1xf32>, i1, i32"""
    a, b, c, d = run("", "tensor<2xi1>, tensor<2x1xf32>, i1, i32", body)
    assert a.tolist() == [True, False] and b.tolist() == [[1.5], [1.5]] and c is np.True_ and d == -3


def test_values_that_do_not_fit_their_type_are_found() -> None:
    program = module("func.func @f(%x : f64) -> f64 {\n%y = array.exp %x : f64\nfunc.return %y : f64\n}")
    op = next(op for op in program.walk() if op.name == "array.exp")
    op.results[0]._type = module("func.func @g(%x : f32) {\nfunc.return\n}").ops.first.body.block.args[0].type
    with pytest.raises(InterpreterError, match=r"test.mlir:2: in array.exp: float64 of shape"):
        run_function(program, [1.0])


# Counting ----------------------------------------------------------------------------------------


def counted(parameters: str, results: str, body: str, *args: object) -> dict[str, int]:
    counter = OperationCounter()
    run(parameters, results, body, *args, counter=counter)
    assert counter.total == sum(counter.by_op.values())
    return dict(counter.by_op)


def test_elements_and_reductions() -> None:
    body = """
    %c = array.constant 2.0 : f64
    %k = array.broadcast %c {dims = []} : f64 -> tensor<3x4xf64>
    %y = array.mul %k, %x : tensor<3x4xf64>
    %r = array.reshape %y : tensor<3x4xf64> -> tensor<12xf64>
    %s = array.sum %r {dims = [0]} : tensor<12xf64> -> f64
    %d = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]}
        : tensor<3x4xf64>, tensor<3x4xf64> -> tensor<4x4xf64>
    func.return %s : f64"""
    assert counted("%x : tensor<3x4xf64>", "f64", body, np.zeros((3, 4))) == {
        "array.broadcast": 12,
        "array.mul": 12,
        "array.reshape": 12,
        "array.sum": 12,
        "array.dot": 96,
    }


@pytest.mark.parametrize("at_once", [True, False])
def test_bodies_count_each_execution(at_once, monkeypatch) -> None:
    if not at_once:
        monkeypatch.setattr("mlirad.interpreter.running.ARRAY_ELEMENT_MEANINGS", {})
    body = """
    %s = array.scatter %x (%i) : tensor<5xf64> -> tensor<3xf64> {
      %p = array.add %i, %i : i64
      array.yield %p : i64
    }
    %u = array.update add %s, %x (%i) : tensor<3xf64>, tensor<5xf64> -> tensor<3xf64> {
      array.yield %i : i64
    }
    func.return %u : tensor<3xf64>"""
    assert counted("%x : tensor<5xf64>", "tensor<3xf64>", body, np.zeros(5)) == {
        "array.scatter": 8,
        "array.add": 5,
        "array.update": 5,
    }


def test_maps_count_when_applied() -> None:
    map_, sum_ = "!linear.map<tensor<4xf64>, tensor<4xf64>>", "!linear.map<tensor<4xf64>, f64>"
    body = f"""
    %m = linear.scale %k : f64 -> {map_}
    %a = linear.add %m, %m : {map_}
    %t = linear.sum {{dims = [0]}} : -> {sum_}
    %c = linear.compose %t, %a : {sum_}, {map_} -> {sum_}
    %y = linear.apply %c, %x : {sum_}, tensor<4xf64> -> f64
    func.return %y : f64"""
    counts = counted("%k : f64, %x : tensor<4xf64>", "f64", body, 2.0, np.ones(4))
    assert counts == {"linear.scale": 8, "linear.add": 4, "linear.sum": 4}
