"""Closures, tuples and sums in the interpreter: what is captured, and how often code runs."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.dialects.function import LambdaOp, PartialOp
from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module

C = "!function.closure<(f64) -> f64>"


def program(text: str):
    module = parse_module(text.replace("CLOSURE", C))
    verify_module(module)
    return module


LOOP = """
func.func @main(%x: f64, %v: tensor<3xf64>) -> (f64, f64) {
  %first = function.lambda (%z: f64) : -> CLOSURE {
    array.yield %z : f64
  }
  %last, %older = array.scan %first, %first, %v (%i, %f: CLOSURE, %g: CLOSURE, %e: f64)
      {carries = 2, length = 3} : CLOSURE, CLOSURE, tensor<3xf64> -> (CLOSURE, CLOSURE) {
    %h = function.lambda (%z: f64) : -> CLOSURE {
      %y = array.mul %z, %e : f64
      array.yield %y : f64
    }
    array.yield %h, %f : CLOSURE, CLOSURE
  }
  %a = function.apply %last, %x : CLOSURE, f64 -> f64
  %b = function.apply %older, %x : CLOSURE, f64 -> f64
  func.return %a, %b : f64, f64
}
"""


def test_a_closure_keeps_what_it_captured_in_its_iteration() -> None:
    a, b = run_function(program(LOOP), [2.0, np.array([3.0, 5.0, 7.0])])
    assert (a, b) == (14.0, 10.0)


NESTED = """
func.func @main(%x: f64) -> f64 {
  %f = function.lambda (%a: f64) : -> !function.closure<(f64) -> CLOSURE> {
    %g = function.lambda (%b: f64) : -> CLOSURE {
      %y = array.sub %a, %b : f64
      array.yield %y : f64
    }
    array.yield %g : CLOSURE
  }
  %one = array.constant 1.0 : f64
  %two = array.constant 2.0 : f64
  %g = function.apply %f, %one : !function.closure<(f64) -> CLOSURE>, f64 -> CLOSURE
  %h = function.apply %f, %two : !function.closure<(f64) -> CLOSURE>, f64 -> CLOSURE
  %p = function.apply %g, %x : CLOSURE, f64 -> f64
  %q = function.apply %h, %x : CLOSURE, f64 -> f64
  %r = array.mul %p, %q : f64
  func.return %r : f64
}
"""


def test_each_application_has_a_frame_and_is_counted() -> None:
    module, counter = program(NESTED), OperationCounter()
    assert run_function(module, [5.0], counter=counter) == (12.0,)
    lambdas = [op for op in module.walk() if isinstance(op, LambdaOp)]
    assert [counter.applications[op] for op in lambdas] == [2, 2]
    assert counter.by_op == {"array.sub": 2, "array.mul": 1}


RECURSIVE = """
func.func private @power(%n: i64, %x: f64) -> f64 {
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %more = array.compare gt %n, %zero : i64, i64 -> i1
  %y = array.if %more : i1 -> f64 {
    %m = array.sub %n, %one : i64
    %again = function.partial %x {callee = @power} : f64 -> !function.closure<(i64) -> f64>
    %p = function.apply %again, %m : !function.closure<(i64) -> f64>, i64 -> f64
    %q = array.mul %p, %x : f64
    array.yield %q : f64
  } else {
    array.yield %x : f64
  }
  func.return %y : f64
}
"""


def test_recursion_through_partial_application() -> None:
    module, counter = program(RECURSIVE), OperationCounter()
    assert run_function(module, [4, 3.0], function="power", counter=counter) == (243.0,)
    (partial,) = (op for op in module.walk() if isinstance(op, PartialOp))
    assert counter.applications[partial] == 4
    with pytest.raises(UnsupportedError, match="calls of @power are nested more than 1000 deep"):
        run_function(module, [10_000, 1.0], function="power")


GROWING = """
func.func @main(%x: f64, %n: i64) -> f64 {
  %first = function.lambda (%z: f64) : -> CLOSURE {
    array.yield %z : f64
  }
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %k, %f = array.while %zero, %first (%i, %g: CLOSURE) : i64, CLOSURE -> (i64, CLOSURE) {
    %more = array.compare lt %i, %n : i64, i64 -> i1
    array.yield %more : i1
  } do (%i, %g: CLOSURE) {
    %next = array.add %i, %one : i64
    %h = function.lambda (%z: f64) : -> CLOSURE {
      %a = function.apply %g, %z : CLOSURE, f64 -> f64
      %b = array.add %a, %a : f64
      array.yield %b : f64
    }
    array.yield %next, %h : i64, CLOSURE
  }
  %y = function.apply %f, %x : CLOSURE, f64 -> f64
  func.return %y : f64
}
"""


def test_a_closure_that_grows_in_a_loop() -> None:
    module = program(GROWING)
    assert run_function(module, [3.0, 5]) == (96.0,)
    with pytest.raises(UnsupportedError, match="applications of a closure are nested more than 1000 deep"):
        run_function(module, [3.0, 2000])


SUMS = """
func.func @main(%n: i64, %x: f64) -> f64 {
  %s = array.switch %n : i64 -> !function.sum<tuple<>, f64, tuple<f64, CLOSURE>> {
    %u = function.tuple : -> tuple<>
    %a = function.inject %u {index = 0} : tuple<> -> !function.sum<tuple<>, f64, tuple<f64, CLOSURE>>
    array.yield %a : !function.sum<tuple<>, f64, tuple<f64, CLOSURE>>
  } case {
    %a = function.inject %x {index = 1} : f64 -> !function.sum<tuple<>, f64, tuple<f64, CLOSURE>>
    array.yield %a : !function.sum<tuple<>, f64, tuple<f64, CLOSURE>>
  } case {
    %f = function.lambda (%z: f64) : -> CLOSURE {
      %y = array.mul %z, %x : f64
      array.yield %y : f64
    }
    %t = function.tuple %x, %f : f64, CLOSURE -> tuple<f64, CLOSURE>
    %a = function.inject %t {index = 2}
        : tuple<f64, CLOSURE> -> !function.sum<tuple<>, f64, tuple<f64, CLOSURE>>
    array.yield %a : !function.sum<tuple<>, f64, tuple<f64, CLOSURE>>
  }
  %r = function.case %s (%u: tuple<>) : !function.sum<tuple<>, f64, tuple<f64, CLOSURE>> -> f64 {
    %zero = array.constant 0.0 : f64
    array.yield %zero : f64
  } case (%y: f64) {
    array.yield %y : f64
  } case (%t: tuple<f64, CLOSURE>) {
    %y = function.get %t {index = 0} : tuple<f64, CLOSURE> -> f64
    %f = function.get %t {index = 1} : tuple<f64, CLOSURE> -> CLOSURE
    %z = function.apply %f, %y : CLOSURE, f64 -> f64
    array.yield %z : f64
  }
  func.return %r : f64
}
"""


@pytest.mark.parametrize(("n", "expected"), [(0, 0.0), (1, 3.0), (2, 9.0)])
def test_sums_of_tuples_of_closures(n: int, expected: float) -> None:
    assert run_function(program(SUMS), [n, 3.0]) == (expected,)
