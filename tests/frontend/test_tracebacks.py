"""The traceback of a mistake: the user's frames."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad


def _two_rows(x: Any) -> Any:
    return np.sum(x + np.ones(4))


def _branching(x: Any) -> Any:
    return x if x > 0 else -x


def _outer(x: Any) -> Any:
    return ad.grad(_two_rows)(x) * 2


MISTAKES: dict[str, Callable[[], Any]] = {
    "shapes": lambda: ad.grad(_two_rows)(np.ones(3)),
    "nested": lambda: ad.jit(_outer)(np.ones(3)),
    "python branch": lambda: ad.jit(_branching, control="plain")(1.0),
    "not scalar": lambda: ad.grad(lambda x: x)(np.ones(3)),
    "linearize": lambda: ad.linearize(_two_rows, np.ones(3)),
    "vjp": lambda: ad.vjp(_two_rows, np.ones(3)),
    "trace": lambda: ad.trace(_two_rows, np.ones(3)),
    "check": lambda: ad.check_derivatives(_two_rows, np.ones(3)),
    "sparse": lambda: ad.jacobian(_two_rows, sparse=True)(np.ones(3)),
    "map": lambda: ad.linearize(np.sin, np.ones(3))[1](np.ones(4)),
    "composition": lambda: ad.linearize(np.sum, np.ones(3))[1] @ ad.linearize(np.sum, np.ones(3))[1],
    "identity": lambda: ad.LinearMap.identity("a"),
}

INSIDE = str(Path(ad.__file__).parent)


@pytest.mark.parametrize("name", MISTAKES)
def test_frames_of_the_compiler_are_left_out(name: str) -> None:
    """One frame of mlirad at most for every call from the user's code: the one that was called."""
    with pytest.raises(ad.MliradError) as caught:
        MISTAKES[name]()
    frames = [f.filename for f in traceback.extract_tb(caught.value.__traceback__)]
    inside = [f.startswith(INSIDE) for f in frames]
    assert not any(a and b for a, b in pairwise(inside)), frames
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_the_users_line_is_kept() -> None:
    with pytest.raises(ad.MliradError) as caught:
        ad.grad(_two_rows)(np.ones(3))
    assert [f.name for f in traceback.extract_tb(caught.value.__traceback__)][-1] == "_two_rows"


def test_all_frames_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIRAD_FULL_TRACEBACK", "1")
    with pytest.raises(ad.MliradError) as caught:
        ad.grad(_two_rows)(np.ones(3))
    frames = [f.filename.startswith(INSIDE) for f in traceback.extract_tb(caught.value.__traceback__)]
    assert sum(frames) > 3


def test_other_errors_are_left_alone() -> None:
    def failing(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        ad.jit(failing)(1.0)
    assert any(f.filename.startswith(INSIDE) for f in traceback.extract_tb(caught.value.__traceback__))
