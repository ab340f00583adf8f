"""Instructions for processors that lack some: targets are given, and code is read."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from mlirad.jit import engine
from mlirad.jit.target import Target, file_target, find_target
from mlirad.lower.cpu.complete_schedules import complete_in_place
from mlirad.lower.cpu.emit import emit_program
from mlirad.lower.llvm.elementary import emit
from mlirad.lower.llvm.text import Kind, ModuleText, Parameter
from tests.lower.emission import TYPES, compiled, parsed, tensor

ARM = "aarch64-unknown-linux-gnu"


def assembly(name: str, kind: Kind, width: int, target: Target) -> str:
    """The assembly of an elementary function of vectors."""
    module = ModuleText(instructions=target.instructions)
    f = module.function("test", [Parameter("x", kind, width)], kind, width, linkage="")
    f.ret(emit(f, name, f.arguments))
    return engine.assembly(module.text(), target)


def largest(combiner: str, dtype: str, size: int) -> str:
    """The extremum of a vector, by lanes."""
    x, kind = tensor((size,), dtype), TYPES[dtype]
    return f"""
func.func @main(%x: {x}) -> {kind} {{
  %z = kernel.nest %x (%i) {{space = [], reduction = [{size}], combiners = [{combiner}], lane = 0}}
    : {x} -> {kind} {{
    %a = kernel.load %x[%i] : {x} -> {kind}
    array.yield %a : {kind}
  }}
  func.return %z : {kind}
}}"""


def mnemonics(code: str) -> list[str]:
    return re.findall(r"^\t([a-z]\w*)", code, re.MULTILINE)


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "tanh", "logistic", "sin", "cos", "erf"])
def test_functions_without_fused_products_take_little_more_arithmetic(name: str) -> None:
    def arithmetic(features: str) -> int:
        code = mnemonics(assembly(name, "double", 2, find_target(features)))
        return sum(bool(re.fullmatch(r"v?(mul|add|sub|div|fn?m(add|sub)\d+)pd", word)) for word in code)

    # A fused product is two operations.
    assert arithmetic("x86-64-v2") <= 2.2 * arithmetic("x86-64-v3")


@pytest.mark.parametrize("features", ["x86-64-v3", "x86-64-v2", "baseline"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("combiner", ["max", "min"])
def test_extrema_find_nan_anywhere(combiner: str, dtype: str, features: str) -> None:
    random, size = np.random.default_rng(0), 45
    native = compiled(largest(combiner, dtype, size), features=features)[2]
    placed: list[Sequence[int]] = [(), (0,), (size - 1,), (size // 2,), (3, 17, 44)]
    for number in (np.nan, np.inf, -np.inf):
        for places in placed:
            x = random.normal(size=size).astype(dtype)
            x[list(places)] = number
            np.testing.assert_array_equal(native(x)[0], getattr(np, combiner)(x))


@pytest.mark.parametrize("combiner", ["max", "min"])
def test_extrema_of_x86_put_a_nan_in_by_a_mask(combiner: str) -> None:
    target = find_target("x86-64-v3")
    function = parsed(largest(combiner, "float64", 1024))
    complete_in_place(function, vector_bytes=target.vector_bytes)
    text = emit_program(function, instructions=target.instructions).llvm
    body = next(part for part in text.split("\n\n") if "phi <4 x double>" in part)
    loop = body[body.index("phi <4 x double>") : body.index("br i1")]
    assert "@llvm" not in loop
    assert loop.count("select") == loop.count("fcmp uno") == loop.count("load <4 x double>")


@pytest.mark.parametrize("kind", ["double", "float"])
def test_limits_are_one_instruction_where_that_keeps_nan(kind: Kind) -> None:
    arm = mnemonics(assembly("exp", kind, 2 if kind == "double" else 4, file_target(ARM, cpu="cortex-a76")))
    assert "fmin" in arm and "fmax" in arm
    assert not {"fcmgt", "bsl", "bit", "bif"} & set(arm)
