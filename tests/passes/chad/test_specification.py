"""The pass `chad` on programs: against dual arrays and differences, and what it refuses."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import mlirad as ad
from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import BuildOp, GatherOp
from mlirad.dialects.shapes import is_float, shape_of
from mlirad.errors import DifferentiationError, MliradError, UnsupportedError
from mlirad.interpreter import run_function
from mlirad.pipelines import expansion
from tests.generators import arguments_for, higher_order_programs, random_higher_order, random_program
from tests.passes.chad.programs import HEAD, gradients, program
from tests.passes.derivatives import drawn, float_arguments, function_of, run_passes

# Random programs ---------------------------------------------------------------------------------


def check_higher_order(module: ModuleOp, seed: int, *, second_method: bool = True) -> None:
    """Values bit for bit, both modes of CHAD, dual arrays after elimination, and differences agree."""
    arguments = arguments_for(module, random.Random(seed))
    (value,) = run_function(module, arguments, function="main")
    found = run_function(gradients(module, "chad"), arguments, function="main_grad")
    assert found[0].tobytes() == value.tobytes()
    rng = np.random.default_rng(seed)
    tangents = [rng.normal(size=np.shape(x)) for x in found[1:]]
    slope = sum(float(np.sum(g * t)) for g, t in zip(found[1:], tangents, strict=True))
    pushed = run_function(gradients(module, "chad", "forward"), [*arguments, *tangents], function="main_jvp")
    assert pushed[0].tobytes() == value.tobytes()
    assert pushed[1] == pytest.approx(slope, rel=1e-9, abs=1e-12)
    x, v, n = arguments

    def along(h: float) -> float:
        given = [x + h * tangents[0], v + h * tangents[1], n]
        return float(run_function(module, given, function="main")[0])

    difference = (8 * (along(1e-4) - along(-1e-4)) - (along(2e-4) - along(-2e-4))) / 12e-4
    assert slope == pytest.approx(difference, rel=1e-5, abs=1e-6)
    if second_method:
        expanded = gradients(module, ",".join(expansion()))
        for a, b in zip(run_function(expanded, arguments, function="main_grad"), found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_random_higher_order_programs(seed: int) -> None:
    check_higher_order(random_higher_order(seed, 10), seed)


@pytest.mark.fuzz
@settings(max_examples=2000, deadline=None)
@given(higher_order_programs(max_size=40))
def test_any_higher_order_programs(module: ModuleOp) -> None:
    try:
        gradients(module, ",".join(expansion()))
    except MliradError:
        check_higher_order(module, 1, second_method=False)
    else:
        check_higher_order(module, 1)


CONTROL = (control.ScanOp, control.WhileOp, control.IfOp, control.SwitchOp, CustomOp, CheckpointOp, BuildOp)


def _is_not_replay(op: type[Operation]) -> bool:
    return op is not control.ReplayOp


def check_first_order(seed: int, size: int) -> None:
    """Both modes of CHAD agree with those of dual arrays, and keep values bit for bit."""
    module = random_program(seed, size, True, allow=CONTROL if seed % 2 else _is_not_replay)
    arguments = arguments_for(module, random.Random(seed))
    values = run_function(module, arguments, function="main")
    type_, rng = function_of(module, "main").function_type, np.random.default_rng(seed)
    wrt = float_arguments(module, "main")
    outputs = [t for t in type_.outputs.data if is_float(t)]
    is_scalar = len(type_.outputs.data) == 1 and not shape_of(outputs[0])
    given = {
        "forward": drawn([type_.inputs.data[k] for k in wrt], rng),
        "reverse": [] if is_scalar else drawn(outputs, rng),
    }
    for mode, name in (("forward", "main_jvp"), ("reverse", "main_grad")):
        one, other = (gradients(module, p, mode) for p in ("chad", ",".join(expansion())))
        found, expected = (run_function(m, [*arguments, *given[mode]], function=name) for m in (one, other))
        for a, b in zip(values, found, strict=False):
            assert a.tobytes() == b.tobytes()
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_random_first_order_programs(seed: int) -> None:
    check_first_order(seed, 5)


@pytest.mark.fuzz
@settings(max_examples=2000, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_any_first_order_programs(seed: int, size: int) -> None:
    check_first_order(seed, size)


# Errors ------------------------------------------------------------------------------------------


def test_derivatives_inside_are_refused() -> None:
    text = HEAD + (
        "  %y, %d = linear.linearize %x {callee = @g, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)\n"
        "  %r = linear.apply %d, %x : !linear.map<f64, f64>, f64 -> f64\n  func.return %r : f64\n}\n"
        "func.func private @g(%a: f64) -> f64 {\n  func.return %a : f64\n}\n"
    )
    with pytest.raises(DifferentiationError, match="the specification of CHAD differentiates once"):
        run_passes(program(text), "chad{function=main}")


def test_what_does_not_exist() -> None:
    module = program(HEAD + "  func.return %x : f64\n}")
    with pytest.raises(UnsupportedError, match="there is no function @f"):
        run_passes(module, "chad{function=f}")
    with pytest.raises(UnsupportedError, match="there is no mode 'sideways'"):
        run_passes(module, "chad{function=main mode=sideways}")


def test_positions_computed_by_closures() -> None:
    """A region of positions is code too."""
    text = (
        HEAD
        + """
  %f = function.lambda (%i : i64) : -> !function.closure<(i64) -> i64> {
    %two = array.constant 2 : i64
    %j = array.sub %two, %i : i64
    array.yield %j : i64
  }
  %w = array.gather %v (%i) : tensor<3xf64> -> tensor<3xf64> {
    %j = function.apply %f, %i : !function.closure<(i64) -> i64>, i64 -> i64
    array.yield %j : i64
  }
  %a = array.mul %w, %v : tensor<3xf64>
  %s = array.sum %a {dims = [0]} : tensor<3xf64> -> f64
  func.return %s : f64
}"""
    )
    module = program(text)
    assert any(isinstance(op, GatherOp) for op in module.walk())
    v = np.array([1.0, 2.0, 4.0])
    _, _, found = run_function(gradients(module, "chad"), [0.0, v, 0], function="main_grad")
    np.testing.assert_array_equal(found, 2 * v[::-1])


def test_the_method_of_transformations() -> None:
    def f(x: Any, n: int) -> Any:
        return ad.fold(lambda c, a: np.sin(c) * a, 1.0, x) * n

    x = np.array([0.5, -0.3, 0.8])
    expected = ad.value_and_grad(f)(x, 3)
    for interpret in (True, False):
        found = ad.value_and_grad(f, method="chad-copower", interpret=interpret)(x, 3)
        np.testing.assert_allclose(found[0], expected[0])
        np.testing.assert_allclose(found[1], expected[1])
    with pytest.raises(UnsupportedError, match="gives no linear maps"):
        ad.vjp(f, x, 3, method="chad-copower", interpret=True)
