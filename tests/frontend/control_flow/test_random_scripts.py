"""Random Python functions of most kinds of statements, rewritten: Python's values, or an error.

An error is one of mlirad's, which says what cannot be rewritten; most functions can be.
"""

from __future__ import annotations

import random
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.python_control import Strange
from tests.generators.python_idioms import idiom_script
from tests.generators.python_scripts import script
from tests.generators.shared_arrays import shared_arrays
from tests.generators.structures import leaves_of

POINTS = ((0.4, -0.3, 3), (-1.2, 0.8, 0), (0.9, 1.7, 6))
LARGE = 1e5
RAISED = (AssertionError, ValueError, KeyError, Strange)


def judge(seed: int, *, interpret: bool, made: Callable[..., Any] = script) -> bool:
    """Compare one function, `made` of a seed, at some points; whether it could be rewritten."""
    control = ("rewrite", "auto")[seed % 2]
    return agrees(*made(seed, 2 + seed % 3), interpret=interpret, control=control)


def agrees(function: Callable[..., Any], text: str, *, interpret: bool, control: str = "rewrite") -> bool:
    """The same of a function and its source."""
    compiled = ad.jit(function, control=control, interpret=interpret)
    for point in POINTS:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = failed = None
            try:
                expected = list(leaves_of(function(*point)))
            except RAISED as error:
                failed = error
            try:
                found = list(leaves_of(compiled(*point)))
            except (ad.TracingError, ad.UnsupportedError, ad.DtypeError, ad.ShapeError):
                return False
            except RAISED as error:
                kind = AssertionError if isinstance(error, ad.AssertionFailedError) else type(error)
                assert kind is type(failed), text
                continue
        assert expected is not None, text
        if all(np.all(np.abs(np.asarray(leaf, float)) < LARGE) for leaf in expected):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8, err_msg=text)
    return True


def test_random_scripts() -> None:
    assert sum(judge(seed, interpret=True) for seed in range(8)) > 4


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_random_scripts(seed: int) -> None:
    judge(seed, interpret=seed % 6 > 0)


MAKERS: dict[str, Callable[[int], tuple[Callable[..., Any], str]]] = {
    "scripts": lambda seed: script(seed, 2 + seed % 3),
    "idioms": lambda seed: idiom_script(seed, 2 + seed % 3),
    "shared arrays": shared_arrays,
}


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", MAKERS)
def test_fresh_scripts(kind: str, fuzz_seconds: float, capsys: pytest.CaptureFixture[str]) -> None:
    """As most users have them, with control="auto"; prints how many could be traced."""
    end = time.monotonic() + fuzz_seconds
    counts = Counter[bool]()
    first = random.SystemRandom().randrange(10**9)
    while time.monotonic() < end:
        seed = first + counts.total()
        counts[agrees(*MAKERS[kind](seed), interpret=seed % 20 > 0, control="auto")] += 1
    with capsys.disabled():
        print(f"\n{kind}: {counts[True]} right, {counts[False]} refused, from seed {first}")  # noqa: T201
    assert counts.total() > 0


def test_random_idioms() -> None:
    assert sum(judge(seed, interpret=True, made=idiom_script) for seed in range(4)) > 1


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_random_idioms(seed: int) -> None:
    judge(seed, interpret=seed % 6 > 0, made=idiom_script)


def test_shared_arrays() -> None:
    assert sum(agrees(*shared_arrays(seed), interpret=True) for seed in range(10)) > 0


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(1000, 1300, 10))
def test_many_shared_arrays(first: int) -> None:
    for seed in range(first, first + 10):
        agrees(*shared_arrays(seed), interpret=True)
