"""The command line of `mlirad-opt`, in process; `lit/tools` runs it as a program."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest

from mlirad.pipeline_options import ALL_METHODS, SPECIFICATIONS
from mlirad.tools import opt
from mlirad.tools.run import main as run_main

INPUTS = Path(__file__).parents[2] / "lit" / "tools" / "Inputs"
DOUBLE, GRADIENT = str(INPUTS / "double.mlir"), str(INPUTS / "gradient.mlir")

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str, code: int = 0) -> tuple[str, str]:
    """Standard output and standard error, after checking the exit code."""
    assert opt.main(arguments) == code
    return capsys.readouterr()


@pytest.mark.parametrize("arguments", [["-"], []])
def test_standard_input(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stream = io.TextIOWrapper(io.BytesIO(Path(DOUBLE).read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    out, _ = run(capsys, "--print-debuginfo", *arguments)
    assert '%y = array.add %x, %x : f64 loc("<stdin>":2:8)' in out
    assert 'func.return %y : f64 loc("model.py":7:0)' in out


def test_output_file(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.mlir"
    assert run(capsys, DOUBLE, "-o", str(path)) == ("", "")
    assert "%y = array.add %x, %x : f64" in path.read_text()
    _, error = run(capsys, DOUBLE, "-o", str(tmp_path), code=1)
    assert error.startswith(f"error: cannot write {tmp_path}")


def test_locations_survive_a_round_iteration(tmp_path: Path, capsys: Capture) -> None:
    first, _ = run(capsys, DOUBLE, "--print-debuginfo")
    path = tmp_path / "again.mlir"
    path.write_text(first)
    # A location that was unknown is now one in the second text.
    again = run(capsys, str(path), "--print-debuginfo")[0]
    assert re.findall(r"array.add.*", again) == re.findall(r"array.add.*", first)
    assert re.findall(r"func.return.*", again) == re.findall(r"func.return.*", first)


def test_generic_syntax(capsys: Capture) -> None:
    out, _ = run(capsys, "--emit=generic", DOUBLE)
    assert '%y = "array.add"(%x, %x) : (f64, f64) -> f64' in out


def test_parts(tmp_path: Path, capsys: Capture) -> None:
    out, _ = run(capsys, "--split-input-file", str(INPUTS / "parts.mlir"))
    assert out.split("// -----\n")[1].count("func.func @second()") == 1
    path = tmp_path / "parts.mlir"
    path.write_text("func.func @f() {\n  func.return\n}\n// -----\n?\n// -----\n\n%x = ?\n")
    out, error = run(capsys, "--split-input-file", str(path), code=1)
    assert "func.func @f()" in out
    assert re.findall(r":(\d+):\d+: error", error) == ["5", "8"]
    _, error = run(capsys, "--split-input-file", "--emit=object", str(INPUTS / "parts.mlir"), code=1)
    assert "an object file is made of one module" in error


def test_an_error_shows_its_line(capsys: Capture) -> None:
    path = INPUTS / "wrong.mlir"
    _, error = run(capsys, str(path), code=1)
    assert error.splitlines() == [
        f"{path}:2:8: error: array.add: operands must have one type, got f64 and f32; "
        "broadcast or convert one of them",
        "  %y = array.add %x, %z : f64, f32 -> f64",
        "       ^",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.mlir"], "error: cannot read missing.mlir: No such file or directory"),
        (
            ["-p", "nothing", DOUBLE],
            "error: there is no pass 'nothing'\nnote: there are mlirad-canonicalize,",
        ),
        (["--pipeline=nothing", DOUBLE], "error: there is no pipeline 'nothing'"),
        (["-p", "mlirad-cse{", DOUBLE], "error: cannot read the list of passes 'mlirad-cse{'"),
        (["-p", "mlirad-cse{a=1}", DOUBLE], "error: pass 'mlirad-cse': "),
        (["--print-ir-after=nothing", DOUBLE], "error: there is no pass 'nothing' to print around"),
        (
            ["--emit=llvm", "--entry=g", DOUBLE],
            "error: there is no function @g\nnote: the module defines @double",
        ),
        ([str(INPUTS / "unregistered.mlir")], ":2:18: error: Operation other.op is not registered"),
    ],
)
def test_wrong_command_lines(arguments: list[str], message: str, capsys: Capture) -> None:
    assert message in run(capsys, *arguments, code=1)[1]


def test_unregistered_dialects(capsys: Capture) -> None:
    out, _ = run(capsys, "--allow-unregistered-dialect", str(INPUTS / "unregistered.mlir"))
    assert re.search(r'%y = "other.op"\(%x\) .*: \(f64\) -> f64', out)


def test_printing_around_passes(capsys: Capture) -> None:
    grad = "--pipeline=grad{function=f wrt=0}"
    out, error = run(capsys, grad, "--print-ir-before=linearize", "--print-ir-after=linearize", GRADIENT)
    assert "linear." not in out
    before, after = error.split("// -----// IR Dump After linearize")
    assert before.startswith("// -----// IR Dump Before linearize")
    assert "linear.linearize %x {callee = @f, wrt = [0]}" in before
    assert "linear.linearize" not in after
    _, error = run(capsys, "-p", "mlirad-cse,mlirad-dce", "--print-ir-after-all", GRADIENT)
    assert re.findall("IR Dump After ([a-z-]+)", error) == ["mlirad-cse", "mlirad-dce"]
    _, error = run(capsys, "-p", "mlirad-cse,differentiate{function=f}", "--print-ir-after-change", GRADIENT)
    assert re.findall("IR Dump After ([a-z-]+)", error) == ["differentiate"]


def test_passes_and_pipelines_run_in_the_order_given(capsys: Capture) -> None:
    out, _ = run(capsys, "-p", "differentiate{function=f}", "--pipeline=expand", GRADIENT)
    assert out == run(capsys, "--pipeline=grad{function=f}", GRADIENT)[0]


@pytest.mark.parametrize("method", ALL_METHODS)
def test_every_method_by_name(method: str, tmp_path: Path, capsys: Capture) -> None:
    """As an option of the pipelines, as a pipeline of its own, and as an option of `linearize`."""
    named, _ = run(capsys, f"--pipeline=grad{{function=f method={method}}}", GRADIENT)
    apart, _ = run(capsys, "-p", "differentiate{function=f}", f"--pipeline=expand-{method}", GRADIENT)
    asked, _ = run(
        capsys, "-p", "differentiate{function=f}", f"--pipeline=expand{{method={method}}}", GRADIENT
    )
    assert named == apart == asked
    maps, _ = run(capsys, "-p", f"differentiate{{function=f}},linearize{{method={method}}}", GRADIENT)
    point = ["--args", "[0.0, 1.0, 2.0]"]
    interpreted = ["--interpret"] if method in SPECIFICATIONS else []
    for k, (text, options) in enumerate([(named, interpreted), (maps, ["--interpret"])]):
        path = tmp_path / f"{k}.mlir"
        path.write_text(text)
        assert run_main([str(path), "--entry", "f_grad", *options, *point]) == 0
        value, gradient = capsys.readouterr().out.splitlines()
        x = np.array([0.0, 1.0, 2.0])
        assert float(value) == pytest.approx(np.sum(x * np.sin(x)))
        found = [float(word) for word in gradient.strip("[]").split()]
        assert found == pytest.approx(list(np.sin(x) + x * np.cos(x)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--pipeline=grad{function=f method=backprop}"],
        ["--pipeline=expand{method=backprop}"],
        ["--pipeline=compile{method=backprop}"],
        ["-p", "linearize{method=backprop}"],
    ],
)
def test_a_method_that_does_not_exist(arguments: list[str], capsys: Capture) -> None:
    """One sentence, and every method."""
    _, error = run(capsys, *arguments, GRADIENT, code=1)
    there = ", ".join(ALL_METHODS)
    assert error == f"error: there is no method 'backprop'\nnote: there are {there}\n"


@pytest.mark.parametrize("method", SPECIFICATIONS)
def test_specifications_are_compiled(method: str, capsys: Capture) -> None:
    whole, _ = run(capsys, f"--pipeline=grad{{function=f method={method}}},compile", GRADIENT)
    assert "kernel." in whole


def test_explanation(capsys: Capture) -> None:
    """Each move with its line, its costs before and after, and whether it was made; without, nothing."""
    passes = "form-kernels,fuse-kernels"
    _, error = run(capsys, "--explain", "--pipeline", "grad{function=f wrt=0}", "-p", passes, GRADIENT)
    assert re.search(
        r"^fuse-kernels\n  .*gradient\.mlir:\d+:\d+ +one kernel .* elements +done$", error, re.MULTILINE
    )
    assert run(capsys, "-p", "form-kernels", DOUBLE)[1] == ""


@pytest.mark.parametrize("option", ["--timing", "--mlir-timing"])
def test_timing(option: str, capsys: Capture) -> None:
    _, error = run(capsys, "--pipeline=simplify", option, GRADIENT)
    assert "... Execution time report ..." in error
    names = re.findall(r"%\)\s+(\S+)", error)
    assert (names[:2], names[-1]) == (["Parser", "Pipeline"], "Total")
    assert "mlirad-inline" in names


def test_code(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert opt.main(["--emit=llvm", GRADIENT]) == 0
    assert b"@mlirad_main(ptr" in capfdbinary.readouterr().out
    assert opt.main(["--emit=asm", GRADIENT]) == 0
    assert b"mlirad_main:" in capfdbinary.readouterr().out
    path = tmp_path / "f.o"
    assert opt.main(["--emit=object", GRADIENT, "-o", str(path)]) == 0
    assert b"mlirad_main" not in path.read_bytes()


def test_lists(capsys: Capture) -> None:
    out, _ = run(capsys, "--list-passes")
    assert re.search(r"^linearize\{method=dual-arrays .*\}\n    ", out, re.MULTILINE)
    out, _ = run(capsys, "--list-pipelines")
    assert re.search(r"^grad +differentiate,", out, re.MULTILINE)


def test_deprecated_names_of_passes_warn_once(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "xor.mlir"
    path.write_text("func.func @f(%p: i1) -> i1 { func.return %p : i1 }")
    twice = "formal-derivative{function=f},formal-derivative{function=f_sweep}"
    out, error = run(capsys, "-p", twice, str(path))
    assert "@f_sweep_sweep" in out
    new = "sweep{instance=z2 mode=forward}"
    assert error == f"warning: the pass 'formal-derivative' is deprecated: write {new}\n"
