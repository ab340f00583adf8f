"""Texts of traced values in rewritten code: messages are those of the source, and decide nothing."""

# ruff: noqa: UP031, UP032

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import mlirad as ad


def percent(x: Any) -> Any:
    if x < 0:
        message = "x is %g, not %d" % (x, 3)
        raise ValueError(message)
    return x * 2


def formatted(x: Any) -> Any:
    if x < 0:
        raise ValueError("x is {:.3f}, not {}".format(x, 3))
    return x * 2


def joined(x: Any, width: int = 3) -> Any:
    if x < 0:
        message = f"x is {x:.{width}f}, not {width!r}"
        raise ValueError(message)
    return x * 2


MESSAGES: dict[Callable[[Any], Any], tuple[str, str]] = {
    percent: ("x is %g, not %d", "x is -1.5, not 3"),
    formatted: ("x is {:.3f}, not {}", "x is -1.500, not 3"),
    joined: ("x is {x:.{width}f}, not {width!r}", "x is -1.500, not 3"),
}


@pytest.mark.parametrize("function", MESSAGES)
def test_messages_are_those_of_the_source(function: Callable[[Any], Any]) -> None:
    source, plain = MESSAGES[function]
    derivative = ad.grad(function, control="rewrite")
    assert derivative(1.5) == 2.0
    for called, message in ((derivative, source), (ad.rewritten(function), plain)):
        with pytest.raises(ValueError) as caught:
            called(-1.5)
        assert str(caught.value).splitlines()[0].endswith(message)


def test_warnings_under_a_traced_condition_are_left_out() -> None:
    def function(x: Any) -> Any:
        if x > 100:
            warnings.warn("x is %g" % x, UserWarning, stacklevel=2)
        return x * 2

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ad.grad(function, control="rewrite")(1.5) == 2.0
    with pytest.warns(UserWarning, match="x is 101"):
        ad.rewritten(function)(101.0)


def test_other_warnings_are_given() -> None:
    def function(x: Any) -> Any:
        warnings.warn("deprecated, for %r" % x, DeprecationWarning, stacklevel=2)
        return x * 2

    with pytest.warns(DeprecationWarning, match="deprecated, for %r"):
        assert ad.grad(function, control="rewrite")(1.5) == 2.0


DECIDING: list[Callable[[Any], Any]] = [
    lambda x: {"1.5": x}["%g" % x],
    lambda x: x if f"{x:g}" == "1.5" else 2 * x,
    lambda x: x if "{:g}".format(x) in ("1.5", "2") else 2 * x,
    lambda x: {"%g" % x: x},
]


@pytest.mark.parametrize("function", DECIDING)
def test_nothing_is_decided_by_such_a_text(function: Callable[[Any], Any]) -> None:
    with pytest.raises(ad.TracingError, match="what it says is not known"):
        ad.jit(function, control="rewrite")(1.5)


def test_texts_of_known_values_are_texts() -> None:
    def function(x: Any) -> Any:
        names = {"3.00": 1, "12": 2, "4": 3}
        return x * sum(names[name] for name in (f"{3:.2f}", "%d" % 12, "{}".format(4)))

    assert ad.grad(function, control="rewrite")(1.5) == 6.0
