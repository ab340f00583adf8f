"""Functions derived from recursive ones: against closed forms and differences, and what they keep."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.frames import SaveOp
from mlirad.dialects.linear import PullOp, PushOp
from mlirad.dialects.shapes import shape_of
from mlirad.errors import VerifyError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.call_graph import CallGraph
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.outline_derivatives.invariants import invariant_parameters
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion
from tests.passes.derivatives import check_derivatives, differentiated, run_passes

POLYNOMIAL = """
func.func private @horner(%x: f64, %k: i64, %w: tensor<5xf64>) -> f64 {
  %last = array.constant 4 : i64
  %ends = array.compare ge %k, %last : i64, i64 -> i1
  %a = array.index %w[%k] : tensor<5xf64> -> f64
  %y = array.if %ends : i1 -> f64 {
    array.yield %a : f64
  } else {
    %one = array.constant 1 : i64
    %next = array.add %k, %one : i64
    %rest = func.call @horner(%x, %next, %w) : (f64, i64, tensor<5xf64>) -> f64
    %t = array.mul %x, %rest : f64
    %s = array.add %a, %t : f64
    array.yield %s : f64
  }
  func.return %y : f64
}
func.func @f(%x: f64, %k: i64, %w: tensor<5xf64>) -> f64 {
  %p = func.call @horner(%x, %k, %w) : (f64, i64, tensor<5xf64>) -> f64
  %y = array.sin %p : f64
  func.return %y : f64
}"""

TWO = """
func.func private @up(%x: f64, %y: tensor<3xf64>, %n: i64) -> (f64, i64, tensor<3xf64>) {
  %zero = array.constant 0 : i64
  %ends = array.compare le %n, %zero : i64, i64 -> i1
  %r, %c, %z = array.if %ends : i1 -> (f64, i64, tensor<3xf64>) {
    array.yield %x, %n, %y : f64, i64, tensor<3xf64>
  } else {
    %one = array.constant 1 : i64
    %m = array.sub %n, %one : i64
    %e = array.sin %y : tensor<3xf64>
    %s = array.sum %e {dims = [0]} : tensor<3xf64> -> f64
    %v = array.mul %x, %s : f64
    %w, %d, %q = func.call @down(%e, %m, %v) : (tensor<3xf64>, i64, f64) -> (f64, i64, tensor<3xf64>)
    %u = array.add %w, %x : f64
    %k = array.add %d, %one : i64
    array.yield %u, %k, %q : f64, i64, tensor<3xf64>
  }
  func.return %r, %c, %z : f64, i64, tensor<3xf64>
}
func.func private @down(%y: tensor<3xf64>, %n: i64, %x: f64) -> (f64, i64, tensor<3xf64>) {
  %c = array.cos %x : f64
  %a, %b, %d = func.call @up(%c, %y, %n) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
  %w = array.broadcast %a {dims = []} : f64 -> tensor<3xf64>
  %z = array.mul %w, %d : tensor<3xf64>
  func.return %a, %b, %z : f64, i64, tensor<3xf64>
}
func.func @f(%x: f64, %y: tensor<3xf64>, %n: i64) -> (f64, i64, tensor<3xf64>) {
  %a, %b, %c = func.call @up(%x, %y, %n) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
  func.return %a, %b, %c : f64, i64, tensor<3xf64>
}"""

W = np.array([0.3, -0.7, 0.2, 1.1, 0.5])
Y = np.array([0.4, -0.3, 0.8])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_both_modes(n: int) -> None:
    check_derivatives(POLYNOMIAL, [0.8, n, W])
    check_derivatives(POLYNOMIAL, [0.8, n, W], wrt=(2,))
    check_derivatives(TWO, [0.8, Y, n])
    check_derivatives(TWO, [0.8, Y, n], wrt=(1,))


@pytest.mark.parametrize("n", [0, 2])
def test_against_the_closed_form(n: int) -> None:
    module = differentiated(POLYNOMIAL, "f", (0, 2), "reverse")
    value, by_x, by_w = run_function(module, [0.8, n, W], function="f_grad")
    polynomial = np.polynomial.Polynomial(W[n:])
    outer = np.cos(polynomial(0.8))
    powers = np.where(np.arange(5) >= n, 0.8 ** (np.arange(5.0) - n), 0.0)
    np.testing.assert_allclose(value, np.sin(polynomial(0.8)), rtol=1e-12)
    np.testing.assert_allclose(by_x, outer * polynomial.deriv()(0.8), rtol=1e-12)
    np.testing.assert_allclose(by_w, outer * powers, rtol=1e-12)


def test_derivatives_of_what_is_derived() -> None:
    """A function with tangents is code like any other, in both modes again."""
    module = differentiated(POLYNOMIAL, "f", (0, 2), "forward")
    check_derivatives(module, [0.8, 0, W, 0.3, W[::-1].copy()], function="f_jvp", wrt=(0, 2, 3, 4))


def test_invariant_parameters_are_not_kept() -> None:
    module = parse_module(POLYNOMIAL)
    functions = {f.sym_name.data: f for f in module.body.ops if isinstance(f, FuncOp)}
    assert invariant_parameters(functions, CallGraph(functions).recursive()) == {"horner": (0, 2)}
    expanded = differentiated(POLYNOMIAL, "f", (0, 2), "reverse")
    saved = [v for op in expanded.walk() if isinstance(op, SaveOp) for v in op.operands]
    assert saved
    assert not any(shape_of(v) for v in saved)


def test_nothing_is_left_of_what_names_derivatives() -> None:
    module = differentiated(TWO, "f", (0, 1), "reverse", "forward")
    assert not any(isinstance(op, PushOp | PullOp) for op in module.walk())
    names = [f.sym_name.data for f in module.body.ops if isinstance(f, FuncOp)]
    assert len(names) == len(set(names))
    # Reverse: record and reverse of either function. Forward: either with tangents.
    assert len([n for n in names if n.startswith(("up_", "down_"))]) <= 8


def test_a_module_with_names_that_are_taken() -> None:
    text = (
        POLYNOMIAL
        + """
