"""Scalar dual numbers through control flow and functions as values: gradients, counts, refusals."""

from __future__ import annotations

import random

import numpy as np
import pytest

import mlirad as ad
from benchmarks.methods import CASES
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.transforms import TRANSFORM_OPS
from mlirad.dialects.shapes import is_float
from mlirad.errors import UnsupportedError
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import OperationCounter, run_function
from mlirad.interpreter.deltas import delta_nodes, naive_gradient, run_duals
from mlirad.interpreter.deltas.evaluators import reverse_pass
from mlirad.pipelines import expansion
from tests.generators import arguments_for, random_higher_order, random_program
from tests.generators.python_functions import random_functions, traced
from tests.interpreter.programs import module
from tests.passes.derivatives import drawn, float_arguments, function_of, run_passes

OTHERS = (*FACTORISATION_OPS, *TRANSFORM_OPS, CallbackOp, ReplayOp)
"""The ops that dual numbers refuse, and the loop over a tape, which the compiler does not differentiate
reversed.
"""

ROOMS = ",".join(["1024"] * 8)
"""Room for the records of programs that hold functions of their own kind."""

NODES_PER_OPERATION = 4
"""`Share`, `Add` and two `Scale`, for a scalar op of two operands."""


def check_gradients(program, args, name="main", *, method="dual-arrays"):
    """The gradients of random combinations of the float results are those of a method."""
    wrt = float_arguments(program, name)
    outputs = function_of(program, name).function_type.outputs.data
    cotangents = drawn([t for t in outputs if is_float(t)], np.random.default_rng(0))
    given = [] if len(outputs) == 1 and not np.ndim(cotangents[0]) else cotangents
    positions = ",".join(map(str, wrt))
    passes = [f"differentiate{{function={name} wrt={positions}}}"]
    passes += [f"{p}{{rooms={ROOMS}}}" if p == "records-to-rows" else p for p in expansion(method)]
    compiled = run_passes(program.clone(), ",".join(passes))
    expected = run_function(compiled, [*args, *given], function=f"{name}_grad")[len(outputs) :]
    got = naive_gradient(program, args, wrt, given or None, function=name)
    for part, want in zip(got, expected, strict=True):
        assert (np.shape(part), part.dtype) == (np.shape(want), want.dtype)
        tolerance = 1e-9 if want.dtype == np.float64 else 1e-4
        largest = float(np.max(np.abs(want[np.isfinite(want)]), initial=1.0))
        np.testing.assert_allclose(part, want, rtol=tolerance, atol=tolerance * largest)


def is_scalar_op(op_class):
    return op_class not in OTHERS


# Random programs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(60), 1270])
def test_random_programs_with_control_flow(seed):
    size = random.Random(seed).randint(2, 14)
    program = random_program(seed, size, smooth=True, allow=is_scalar_op)
    check_gradients(program, arguments_for(program, random.Random(seed)))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_where_floats_decide(seed):
    """Branches taken and loops ended by floats, ties and poles."""
    program = random_program(seed, random.Random(seed).randint(2, 10), allow=is_scalar_op)
    if any(map(is_float, function_of(program, "main").function_type.outputs.data)):
        check_gradients(program, arguments_for(program, random.Random(seed)))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_with_functions_as_values(seed):
    """Closures that are chosen, carried and returned, sums, recursion; half of them of their own kind."""
    program = random_higher_order(seed, 1 + seed % 12, growing=seed % 2 == 1)
    check_gradients(program, arguments_for(program, random.Random(seed)), method="chad")


@pytest.mark.parametrize("seed", range(40))
def test_random_python_programs(seed):
    source = random_functions(seed, 1 + seed % 6)
    if "ad.grad" in source:
        return
    rng = np.random.default_rng(seed)
    arguments = np.float64(rng.uniform(0.2, 1)), rng.uniform(-1, 1, 3), np.int64(rng.integers(0, 4))
    check_gradients(ad.trace(traced(source), *arguments), arguments, method="chad")


@pytest.mark.parametrize("name", CASES)
def test_programs_of_the_comparison_of_methods(name):
    case = CASES[name]
    arguments = case.arguments(4)
    program = ad.trace(case.program, *arguments)
    leaves = [plain_array(leaf) for leaf in flatten(arguments)[0]]
    wrt = range(len(flatten(arguments[0])[0]))
    expected = flatten(ad.grad(case.program)(*arguments))[0]
    for got, want in zip(naive_gradient(program, leaves, wrt), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.max(np.abs(want)))


# Counts ------------------------------------------------------------------------------------------


def counts(program, arguments, wrt):
    """The operations of a program, the nodes of the terms of its result, the visits of the reverse pass."""
    counter = OperationCounter()
    run_function(program, arguments, counter=counter)
    duals = run_duals(program, arguments, wrt)
    ((term,),) = [d for d in duals.deltas if d is not None]
    visited = []
    reverse_pass(1.0, term, visited)
    return counter.total, delta_nodes(term), len(visited)


@pytest.mark.parametrize("seed", range(40))
def test_terms_are_no_more_than_a_constant_times_the_operations(seed):
    """Section 2.5: the terms are as many as scalar operations, and section 2.6: each is visited once."""
    if seed % 2:
        program = random_higher_order(seed, 8, growing=seed % 4 == 1)
    else:
        program = random_program(seed, 10, smooth=True, allow=is_scalar_op)
    args = arguments_for(program, random.Random(seed))
    counter = OperationCounter()
    results = run_function(program, args, counter=counter)
    inputs = sum(np.size(a) for a in args)
    duals = run_duals(program, args, float_arguments(program, "main"))
    nodes = delta_nodes(*(d for own in duals.deltas for d in own or ()))
    assert nodes <= NODES_PER_OPERATION * counter.total
    for (term, *_), _ in zip([d for d in duals.deltas if d], results, strict=False):
        visited = []
        reverse_pass(1.0, term, visited)
        assert len(visited) <= 3 * nodes + inputs


