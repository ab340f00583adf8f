"""Python that runs within a call, or beside it, cannot take the memory away that the program works on."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad

N = 1 << 16
"""Elements of arrays whose memory goes back to the system when it is freed, so that it cannot be read."""

SIZES = {"shrink": (3,), "grow": (1 << 22,)}

Resize = Callable[[], None]


class Resizing(io.StringIO):
    """A stream that calls a function when it is written to."""

    def __init__(self, resize: Resize):
        super().__init__()
        self.refusals: list[BaseException | None] = []
        self._resize = resize

    def write(self, text: str) -> int:
        try:
            self._resize()
            self.refusals.append(None)
        except ValueError as error:
            self.refusals.append(error)
        return len(text)


def printing(x: Any) -> Any:
    ad.debug_print("{}", x[0])
    return np.sin(x)


def check_refused(call: Callable[[], Any], resize: Resize, expected: Any) -> None:
    """The call is right, and whoever resizes meanwhile is told that it cannot be."""
    stream = Resizing(resize)
    with redirect_stdout(stream):
        result = call()
    assert stream.refusals
    assert all(isinstance(error, ValueError) for error in stream.refusals)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("how", SIZES)
def test_arguments(how: str) -> None:
    function = ad.jit(printing)
    for _ in range(3):
        x = np.full(N, 0.5)
        check_refused(
            lambda x=x: function(x),
            lambda x=x: x.resize(SIZES[how], refcheck=False),
            ad.jit(np.sin)(np.full(N, 0.5)),
        )
        x.resize(SIZES[how], refcheck=False)  # nothing is held any more


def test_arrays_behind_views() -> None:
    function = ad.jit(printing)
    for _ in range(3):
        x = np.full(2 * N, 0.5)
        check_refused(
            lambda x=x: function(x[N:]),
            lambda x=x: x.resize((3,), refcheck=False),
            ad.jit(np.sin)(np.full(N, 0.5)),
        )


@pytest.mark.parametrize("converted", [False, True])
def test_by_the_general_path(converted: bool) -> None:
    """Converted arguments have a copy, which is read; the array may be resized."""
    compiled = ad.jit(printing).lower(np.zeros(N)).compile()
    native: Any = compiled._program.native
    x = np.full(2 * N, 0.5)[::2] if converted else np.full(N, 0.5)
    owner = x if x.base is None else x.base
    stream = Resizing(lambda: owner.resize((3,), refcheck=False))
    with redirect_stdout(stream):
        result = native._general(x)
    assert isinstance(stream.refusals[0], ValueError) or converted
    np.testing.assert_array_equal(result, ad.jit(np.sin)(np.full(N, 0.5)))


def test_given_results() -> None:
    function = ad.jit(printing)
    x, out = np.full(N, 0.5), np.zeros(N)
    with redirect_stdout(io.StringIO()):
        for _ in range(2):  # the first call copies its result to where it is wanted
            function(x, out=out)
    for _ in range(3):
        check_refused(
            lambda: function(x, out=out),
            lambda: out.resize((3,), refcheck=False),
            ad.jit(np.sin)(np.full(N, 0.5)),
        )


def test_donated_arguments() -> None:
    function = ad.jit(printing, donate="x")
    for _ in range(3):
        x = np.full(N, 0.5)
        check_refused(
            lambda x=x: function(x),
            lambda x=x: x.resize((3,), refcheck=False),
            ad.jit(np.sin)(np.full(N, 0.5)),
        )


def test_handlers_of_signals() -> None:
    def slow(x: Any) -> Any:
        return ad.while_loop(lambda c: c[0] < 4000, lambda c: (c[0] + 1.0, np.sin(c[1]) + x), (0.0, x))[1]

    function = ad.jit(slow)
    x = np.full(N, 0.5)
    function(x)
    expected = function(x)
    errors: list[Exception] = []

    def handler(*_: object) -> None:
        try:
            x.resize((3,), refcheck=False)
        except ValueError as error:
            errors.append(error)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(50):
            if errors:
                break
            signal.setitimer(signal.ITIMER_REAL, 0.06)
            np.testing.assert_array_equal(function(x), expected)
            if len(x) != N:  # between two calls
                x = np.full(N, 0.5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert errors


def test_other_threads() -> None:
    """A call that has ended before the array is resized, on a busy machine, says nothing: there are more."""
    started = threading.Event()

    def slow(x: Any) -> Any:
        ad.debug_callback(started.set)
        return ad.fori_loop(0, 300, lambda i, c: np.sin(c) + x, x)

    function = ad.jit(slow)
    expected = function(np.full(N, 0.5))
    found: list[Any] = []
    for _ in range(20):
        x = np.full(N, 0.5)
        started.clear()
        thread = threading.Thread(target=lambda x=x: found.append(function(x)))
        thread.start()
        assert started.wait(60)
        try:
            x.resize((3,), refcheck=False)
        except ValueError as error:
            assert "resize" in str(error)
            is_refused = True
        else:
            is_refused = False
        thread.join()
        np.testing.assert_array_equal(found.pop(), expected)
        if is_refused:
            return
    pytest.fail("an array was resized during 20 calls in another thread")


@pytest.mark.filterwarnings("always")
def test_warnings_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy calls Python while it holds on to what it was given."""
    x = np.full(N, 2.5)
    errors: list[Exception] = []

    def show(*_: object, **__: object) -> None:
        try:
            x.resize((3,), refcheck=False)
        except ValueError as error:
            errors.append(error)

    function = ad.jit(lambda n, x: special.yn(n, x))
    orders = np.full(N, 1.0)
    expected = function(orders, x)
    orders[5] = 2.5
    monkeypatch.setattr("warnings.showwarning", show)
    result = function(orders, x)
    assert len(errors) == 1
    np.testing.assert_array_equal(np.delete(result, 5), np.delete(expected, 5))
