"""Environment variables of any value: a call works, or says in a sentence which variable is wrong."""

from __future__ import annotations

import ast
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlirad as ad
from mlirad.tools import cache, run
from tests.forked import fork

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="values are tried in forks")

SOURCES = Path(ad.__file__).parent
VARIABLES = sorted(
    set(re.findall(r'"(MLIRAD_[A-Z_]+)"', "".join(p.read_text() for p in SOURCES.rglob("*.py"))))
    - {"MLIRAD_UNIVERSE"}
)
OTHERS = ["XDG_CACHE_HOME", "HOME", "CC", "TMPDIR", "PYTHONHASHSEED", "LANG", "TERM", "COLUMNS"]
"""Variables of others that mlirad, or what it uses, reads."""

VALUES = [
    "", " ", "0", "1", "-1", "9" * 400, "1e400", "nan", "x" * 100_000, "\x1b[31m\x07", "\n", "%s{0}{x!r}",
    "/dev/null", "/dev/full", "/proc/self/mem", "/nonexistent/folder", "~nobody/x", "..", "off", "on", "all",
    "2G", "1.5 KiB", "0x10", "1_000", "\u0661\u0662", "\udcff\udc80",
]  # fmt: skip


def call() -> None:
    """A gradient that is compiled."""
    assert ad.grad(lambda x: np.sum(x * x))(np.ones(3)).tolist() == [2.0] * 3


def tool(text: Path) -> None:
    """A program of text, and what is kept."""
    assert run.main([str(text), "--args", "1.0"]) in (0, 1)
    assert cache.main(["list"]) in (0, 1)


def _outcome(variable: str, value: str, act: Callable[[], None]) -> str:
    """The outcome of an action in a fork that has a variable of some value."""
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        said = ""
        try:
            os.environ[variable] = value
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
            warnings.simplefilter("ignore")
            act()
        except ad.MliradError as error:
            said = str(error)
        except BaseException:
            said = traceback.format_exc()
        os.write(writer, said.encode("utf-8", "backslashreplace")[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0, f"{variable}={value[:40]!r} ends the process"
    return said


def _text(folder: Path) -> Path:
    text = folder / "f.mlir"
    text.write_text(
        "func.func @main(%x: f64) -> f64 {\n  %0 = array.sin %x : f64\n  func.return %0 : f64\n}\n"
    )
    return text


def _judge(variable: str, value: str, act: Callable[[], None]) -> None:
    said = _outcome(variable, value, act)
    what = f"{variable}={value[:40]!r}: {said}"
    assert "Traceback" not in said and "defect" not in said, what
    assert "\x1b" not in said and len(said) < 1000, what
    assert not said or variable in said, what


def test_hostile_values_are_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"MLIRAD_CACHE", "MLIRAD_CACHE_SIZE", "MLIRAD_PERF", "MLIRAD_THREADS"} <= set(VARIABLES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLIRAD_CACHE", str(tmp_path / "cache"))
    text = _text(tmp_path)
    call()
    for k, variable in enumerate(VARIABLES):
        _judge(variable, "9" * 400, call if k % 2 else lambda: tool(text))
        _judge(variable, "\x1b[31m\x07", (lambda: tool(text)) if k % 2 else call)


@pytest.mark.fuzz
def test_all_hostile_values_are_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLIRAD_CACHE", str(tmp_path / "cache"))
    text = _text(tmp_path)
    call()
    for variable in (*VARIABLES, *OTHERS):
        for value in VALUES:
            _judge(variable, value, call)
            _judge(variable, value, lambda: tool(text))


def test_a_size_of_400_digits_is_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlirad.disk_cache.folder import find_folder

    monkeypatch.setenv("MLIRAD_CACHE", "/somewhere")
    monkeypatch.setenv("MLIRAD_CACHE_SIZE", "9" * 400)
    folder = find_folder()
    assert folder is not None and folder.limit >= 2**60
    monkeypatch.setenv("MLIRAD_CACHE_SIZE", "a" * 400)
    with pytest.raises(ad.ArgumentError, match=r"MLIRAD_CACHE_SIZE is 'a+\.\.\.', which is not a size"):
        find_folder()


@pytest.mark.long
def test_what_asks_for_a_switch_takes_all_words_for_off() -> None:
    """`if os.environ.get(...)` would take 0 for yes."""
    wrong = [
        f"{path}:{node.lineno}"
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.If)
        for test in ast.walk(node.test)
        if isinstance(test, ast.UnaryOp) and ast.unparse(test.operand).startswith(("os.environ", "os.getenv"))
    ]
    assert not wrong, f"ask by is_off of mlirad/jit/switches.py: {wrong}"


@pytest.mark.parametrize("word", ["0", "off", "no", ""])
def test_a_traceback_is_short_where_a_long_one_is_switched_off(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlirad.frontend.tracing.tracebacks import FULL, hide_frames

    monkeypatch.setenv(FULL, word)
    error = ad.TracingError("wrong")
    error.__cause__ = ValueError()
    hide_frames(error)
    assert error.__cause__ is None
    monkeypatch.setenv(FULL, "1")
    error.__cause__ = ValueError()
    hide_frames(error)
    assert error.__cause__ is not None
