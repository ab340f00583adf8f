"""Code that catches what Python raises for some values, and a program does not: refused by every trace."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad


def of_a_list(x: Any, n: Any) -> Any:
    items = [x, 2.0]
    try:
        return items[n]
    except IndexError:
        return -1.0


def of_an_array(x: Any, n: Any) -> Any:
    y = np.arange(3) * x

    def chosen(k: Any) -> Any:
        return y[k]

    try:
        return chosen(n)
    except (KeyError, LookupError):
        return -1.0


def of_a_known_array(x: Any, n: Any) -> Any:
    try:
        return np.ones(3)[n] * x
    except IndexError:
        return -1.0


def of_a_division(x: Any, n: Any) -> Any:
    try:
        return n / x
    except ZeroDivisionError:
        return 5.0


def of_a_reflected_division(x: Any, n: Any) -> Any:
    try:
        return 1 // x + n
    except ArithmeticError:
        return 5.0


def of_a_remainder(x: Any, n: Any) -> Any:
    try:
        x %= n
    except ZeroDivisionError:
        x = 5.0
    return x


CAUGHT = {
    f.__name__: (f, text)
    for f, text in (
        (of_a_list, "except IndexError"),
        (of_an_array, "except LookupError"),
        (of_a_known_array, "except IndexError"),
        (of_a_division, "except ZeroDivisionError"),
        (of_a_reflected_division, "except ArithmeticError"),
        (of_a_remainder, "except ZeroDivisionError"),
    )
}


@pytest.mark.parametrize("control", ["auto", "rewrite", "plain"])
@pytest.mark.parametrize("name", CAUGHT)
def test_what_the_code_catches_is_refused(name: str, control: str) -> None:
    function, text = CAUGHT[name]
    with pytest.raises(ad.UnsupportedError, match=text) as caught:
        ad.jit(function, control=control)(0.5, 7)
    assert "test_expected_errors.py:" in str(caught.value) and "test it before" in str(caught.value.hint)


@pytest.mark.parametrize(
    "function", [math.log, math.log2, math.exp, math.sqrt, math.acos, math.gamma], ids=lambda f: f.__name__
)
def test_functions_of_math(function: Callable[[Any], Any]) -> None:
    def guarded(x: Any) -> Any:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return 0.0

    with pytest.raises(ad.UnsupportedError, match=r"except (ValueError|OverflowError)"):
        ad.jit(guarded)(0.5)


def unconcerned(x: Any, n: Any) -> Any:
    try:
        y = x / 2.0 + x // 3 + math.sin(x) + np.sqrt(x) / np.sum(np.full(3, x))
    except (ZeroDivisionError, ValueError):
        y = 0.0
    try:
        z = {"a": x}["b"]
    except LookupError:
        z = [x, y][n % 2]
    try:
        return n / x + math.exp(y) + z
    except Exception:
        return 0.0


def test_other_operations_and_handlers_are_none_of_this() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        assert ad.jit(unconcerned)(0.5, 3) == pytest.approx(unconcerned(0.5, 3), rel=1e-14)
