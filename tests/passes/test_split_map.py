"""A function with its derivative, split: values, residuals, and a map of these that means what it meant."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import ints, is_float, product_type, shape_of, tangent_type
from mlirad.errors import DifferentiationError, MliradError
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.split_map import SplitMap, split_map
from tests.generators import arguments_for, random_program
from tests.passes.derivatives import differentiated, drawn, function_of, run_passes


def with_map(text: str | ModuleOp, wrt: tuple[int, ...]) -> ModuleOp:
    """The module with a function @whole that returns the results of @main and its derivative."""
    module = parse_module(text) if isinstance(text, str) else text.clone()
    main = function_of(module, "main")
    inputs, outputs = main.function_type.inputs.data, main.function_type.outputs.data
    domain = product_type([inputs[k] for k in wrt])
    codomain = product_type([tangent_type(t) for t in outputs])

    def body(b: ArrayBuilder, *args: Any) -> list[Any]:
        types = [*outputs, linear.MapType(domain, codomain)]
        properties = {"callee": SymbolRefAttr("main"), "wrt": ints(wrt)}
        return list(b.insert(linear.LinearizeOp, args, types, properties).results)

    module.body.block.add_op(new_function("whole", inputs, body))
    return run_passes(module, "linearize")


def using(split: SplitMap) -> FuncOp:
    """A function of residuals, tangents and cotangents that applies the map both ways."""
    map_type = function_block(split.map).last_op.operands[0].type
    domain, codomain = linear.carried(map_type.domain), linear.carried(map_type.codomain)
    residuals = list(split.map.function_type.inputs.data)

    def body(b: ArrayBuilder, *args: Any) -> list[Any]:
        (map_,) = b.inline_block(function_block(split.map), args[: len(residuals)], {})
        tangents = args[len(residuals) : len(residuals) + len(domain)]
        cotangents = args[len(residuals) + len(domain) :]
        forward = b.insert(linear.ApplyOp, [map_, *tangents], codomain).results
        return [*forward, *b.insert(linear.ApplyTransposeOp, [map_, *cotangents], domain).results]

    return new_function("use", [*residuals, *domain, *codomain], body)


def residuals_at(split: SplitMap, point: list[Any]) -> tuple[list[Any], list[Any]]:
    """The values and the residuals."""
    made = run_function(ModuleOp([split.primal.clone()]), point, function="primal")
    rest = iter(made[split.values :])
    return list(made[: split.values]), [next(rest) if k is None else point[k] for k in split.kept]


def check(text: str | ModuleOp, point: list[Any]) -> SplitMap:
    """Split, and compare both applications with those that are made without."""
    source = parse_module(text) if isinstance(text, str) else text
    type_ = function_of(source, "main").function_type
    wrt = tuple(k for k, t in enumerate(type_.inputs.data) if is_float(t))
    split = split_map(function_of(with_map(source, wrt), "whole"))
    verify_module(ModuleOp([split.primal.clone(), split.map.clone()]))
    values, residuals = residuals_at(split, point)
    rng = np.random.default_rng(0)
    tangents = drawn([type_.inputs.data[k] for k in wrt], rng)
    floats = [t for t in type_.outputs.data if is_float(t)]
    cotangents = drawn(floats, rng)
    found = run_function(ModuleOp([using(split)]), [*residuals, *tangents, *cotangents], function="use")
    module = differentiated(source, "main", wrt, "forward", "reverse")
    count = len(type_.outputs.data)
    ahead = run_function(module, [*point, *tangents], function="main_jvp")
    seeds = [] if not shape_of(floats[0]) and len(floats) == 1 == count else cotangents
    behind = run_function(module, [*point, *seeds], function="main_grad")[count:]
    scale = 1.0 if seeds else cotangents[0]
    expected = [*ahead[count:], *(scale * b for b in behind)]
    for a, b in zip(values, ahead[:count], strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * (1 + np.max(np.abs(b), initial=0)))
    return split


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    program = random_program(2000 + seed, 4 + seed % 9, smooth=True, straight=seed % 2 == 0)
    if any(isinstance(op, BuildOp) for op in program.walk()):
        run_passes(program, "bulk-operations")
    try:
        check(program, arguments_for(program, random.Random(seed)))
    except DifferentiationError as error:
        assert "transposed derivative of a while loop" in str(error)


def test_a_chain_of_elementwise_ops_keeps_one_array() -> None:
    lines, value = [], "%x"
    for n in range(12):
        lines.append(f"%y{n} = array.{('sin', 'exp', 'tanh')[n % 3]} {value} : tensor<5xf64>")
        value = f"%y{n}"
    split = check(
        f"func.func @main(%x: tensor<5xf64>) -> tensor<5xf64> {{ {chr(10).join(lines)}\n"
        f"func.return {value} : tensor<5xf64> }}",
        [np.linspace(-1, 1, 5)],
    )
    assert split.kept == (None,)


def test_parameters_are_kept_where_they_are_and_cheap_values_made_again() -> None:
    split = check(
        """func.func @main(%x: tensor<3xf64>, %s: f64, %n: i64) -> (tensor<3xf64>, i64, tensor<3xf64>) {
      %b = array.broadcast %s {dims = []} : f64 -> tensor<3xf64>
      %y = array.mul %x, %b : tensor<3xf64>
      %m = array.neg %b : tensor<3xf64>
      %z = array.mul %y, %m : tensor<3xf64>
      func.return %y, %n, %z : tensor<3xf64>, i64, tensor<3xf64> }""",
        [np.array([1.0, 2.0, 3.0]), 2.0, 7],
    )
    assert split.kept[:2] == (0, 1)
    assert [shape_of(t) for t in split.map.function_type.inputs.data] == [(3,), (), (3,)]


def test_a_loop_whose_record_cannot_be_kept_runs_again() -> None:
    text = """func.func @main(%x: f64) -> f64 {
      %r = array.while %x (%c : f64) : f64 -> f64 {
        %l = array.constant 100.0 : f64
        %p = array.compare lt %c, %l : f64, f64 -> i1
        array.yield %p : i1
      } do (%c : f64) {
        %q = array.mul %c, %c : f64
        array.yield %q : f64
      }
      func.return %r : f64 }"""
    split = check(text, [2.0])
    assert split.kept == (0,)
    assert "array.while" in str(split.map)


def test_maps_that_are_not_known_are_not_split() -> None:
    module = parse_module("""func.func @f(%x: f64) -> (f64, !linear.map<f64, f64>) {
      %y, %d = linear.linearize %x {callee = @g, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
      func.return %y, %d : f64, !linear.map<f64, f64> }
    func.func @g(%x: f64) -> f64 { func.return %x : f64 }""")
    with pytest.raises(MliradError, match=r"made by linear\.linearize"):
        split_map(function_of(module, "f"))
