"""Python loops that are written out iteration by iteration: the warning, at the user's line."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing import unrolling


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look after so few operations that traces are short, and as if no line had been named."""
    monkeypatch.setattr(unrolling, "EVERY", 200)
    monkeypatch.setattr(unrolling, "_warned", set[unrolling.Place]())


def repeated(x):
    for _ in range(100):
        x = np.sin(x) * 1.5 + 0.1
    return x


def test_a_long_loop_is_named_once_with_its_line() -> None:
    with pytest.warns(ad.UnrolledLoopWarning, match="ad.fori_loop") as caught:
        ad.trace(repeated, 0.5)
    (warning,) = caught
    first = inspect.getsourcelines(repeated)[1]
    assert (warning.filename, warning.lineno) == (__file__, first + 2)
    assert str(warning.message).startswith("200 operations have been traced so far, 200 of them")
    assert 'ad.jit(f, control="rewrite")' in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ad.trace(repeated, 0.5)


def test_long_programs_without_loops_and_loops_of_the_language_are_not() -> None:
    source = ["def straight(x):", *["    x = np.sin(x) * 1.5"] * 150, "    return x"]
    names: dict[str, object] = {"np": np}
    exec(compile("\n".join(source), "straight.py", "exec"), names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ad.trace(names["straight"], 0.5)
        ad.trace(lambda x: ad.fori_loop(0, 1000, lambda i, c: np.sin(c) * 1.5 + 0.1, x), 0.5)
        ad.trace(ad.rewritten(repeated), 0.5)
