"""Code with a derivative of its own: both modes follow the rule, to any order, in loops and builds."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.errors import DifferentiationError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import pipeline_passes
from mlirad.pipelines import run_passes as run_pipeline
from tests.passes.derivatives import check_derivatives, differentiated, function_of, run_passes

CUSTOM = """
  %y = array.custom %x, %n (%a : f64, %k) : f64, i64 -> f64 {
    %s = array.sin %a : f64
    array.yield %s : f64
  } derivative (%a : f64, %k, %da : f64) {
    %c = array.cos %a : f64
    %three = array.constant FACTOR : f64
    %t = array.mul %three, %c : f64
    %d = array.mul %t, %da : f64
    array.yield %d : f64
  }
"""
ALONE = f"func.func @f(%x: f64, %n: i64) -> f64 {{{CUSTOM}func.return %y : f64 }}"


def test_rule_is_followed() -> None:
    check_derivatives(ALONE.replace("FACTOR", "1.0"), [0.4, 2])
    module = differentiated(ALONE.replace("FACTOR", "3.0"), "f", (0,), "reverse", "forward")
    assert run_function(module, [0.4, 2], function="f_grad")[1] == pytest.approx(3 * np.cos(0.4))
    assert run_function(module, [0.4, 2, 2.0], function="f_jvp")[1] == pytest.approx(6 * np.cos(0.4))


def test_second_derivative_is_that_of_the_rule() -> None:
    module = differentiated(ALONE.replace("FACTOR", "3.0"), "f", (0,), "reverse")
    check_derivatives(module, [0.4, 2], function="f_grad", finite_differences=False)
    second = differentiated(module, "f_grad", (0,), "forward")
    *_, dy, dg = run_function(second, [0.4, 2, 1.0], function="f_grad_jvp")
    assert dy == pytest.approx(3 * np.cos(0.4))
    assert dg == pytest.approx(-3 * np.sin(0.4))


LOOP = f"""
func.func @f(%z: f64, %n: i64) -> f64 {{
  %r = array.scan %z (%i, %x : f64) {{carries = 1, length = 3}} : f64 -> f64 {{
    {CUSTOM}
    array.yield %y : f64
  }}
  func.return %r : f64
}}"""


def test_in_loops() -> None:
    check_derivatives(LOOP.replace("FACTOR", "1.0"), [0.4, 2])
    module = differentiated(LOOP.replace("FACTOR", "3.0"), "f", (0,), "reverse")
    x, product = 0.4, 1.0
    for _ in range(3):
        x, product = np.sin(x), 3 * np.cos(x) * product
    np.testing.assert_allclose(run_function(module, [0.4, 2], function="f_grad"), [x, product])


BUILD = f"""
func.func @f(%z: tensor<3xf64>, %n: i64) -> tensor<3xf64> {{
  %r = array.build (%i) : -> tensor<3xf64> {{
    %x = array.index %z[%i] : tensor<3xf64> -> f64
    {CUSTOM}
    array.yield %y : f64
  }}
  func.return %r : tensor<3xf64>
}}"""


def test_in_builds() -> None:
    z = np.array([0.1, 0.5, 0.9])
    check_derivatives(BUILD.replace("FACTOR", "1.0"), [z, 2])
    module = differentiated(BUILD.replace("FACTOR", "3.0"), "f", (0,), "reverse")
    np.testing.assert_allclose(run_function(module, [z, 2, np.ones(3)], function="f_grad")[1], 3 * np.cos(z))


def test_rules_are_forgotten_when_all_is_differentiated() -> None:
    module = run_passes(parse_module(ALONE.replace("FACTOR", "3.0")), "lower-custom-derivatives")
    assert [op.name for op in module.walk()][2:] == ["array.sin", "func.return"]


def test_wrong_rules_are_rejected() -> None:
    text = ALONE.replace("FACTOR", "1.0").replace("array.mul %t, %da", "array.mul %da, %da")
    with pytest.raises(DifferentiationError, match="not linear"):
        differentiated(text, "f", (0,), "reverse")


def test_what_the_body_captures_adds_its_own_derivative() -> None:
    alone = differentiated(ALONE.replace("FACTOR", "1.0"), "f", (0,), "reverse")
    text = ALONE.replace("FACTOR", "1.0").replace("array.sin %a", "array.sin %x")
    both = differentiated(text, "f", (0,), "reverse")
    by_rule, found = (run_function(m, [0.3, 2], function="f_grad")[-1] for m in (alone, both))
    assert found == pytest.approx(by_rule + np.cos(0.3))


CHECKPOINT = """
func.func @f(%x: tensor<4xf64>, %y: f64) -> (f64, tensor<4xf64>) {
  %c, %z = array.checkpoint : -> (f64, tensor<4xf64>) {
    %e = array.exp %x : tensor<4xf64>
    %s = array.sin %e : tensor<4xf64>
    %t = array.sum %s {dims = [0]} : tensor<4xf64> -> f64
    %u = array.mul %t, %y : f64
    array.yield %u, %s : f64, tensor<4xf64>
  }
  %d = array.mul %c, %c : f64
  func.return %d, %z : f64, tensor<4xf64>
}"""


def test_checkpoints_run_again() -> None:
    x = np.array([0.1, 0.5, 0.9, -0.3])
    check_derivatives(CHECKPOINT, [x, 0.7])
    module = differentiated(CHECKPOINT, "f", (0,), "reverse")
    exponentials = [op.parent_op() for op in function_of(module, "f_grad").walk() if op.name == "array.exp"]
    assert [op.name for op in exponentials] == ["array.checkpoint"] * 2
    check_derivatives(module, [x, 0.7, 0.3, x], function="f_grad", wrt=(0, 1))


def test_checkpoints_in_builds() -> None:
    check_derivatives(
        """func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
          %y = array.build (%i) : -> tensor<4xf64> {
            %e = array.index %x[%i] : tensor<4xf64> -> f64
            %c = array.checkpoint : -> f64 {
              %s = array.sin %e : f64
              array.yield %s : f64
            }
            array.yield %c : f64
          }
          func.return %y : tensor<4xf64>
        }""",
        [np.arange(4.0)],
    )


def test_checkpoints_compile_apart() -> None:
    passes = pipeline_passes("grad{function=f wrt=0}")
    module = parse_module(CHECKPOINT)
    run_pipeline(module, passes)
    exponentials = [op.parent_op() for op in function_of(module, "f_grad").walk() if op.name == "array.exp"]
    assert [op.name for op in exponentials] == ["array.if"] * 2
