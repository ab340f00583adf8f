"""The resources that a program may ask for before it runs: bounds on work and memory, and the options that
raise them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from mlirad.errors import UnsupportedError
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.tools import run
from mlirad.tools.limits import check_work

SCAN = """
func.func @f(%x: f64) -> f64 {
  %y = array.scan %x (%i, %a : f64) {carries = 1, length = LENGTH} : f64 -> f64 {
    %b = array.neg %a : f64
    array.yield %b : f64
  }
  func.return %y : f64
}
"""
BUILD = """
func.func @f(%x: f64) -> f64 {
  %y = array.build (%i) : -> tensor<LENGTHxf64> {
    array.yield %x : f64
  }
  %s = array.sum %y {dims = [0]} : tensor<LENGTHxf64> -> f64
  func.return %s : f64
}
"""
REDUCTION = """
func.func @f(%x: f64) -> f64 {
  %y = kernel.nest %x (%i) {space = [], reduction = [LENGTH], combiners = [add]} : f64 -> f64 {
    %a = kernel.load %x : f64 -> f64
    array.yield %a : f64
  }
  func.return %y : f64
}
"""


def work_allows(text: str, most: int) -> bool:
    """Return whether a program may run."""
    module = parse_module(text)
    verify_module(module)
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    try:
        check_work(module, function, most)
    except UnsupportedError as error:
        assert error.location is not None and "--max-work" in (error.hint or "")
        return False
    return True


@pytest.mark.parametrize("text", [SCAN, BUILD, REDUCTION], ids=["scan", "build", "reduction"])
def test_spaces_are_bounded(text: str) -> None:
    assert work_allows(text.replace("LENGTH", "1000"), 1000)
    assert not work_allows(text.replace("LENGTH", "1001"), 1000)
    assert not work_allows(text.replace("LENGTH", str(2**47)), 2**31)


def test_loops_in_loops_and_calls_multiply() -> None:
    inner = SCAN.replace("@f", "private @g").replace("LENGTH", "100")
    called = SCAN.replace("array.neg %a : f64", "func.call @g(%a) : (f64) -> f64").replace("LENGTH", "30")
    assert work_allows(called + inner, 3000)
    assert not work_allows(called + inner, 2999)
    recursive = SCAN.replace("array.neg %a : f64", "func.call @f(%a) : (f64) -> f64").replace("LENGTH", "30")
    assert work_allows(recursive, 30**3)


@pytest.mark.parametrize("how", [["--interpret"], []], ids=["interpreted", "native"])
def test_the_tool_refuses_and_can_be_told_not_to(
    how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(SCAN.replace("LENGTH", "9223372036854775807"))
    assert run.main([str(path), *how, "--args", "1.0"]) == 1
    assert (
        f"{path}:3:8: error: array.scan: 9223372036854775807 elements or iterations"
        in capsys.readouterr().err
    )
    path.write_text(SCAN.replace("LENGTH", "5"))
    assert run.main([str(path), *how, "--max-work", "4", "--args", "1.0"]) == 1
    assert run.main([str(path), *how, "--max-work", "2**3", "--args", "1.0"]) == 0
    assert capsys.readouterr().out == "-1.0\n"
    path.write_text(BUILD.replace("LENGTH", "5"))
    assert run.main([str(path), *how, "--max-memory", "39", "--args", "1.0"]) == 1
    assert "--max-memory" in capsys.readouterr().err
    assert run.main([str(path), *how, "--max-memory", "40", "--args", "1.0"]) == 0


MAPS = """
func.func @f(%x: f64) -> tensor<LENGTHxf64> {
  %m = linear.build (%i) {extents = [LENGTH]} : -> !linear.map<f64, tensor<LENGTHxf64>> {
    %s = linear.scale %x : f64 -> !linear.map<f64, f64>
    array.yield %s : !linear.map<f64, f64>
  }
  %y = linear.apply %m, %x : !linear.map<f64, tensor<LENGTHxf64>>, f64 -> tensor<LENGTHxf64>
  func.return %y : tensor<LENGTHxf64>
}
"""


def test_maps_that_the_interpreter_keeps_are_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(MAPS.replace("LENGTH", "100"))
    limit = ["--max-memory", "100000", "--args", "1.0"]
    assert run.main([str(path), "--interpret", *limit]) == 1
    what = "the list of 100 maps that the interpreter makes first takes more than 100000 bytes"
    assert f"{path}:3:8: error: linear.build: {what}" in capsys.readouterr().err
    path.write_text(MAPS.replace("LENGTH", "10"))
    assert run.main([str(path), "--interpret", *limit]) == 0


def test_arenas_are_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.mlir"
    planned = REDUCTION.replace("LENGTH", "2").replace("[add]", "[add], places = [-1]")
    path.write_text(
        planned.replace("f64 {", "f64 attributes {kernel.arena_bytes = 1099511627776 : i64} {", 1)
    )
    assert run.main([str(path), "--args", "1.0"]) == 1
    assert "the arena of @f takes more than" in capsys.readouterr().err


def test_a_private_function_can_be_the_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(SCAN.replace("@f", "private @f").replace("LENGTH", "1"))
    for how in (["--pipeline=expand"], ["--interpret"], ["--entry=f"], []):
        assert run.main([str(path), *how, "--args", "1.0"]) == 0
        assert capsys.readouterr().out == "-1.0\n"
