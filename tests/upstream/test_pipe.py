"""`mlir-opt file | mlirad-opt --pipeline=grad | mlir-opt`: gradients of upstream programs, run by MLIR."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.tools import opt
from tests.generators.arguments import random_value
from tests.upstream.mlir_tools import Call, mlir_opt, run
from tests.upstream.test_programs import call_of, converted, functions_of

LOSSES = Path(__file__).parent / "losses.mlir"


def through_mlirad_opt(text: str, *arguments: str) -> str:
    """The output of mlirad-opt for a text on standard input."""
    keyboard, screen = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(text.encode())), (written := io.StringIO())
    try:
        assert opt.main(arguments) == 0
    finally:
        sys.stdin, sys.stdout = keyboard, screen
    return written.getvalue()


@pytest.mark.fuzz
def test_gradients_of_upstream_programs() -> None:
    """In MLIR's runner as forward mode, interpreted, says along a random direction."""
    printed = mlir_opt(LOSSES.read_text())
    names = [f.sym_name.data for f in functions_of(parse_module(printed))]
    reverse = ",".join(f"differentiate{{function={name}}}" for name in names)
    pipe = (f"-p=convert-to-array,{reverse}", "--pipeline=expand", "-p=convert-from-array")
    made = mlir_opt(through_mlirad_opt(printed, *pipe))
    forward = ",".join(f"differentiate{{function={name} mode=forward}}" for name in names)
    tangents = converted(printed, f"convert-to-array,{forward},linearize,apply-linear-maps")
    functions = {f.sym_name.data: f for f in functions_of(parse_module(made))}
    rng = random.Random(0)
    calls: list[Call] = []
    expected: list[tuple[str, Any, Any, Any]] = []
    for name in names:
        function = functions[f"{name}_grad"]
        types = function.function_type.inputs.data
        values = [random_value(t, rng) for t in types]
        direction = random_value(types[0], rng)
        value, tangent = run_function(tangents, [*values, direction], function=f"{name}_jvp")
        calls.append(call_of(function, "", values))
        expected.append((name, value, direction, tangent))
    body = made[made.index("module {") + len("module {") : made.rindex("}")]
    for (name, value, direction, tangent), (found, gradient) in zip(
        expected, run(made[: made.index("module {")] + body, calls), strict=True
    ):
        np.testing.assert_allclose(found, value, rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(np.sum(gradient * direction), tangent, rtol=1e-11, err_msg=name)


def test_a_pipeline_stands_between_conversions() -> None:
    text = "func.func @f(%x: f64) -> f64 {\n  %y = math.sin %x : f64\n  func.return %y : f64\n}"
    made = through_mlirad_opt(text, "--pipeline=grad")
    assert "math.cos" in made and "array." not in made
    assert "array.cos" in through_mlirad_opt(text, "-p=convert-to-array", "--pipeline=grad")
    assert "mlirad_main" in through_mlirad_opt(text, "--emit=llvm")


def test_programs_of_other_dialects_are_printed_where_no_pass_runs() -> None:
    text = "func.func @f(%x: f64) -> f64 {\n  %y = math.sin %x : f64\n  func.return %y : f64\n}"
    printed = through_mlirad_opt(text)
    assert "math.sin" in printed
    assert through_mlirad_opt(printed) == printed


def test_types_alone_say_that_a_program_is_upstream() -> None:
    text = "func.func @f(%x: tensor<f64>) -> tensor<f64> {\n  func.return %x : tensor<f64>\n}"
    assert "func.func @f_grad(%x: f64)" in through_mlirad_opt(text, "--pipeline=grad")


def test_no_pass_takes_what_a_conversion_to_upstream_leaves(monkeypatch, capsys) -> None:
    text = "func.func @f(%x: f64) -> f64 {\n  %y = array.sin %x : f64\n  func.return %y : f64\n}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert opt.main(["-p=convert-from-array,mlirad-cse"]) == 1
    assert "<stdin>:2:8: error: math.sin is not an op of the language" in capsys.readouterr().err


def test_upstream_ops_stand_only_where_a_conversion_reads_them(monkeypatch, capsys) -> None:
    text = "func.func @f(%x: f64) -> f64 {\n  %y = math.sin %x : f64\n  func.return %y : f64\n}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert opt.main(["-p=convert-stablehlo-to-array"]) == 1
    printed = capsys.readouterr().err
    assert "<stdin>:2:8: error: math.sin is not an op of the language" in printed
    assert "convert-to-array" in printed
