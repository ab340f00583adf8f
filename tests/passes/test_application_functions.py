"""Maps that functions make: applied by calls they are the interpreter's maps, and the code is made once."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.errors import MliradError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from tests.passes.derivatives import run_passes

DOTS = """
!S = tuple<tensor<3xf64>, f64>
!T = tuple<f64, f64>
!M = !linear.map<!S, !T>
func.func private @inner_map(%a: tensor<3xf64>, %k: f64) -> !M {
  %by_a = linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]}
    : tensor<3xf64> -> !linear.map<tensor<3xf64>, f64>
  %by_k = linear.scale %k : f64 -> !linear.map<f64, f64>
  %none = linear.zero : -> !linear.map<tensor<3xf64>, f64>
  %m = linear.hcat %by_a, %by_k : !linear.map<tensor<3xf64>, f64>, !linear.map<f64, f64>
    -> !linear.map<!S, f64>
  %n = linear.hcat %none, %by_k : !linear.map<tensor<3xf64>, f64>, !linear.map<f64, f64>
    -> !linear.map<!S, f64>
  %both = linear.vcat %m, %n : !linear.map<!S, f64>,
    !linear.map<!S, f64> -> !M
  func.return %both : !M
}
func.func private @outer_map(%a: tensor<3xf64>, %k: f64) -> !linear.map<tensor<3xf64>, f64> {
  %m = linear.call %a, %k {callee = @inner_map}
    : tensor<3xf64>, f64 -> !M
  %in = linear.inject {index = 0} : -> !linear.map<tensor<3xf64>, !S>
  %out = linear.project {index = 0} : -> !linear.map<!T, f64>
  %n = linear.compose %m, %in : !M,
    !linear.map<tensor<3xf64>, !S> -> !linear.map<tensor<3xf64>, !T>
  %r = linear.compose %out, %n : !linear.map<!T, f64>, !linear.map<tensor<3xf64>, !T>
    -> !linear.map<tensor<3xf64>, f64>
  func.return %r : !linear.map<tensor<3xf64>, f64>
}
func.func @f(%a: tensor<3xf64>, %k: f64, %da: tensor<3xf64>) -> (f64, f64, f64, tensor<3xf64>, f64,
    tensor<3xf64>) {
  %m = linear.call %a, %k {callee = @inner_map}
    : tensor<3xf64>, f64 -> !M
  %y, %z = linear.apply %m, %da, %k : !M, tensor<3xf64>, f64
    -> (f64, f64)
  %n = linear.call %a, %y {callee = @outer_map} : tensor<3xf64>, f64 -> !linear.map<tensor<3xf64>, f64>
  %p = linear.apply %n, %a : !linear.map<tensor<3xf64>, f64>, tensor<3xf64> -> f64
  %ca, %ck = linear.apply_transpose %m, %y, %p : !M, f64, f64
    -> (tensor<3xf64>, f64)
  %cn = linear.apply_transpose %n, %ck : !linear.map<tensor<3xf64>, f64>, f64 -> tensor<3xf64>
  func.return %y, %z, %p, %ca, %ck, %cn : f64, f64, f64, tensor<3xf64>, f64, tensor<3xf64>
}
"""

ARGUMENTS = [np.array([1.0, -2.0, 0.5]), 3.0, np.array([0.5, 0.25, -1.0])]


@pytest.mark.parametrize(
    "passes", ["apply-linear-maps", "mlirad-inline,apply-linear-maps", "apply-linear-maps,mlirad-inline"]
)
def test_applied_by_calls_or_inlined_the_map_is_that_of_the_interpreter(passes: str) -> None:
    expected = run_function(parse_module(DOTS), ARGUMENTS, function="f")
    module = run_passes(parse_module(DOTS), passes)
    assert not any(op.name.startswith("linear.") for op in module.walk())
    for found, value in zip(run_function(module, ARGUMENTS, function="f"), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-14)


def test_a_map_has_one_function_that_applies_it_and_one_for_its_transpose() -> None:
    module = run_passes(parse_module(DOTS), "apply-linear-maps")
    names = [op.sym_name.data for op in module.body.block.ops if isinstance(op, FuncOp)]
    ways = ("_apply", "_apply_transpose")
    assert sorted(names) == sorted(["f", *(f"{m}_map{w}" for m in ("inner", "outer") for w in ways)])


def test_zero_vectors_are_not_applied_to() -> None:
    module = run_passes(
        parse_module("""
        func.func private @scaling(%k: f64) -> !linear.map<f64, f64> {
          %m = linear.scale %k : f64 -> !linear.map<f64, f64>
          func.return %m : !linear.map<f64, f64>
        }
        func.func @f(%k: f64, %dx: f64) -> f64 {
          %m = linear.call %k {callee = @scaling} : f64 -> !linear.map<f64, f64>
          %z = linear.zero : -> !linear.map<f64, f64>
          %n = linear.compose %m, %z : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
          %y = linear.apply %n, %dx : !linear.map<f64, f64>, f64 -> f64
          func.return %y : f64
        }"""),
        "apply-linear-maps",
    )
    assert not any(op.name == "func.call" for op in module.walk())
    assert run_function(module, [np.inf, 1.0], function="f") == (0.0,)


def test_a_map_that_makes_itself_has_no_end() -> None:
    module = parse_module("""
        func.func private @m(%k: f64) -> !linear.map<f64, f64> {
          %m = linear.call %k {callee = @m} : f64 -> !linear.map<f64, f64>
          func.return %m : !linear.map<f64, f64>
        }
        func.func @f(%k: f64, %dx: f64) -> f64 {
          %m = linear.call %k {callee = @m} : f64 -> !linear.map<f64, f64>
          %y = linear.apply %m, %dx : !linear.map<f64, f64>, f64 -> f64
          func.return %y : f64
        }""")
    run_passes(module, "apply-linear-maps")
    with pytest.raises(MliradError, match="nested more than"):
        run_function(module, [1.0, 1.0], function="f")
