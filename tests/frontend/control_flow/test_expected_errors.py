"""Code that catches what Python raises for some values: programs raise an error there, or are refused."""

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
    )
}


@pytest.mark.parametrize("control", ["auto", "rewrite", "plain"])
@pytest.mark.parametrize("name", CAUGHT)
def test_what_the_code_catches_is_refused(name: str, control: str) -> None:
    function, text = CAUGHT[name]
    with pytest.raises(ad.UnsupportedError, match=text) as caught:
        ad.jit(function, control=control)(0.5, 7)
    assert "test_expected_errors.py:" in str(caught.value) and "test it before" in str(caught.value.hint)


DIVIDED = {
    f.__name__: (f, text, zero)
    for f, text, zero in (
        (of_a_division, "except ZeroDivisionError", (0.0, 7)),
        (of_a_reflected_division, "except ArithmeticError", (0.0, 7)),
        (of_a_remainder, "except ZeroDivisionError", (0.5, 0)),
    )
}


@pytest.mark.parametrize("control", ["auto", "rewrite", "plain"])
@pytest.mark.parametrize("name", DIVIDED)
def test_divisions_that_the_code_catches_raise_where_the_divisor_is_0(name: str, control: str) -> None:
    function, text, zero = DIVIDED[name]
    compiled = ad.jit(function, control=control)
    assert compiled(0.4, 7) == pytest.approx(function(0.4, 7), rel=1e-14)
    with pytest.raises(ad.UnsupportedError, match=text) as caught:
        compiled(*zero)
    assert "where a compiled function cannot go on" in str(caught.value)
    assert caught.value.__notes__[0].startswith(f"raised at {__file__}:")


MATHEMATICS: dict[Callable[[Any], Any], tuple[float, ...]] = {
    math.log: (0.0, -1.0),
    math.log2: (0.0, -1.0),
    math.exp: (1e3,),
    math.sqrt: (-1.0,),
    math.acos: (2.0,),
    math.gamma: (-1.0, 200.0),
}


@pytest.mark.parametrize("function", MATHEMATICS, ids=lambda f: f.__name__)
def test_functions_of_math(function: Callable[[Any], Any]) -> None:
    def guarded(x: Any) -> Any:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return 0.0

    compiled = ad.jit(guarded, control="rewrite")
    assert compiled(0.5) == pytest.approx(function(0.5), rel=1e-13)
    assert ad.grad(guarded, control="rewrite")(0.5) == pytest.approx(
        (function(0.5 + 1e-6) - function(0.5 - 1e-6)) / 2e-6, rel=1e-8
    )
    for x in (math.inf, math.nan):
        try:
            wanted = function(x)
        except ValueError:
            continue
        np.testing.assert_equal(compiled(x), wanted)
    for x in MATHEMATICS[function]:
        with pytest.raises(ad.UnsupportedError, match=r"except (ValueError|OverflowError)"):
            compiled(x)


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
