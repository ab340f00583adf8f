"""Programs run in their own mode of floating point, and Python that they call in that of the caller."""

from __future__ import annotations

import io
import pickle
import signal
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit import pool
from mlirad.jit.call import NativeFunction
from mlirad.jit.entry import Call, Given
from mlirad.jit.guards import Guards
from tests.float_modes import in_mode, mode, needs_modes
from tests.work import calls_made

pytestmark = needs_modes

U = np.linspace(0.05, 0.95, 7)


def modes_within(call: Callable[[], object]) -> list[int]:
    """The modes in which a stream is written to in a call."""
    found: list[int] = []

    class Noting(io.StringIO):
        def write(self, text: str) -> int:
            found.append(mode())
            return len(text)

    with redirect_stdout(Noting()):
        call()
    return found


@pytest.mark.parametrize("flushes", [True, False])
def test_callbacks_run_in_the_mode_of_the_caller(flushes: bool) -> None:
    def printing(x: Any) -> Any:
        ad.debug_print("{}", x)
        return np.exp(x)

    function = ad.jit(printing, flush_subnormals=flushes)
    function(1.0)
    with in_mode("up", flushes=True) as wanted:
        assert set(modes_within(lambda: function(1.0))) == {wanted}
    with in_mode("nearest") as wanted:
        assert set(modes_within(lambda: function(1.0))) == {wanted}


def loops(x: Any) -> Any:
    """An endless loop where x is positive."""
    return ad.while_loop(lambda y: y > 0, lambda y: np.abs(np.cos(y)), x)


def test_handlers_of_signals_run_in_the_mode_of_the_caller() -> None:
    found: list[int] = []

    def handler(*_: object) -> None:
        found.append(mode())
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, handler)
    try:
        function = ad.jit(loops, timeout=60)
        function(-1.0)
        with in_mode("zero") as wanted:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(InterruptedError):
                function(2.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found == [wanted]


@pytest.mark.parametrize("error", [ad.TimeLimitError, ad.NotANumberError, TypeError, ad.TracingError])
def test_the_mode_is_restored_behind_errors(error: type[Exception]) -> None:
    calls: dict[Any, Callable[[], object]] = {
        ad.TimeLimitError: lambda: ad.jit(loops, timeout=0.02)(2.0),
        ad.NotANumberError: lambda: ad.jit(np.log, check_nans=True)(-1.0),
        TypeError: lambda: ad.jit(np.exp)("text"),
        ad.TracingError: lambda: ad.jit(lambda x: float(x), control="plain")(1.0),
    }
    with in_mode("down"), pytest.raises(error):
        calls[error]()


def test_subnormal_numbers_are_kept_where_another_library_flushes_them() -> None:
    function = ad.jit(lambda x: x * 0.5, flush_subnormals=False)
    x = np.full(3, 1e-310)
    for _ in range(3):
        with in_mode(flushes=True):
            found = function(x)
        assert (found == 5e-311).all()


def test_workers_run_in_the_mode_of_the_program() -> None:
    x = np.linspace(0.0, 1.0, 400_000)
    expected = ad.jit(lambda x: np.exp(np.sin(x)), threads=1)(x)
    with in_mode("up"):
        function = ad.jit(lambda x: np.exp(np.sin(x)), threads=3)
        before = pool.counts().tasks_of_workers
        while pool.counts().tasks_of_workers == before:
            assert np.array_equal(function(x), expected)


def test_conversions_of_arguments_round_to_nearest() -> None:
    """The entry and the general path round alike: an integer that no float equals, to the nearest."""
    function = ad.jit(lambda x: x * 1.0)
    program = NativeFunction(function.lower(np.ones(2)).program)
    given = Given(np.dtype(np.int64))
    entry = program.entry_for(Call(program.entry, Guards(()), [given]))
    for value in (2**53 + 1, -(2**53) - 1):
        x = np.full(2, value)
        with in_mode("up"):
            found = [entry(x), *program(x), *program([value, value])]
        assert all(np.array_equal(one, np.full(2, float(value))) for one in found)


def test_pickled_programs_and_maps(tmp_path: Path) -> None:
    with in_mode("down"):
        linear = ad.linearize(lambda x: np.exp(x) / 3, U)[1]
        text = pickle.dumps(linear)
        found = np.asarray(linear.to_dense())
    assert np.array_equal(found, np.asarray(pickle.loads(text).to_dense()))
    assert np.array_equal(found, np.diag(ad.grad(lambda x: np.sum(np.exp(x) / 3))(U)))


def test_a_quick_call_makes_no_call_of_python_for_the_mode() -> None:
    function = ad.jit(lambda x: x * 0.5)
    x = np.ones(3)
    for _ in range(3):
        function(x)
    assert calls_made(lambda: function(x)) <= 4
