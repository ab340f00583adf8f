"""Derivatives of loops and branches: against differences, forward against transposed, and what they cost."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import is_float, size_of
from mlirad.errors import DifferentiationError, VerifyError
from mlirad.interpreter import OperationCounter, run_function
from tests.generators import arguments_for, random_program
from tests.passes.derivatives import (
    check_derivatives,
    differentiated,
    float_arguments,
    function_of,
    run_passes,
)

ANY = np.random.default_rng(3)

RNN = """
func.func @f(%w: tensor<3x3xf64>, %b: tensor<3xf64>, %h: tensor<3xf64>, %xs: tensor<5x3xf64>)
    -> (tensor<3xf64>, tensor<5x3xf64>) {{
  %c, %ys = array.scan %h, %xs (%i, %a : tensor<3xf64>, %x : tensor<3xf64>)
      {{carries = 1, length = 5{options}}}
      : tensor<3xf64>, tensor<5x3xf64> -> (tensor<3xf64>, tensor<5x3xf64>) {{
    %wa = array.dot %w, %a {{lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}}
        : tensor<3x3xf64>, tensor<3xf64> -> tensor<3xf64>
    %s = array.add %wa, %x : tensor<3xf64>
    %t = array.add %s, %b : tensor<3xf64>
    %n = array.tanh %t : tensor<3xf64>
    %y = array.mul %n, %a : tensor<3xf64>
    array.yield %n, %y : tensor<3xf64>, tensor<3xf64>
  }}
  func.return %c, %ys : tensor<3xf64>, tensor<5x3xf64>
}}"""


@pytest.mark.parametrize("options", ["", ", reverse", ", checkpoint = recompute", ", checkpoint = sqrt"])
def test_recurrent_net(options: str) -> None:
    shapes = [(3, 3), (3,), (3,), (5, 3)]
    arguments = [0.5 * ANY.normal(size=s) for s in shapes]
    text = RNN.format(options=options)
    check_derivatives(text, arguments)
    check_derivatives(text, arguments, wrt=(0,))
    check_derivatives(text, arguments, wrt=(3,))


READS = """
func.func @f(%x: tensor<{n}xf64>, %p: tensor<{n}xi64>) -> f64 {{
  %zero = array.constant 0.0 : f64
  %c = array.scan %zero, %p (%i, %a : f64, %j : i64) {{carries = 1, length = {n}}}
      : f64, tensor<{n}xi64> -> f64 {{
    %u = array.index %x[%i] : tensor<{n}xf64> -> f64
    %v = array.index %x[%j] : tensor<{n}xf64> -> f64
    %s = array.sin %v : f64
    %m = array.mul %u, %s : f64
    %b = array.add %a, %m : f64
    array.yield %b : f64
  }}
  func.return %c : f64
}}"""


def test_reads_of_a_captured_array() -> None:
    check_derivatives(READS.format(n=6), [ANY.normal(size=6), ANY.integers(0, 6, size=6)])


def operations(text: str, arguments: list, function: str, *mode: str) -> int:
    """The operations that a function, or its derivative, executes."""
    counter = OperationCounter()
    module = differentiated(text, "f", (0,), *mode or ("reverse",))
    run_function(module, arguments, function=function, counter=counter)
    return counter.total


def test_gradient_of_a_loop_over_a_captured_array_is_linear() -> None:
    counts = []
    for n in (50, 100):
        arguments = [ANY.normal(size=n), ANY.integers(0, n, size=n)]
        primal = operations(READS.format(n=n), arguments, "f")
        counts.append(operations(READS.format(n=n), arguments, "f_grad"))
        assert counts[-1] <= 6 * (primal + n)
    assert counts[1] <= 2.1 * counts[0]


TREE = """
func.func @f(%x: tensor<{n}xf64>, %p: tensor<{n}xi64>) -> tensor<{n}xf64> {{
  %c = array.scan %x, %p (%i, %a : tensor<{n}xf64>, %j : i64) {{carries = 1, length = {n}}}
      : tensor<{n}xf64>, tensor<{n}xi64> -> tensor<{n}xf64> {{
    %u = array.index %a[%j] : tensor<{n}xf64> -> f64
    %v = array.index %a[%i] : tensor<{n}xf64> -> f64
    %s = array.sin %u : f64
    %m = array.mul %v, %s : f64
    %b = array.update {kind} %a, %m () : tensor<{n}xf64>, f64 -> tensor<{n}xf64> {{
      array.yield %i : i64
    }}
    array.yield %b : tensor<{n}xf64>
  }}
  func.return %c : tensor<{n}xf64>
}}"""


@pytest.mark.parametrize("kind", ["set", "add"])
def test_tree_traversal_by_parent_index(kind: str) -> None:
    n = 7
    parents = np.array([0, 0, 1, 1, 2, 2, 5])
    check_derivatives(TREE.format(n=n, kind=kind), [ANY.normal(size=n), parents])
    counts = {"f_grad": [], "f_jvp": []}
    for n in (40, 80):
        x, p = ANY.normal(size=n), np.arange(n) // 2
        text = TREE.format(n=n, kind=kind)
        primal = operations(text, [x, p], "f")
        for function, mode in (("f_grad", "reverse"), ("f_jvp", "forward")):
            counts[function].append(operations(text, [x, p, x], function, mode))
            assert counts[function][-1] <= 6 * (primal + n), function
    for first, second in counts.values():
        assert second <= 2.1 * first


NESTED = """
func.func @f(%x: tensor<4xf64>, %y: f64) -> (f64, tensor<3x2xf64>) {
  %one = array.constant 1.0 : f64
  %c, %ys = array.scan %one (%i, %a : f64) {carries = 1, length = 3} : f64 -> (f64, tensor<3x2xf64>) {
    %d, %zs = array.scan %a (%j, %e : f64) {carries = 1, length = 2} : f64 -> (f64, tensor<2xf64>) {
      %k = array.add %i, %j : i64
      %v = array.index %x[%k] : tensor<4xf64> -> f64
      %s = array.sin %v : f64
      %t = array.mul %s, %e : f64
      %u = array.add %t, %y : f64
      %w = array.mul %u, %a : f64
      array.yield %u, %w : f64, f64
    }
    array.yield %d, %zs : f64, tensor<2xf64>
  }
  func.return %c, %ys : f64, tensor<3x2xf64>
}"""


def test_nested_loops() -> None:
    check_derivatives(NESTED, [ANY.normal(size=4), 0.7])
    check_derivatives(
        NESTED.replace("length = 3}", "length = 3, checkpoint = recompute}"), [ANY.normal(size=4), 0.7]
    )


BRANCH = """
func.func @f(%x: tensor<4xf64>, %y: f64, %n: i64) -> (f64, f64) {
  %zero = array.constant 0 : i64
  %p = array.compare lt %n, %zero : i64, i64 -> i1
  %a, %b = array.if %p : i1 -> (f64, f64) {
    %u = array.index %x[%zero] : tensor<4xf64> -> f64
    %v = array.exp %u : f64
    %w = array.mul %v, %y : f64
    array.yield %w, %y : f64, f64
  } else {
    %u = array.sqrt %y : f64
    array.yield %u, %u : f64, f64
  }
  %c = array.switch %n : i64 -> f64 {
    array.yield %y : f64
  } case {
    %s = array.sum %x {dims = [0]} : tensor<4xf64> -> f64
    %t = array.mul %s, %a : f64
    array.yield %t : f64
  } case {
    %s = array.sin %b : f64
    array.yield %s : f64
  }
  func.return %a, %c : f64, f64
}"""


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 7])
def test_branches(n: int) -> None:
    check_derivatives(BRANCH, [ANY.normal(size=4), 0.7, n])


CHOICES = """
func.func @f(%x: tensor<{n}xf64>, %p: tensor<{n}xi1>) -> f64 {{
  %one = array.constant 1.0 : f64
  %c = array.scan %one, %p (%i, %a : f64, %q : i1) {{carries = 1, length = {n}}}
      : f64, tensor<{n}xi1> -> f64 {{
    %b = array.if %q : i1 -> f64 {{
      %u = array.index %x[%i] : tensor<{n}xf64> -> f64
      %v = array.sin %u : f64
      %w = array.mul %v, %a : f64
      array.yield %w : f64
    }} else {{
      %w = array.exp %a : f64
      array.yield %w : f64
    }}
    array.yield %b : f64
  }}
  func.return %c : f64
}}"""


def test_branches_in_loops() -> None:
    check_derivatives(CHOICES.format(n=5), [ANY.normal(size=5), np.array([True, False, True, True, False])])
    counts = []
    for n in (40, 80):
        text, arguments = CHOICES.format(n=n), [ANY.normal(size=n), np.arange(n) % 40 < 38]
        counts.append(operations(text, arguments, "f_grad"))
    assert counts[1] <= 2.1 * counts[0]


NEWTON = """
func.func @f(%y: f64) -> f64 {
  %half = array.constant 0.5 : f64
  %small = array.constant 1.0e-28 : f64
  %r = array.while %y (%a : f64) : f64 -> f64 {
    %s = array.mul %a, %a : f64
    %d = array.sub %s, %y : f64
    %d2 = array.mul %d, %d : f64
    %more = array.compare gt %d2, %small : f64, f64 -> i1
    array.yield %more : i1
  } do (%a : f64) {
    %q = array.div %y, %a : f64
    %s = array.add %q, %a : f64
    %b = array.mul %half, %s : f64
    array.yield %b : f64
  }
  func.return %r : f64
}"""


@pytest.mark.parametrize("y", [2.0, 9.0, 1e6])
def test_newtons_method(y: float) -> None:
    module = differentiated(NEWTON, "f", (0,), "reverse", "forward")
    for function, extra in (("f_grad", []), ("f_jvp", [1.0])):
        root, derivative = run_function(module, [y, *extra], function=function)
        np.testing.assert_allclose([root, derivative], [np.sqrt(y), 0.5 / np.sqrt(y)], rtol=1e-9)


LOOP_IN_LOOP = """
func.func @f(%x: tensor<3xf64>, %n: i64) -> f64 {
  %one = array.constant 1.0 : f64
  %unit = array.constant 1 : i64
  %c = array.scan %one (%i, %a : f64) {carries = 1, length = 3} : f64 -> f64 {
    %r, %m = array.while %a, %n (%b : f64, %k : i64) : f64, i64 -> (f64, i64) {
      %more = array.compare gt %k, %i : i64, i64 -> i1
      array.yield %more : i1
    } do (%b : f64, %k : i64) {
      %l = array.sub %k, %unit : i64
      %u = array.index %x[%l] : tensor<3xf64> -> f64
      %s = array.sin %u : f64
      %v = array.mul %s, %b : f64
      %w = array.cos %v : f64
      array.yield %w, %l : f64, i64
    }
    array.yield %r : f64
  }
  func.return %c : f64
}"""


@pytest.mark.parametrize("n", [0, 1, 3])
def test_while_loops_in_scans(n: int) -> None:
    check_derivatives(LOOP_IN_LOOP, [ANY.normal(size=3), n])


@pytest.mark.parametrize("y", [2.0, 9.0])
def test_second_derivative_of_newtons_method(y: float) -> None:
    first = differentiated(NEWTON, "f", (0,), "forward")
    for mode, name in (("reverse", "f_jvp_grad"), ("forward", "f_jvp_jvp")):
        second = differentiated(first, "f_jvp", (0,), mode)
        seeds = [0.0, 1.0] if mode == "reverse" else [1.0]
        *_, derivative = run_function(second, [y, 1.0, *seeds], function=name)
        np.testing.assert_allclose(derivative, -0.25 * y**-1.5, rtol=1e-6)


def test_reverse_derivative_of_a_while_loop_has_no_derivative() -> None:
    first = differentiated(NEWTON, "f", (0,), "reverse")
    with pytest.raises(DifferentiationError, match="transposed derivative of a while loop"):
        differentiated(first, "f_grad", (0,), "reverse")


MAPPED_TWICE = """
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {{
  %c, %ys = array.scan %x (%i, %a : tensor<4xf64>) {{carries = 1, length = 9, checkpoint = {checkpoint}}}
      : tensor<4xf64> -> (tensor<4xf64>, tensor<9x4xf64>) {{
    %s = array.sin %a : tensor<4xf64>
    %e = array.mul %s, %x : tensor<4xf64>
    %b = array.tanh %e : tensor<4xf64>
    array.yield %b, %s : tensor<4xf64>, tensor<4xf64>
  }}
  %t = array.sum %ys {{dims = [0]}} : tensor<9x4xf64> -> tensor<4xf64>
  %z = array.add %t, %c : tensor<4xf64>
  func.return %z : tensor<4xf64>
}}"""


@pytest.mark.parametrize("checkpoint", ["store", "recompute", "sqrt"])
def test_second_derivatives_of_loops(checkpoint: str) -> None:
    text, x = MAPPED_TWICE.format(checkpoint=checkpoint), ANY.normal(size=4)
    check_derivatives(text, [x])
    first = differentiated(text, "f", (0,), "reverse")
    check_derivatives(first, [x, ANY.normal(size=4)], function="f_grad", wrt=(0,))


LONG = """
func.func @f(%x: f64) -> f64 {{
  %c = array.scan %x (%i, %a : f64) {{carries = 1, length = {n}, checkpoint = {checkpoint}}} : f64 -> f64 {{
    %b = array.sin %a : f64
    %d = array.exp %b : f64
    %e = array.mul %d, %a : f64
    %h = array.sin %e : f64
    array.yield %h : f64
  }}
  func.return %c : f64
}}"""


def kept_elements(n: int, checkpoint: str) -> int:
    """The elements that are stacked in all loops that are alive at once."""
    module = differentiated(LONG.format(n=n, checkpoint=checkpoint), "f", (0,), "reverse")
    scans = [op for op in module.walk() if isinstance(op, ScanOp)]
    stacks = [(op.parent_op(), sum(size_of(y) for y in op.stacked)) for op in scans]
    outer = sum(size for around, size in stacks if isinstance(around, FuncOp) and size)
    return outer + max((size for around, size in stacks if not isinstance(around, FuncOp)), default=0)


def test_checkpoints_agree_and_keep_what_they_say() -> None:
    gradients = []
    for checkpoint in ("store", "recompute", "sqrt"):
        module = differentiated(LONG.format(n=23, checkpoint=checkpoint), "f", (0,), "reverse")
        gradients.append(run_function(module, [0.3], function="f_grad"))
    np.testing.assert_allclose(gradients[1:], gradients[:1] * 2, rtol=1e-12)
    assert kept_elements(400, "store") == 3 * 400
    assert kept_elements(400, "recompute") == 400
    assert kept_elements(400, "sqrt") <= 5 * 20
    assert kept_elements(1600, "sqrt") <= 5 * 40


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    module = random_program(seed=1000 + seed, size=4 + seed % 9, smooth=True)
    if any(isinstance(op, BuildOp) for op in module.walk()):
        run_passes(module, "bulk-operations")
    function = function_of(module, "main")
    wrt = float_arguments(module, "main")
    if wrt and any(is_float(t) for t in function.function_type.outputs.data):
        arguments = arguments_for(module, random.Random(seed))
        try:
            check_derivatives(module, arguments, function="main", wrt=wrt, tolerance=1e-4)
        except DifferentiationError as error:
            assert "transposed derivative of a while loop" in str(error)


def test_a_function_that_needs_its_own_derivative_has_none() -> None:
    text = """
    func.func @f(%x: f64, %n: i64) -> f64 {
      %zero = array.constant 0 : i64
      %more = array.compare gt %n, %zero : i64, i64 -> i1
      %y = array.if %more : i1 -> f64 {
        %one = array.constant 1 : i64
        %m = array.sub %n, %one : i64
        %v, %d = linear.linearize %x, %m {callee = @f, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
        %z = linear.apply %d, %x : !linear.map<f64, f64>, f64 -> f64
        array.yield %z : f64
      } else {
        %w = func.call @f(%x, %zero) : (f64, i64) -> f64
        array.yield %w : f64
      }
      func.return %y : f64
    }"""
    with pytest.raises((DifferentiationError, VerifyError), match=r"its own derivative|that it calls"):
        differentiated(text, "f", (0,), "reverse")


COST_SEEDS = range(5000, 5040)


@pytest.mark.parametrize("seed", COST_SEEDS)
def test_derivatives_of_random_programs_meet_the_cost_law(seed: int) -> None:
    module = random_program(seed=seed, size=5 + seed % 8, smooth=True)
    wrt, type_ = float_arguments(module, "main"), function_of(module, "main").function_type
    if not wrt or not any(is_float(t) for t in type_.outputs.data):
        return
    if any(isinstance(op, BuildOp) for op in module.walk()):
        run_passes(module, "bulk-operations")
    try:
        derivatives = differentiated(module, "main", wrt, "reverse", "forward")
    except DifferentiationError:
        return
    run_passes(module, "mlirad-dce")
    primal, ports = OperationCounter(), (*type_.inputs.data, *type_.outputs.data)
    run_function(module, arguments_for(module, random.Random(1)), function="main", counter=primal)
    for function in ("main_grad", "main_jvp"):
        counter = OperationCounter()
        arguments = arguments_for(derivatives, random.Random(1), function=function)
        run_function(derivatives, arguments, function=function, counter=counter)
        assert counter.total <= 6 * (primal.total + sum(size_of(t) for t in ports) + 1)
