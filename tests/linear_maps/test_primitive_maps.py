"""The tables of primitive maps: complete, and right on random maps, against the interpreter."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from mlirad.dialects import linear
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.linear_maps.apply.control_flow import FORWARD_CONTROL, TRANSPOSED_CONTROL
from mlirad.linear_maps.apply.in_place import IN_PLACE
from mlirad.linear_maps.apply.primitives import FORWARD, TRANSPOSED
from mlirad.linear_maps.transposes import TRANSPOSES
from tests.generators import arguments_for, random_map
from tests.passes.derivatives import function_of, run_passes


@pytest.mark.parametrize(
    "table", [FORWARD, TRANSPOSED, TRANSPOSES], ids=["forward", "transposed", "symbolic"]
)
def test_every_primitive_has_a_line(table) -> None:
    assert set(table) == set(linear.PRIMITIVE_OPS)


def assert_same_images(before: ModuleOp, after: ModuleOp, seed: int) -> None:
    tolerance = 1e-4 if "f32" in str(before) else 1e-10
    for function in ("apply", "apply_transpose"):
        arguments = arguments_for(before, random.Random(seed), function=function)
        expected = run_function(before, arguments, function=function)
        images = run_function(after, arguments, function=function)
        for image, wanted in zip(images, expected, strict=True):
            assert np.asarray(image).dtype == np.asarray(wanted).dtype
            np.testing.assert_allclose(image, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("form", ["spine", "general"])
def test_application_is_the_interpreters(form) -> None:
    for seed in range(60):
        module = random_map(seed, 8, form, functions=seed % 2 == 0)
        applied = run_passes(module.clone(), "apply-linear-maps")
        assert not any(op.name.startswith("linear.") for op in applied.walk())
        assert_same_images(module, applied, seed)


def test_laws_and_symbolic_transposes_keep_the_map() -> None:
    for seed in range(60):
        module = random_map(seed, 8, "general", functions=seed % 2 == 0)
        assert_same_images(module, run_passes(module.clone(), "mlirad-canonicalize"), seed)


def test_every_map_of_control_flow_has_a_line() -> None:
    assert set(FORWARD_CONTROL) == set(TRANSPOSED_CONTROL) == set(linear.CONTROL_OPS)


@pytest.mark.parametrize(
    "op", [*linear.PRIMITIVE_OPS, *linear.CONTROL_OPS, *linear.CODE_OPS], ids=lambda c: c.name
)
def test_every_local_map(op) -> None:
    for seed in range(12):
        module = random_map(seed, only=op)
        applied = run_passes(module.clone(), "apply-linear-maps")
        assert not any(o.name.startswith("linear.") for o in applied.walk())
        assert_same_images(module, applied, seed)


@pytest.mark.parametrize("op", linear.PRIMITIVE_OPS, ids=lambda c: c.name)
def test_every_symbolic_transpose(op) -> None:
    for seed in range(12):
        module = random_map(seed, only=op)
        symbolic = module.clone()
        for application in [o for o in symbolic.walk() if isinstance(o, linear.ApplyTransposeOp)]:
            type_ = linear.map_type(application.map.type, "map")
            transposed = linear.TransposeOp.create(
                operands=[application.map], result_types=[linear.MapType(type_.codomain, type_.domain)]
            )
            apply = linear.ApplyOp.create(
                operands=[transposed.result, *application.arguments],
                result_types=[image.type for image in application.images],
            )
            Rewriter.replace_op(application, [transposed, apply])
        canonical = run_passes(symbolic, "mlirad-canonicalize")
        transposed = [o.operand.owner for o in canonical.walk() if isinstance(o, linear.TransposeOp)]
        assert not any(isinstance(o, linear.PrimitiveMapOp) for o in transposed)
        assert_same_images(module, canonical, seed)


READS = """
func.func @f(%x: {a}, %k: tensor<2xi64>, %i: i64, %ct: {t}) -> {a} {{
  %m = {op}
  %e = linear.identity : -> {m}<{a}, {a}>
  %p = linear.vcat %m, %e : {m}<{a}, {t}>, {m}<{a}, {a}> -> {m}<{a}, tuple<{t}, {a}>>
  %g = linear.apply_transpose %p, %ct, %x : {m}<{a}, tuple<{t}, {a}>>, {t}, {a} -> {a}
  func.return %g : {a}
}}
"""


@pytest.mark.parametrize(
    ("op", "t"),
    [
        ("linear.index [%i] : -> !linear.map<tensor<64x3xf64>, tensor<3xf64>>", "tensor<3xf64>"),
        (
            "linear.slice {starts = [3, 1], limits = [40, 3], strides = [9, 1]} : "
            "-> !linear.map<tensor<64x3xf64>, tensor<5x2xf64>>",
            "tensor<5x2xf64>",
        ),
        (
            "linear.gather (%n) : -> !linear.map<tensor<64x3xf64>, tensor<2x3xf64>> {\n"
            "%j = array.index %k[%n] : tensor<2xi64> -> i64\narray.yield %j : i64\n}",
            "tensor<2x3xf64>",
        ),
    ],
    ids=["index", "slice", "gather"],
)
def test_reads_accumulate_in_place(op, t) -> None:
    assert set(IN_PLACE) <= set(linear.PRIMITIVE_OPS)
    module = parse_module(READS.format(op=op, t=t, a="tensor<64x3xf64>", m="!linear.map"))
    verify_module(module)
    applied = run_passes(module.clone(), "apply-linear-maps")
    names = [op.name for op in function_of(applied, "f").body.block.ops]
    assert names == ["array.update", "func.return"]
    rng = np.random.default_rng(0)
    shape = tuple(int(e) for e in t.split("<")[1].split("xf")[0].split("x"))
    arguments = [rng.normal(size=(64, 3)), np.array([5, 5]), 99, rng.normal(size=shape)]
    np.testing.assert_allclose(run_function(applied, arguments)[0], run_function(module, arguments)[0])
