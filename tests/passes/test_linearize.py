"""Programs that linearize and differentiate accept and reject: nesting, calls, builds, discrete values,
errors.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.errors import DifferentiationError, MliradError, UnsupportedError
from mlirad.interpreter import run_function
from mlirad.ir.builder import returned
from mlirad.ir.parsing import make_context, parse_module
from mlirad.registry import make_passes
from tests.passes.derivatives import EXPAND, check_derivatives, differentiated, function_of, run_passes


def test_primal_code_stays_as_it_is_and_reads_no_map() -> None:
    module = parse_module("""func.func @f(%x: f64) -> f64 {
      %s = array.sin %x : f64
      %y = array.mul %s, %x : f64
      func.return %y : f64 }""")
    run_passes(module, "differentiate{function=f},linearize")
    gradient = function_of(module, "f_grad")
    assert any(isinstance(op, linear.MapOp) for op in gradient.walk())
    needed: list[Operation] = []
    pending = [returned(gradient)[0]]
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner not in needed:
            needed.append(owner)
            pending += owner.operands
    assert [op.name for op in reversed(needed)] == ["array.sin", "array.mul"]


def test_discrete_arguments_and_results_have_no_tangent() -> None:
    module = differentiated(
        """func.func @f(%x: f64, %k: i64) -> (i64, f64, i1) {
      %c = array.convert %k : i64 -> f64
      %y = array.mul %c, %x : f64
      %r = array.round %y : f64
      %i = array.convert %r : f64 -> i64
      %b = array.compare lt %x, %y : f64, f64 -> i1
      func.return %i, %y, %b : i64, f64, i1 }""",
        "f",
        (0,),
        "reverse",
        "forward",
    )
    assert run_function(module, [0.7, 3, 2.0], function="f_grad") == (2, pytest.approx(2.1), True, 6.0)
    assert run_function(module, [0.7, 3, 2.0], function="f_jvp") == (2, pytest.approx(2.1), True, 6.0)


def test_results_that_do_not_depend_and_arguments_that_are_results() -> None:
    text = """func.func @f(%x: f64, %y: tensor<3xf64>) -> (f64, tensor<3xf64>, f64, f64) {
      %c = array.constant 4.0 : f64
      func.return %x, %y, %c, %x : f64, tensor<3xf64>, f64, f64 }"""
    check_derivatives(text, [2.0, np.arange(3.0)])
    check_derivatives(text, [2.0, np.arange(3.0)], wrt=(1,))
    check_derivatives(text, [2.0, np.arange(3.0)], wrt=(1, 0))


def test_floats_read_by_a_position_region_are_constants() -> None:
    text = """func.func @f(%x: tensor<4xf64>) -> tensor<3xf64> {
      %y = array.gather %x (%i) : tensor<4xf64> -> tensor<3xf64> {
        %e = array.index %x[%i] : tensor<4xf64> -> f64
        %f = array.floor %e : f64
        %j = array.convert %f : f64 -> i64
        array.yield %j : i64
      }
      func.return %y : tensor<3xf64> }"""
    x = np.array([1.5, 3.2, 0.1, 7.7])
    check_derivatives(text, [x])
    module = differentiated(text, "f", (0,), "reverse")
    _, gradient = run_function(module, [x, np.ones(3)], function="f_grad")
    assert list(gradient) == [1.0, 1.0, 0.0, 1.0]


def test_calls_are_inlined_into_what_is_differentiated() -> None:
    check_derivatives(
        """func.func @g(%x: f64, %y: f64) -> f64 {
          %z = array.mul %x, %y : f64
          func.return %z : f64
        }
        func.func @f(%x: f64, %y: f64) -> f64 {
          %a = func.call @g(%x, %x) : (f64, f64) -> f64
          %b = func.call @g(%a, %y) : (f64, f64) -> f64
          func.return %b : f64
        }""",
        [1.5, 2.5],
    )


def test_builds_in_what_is_differentiated_become_bulk() -> None:
    check_derivatives(
        """func.func @f(%x: tensor<4xf64>) -> f64 {
          %y = array.build (%i) : -> tensor<4xf64> {
            %e = array.index %x[%i] : tensor<4xf64> -> f64
            %s = array.sin %e : f64
            array.yield %s : f64
          }
          %r = array.sum %y {dims = [0]} : tensor<4xf64> -> f64
          func.return %r : f64
        }""",
        [np.arange(4.0)],
    )


DERIVATIVE_INSIDE = """
func.func @g(%x: f64, %p: f64) -> f64 {
  %y = array.sin %x : f64
  %z = array.mul %y, %p : f64
  func.return %z : f64
}
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = array.build (%i) : -> tensor<3xf64> {
    %e = array.index %x[%i] : tensor<3xf64> -> f64
    %v, %d = linear.linearize %e, %e {callee = @g, wrt = [0]} : f64, f64 -> (f64, !linear.map<f64, f64>)
    %one = array.constant 1.0 : f64
    %dy = linear.apply %d, %one : !linear.map<f64, f64>, f64 -> f64
    array.yield %dy : f64
  }
  func.return %y : tensor<3xf64>
}
"""


def test_derivatives_inside_builds() -> None:
    x = np.array([0.1, 0.5, 1.0])
    module = run_passes(parse_module(DERIVATIVE_INSIDE), "linearize,apply-linear-maps")
    np.testing.assert_allclose(run_function(module, [x], function="f")[0], x * np.cos(x))


def test_derivatives_inside_builds_are_differentiated() -> None:
    module = differentiated(DERIVATIVE_INSIDE, "f", (0,), "reverse")
    x = np.array([0.1, 0.5, 1.0])
    _, gradient = run_function(module, [x, np.ones(3)], function="f_grad")
    np.testing.assert_allclose(gradient, np.cos(x) - x * np.sin(x))


def test_pullback_is_the_transposed_map() -> None:
    module = parse_module("""
      func.func @g(%x: f64, %y: f64) -> f64 {
        %z = array.mul %x, %y : f64
        func.return %z : f64
      }
      func.func @f(%x: f64, %y: f64, %ct: f64) -> (f64, f64, f64) {
        %z, %p = linear.pullback %x, %y {callee = @g, wrt = [0, 1]}
          : f64, f64 -> (f64, !linear.map<f64, tuple<f64, f64>>)
        %a, %b = linear.apply %p, %ct : !linear.map<f64, tuple<f64, f64>>, f64 -> (f64, f64)
        %back = linear.apply_transpose %p, %a, %b : !linear.map<f64, tuple<f64, f64>>, f64, f64 -> f64
        func.return %a, %b, %back : f64, f64, f64
      }""")
    run_passes(module, "linearize,apply-linear-maps")
    assert run_function(module, [2.0, 3.0, 1.0], function="f") == (3.0, 2.0, 13.0)


# Errors ----------------------------------------------------------------------------------------------

SQUARE = """func.func @f(%x: f64, %k: i64) -> f64 {
  %y = array.mul %x, %x : f64
  func.return %y : f64
}"""


def error_of(text: str, passes: str) -> MliradError:
    module = parse_module(text, "program.mlir")
    with pytest.raises(MliradError) as caught:
        for pass_ in make_passes(passes):
            pass_.apply(make_context(), module)
    return caught.value


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ("function=f wrt=1", DifferentiationError, "argument 1 of @f has type i64, which has no derivative"),
        ("function=f wrt=2", DifferentiationError, "wrt names argument 2 of @f, which has 2"),
        ("function=f wrt=0,0", DifferentiationError, "distinct"),
        ("function=h", UnsupportedError, "no function @h"),
        ("function=f mode=sideways", UnsupportedError, "no mode 'sideways'"),
    ],
)
def test_differentiate_rejects(options, kind, message) -> None:
    error = error_of(SQUARE, f"differentiate{{{options}}}")
    assert isinstance(error, kind)
    assert message in str(error)


def test_differentiate_rejects_functions_without_float_results() -> None:
    text = "func.func @f(%x: f64) -> i1 {\n%y = array.is_nan %x : f64 -> i1\nfunc.return %y : i1\n}"
    assert "returns no float" in str(error_of(text, "differentiate{function=f}"))


def test_differentiate_twice_into_one_name_is_an_error() -> None:
    error = error_of(SQUARE, "differentiate{function=f},differentiate{function=f}")
    assert "there is a function @f_grad already" in str(error)


def test_unknown_method() -> None:
    assert "no method 'guessing'" in str(error_of(SQUARE, "linearize{method=guessing}"))


def test_integer_wrt_of_linearize_is_an_error_with_a_place() -> None:
    error = error_of(
        """func.func @g(%k: i64) -> f64 {
  %y = array.constant 1.0 : f64
  func.return %y : f64
}
func.func @f(%k: i64) -> f64 {
  %y, %d = linear.linearize %k {callee = @g, wrt = [0]} : i64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}""",
        "linearize",
    )
    assert isinstance(error, DifferentiationError)
    assert error.location is not None and error.location.startswith("program.mlir:6")


def test_functions_that_differentiate_themselves_are_rejected() -> None:
    error = error_of(
        """func.func @f(%x: f64) -> f64 {
  %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}""",
        "linearize",
    )
    assert "@f needs its own derivative" in str(error)


def test_applying_an_unknown_map_is_an_error() -> None:
    error = error_of(
        """func.func @f(%m: !linear.map<f64, f64>, %x: f64) -> f64 {
  %y = linear.apply %m, %x : !linear.map<f64, f64>, f64 -> f64
  func.return %y : f64
}""",
        "apply-linear-maps",
    )
    assert "not known here" in str(error) and error.location == "program.mlir:2:8"


def test_maps_that_are_returned_stay() -> None:
    module = parse_module("""func.func @g(%x: f64) -> f64 {
      %y = array.exp %x : f64
      func.return %y : f64
    }
    func.func @f(%x: f64) -> (f64, !linear.map<f64, f64>) {
      %y, %d = linear.linearize %x {callee = @g, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
      func.return %y, %d : f64, !linear.map<f64, f64>
    }""")
    run_passes(module, EXPAND)
    assert [op.name for op in module.walk() if op.name.startswith("linear.")] == ["linear.scale"]
