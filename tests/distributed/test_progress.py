"""The line that says how far a call has come."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.distributed import progress_line
from mlirad.distributed.engines import dask_graph

da = pytest.importorskip("dask.array")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def slow_rows(seconds: float, fails: type[BaseException] | None = None) -> Any:
    def made(block: Any) -> Any:
        time.sleep(seconds)
        if fails is not None:
            raise fails
        return block

    x = da.ones((80, 3), chunks=(10, 3))
    return x.map_blocks(made, dtype=float, meta=np.zeros((0, 0)))


def slow_to_be_shown(file: Terminal) -> Callable[[], None]:
    """Tell that a chunk is done, and wait after the third until the line says so."""

    def told() -> None:
        progress_line.chunk_is_done()
        text = progress_line.line(0.0).partition(" chunks")[0]
        if "3 of 8" in text:
            end = time.monotonic() + 30
            while text not in file.getvalue() and time.monotonic() < end:
                time.sleep(0.001)

    return told


def spread(x: Any) -> Any:
    return np.sum(np.tanh(x - np.tanh(np.mean(x))))


def lines(file: Terminal) -> list[str]:
    return [text.strip() for text in file.getvalue().split("\r") if text.strip()]


def test_rounds_and_chunks_are_shown_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    monkeypatch.setattr(progress_line, "EVERY", 0.01)
    file = Terminal()
    monkeypatch.setattr(dask_graph, "chunk_is_done", slow_to_be_shown(file))
    with dask.config.set(scheduler="threads", num_workers=1), ad.distributed.progress(after=0.0, file=file):
        ad.jit(spread)(slow_rows(0.0))
    shown = lines(file)
    assert any(re.fullmatch(r"round 1 of 2 \[#{3}-{17}\] 3 of 8 chunks, \d+ s", text) for text in shown)
    assert any(re.fullmatch(r"round 2 of 2 \[#{13}-{7}\] 3 of 8 chunks, \d+ s", text) for text in shown)
    assert file.getvalue().endswith(" \r")
    assert progress_line.line(0.0) == ""


def test_nothing_is_shown_of_short_calls_or_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_line, "EVERY", 0.01)
    file = Terminal()
    with ad.distributed.progress(file=file):
        ad.jit(spread)(slow_rows(0.0))
    assert file.getvalue() == ""
    with ad.distributed.progress(after=0.0):
        ad.jit(spread)(slow_rows(0.01))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("fails", [KeyboardInterrupt, ValueError])
def test_the_line_goes_when_a_call_ends_early(
    monkeypatch: pytest.MonkeyPatch, fails: type[BaseException]
) -> None:
    import dask

    monkeypatch.setattr(progress_line, "EVERY", 0.01)
    file = Terminal()
    with (
        pytest.raises(fails),
        dask.config.set(scheduler="synchronous"),
        ad.distributed.progress(after=0.0, file=file),
    ):
        ad.jit(spread)(slow_rows(0.1, fails))
    assert lines(file)
    assert file.getvalue().endswith(" \r")
    assert progress_line.line(0.0) == ""
