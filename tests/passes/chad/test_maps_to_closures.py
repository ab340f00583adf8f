"""The pass `maps-to-closures`: machine code computes what the interpreter finds, and is linear in size."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects import linear
from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.passes.maps_to_closures import maps_to_closures
from mlirad.pipelines import expansion
from tests.generators import arguments_for, higher_order_programs, random_higher_order, random_program
from tests.passes.chad.compiled import FAMILIES, NAMES, check, expanded, native, sizes, with_tangents
from tests.passes.chad.programs import CLOSURE, HEAD, gradients, program
from tests.passes.derivatives import run_passes
from tests.passes.growing import COMPOSED, PROGRAMS, Growing


@pytest.mark.parametrize("mode", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_random_higher_order_programs(seed: int, mode: str) -> None:
    module = random_higher_order(seed, 12)
    arguments = arguments_for(module, random.Random(seed))
    check(module, with_tangents(module, arguments, seed) if mode == "forward" else arguments, mode)


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None)
@given(higher_order_programs(max_size=40), st.sampled_from(list(NAMES)))
def test_any_higher_order_programs(module: ModuleOp, mode: str) -> None:
    arguments = arguments_for(module, random.Random(1))
    check(module, with_tangents(module, arguments, 1) if mode == "forward" else arguments, mode)


@pytest.mark.parametrize("seed", range(4))
def test_random_first_order_programs(seed: int) -> None:
    module = random_program(seed, 6, True)
    arguments = arguments_for(module, random.Random(seed))
    check(module, with_tangents(module, arguments, seed), "forward")


@pytest.mark.parametrize("mode", NAMES)
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda p: p.name)
def test_closures_that_hold_their_own_kind(source: Growing, mode: str) -> None:
    module, arguments = source.module(6), [np.float64(0.7), np.linspace(0.6, 1.3, 6)]
    check(module, with_tangents(module, arguments, 1) if mode == "forward" else arguments, mode)


def test_collections_of_any_length() -> None:
    """A fold is a loop: calls may be 4000 deep, and pairs more."""
    text = (
        HEAD
        + """
  %f = function.lambda (%z : f64) : -> CLOSURE {
    %a = array.mul %z, %x : f64
    %b = array.sin %a : f64
    array.yield %b : f64
  }
  %y = array.build (%i) : -> tensor<6000xf64> {
    %a = array.convert %i : i64 -> f64
    %d = function.apply %f, %a : CLOSURE, f64 -> f64
    array.yield %d : f64
  }
  %r = array.sum %y {dims = [0]} : tensor<6000xf64> -> f64
  func.return %r : f64
}"""
    )
    module, arguments = program(text), [np.float64(1.1), np.zeros(3), 0]
    found = native(expanded(module, "reverse"), "main_grad", arguments)
    expected = native(expanded(module, "reverse", "chad"), "main_grad", arguments)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9)


def test_transposes_of_maps_that_are_values() -> None:
    """Transposes by the images of a basis: of scalars, matrices and several of both."""
    text = """