LINEAR = ("recurrent network", "continuations", "composition", "Horner's rule", "chosen ODE", "tree fold")


@pytest.mark.parametrize("name", LINEAR)
def test_counts_of_functions_as_values_are_linear(name):
    """Loops, recursion, closures and inductive types add nothing: three sizes, equal steps."""
    found = []
    for n in (8, 16, 32):
        case = CASES[name]
        arguments = case.arguments(n)
        program = ad.trace(case.program, *arguments)
        leaves = [plain_array(leaf) for leaf in flatten(arguments)[0]]
        found.append(np.array(counts(program, leaves, range(len(flatten(arguments[0])[0])))))
    first, second, third = found
    np.testing.assert_allclose(third - second, 2 * (second - first), rtol=0.1, atol=8)
    assert all(operations * NODES_PER_OPERATION >= nodes for operations, nodes, _ in found)


def test_conditionals_build_terms_for_the_branch_that_is_taken():
    text = """func.func @f(%x: f64, %p: i1) -> f64 {
  %y = array.if %p : i1 -> f64 {
    %s = array.sin %x : f64
    array.yield %s : f64
  } else {
    %a = array.mul %x, %x : f64
    %b = array.mul %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : f64
}"""
    for taken, nodes in ((True, 2), (False, 8)):
        ((term,),) = run_duals(module(text), [0.5, np.bool_(taken)], [0]).deltas
        assert delta_nodes(term) == nodes


@pytest.mark.parametrize(
    ("op", "nodes"),
    [
        ("sort %x {dim = 0}", 0),
        ("cumulative max %x {dim = 0}", 0),
        ("cumulative sum %x {dim = 0, reverse}", 13),
        ("cumulative prod %x {dim = 0}", 26),
    ],
)
def test_orders_and_prefixes_are_folds(op, nodes):
    """Sorting moves terms; a prefix sum is an addition per element, a prefix product a multiplication."""
    text = f"""func.func @f(%x: tensor<7xf64>) -> tensor<7xf64> {{
  %y = array.{op} : tensor<7xf64>
  func.return %y : tensor<7xf64>
}}"""
    x = np.array([0.5, -1.0, 2.0, 0.3, 2.0, -0.7, 1.1])
    (terms,) = run_duals(module(text), [x], [0]).deltas
    assert delta_nodes(*terms) == nodes
    check_gradients(module(text), [x], "f")


def test_tapes_hand_terms_on():
    """The iterations of a loop, replayed from the newest to the oldest."""
    text = """func.func @f(%x: f64) -> f64 {
  %one = array.constant 1.0 : f64
  %limit = array.constant 20.0 : f64
  %y, %tape = array.while %x (%a: f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
    %more = array.compare lt %a, %limit : f64, f64 -> i1
    array.yield %more : i1
  } do (%a: f64) {
    %b = array.mul %a, %a : f64
    array.yield %b, %a : f64, f64
  }
  %z = array.replay %tape, %one (%e: f64, %c: f64) {reverse} : !array.tape<f64>, f64 -> f64 {
    %s = array.sin %e : f64
    %d = array.mul %s, %c : f64
    %n = array.add %d, %e : f64
    array.yield %n : f64
  }
  func.return %z : f64
}"""
    program, h = module(text), 1e-5
    (slope,) = naive_gradient(program, [1.3], [0])
    (up,), (down,) = (run_function(program, [1.3 + d]) for d in (h, -h))
    np.testing.assert_allclose(slope, (up - down) / (2 * h), rtol=1e-7)


# Rules of users ----------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["", " {transposed}"])
def test_rules_of_users_count_in_either_direction(flag):
    """Operands count by the rule, which is not the derivative here, captured values as the code says."""
    text = f"""func.func @f(%x: tensor<2xf64>, %c: tensor<2xf64>) -> tensor<2xf64> {{
  %y = array.custom %x (%a: tensor<2xf64>){flag} : tensor<2xf64> -> tensor<2xf64> {{
    %s = array.sin %a : tensor<2xf64>
    %p = array.mul %s, %c : tensor<2xf64>
    array.yield %p : tensor<2xf64>
  }} derivative (%a: tensor<2xf64>, %d: tensor<2xf64>) {{
    %t = array.add %d, %d : tensor<2xf64>
    array.yield %t : tensor<2xf64>
  }}
  func.return %y : tensor<2xf64>
}}"""
    x, c, ct = np.array([0.3, 0.8]), np.array([2.0, 3.0]), np.array([1.0, -2.0])
    by_x, by_c = naive_gradient(module(text), [x, c], [0, 1], [ct])
    np.testing.assert_allclose(by_x, 2 * ct)
    np.testing.assert_allclose(by_c, ct * np.sin(x))


# Refusals ----------------------------------------------------------------------------------------


def test_whole_array_ops_are_refused_with_their_line():
    program = ad.trace(lambda a: np.linalg.cholesky(a)[0, 0], np.eye(2))
    with pytest.raises(UnsupportedError, match="whole arrays, so it has no meaning") as caught:
        naive_gradient(program, [np.eye(2)], [0])
    assert caught.value.location is not None
    assert "test_delta_control.py:" in str(caught.value.location)
