"""The pass `lower-copowers`: it keeps meaning, and what it leaves is compiled or refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mlirad.errors import UnsupportedError
from mlirad.interpreter import run_function
from tests.acceptance.stages import native
from tests.generators import arguments_for, random_higher_order
from tests.passes.chad.programs import HEAD, gradients, program
from tests.passes.derivatives import run_passes

LOWERED = "mlirad-inline,lower-copowers"
ARRAYS = "apply-linear-maps,bulk-operations,mlirad-canonicalize"


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_keep_their_derivatives(seed: int, mode: str) -> None:
    module = random_higher_order(seed, 7)
    arguments = arguments_for(module, random.Random(seed))
    derivative = gradients(module, "chad", mode)
    name = "main_grad"
    if mode == "forward":
        name, arguments = "main_jvp", [*arguments, 0.3, np.array([0.5, 0.1, -0.2])]
    expected = run_function(derivative, arguments, function=name)
    found = run_function(run_passes(derivative, LOWERED), arguments, function=name)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


CURRIED = (
    HEAD
    + """
  %f = function.lambda (%a : f64) : -> !function.closure<(f64) -> CLOSURE> {
    %g = function.lambda (%b : f64) : -> CLOSURE {
      %p = array.mul %a, %b : f64
      %q = array.mul %p, %x : f64
      array.yield %q : f64
    }
    array.yield %g : CLOSURE
  }
  %w = array.build (%i) : -> tensor<3xf64> {
    %e = array.index %v[%i] : tensor<3xf64> -> f64
    %g = function.apply %f, %e : !function.closure<(f64) -> CLOSURE>, f64 -> CLOSURE
    %y = function.apply %g, %e : CLOSURE, f64 -> f64
    array.yield %y : f64
  }
  %s = array.sum %w {dims = [0]} : tensor<3xf64> -> f64
  func.return %s : f64
}"""
)


def test_known_functions_are_compiled() -> None:
    """x times the sum of v squared, with collections of collections on the way."""
    lowered = gradients(program(CURRIED), f"chad,{LOWERED},{ARRAYS},mlirad-symbol-dce{{entry=main_grad}}")
    v = np.array([1.0, -2.0, 0.5])
    value, by_x, by_v = native(lowered, "main_grad")(2.0, v, 0)
    assert value == pytest.approx(2 * v @ v)
    assert by_x == pytest.approx(v @ v)
    np.testing.assert_allclose(by_v, 4 * v)


def test_what_is_left_over_is_not_compiled() -> None:
    chosen = (
        HEAD
        + """
  %zero = array.constant 0 : i64
  %p = array.compare lt %n, %zero : i64, i64 -> i1
  %r = array.if %p : i1 -> f64 {
    %y = array.sin %x : f64
    array.yield %y : f64
  } else {
    array.yield %x : f64
  }
  func.return %r : f64
}"""
    )
    left = gradients(program(chosen), f"chad,{LOWERED}")
    assert run_function(left, [0.5, np.zeros(3), -1], function="main_grad")[1] == pytest.approx(np.cos(0.5))
    with pytest.raises(UnsupportedError, match=r"array\.if takes linear maps.* for values"):
        run_passes(left, ARRAYS)
    with pytest.raises(UnsupportedError, match=r"array\.if takes linear maps.* for values"):
        run_passes(left, "eliminate-functions")
