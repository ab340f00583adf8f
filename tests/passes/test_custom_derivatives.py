"""Code with a derivative of its own: both modes follow the rule, to any order, in loops and builds."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.errors import DifferentiationError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from tests.passes.derivatives import check_derivatives, differentiated, run_passes

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
    module = run_passes(parse_module(ALONE.replace("FACTOR", "3.0")), "forget-rules")
    assert [op.name for op in module.walk()][2:] == ["array.sin", "func.return"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("array.mul %t, %da", "array.mul %da, %da", "not linear"),
        ("array.sin %a", "array.sin %x", "captures"),
    ],
)
def test_wrong_rules_are_rejected(old: str, new: str, message: str) -> None:
    with pytest.raises(DifferentiationError, match=message):
        differentiated(ALONE.replace("FACTOR", "1.0").replace(old, new), "f", (0,), "reverse")
