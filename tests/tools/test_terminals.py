"""Text that would control a terminal: no tool lets it through, wherever it stands in a program."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import mlirad as ad
from mlirad.errors import visible
from mlirad.tools import opt, run

ESCAPES = ("\x1b]0;title\x07", "\x1b[31m", "\x9b2J", "\r", "\x08\x08", "\u202e", "\x00", "\x7f")

PROGRAMS = [
    "func.func @main(%x: f64) -> f64 {\n  %0 = array.sin %x : f64\n  func.return %0 : f64\n}\n",
    'func.func @main(%x: f64) -> f64 attributes {note = "a"} {\n'
    "  %t = array.constant 0 : i64\n  %p = array.constant true\n"
    '  %0 = array.report print %t, %p, %x {message = "x = {}", batch_rank = 0} : i64, i1, f64 -> i64\n'
    '  func.return %x : f64 loc("f.py":3:1)\n}\n',
    "func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
    '  %0 = stablehlo.custom_call @target(%x) {kind = "a"} : (tensor<3xf64>) -> tensor<3xf64>\n'
    "  func.return %0 : tensor<3xf64>\n}\n",
]

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


def judge(
    main: Callable[[Sequence[str]], int], arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Require that a tool ends by itself, and shows nothing that controls a terminal."""
    assert main(arguments) in (0, 1)
    said = capsys.readouterr()
    found = CONTROL.search(said.out + said.err)
    assert found is None, repr(said)
    assert "defect" not in said.err, said.err


def texts(rng: random.Random, count: int) -> list[str]:
    """Programs with an escape somewhere."""
    found: list[str] = []
    for _ in range(count):
        program = rng.choice(PROGRAMS)
        at = rng.randrange(len(program))
        found.append(program[:at] + rng.choice(ESCAPES) + program[at:])
    return found


@pytest.mark.parametrize("seed", range(3))
def test_escapes_do_not_reach_the_terminal(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    for text in texts(random.Random(seed), 40):
        path.write_text(text, encoding="utf-8", newline="")
        judge(opt.main, [str(path)], capsys)
        judge(run.main, [str(path), "--interpret", "--args", "1.0"], capsys)


def test_the_caret_stands_below_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.mlir"
    path.write_text("func.func @main(%x: f64) -> f64 {\n  %\x1b0 = array.nosuch %x : f64\n}\n")
    opt.main([str(path)])
    *_, line, caret = capsys.readouterr().err.rstrip("\n").split("\n")
    assert "\\x1b" in line
    assert line[caret.index("^") :].startswith(("\\x1b", "%"))


def test_errors_are_visible_in_all_their_parts() -> None:
    error = ad.ParseError("a\x1b[31m\nb", location="f\x07.mlir:1:2", hint="\x9bc\u202ed\udcff")
    assert str(error) == "f\\x07.mlir:1:2: a\\x1b[31m\nb\n  hint: \\x9bc\\u202ed\\udcff"
    assert (error.message, error.location) == ("a\\x1b[31m\nb", "f\\x07.mlir:1:2")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error.restated(error.message, error.location)) == str(error)
    assert visible("tab\t and line\n ünïcode ∂") == "tab\t and line\n ünïcode ∂"


def test_programs_of_ones_own_print_what_they_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    ad.jit(lambda x: (ad.debug_print("\x1b[1m{}", x), x)[1], interpret=True)(2.0)
    assert capsys.readouterr().out.startswith("\x1b[1m2.0")
