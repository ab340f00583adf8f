"""Random Python functions of most kinds of statements, rewritten: Python's values, or an error.

An error is one of mlirad's, which says what cannot be rewritten; most functions can be.
"""

from __future__ import annotations

import random
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

import mlirad as ad
from tests.generators.grown_lists import grown_lists
from tests.generators.python_control import Strange
from tests.generators.python_idioms import idiom_script
from tests.generators.python_scripts import script
from tests.generators.shared_arrays import shared_arrays
from tests.generators.structures import leaves_of

POINTS = ((0.4, -0.3, 3), (-1.2, 0.8, 0), (0.9, 1.7, 6))
LARGE = 1e5
RAISED = (AssertionError, ValueError, KeyError, OverflowError, Strange)
LAST_BITS = ((1, 0), (-1, 0), (0, 1), (0, -1), (8, 8), (-8, 8), (8, -8), (-8, -8))

Verdict = Literal["right", "refused", "rounding"]


def judge(seed: int, *, interpret: bool, made: Callable[..., Any] = script) -> bool:
    """Compare one function, `made` of a seed, at some points; whether it could be rewritten."""
    control = ("rewrite", "auto")[seed % 2]
    return agrees(*made(seed, 2 + seed % 3), interpret=interpret, control=control)


def agrees(function: Callable[..., Any], text: str, *, interpret: bool, control: str = "rewrite") -> bool:
    """The same of a function and its source."""
    return verdict(function, text, interpret=interpret, control=control) != "refused"


def verdict(function: Callable[..., Any], text: str, *, interpret: bool, control: str) -> Verdict:
    """Compare one function at all points, except where rounding decides or numbers are large."""
    compiled = ad.jit(function, control=control, interpret=interpret)
    found: Verdict = "right"
    for point in POINTS:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = outcome(function, point)
            if expected is OverflowError:
                continue
            try:
                actual = outcome(compiled, point)
            except (ad.TracingError, ad.UnsupportedError, ad.DtypeError, ad.ShapeError):
                return "refused"
            if isinstance(actual, type) or not is_large(expected):
                difference = different(actual, expected)
                if difference is not None:
                    assert decided_by_rounding(function, point), f"{difference}\n{text}"
                    found = "rounding"
    return found


def outcome(function: Callable[..., Any], point: tuple[float, ...]) -> list[Any] | type[BaseException]:
    """The leaves of what `function` returns, or the class of what it raises."""
    try:
        return list(leaves_of(function(*point)))
    except ad.AssertionFailedError:
        return AssertionError
    except RAISED as error:
        return type(error)


def is_large(outcome: list[Any] | type[BaseException]) -> bool:
    """Tell if it has a number beyond `LARGE`, or one that is not finite."""
    if isinstance(outcome, type):
        return False
    return not all(np.all(np.abs(np.asarray(leaf, float)) < LARGE) for leaf in outcome)


def different(
    actual: list[Any] | type[BaseException], expected: list[Any] | type[BaseException]
) -> str | None:
    """The difference of two outcomes beyond rounding, or None."""
    if isinstance(actual, type) or isinstance(expected, type):
        return None if actual is expected else f"{actual} is not {expected}"
    if len(actual) != len(expected):
        return f"{len(actual)} results are not {len(expected)}"
    try:
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8)
    except AssertionError as error:
        return str(error)
    return None


def decided_by_rounding(function: Callable[..., Any], point: tuple[float, ...]) -> bool:
    """Tell if the last bits of the numbers at `point` change the result of plain Python."""
    x, y, n = point
    expected = outcome(function, point)
    near = [(x + bits * np.spacing(x), y + other * np.spacing(y), n) for bits, other in LAST_BITS]
    return any(different(outcome(function, one), expected) is not None for one in near)


def test_points_decided_by_rounding() -> None:
    point = POINTS[0]
    assert decided_by_rounding(lambda x, y, n: np.floor((x + 0.6) * 3), point)
    assert decided_by_rounding(lambda x, y, n: [x] if x < point[0] else [x, y], point)
    assert not decided_by_rounding(lambda x, y, n: np.floor(x * 3) + np.exp(y) * n, point)


def test_points_at_which_python_overflows() -> None:
    def squared(x: Any, y: Any, n: Any) -> Any:
        return float(x * 1e200) ** 2

    assert outcome(squared, POINTS[0]) is OverflowError
    assert verdict(squared, "", interpret=True, control="auto") == "right"


def test_random_scripts() -> None:
    assert sum(judge(seed, interpret=True) for seed in range(8)) > 4


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_random_scripts(seed: int) -> None:
    judge(seed, interpret=seed % 6 > 0)


MAKERS: dict[str, Callable[[int], tuple[Callable[..., Any], str]]] = {
    "scripts": lambda seed: script(seed, 2 + seed % 3),
    "idioms": lambda seed: idiom_script(seed, 2 + seed % 3),
    "lists": grown_lists,
    "shared arrays": shared_arrays,
}


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", MAKERS)
def test_fresh_scripts(kind: str, fuzz_seconds: float, capsys: pytest.CaptureFixture[str]) -> None:
    """As most users have them, with control="auto"; prints the count of each verdict."""
    end = time.monotonic() + fuzz_seconds
    counts = Counter[Verdict]()
    first = random.SystemRandom().randrange(10**9)
    while time.monotonic() < end:
        seed = first + counts.total()
        counts[verdict(*MAKERS[kind](seed), interpret=seed % 20 > 0, control="auto")] += 1
    with capsys.disabled():
        print(f"\n{kind}: {dict(counts)}, from seed {first}")  # noqa: T201
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