func.func @main(%p: i1, %k: f64, %x: f64, %a: tensor<2x3xf64>, %y: f64, %b: tensor<2x3xf64>)
    -> (f64, tensor<2x3xf64>, f64, tensor<2x3xf64>) {
  %m = array.if %p : i1 -> MAP {
    %m = linear.lambda (%dx : f64, %da : tensor<2x3xf64>) : -> MAP {
      %s = array.sum %da {dims = [0, 1]} : tensor<2x3xf64> -> f64
      %t = array.mul %k, %s : f64
      %u = array.add %t, %dx : f64
      %v = array.broadcast %dx {dims = []} : f64 -> tensor<2x3xf64>
      array.yield %u, %v : f64, tensor<2x3xf64>
    }
    array.yield %m : MAP
  } else {
    %m = linear.identity : -> MAP
    array.yield %m : MAP
  }
  %u, %v = linear.apply %m, %x, %a : MAP, f64, tensor<2x3xf64> -> (f64, tensor<2x3xf64>)
  %w, %z = linear.apply_transpose %m, %y, %b : MAP, f64, tensor<2x3xf64> -> (f64, tensor<2x3xf64>)
  func.return %u, %v, %w, %z : f64, tensor<2x3xf64>, f64, tensor<2x3xf64>
}""".replace("MAP", "!linear.map<tuple<f64, tensor<2x3xf64>>, tuple<f64, tensor<2x3xf64>>>")
    module = parse_module(text)
    rng = np.random.default_rng(3)
    for chosen in (True, False):
        a, b = rng.normal(size=(2, 2, 3))
        arguments = [np.bool_(chosen), 2.0, 3.0, a, 5.0, b]
        expected = run_function(module, arguments, function="main")
        found = native(run_passes(module, ",".join(expansion())), "main", arguments)
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-12)


def test_what_has_no_transpose_as_a_closure() -> None:
    text = """
func.func private @f(%m: !linear.map<!linear.power<f64, f64>, f64>, %w: f64)
    -> !linear.map<f64, !linear.copower<f64, f64>> {
  %t = linear.transpose %m
      : !linear.map<!linear.power<f64, f64>, f64> -> !linear.map<f64, !linear.copower<f64, f64>>
  func.return %t : !linear.map<f64, !linear.copower<f64, f64>>
}"""
    with pytest.raises(UnsupportedError, match=r"the transpose of a map from .* that is a value"):
        maps_to_closures(parse_module(text))


def test_rules_are_applied_in_their_direction() -> None:
    @ad.custom_derivative
    def f(x: Any) -> Any:
        return x * x

    @f.transposed_rule
    def rule(x: Any) -> Any:
        def image(ct: Any) -> Any:
            return np.clip(2 * x * ct, -1, 1)

        return image

    def chosen(x: Any) -> Any:
        def scaled(z: Any) -> Any:
            return f(z) * x

        return ad.cond(x > 1, lambda: ad.lambda_(f), lambda: ad.lambda_(scaled))(x)

    for x in (0.3, 2.0):
        assert ad.grad(chosen, method="chad-copower")(x) == pytest.approx(ad.grad(chosen)(x), rel=1e-12)
    with pytest.raises(ad.DifferentiationError, match="the rule is not linear"):
        ad.jvp(chosen, (2.0,), (1.0,), method="chad-copower")


# Sizes and costs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_text_is_linear_in_the_program(family: str) -> None:
    *_, fewer, some, many = sizes(family, "chad-copower")
    assert many - some < 2.7 * (some - fewer)


def test_a_composition_costs_its_square() -> None:
    """Functions run again for every collection, as the paper has it, interpreted and compiled alike."""
    for n in (5, 10, 20, 40):
        arguments = [np.float64(0.7), np.linspace(0.6, 1.3, n)]
        specified = gradients(COMPOSED.module(n), "chad")
        for code in (specified, expanded(COMPOSED.module(n), "reverse")):
            counter = OperationCounter()
            run_function(code, arguments, function="main_grad", counter=counter)
            assert counter.by_op["array.sin"] == n * (n + 3) // 2
            assert counter.total < 20 * n**2 + 500 * n


def test_no_map_is_left() -> None:
    module = gradients(random_higher_order(2, 12), "chad,maps-to-closures")
    ops = (linear.MapOp, *linear.VALUE_OPS, *linear.ELEMENT_OPS)
    assert not any(isinstance(op, ops) for op in module.walk())
    assert CLOSURE.split("<")[0] in str(module)


def test_what_is_of_first_order_stays() -> None:
    module = gradients(parse_module("func.func @main(%x: f64) -> f64 {\n func.return %x : f64\n}"), "chad")
    functions = [op for op in module.walk() if isinstance(op, FuncOp)]
    assert functions
    assert str(run_passes(module, "maps-to-closures")) == str(module)
