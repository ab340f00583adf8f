"""The logger "mlirad" tells what is compiled and why, what comes from the disk, and what is done instead."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling import run_compiler


@pytest.fixture(autouse=True)
def listening(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="mlirad")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The messages since the last look, with 0 in place of times."""
    texts = [re.sub(r"\d+\.\d{3} s", "0 s", r.getMessage()) for r in caplog.records if r.name == "mlirad"]
    caplog.clear()
    return texts


def test_compiles_are_told_with_their_cause(caplog: pytest.LogCaptureFixture) -> None:
    rates: dict[str, Any] = {"decay": 0.5}

    def loss(w: Any, k: int = 1) -> Any:
        return np.sum(w * w) * rates["decay"] * k

    slope = ad.grad(loss, static_argnums=1)
    slope(np.ones(3))
    assert told(caplog) == ["compiled loss(w: float64[3], k=1) in 0 s: its first call"]
    slope(np.ones(3))
    assert not told(caplog)
    slope(np.ones(4))
    assert told(caplog) == ["compiled loss(w: float64[4], k=1) in 0 s: arguments of another signature"]
    slope(np.ones(4), k=2)
    assert told(caplog) == ["compiled loss(w: float64[4], k=2) in 0 s: arguments of another signature"]
    rates["decay"] = 2.0
    slope(np.ones(3))
    (text,) = told(caplog)
    assert text == (
        "compiled loss(w: float64[3], k=1) in 0 s: what it reads from outside has changed: rates['decay']"
    )


def test_levels(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        ad.jit(lambda x: x * 4.25)(1.0)
    assert [(r.levelname, r.getMessage().split()[0]) for r in caplog.records] == [
        ("INFO", "compiled"),
        ("DEBUG", "lambda(x:"),
    ]
    assert told(caplog)[1] == "lambda(x: float64[]) shares the program of an equal function"
    caplog.set_level(logging.WARNING, logger="mlirad")
    ad.jit(lambda x: x * 4.5)(1.0)
    assert not told(caplog)


def test_what_else_makes_programs(caplog: pytest.LogCaptureFixture) -> None:
    ad.jit(lambda x: x * 5.25, interpret=True)(1.0)
    assert told(caplog) == ["prepared lambda(x: float64[]) for the interpreter in 0 s: its first call"]
    _, pullback = ad.vjp(lambda x: x * 5.5, np.ones(3))
    pullback(np.ones(3))
    assert told(caplog) == ["compiled lambda in 0 s: its first call", "compiled map in 0 s"]
    ad.hessian(lambda x: np.sum(x**3) * 5.75, sparse=True)(np.ones(4))
    assert told(caplog) == ["compiled lambda in 0 s"]
    ad.jit(lambda x: x * 6.25).lower(1.0).compile()
    assert told(caplog) == ["compiled lambda in 0 s"]


def test_failures_are_told(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ad.TracingError):
        ad.jit(lambda x: float(x), control="plain")(1.0)
    (text,) = told(caplog)
    assert text.startswith("could not compile lambda(x: float64[]), after 0 s: TracingError: ")


def test_functions_that_are_traced_at_every_call(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    file = tmp_path / "rate"
    file.write_text("2.5")
    read = ad.jit(lambda x: x * float(file.read_text()))
    with pytest.warns(ad.CaptureWarning):
        read(1.0)
    told(caplog)
    read(1.0)
    assert told(caplog) == ["compiled lambda(x: float64[]) in 0 s: what decides its trace can change unseen"]


def test_what_is_done_instead(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_compiler, "is_quick", lambda _: True)
    ad.jit(lambda x: x * 7.25)(1.0)
    _, text = told(caplog)
    assert re.fullmatch(r"lambda: its \d+ characters of LLVM IR are too many to be optimised", text)
    monkeypatch.undo()
    ad.jit(lambda x: np.fft.fft(x).real, dynamic="x:0")(np.ones(300))
    assert told(caplog) == [
        "compiled lambda(x: float64[300]) in 0 s: its first call",
        "lambda: it is compiled for n=300 alone",
    ]


CHILD = """
import logging
logging.basicConfig(level=logging.INFO, format="%(name)s %(levelname)s %(message)s")
import numpy as np, mlirad as ad
ad.jit(lambda x: np.sum(x) * 8.25)(np.ones(3))
"""


def test_programs_on_the_disk_are_told(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(CHILD)
    said = [
        subprocess.run(
            [sys.executable, tmp_path / "user.py"],
            env={"MLIRAD_CACHE": str(tmp_path / "cache"), "PATH": ""},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stderr
        for _ in range(2)
    ]
    for text, verb, rest in zip(said, ("compiled", "loaded"), ("", " from the disk"), strict=True):
        assert re.fullmatch(
            rf"mlirad INFO {verb} lambda\(x: float64\[3\]\){rest} in \d+\.\d+ s: its first call\n", text
        )