func.func @horner_vjp(%x: f64) -> f64 {
  func.return %x : f64
}
func.func @horner_record(%x: f64) -> f64 {
  func.return %x : f64
}"""
    )
    found = run_function(differentiated(text, "f", (0,), "reverse"), [0.8, 0, W], function="f_grad")
    polynomial = np.polynomial.Polynomial(W)
    np.testing.assert_allclose(found[1], np.cos(polynomial(0.8)) * polynomial.deriv()(0.8))


def test_a_push_of_a_function_that_does_not_exist() -> None:
    module = parse_module(POLYNOMIAL)
    run_passes(module, "differentiate{function=f},linearize,apply-linear-maps")
    for op in list(module.body.ops):
        if isinstance(op, FuncOp) and op.sym_name.data == "horner":
            op.detach()
    with pytest.raises(VerifyError, match="there is no function @horner"):
        verify_module(module)


def walking(n: int) -> str:
    """Recursion that writes an array element by element, by recursion that reads it and passes it on."""
    a = f"tensor<{n}xf64>"
    return f"""
func.func private @walk(%a: {a}, %k: i64, %x: f64, %d: i64) -> f64 {{
  %one = array.constant 1 : i64
  %e = array.index %a[%k] : {a} -> f64
  %p = array.mul %x, %e : f64
  %ends = array.compare lt %d, %one : i64, i64 -> i1
  %y = array.if %ends : i1 -> f64 {{
    array.yield %p : f64
  }} else {{
    %m = array.sub %k, %one : i64
    %b = array.sub %d, %one : i64
    %s = array.sin %p : f64
    %r = func.call @walk(%a, %m, %s, %b) : ({a}, i64, f64, i64) -> f64
    array.yield %r : f64
  }}
  func.return %y : f64
}}
func.func private @fill(%a: {a}, %k: i64, %x: f64) -> {a} {{
  %n = array.constant {n} : i64
  %one = array.constant 1 : i64
  %depth = array.constant 2 : i64
  %ends = array.compare ge %k, %n : i64, i64 -> i1
  %b = array.if %ends : i1 -> {a} {{
    array.yield %a : {a}
  }} else {{
    %y = func.call @walk(%a, %k, %x, %depth) : ({a}, i64, f64, i64) -> f64
    %c = array.update set %a, %y () : {a}, f64 -> {a} {{
      array.yield %k : i64
    }}
    %m = array.add %k, %one : i64
    %d = func.call @fill(%c, %m, %x) : ({a}, i64, f64) -> {a}
    array.yield %d : {a}
  }}
  func.return %b : {a}
}}
func.func @f(%a: {a}, %x: f64) -> f64 {{
  %zero = array.constant 0 : i64
  %b = func.call @fill(%a, %zero, %x) : ({a}, i64, f64) -> {a}
  %s = array.sum %b {{dims = [0]}} : {a} -> f64
  func.return %s : f64
}}"""


def test_derivatives_of_recursion_on_an_array_that_recursion_writes() -> None:
    check_derivatives(walking(6), [np.linspace(0.5, 1.5, 6), 0.8])


@pytest.mark.parametrize("method", METHODS)
def test_calls_do_not_keep_arrays_of_which_recursion_reads_elements(method: str) -> None:
    """The gradient costs O(n), where n copies of the array would cost n squared."""

    def cost(n: int) -> int:
        first = "differentiate{function=f wrt=0,1 mode=reverse}"
        module = run_passes(parse_module(walking(n)), ",".join([first, *expansion(method)]))
        counter = OperationCounter()
        run_function(module, [np.linspace(0.5, 1.5, n), 0.8], function="f_grad", counter=counter)
        return counter.total

    small, middle, large = cost(16), cost(32), cost(64)
    assert middle <= 2.1 * small
    assert large <= 2.1 * middle
