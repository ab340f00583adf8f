"""The method `chad`: agreement with the others, functions that stay functions, what its sweeps cost."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects import linear
from mlirad.dialects.array.control import ReplayOp
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import expansion
from tests.generators import arguments_for, random_program
from tests.passes import derivatives
from tests.passes.derivatives import drawn, float_arguments, function_of, run_passes
from tests.passes.test_jacobian import (
    IN_LOOPS,
    RECURSIVE,
    called_by_main,
    calls,
    chain_of_functions,
    check_agreement,
    differentiated,
    functions_in,
    ops_in,
    results_of,
)

CHAD = (
    "mlirad-inline{builds=true},bulk-operations,linearize{method=chad},apply-linear-maps,mlirad-inline,"
    "outline-derivatives,mlirad-canonicalize,mlirad-dce"
)
CALLED = "linearize{method=chad},apply-linear-maps,outline-derivatives,mlirad-canonicalize,mlirad-dce"


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    module = random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp)
    check_agreement(module, arguments_for(module, random.Random(seed)), "main", CHAD)


@pytest.mark.parametrize("seed", range(100, 105))
def test_random_programs_that_are_called(seed: int) -> None:
    module = called_by_main(random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp))
    check_agreement(module, arguments_for(module, random.Random(seed), function="f"), "f", CHAD)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("inner", "outer"), [("chad", "chad"), ("chad", "dual-arrays"), ("dual-arrays", "chad")]
)
def test_second_derivatives_by_one_method_over_another(seed: int, inner: str, outer: str) -> None:
    """Forward over reverse, the first derivative as array code before it is differentiated again."""
    module = called_by_main(random_program(seed, 8, smooth=True, straight=True))
    arguments = arguments_for(module, random.Random(seed), function="f")
    names = ",".join(map(str, float_arguments(module, "f")))
    found: list[Any] = []
    for first, second in ((inner, outer), ("dual-arrays", "dual-arrays")):
        by = ",".join([f"differentiate{{function=f wrt={names}}}", *expansion(first)])
        module_ = run_passes(module.clone(), by)
        more = ",".join(map(str, float_arguments(module_, "f_grad")))
        by = ",".join([f"differentiate{{function=f_grad wrt={more} mode=forward}}", *expansion(second)])
        module_ = run_passes(module_, by)
        types = function_of(module_, "f_grad_jvp").function_type.inputs.data
        vectors = drawn(list(types[len(arguments) :]), np.random.default_rng(0))
        found.append(run_function(module_, [*arguments, *vectors], function="f_grad_jvp"))
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8 * float(np.max(np.abs(y), initial=0.0)))


def test_forward_derivatives_inside_of_what_is_differentiated() -> None:
    """When the operator is met again, its function has been replaced in the module."""

    def slope(x: Any) -> Any:
        return ad.jvp(lambda y: np.tanh(y * x), (x,), (1.0,))[1] * x

    found, expected = (
        ad.grad(slope, method=method, interpret=True)(0.7) for method in ("chad", "dual-arrays")
    )
    assert found == pytest.approx(expected, rel=1e-12)


# Functions that are called ---------------------------------------------------------------------------


def test_a_function_that_is_called_often_is_differentiated_once() -> None:
    made = functions_in(differentiated(calls(5), "f", (0,), CALLED))
    assert sorted(n for n in made if n.startswith("g_")) == ["g_bwd", "g_fwd", "g_jvp"]


def test_nested_calls_take_code_in_proportion() -> None:
    """Also where the residuals of all calls are too many to be handed over."""
    called = [ops_in(differentiated(chain_of_functions(n), "f", (0,), CALLED)) for n in (4, 8, 16)]
    assert called[1] <= 2.2 * called[0]
    assert called[2] <= 2.2 * called[1]


@pytest.mark.parametrize("function", ["scan", "while", "if", "checkpoint", "build"])
@pytest.mark.parametrize("x", [0.7, -0.4])
def test_calls_in_regions(function: str, x: float) -> None:
    arguments = [x, np.array([0.5, -1.5, 2.0])]
    module = parse_module(IN_LOOPS)
    inline = "mlirad-inline," + derivatives.EXPAND
    expected = results_of(differentiated(module, function, (0, 1), inline), function, arguments)
    found = results_of(differentiated(module, function, (0, 1), CHAD), function, arguments)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_recursive_functions() -> None:
    module = differentiated(parse_module(RECURSIVE), "f", (0,), CALLED)
    value, slope = run_function(module, [0.7, 4], function="f_grad")
    assert value == pytest.approx(np.sin(0.7) ** 4)
    assert slope == pytest.approx(4 * np.sin(0.7) ** 3 * np.cos(0.7))
    assert run_function(module, [0.7, 4, 2.0], function="f_jvp")[1] == pytest.approx(2 * slope)


def test_an_argument_that_is_given_twice_has_both_cotangents() -> None:
    module = parse_module(
        """func.func private @g(%a: tensor<4xf64>, %b: tensor<4xf64>) -> (f64, tensor<4xf64>) {
          %zero = array.constant 0 : i64
          %x = array.index %a[%zero] : tensor<4xf64> -> f64
          %y = array.mul %a, %b : tensor<4xf64>
          func.return %x, %y : f64, tensor<4xf64>
        }
        func.func @f(%a: tensor<4xf64>) -> (f64, tensor<4xf64>, tensor<4xf64>) {
          %x, %y = func.call @g(%a, %a) : (tensor<4xf64>, tensor<4xf64>) -> (f64, tensor<4xf64>)
          func.return %x, %y, %y : f64, tensor<4xf64>, tensor<4xf64>
        }"""
    )
    check_agreement(module, [np.array([0.5, -1.5, 2.0, 1.0])], "f", CALLED)


def test_sweeps_compose_no_maps() -> None:
    """Between maps of recorded calls at the operator and array code there is nothing."""
    module = run_passes(parse_module(IN_LOOPS), "differentiate{function=scan wrt=0,1},linearize{method=chad}")
    for function in functions_in(module):
        maps = [op for op in function_of(module, function).walk() if isinstance(op, linear.MapOp)]
        assert not maps or function == "scan_grad"
