"""The line that tells how far a compile is: on a terminal, in a log, and where nobody asked for it."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Generator
from contextlib import suppress
from typing import TextIO

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling import progress

LINE = r"mlirad compiles slow: [\w-]+, step \d+ of \d+"


def slow(x):
    for k in range(12):
        x = np.sin(x) * 1.5 + np.exp(-x) / (k + 1.0)
    return np.sum(x)


def compile_it() -> None:
    ad.grad(slow).lower(np.ones(5)).stats()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the delay, and as if nothing had been asked for in this process or its environment."""
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "BETWEEN", 0.01)
    monkeypatch.setattr(progress, "_setting", type(progress._setting)())
    monkeypatch.delenv(progress.VARIABLE, raising=False)


@pytest.fixture
def terminal() -> Generator[tuple[int, TextIO]]:
    """A terminal: the end from which it is read, and a stream that writes to it."""
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    os.set_blocking(reader, False)
    with os.fdopen(writer, "w") as stream:
        yield reader, stream
    os.close(reader)


def written(reader: int) -> str:
    """The output to the terminal."""
    parts: list[bytes] = []
    with suppress(BlockingIOError):
        while True:
            parts.append(os.read(reader, 1 << 16))
    return b"".join(parts).decode()


def test_a_terminal_shows_a_line_and_is_left_as_it_was(
    terminal: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal[1])
    assert ad.config.progress
    compile_it()
    text = written(terminal[0])
    assert "\n" not in text
    *shown, erased, end = text.split("\r")
    assert re.search(LINE + r", \d+ s", text)
    assert len({re.sub(r", \d+ s", "", line) for line in shown}) > 2
    assert erased.strip() == ""
    assert end == ""
    assert len(erased) >= len(shown[-1].rstrip())


def test_a_terminal_shows_nothing_where_it_is_switched_off(
    terminal: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal[1])
    monkeypatch.setenv(progress.VARIABLE, "off")
    assert not ad.config.progress
    compile_it()
    monkeypatch.setenv(progress.VARIABLE, "on")
    ad.config.progress = False
    compile_it()
    assert written(terminal[0]) == ""


def test_what_is_no_terminal_shows_steps_only_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    compile_it()
    assert log.getvalue() == ""
    ad.config.progress = True
    compile_it()
    lines = log.getvalue().splitlines()
    assert lines
    assert len(set(lines)) == len(lines)
    assert all(re.fullmatch(LINE, line) for line in lines[1:])


def test_short_compiles_show_nothing(terminal: tuple[int, TextIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal[1])
    monkeypatch.setattr(progress, "DELAY", 1000.0)
    compile_it()
    assert written(terminal[0]) == ""


def test_what_cannot_be_meant_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(progress.VARIABLE, "sometimes")
    with pytest.raises(ad.ArgumentError, match="'sometimes'"):
        compile_it()
    with pytest.raises(ad.ArgumentError, match="progress"):
        ad.config.progress = "always"  # pyright: ignore[reportAttributeAccessIssue]
