"""Calls of the interface that cannot be meant: errors of mlirad's own, at the line of the call."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import mlirad as ad

X = np.arange(4.0)

WRONG: dict[str, tuple[Callable[[], object], type[ad.MliradError], str]] = {
    "arity of build": (
        lambda: ad.jit(lambda x: ad.build(3, lambda i, j: x[i]))(X),
        ad.ArgumentError,
        "with 1 argument",
    ),
    "no function": (lambda: ad.jit(lambda x: ad.build(3, 7))(X), ad.ArgumentError, "needs a function"),
    "fractional extent": (
        lambda: ad.jit(lambda x: ad.build(2.5, lambda i: x[i]))(X),
        ad.ShapeError,
        "made of integers",
    ),
    "arity of map": (lambda: ad.map(lambda a, b: a, X), ad.ArgumentError, "with 1 argument"),
    "missing argument": (lambda: ad.grad(lambda a, b: a * b)(1.0), ad.ArgumentError, "missing"),
    "fractional argnums": (
        lambda: ad.grad(lambda a: a * a, argnums=1.5)(1.0),
        ad.ArgumentError,
        "neither a position nor a name",
    ),
    "modulus": (lambda: ad.jit(lambda a: pow(a, 2, 3))(1.0), ad.UnsupportedError, "modulus"),
    "format": (lambda: ad.jit(lambda a: f"{a:.3f}")(1.0), ad.TracingError, "no digits to format"),
    "options": (lambda: ad.grad(np.sin, colour=1)(1.0), ad.UnsupportedError, "there is no option 'colour'"),
    **{
        f"{name}={value!r}": (partial(ad.jit, np.sin, **{name: value}), ad.ArgumentError, message)
        for name, values, message in (
            ("interpret", ("yes", None, 1), "must be True or False"),
            ("check_bounds", (0, X), "must be True or False"),
            ("check_nans", ("no",), "must be True or False"),
            ("check_absorbed", (1,), "must be True or False"),
            ("method", (None, [], "reverse"), "there is no method"),
            ("chunk", (0, -1, True, 2.5, "some", [2], X), "must be an integer from 1 on"),
            (
                "timeout",
                (0, -1.0, np.nan, np.inf, "1 s", [1.0], True),
                "must be a finite number",
            ),
            ("threads", (0, -1, 1.5, "2", True, 10**9, X), "must be an integer from 1 to 256, or 'all'"),
        )
        for value in values
    },
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls(case: str) -> None:
    call, error, message = WRONG[case]
    with pytest.raises(error, match=re.escape(message)) as caught:
        call()
    assert caught.value.location is not None and "test_wrong_calls.py:" in caught.value.location
