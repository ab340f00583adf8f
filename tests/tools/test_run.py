"""`mlirad-run`: arguments, results, files, errors; by the interpreter and as native code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlirad.tools import run

PROGRAM = """
func.func @main(%x: f64, %y: tensor<3xf64>) -> f64 {
  %s = array.sum %y {dims = [0]} : tensor<3xf64> -> f64
  %r = array.mul %x, %s : f64
  func.return %r : f64
}
func.func @several(%x: tensor<2x2xf32>, %n: i64, %b: i1) -> (tensor<2x2xf32>, i64, i1) {
  func.return %x, %n, %b : tensor<2x2xf32>, i64, i1
}
func.func @huge(%x: f64) -> tensor<99999999999xf64> {
  %y = array.broadcast %x {dims = []} : f64 -> tensor<99999999999xf64>
  func.return %y : tensor<99999999999xf64>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.mlir"
    text, _, _ = PROGRAM.partition("func.func @huge")
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("how", [["--interpret"], []], ids=["interpreted", "native"])
def test_results_are_printed(how: list[str], program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([program, *how, "--args", "2.5", "[1, 2.0, 3e0]"]) == 0
    assert capsys.readouterr().out == "15.0\n"
    assert run.main([program, *how, "--args", "-inf", "ones(3)"]) == 0
    assert capsys.readouterr().out == "-inf\n"
    arguments = ["--args", "[[1, 0.1], [-1e5, nan]]", "-3", "true"]
    assert run.main([program, "--entry", "several", *arguments, *how]) == 0
    assert capsys.readouterr().out == "[[ 1.e+00  1.e-01]\n [-1.e+05     nan]]\n-3\nTrue\n"


def test_results_go_into_files(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "y.npy", np.arange(3.0))
    out = str(tmp_path / "out.npy")
    assert run.main([program, "--interpret", "--args", "2", str(tmp_path / "y.npy"), "-o", out]) == 0
    assert np.load(out) == 6.0
    arguments = ["--entry=several", "--interpret", "--args", "iota", "7", "false"]
    assert run.main([program, *arguments, "-o", str(tmp_path / "out.npz")]) == 0
    stored = np.load(tmp_path / "out.npz")
    np.testing.assert_array_equal(stored["result0"], np.arange(4, dtype=np.float32).reshape(2, 2))
    assert (stored["result1"], stored["result2"]) == (7, False)
    assert run.main([program, *arguments, "-o", out]) == 1
    assert "3 results do not go into" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--args", "2.5"],
            "error: @main takes 2 arguments, got 1\nnote: their types are f64, tensor<3xf64>",
        ),
        (["--args", "2.5", "[1, 2]"], "argument 1 of @main: has shape [2], tensor<3xf64> was expected"),
        (["--args", "2.5", "zeros(4)"], "does not write an array of type tensor<3xf64>"),
        (["--args", "true", "zeros"], "argument 0 of @main: holds bool, f64 was expected"),
        (["--args", "[[[", "zeros"], "argument 0 of @main: cannot read '[[['"),
        (["--args", "[" * 100_000, "zeros"], "argument 0 of @main: cannot read"),
        (["--args", '"text"', "zeros"], "does not hold numbers or booleans"),
        (["--args", "9" * 5000, "zeros"], "argument 0 of @main"),
        (["--args", "1", "missing.npy"], "cannot read missing.npy: No such file or directory"),
        (["--entry", "other"], "there is no function @other"),
        (["--entry", "several", "--args", "full(2)", "1.5", "true"], "argument 1 of @several: holds float64"),
        (
            ["--entry", "several", "--args", "random", "99999999999999999999", "true"],
            "argument 1 of @several",
        ),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main([program, "--interpret", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "internal error" not in error


def test_files_that_are_no_arrays(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "y.npy"
    for data in (b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff{'descr'", b"text" * 10):
        path.write_bytes(data)
        assert run.main([program, "--interpret", "--args", "1", str(path)]) == 1
        assert "is not a file in NumPy's format" in capsys.readouterr().err
    np.save(path, np.array([{}, {}, {}], dtype=object), allow_pickle=True)
    assert run.main([program, "--interpret", "--args", "1", str(path)]) == 1
    assert "is not a file in NumPy's format" in capsys.readouterr().err


def test_more_memory_than_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "huge.mlir"
    path.write_text(PROGRAM.partition("func.func @several")[2].partition("}\n")[2])
    assert run.main([str(path), "--interpret", "--args", "1"]) == 1
    error = capsys.readouterr().err
    assert f"{path}:2:8: error: array.broadcast: tensor<99999999999xf64> takes more than" in error


def test_passes_run_before(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-p", "mlirad-canonicalize,mlirad-cse", "--pipeline=simplify"]
    assert run.main([program, "--interpret", *options, "--args", "2", "ones"]) == 0
    assert capsys.readouterr().out == "6.0\n"


KERNEL = """
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %a = kernel.nest %x (%i) {space = [3], reduction = []} : tensor<3xf64> -> tensor<3xf64> {
    %k = array.constant DISTANCE : i64
    %j = array.add %i, %k : i64
    %v = kernel.load %x[%j] : tensor<3xf64> -> f64
    array.yield %v : f64
  }
  func.return %a : tensor<3xf64>
}
"""


@pytest.mark.parametrize("distance", [0, 1, -1, 10**15])
def test_kernels_written_by_hand_touch_their_buffers_alone(
    distance: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kernel.mlir"
    path.write_text(KERNEL.replace("DISTANCE", str(distance)))
    assert run.main([str(path), "--args", "iota"]) == (1 if distance else 0)
    out, error = capsys.readouterr()
    if distance:
        assert "kernel.mlir:2:1: error: the kernels of @f touch memory outside of their buffers" in error
    else:
        assert out == "[0. 1. 2.]\n"
