"""Tests of traced values that a function leaves where they outlive its trace: each is told with its line."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

last_seen: Any = None
NOTES: list[Any] = []


def lines_warned(function: Callable[..., Any], *args: Any) -> list[str]:
    """The source lines, stripped, that the first and the second call warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = ad.jit(function)
        compiled(*args)
        compiled(*args)
    found: list[str] = []
    for warning in caught:
        if issubclass(warning.category, ad.CaptureWarning) and "outlives the trace" in str(warning.message):
            with open(warning.filename) as file:
                found.append(file.readlines()[warning.lineno - 1].strip())
    return found


class Model:
    """An object that keeps what it meets."""

    def __init__(self) -> None:
        self.last: Any = None
        self.history: list[Any] = []
        self.table: dict[str, Any] = {}
        self.window: deque[Any] = deque(maxlen=3)
        self.calls = 0

    def assigns(self, x: Any) -> Any:
        self.last = x * 2
        return x

    def appends(self, x: Any) -> Any:
        self.history.append(x)
        return x

    def stores(self, x: Any) -> Any:
        self.table["x"] = x
        return x

    def shifts(self, x: Any) -> Any:
        self.window.appendleft((1, x))
        return x

    def names(self, x: Any) -> Any:
        setattr(self, "kept", x)  # noqa: B010
        return x

    def complex(self, x: Any) -> Any:
        self.last = x + 1j * x
        return x

    def counts(self, x: Any) -> Any:
        self.calls += 1
        self.last = None
        self.table["size"] = len(x)
        return x


@pytest.mark.parametrize(
    ("method", "line"),
    [
        ("assigns", "self.last = x * 2"),
        ("appends", "self.history.append(x)"),
        ("stores", 'self.table["x"] = x'),
        ("shifts", "self.window.appendleft((1, x))"),
        ("names", 'setattr(self, "kept", x)  # noqa: B010'),
        ("complex", "self.last = x + 1j * x"),
    ],
)
def test_a_value_left_in_an_object_warns_with_its_line(method: str, line: str) -> None:
    assert lines_warned(getattr(Model(), method), np.ones(3)) == [line]


def test_numbers_may_be_left() -> None:
    assert lines_warned(Model().counts, np.ones(3)) == []


def keeps_globally(x: Any) -> Any:
    global last_seen
    last_seen = x
    return x


def notes_globally(x: Any) -> Any:
    NOTES.append({"x": x})
    return x


@pytest.mark.parametrize(
    ("function", "line"), [(keeps_globally, "last_seen = x"), (notes_globally, 'NOTES.append({"x": x})')]
)
def test_a_value_left_in_a_global_warns_with_its_line(function: Callable[..., Any], line: str) -> None:
    assert lines_warned(function, np.ones(3)) == [line]
    NOTES.clear()


def test_a_value_left_in_a_variable_of_an_enclosing_function_warns_with_its_line() -> None:
    last = None
    elements = np.empty(2, dtype=object)

    def assigns(x: Any) -> Any:
        nonlocal last
        last = x
        return x

    def fills(x: Any) -> Any:
        elements[0] = x
        return x

    assert lines_warned(assigns, np.ones(3)) == ["last = x"]
    assert lines_warned(fills, np.ones(3)) == ["elements[0] = x"]
    assert last is not None


def test_a_value_left_by_a_helper_in_an_argument_of_it_warns() -> None:
    notes: list[Any] = []

    def note(found: list[Any], x: Any) -> None:
        found.append(x)

    def f(x: Any) -> Any:
        note(notes, x)
        return x

    with pytest.warns(ad.CaptureWarning, match="leaves a traced value in notes"):
        ad.jit(f)(np.ones(3))


def test_what_is_left_tells_in_its_use_that_its_trace_is_over() -> None:
    model = Model()
    with pytest.warns(ad.CaptureWarning, match=r"assigns leaves a traced value in self\.last"):
        ad.jacobian(model.assigns)(np.ones(3))
    with pytest.raises(ad.TracingError, match="is used after the function"):
        model.last.sum()
