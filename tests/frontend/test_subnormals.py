"""Programs take subnormal numbers for zeros unless told otherwise, and leave the thread as they found it."""

from __future__ import annotations

import io
import platform
import signal
import sys
import threading
from contextlib import redirect_stdout

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import NotANumberError, TimeLimitError
from mlirad.lower.llvm.float_control import float_control

SMALL = {"float64": 1e-310, "float32": 1e-40}
HAS_CONTROL = float_control(f"{platform.machine().lower()}-any") is not None

needs_control = pytest.mark.skipif(not HAS_CONTROL, reason="the processor is not known to flush")


def thread_keeps_subnormals() -> bool:
    """Return whether arithmetic outside of programs sees subnormal operands and results."""
    smallest = np.array([5e-324])
    return bool((smallest * 1.0 != 0)[0] and (np.array([1e-200]) * 1e-110 != 0)[0])


@needs_control
@pytest.mark.parametrize("dtype", SMALL)
def test_operands_and_results_are_flushed(dtype: str) -> None:
    x = np.array([SMALL[dtype], -SMALL[dtype], 1.0], dtype)
    np.testing.assert_array_equal(ad.jit(lambda x: 1e30 * x)(x), np.array([0, 0, 1e30], dtype))
    assert ad.jit(lambda x: x * 0.5)(np.finfo(dtype).smallest_normal) == 0
    assert ad.jit(lambda x: x == 0)(x).tolist() == [True, True, False]
    assert ad.jit(np.log)(x)[0] == -np.inf
    assert np.signbit(ad.jit(lambda x: 1e30 * x)(x)).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "options", [{"flush_subnormals": False}, {"interpret": True}], ids=["kept", "interpreted"]
)
@pytest.mark.parametrize("dtype", SMALL)
def test_they_are_kept_on_demand(dtype: str, options: dict[str, bool]) -> None:
    x = np.array([SMALL[dtype], -SMALL[dtype], 1.0], dtype)
    half = np.array(0.5, dtype)
    np.testing.assert_array_equal(ad.jit(lambda x: half * x, **options)(x), half * x)
    np.testing.assert_array_equal(ad.jit(lambda x: x == 0, **options)(x), x == 0)
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(x * x), **options)(x), 2 * x, rtol=1e-6)


def endless(x, bound=0.0):
    return ad.while_loop(lambda y: y > bound, lambda y: np.abs(np.cos(y)), x)


CALLS = {
    "array": (lambda: ad.jit(np.sin)(np.ones(3)), None),
    "conversion": (lambda: ad.jit(lambda x: np.sin(x[0]))([1, 2.0]), None),
    "product": (lambda: ad.grad(lambda x: np.sum(x @ x))(np.ones((30, 30))), None),
    "loop": (lambda: ad.jit(lambda x: ad.fori_loop(0, 3, lambda i, c: c * x, x))(2.0), None),
    "time limit": (lambda: ad.jit(endless, timeout=0.02)(2.0), TimeLimitError),
    "failed check": (lambda: ad.jit(np.log, check_nans=True)(-1.0), NotANumberError),
}


@needs_control
@pytest.mark.parametrize("case", CALLS)
def test_the_mode_of_the_thread_is_restored(case: str) -> None:
    call, error = CALLS[case]
    if error is None:
        call()
    else:
        with pytest.raises(error):
            call()
    assert thread_keeps_subnormals()


class Noting(io.StringIO):
    """A stream that computes with subnormal numbers when it is written to, and may fail then."""

    def __init__(self, *, fails: bool = False):
        super().__init__()
        self.kept: list[bool] = []
        self.fails = fails

    def write(self, text: str) -> int:
        self.kept.append(thread_keeps_subnormals())
        if self.fails:
            raise OSError("closed")
        return super().write(text)


@pytest.mark.parametrize("fails", [False, True], ids=["printed", "failed"])
def test_prints_run_with_subnormals_and_the_program_without(fails: bool) -> None:
    def printing(x):
        ad.debug_print("{}", x)
        return 0.5 * x

    f = ad.jit(printing)
    stream = Noting(fails=fails)
    with redirect_stdout(stream):
        if fails:
            with pytest.raises(OSError, match="closed"):
                f(1e-310)
        else:
            assert f(1e-310) == (0.0 if HAS_CONTROL else 5e-311)
    assert stream.kept
    assert all(stream.kept)
    assert thread_keeps_subnormals()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no timer signal")
def test_handlers_of_signals_run_with_subnormals() -> None:
    kept: list[bool] = []

    def handler(*_: object) -> None:
        kept.append(thread_keeps_subnormals())
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, handler)
    try:
        f = ad.jit(endless, timeout=60.0)
        f(2.0, 3.0)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(InterruptedError):
            f(2.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert kept == [True]
    assert thread_keeps_subnormals()


@needs_control
def test_threads_have_modes_of_their_own() -> None:
    f = ad.jit(lambda x: ad.fori_loop(0, 200_000, lambda i, c: c * 0.5 + x, x))
    f(1e-310)
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(f(1e-310)))
    thread.start()
    kept = [thread_keeps_subnormals() for _ in range(20)]
    thread.join()
    assert results == [0.0]
    assert all(kept)


@pytest.mark.parametrize("flushes", [False, True])
def test_programs_without_floats_do_not_switch(flushes: bool) -> None:
    function = ad.jit(lambda x: x + 1, flush_subnormals=flushes)
    assert "float_control" not in function.llvm(np.arange(3))
    assert ("float_control" in function.llvm(np.ones(3))) == HAS_CONTROL


@pytest.mark.parametrize(
    ("triple", "register"),
    [("x86_64-pc-linux-gnu", "mxcsr"), ("aarch64-apple-darwin", "fpcr"), ("arm64-apple-macosx", "fpcr")],
)
def test_registers(triple: str, register: str) -> None:
    control = float_control(triple)
    assert control is not None
    assert register in control.text


def test_other_processors_have_no_register() -> None:
    assert float_control("riscv64-unknown-linux-gnu") is None
