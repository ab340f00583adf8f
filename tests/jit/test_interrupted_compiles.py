"""Ctrl-C while a function is compiled: the call ends, and the next one compiles it as if nothing had been."""

from __future__ import annotations

import ctypes
import importlib
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad import compiler
from mlirad.frontend.compiling import compilation
from mlirad.jit import engine, forking
from mlirad.jit.llvm_binding import LLVM
from mlirad.lower.kernels.form_kernels import FormKernelsPass
from mlirad.lower.kernels.plan_memory import PlanMemoryPass
from mlirad.passes.linearize import LinearizePass
from tests.invariants import disturbed, settings
from tests.robustness.test_interrupts import Interrupting, Stop

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.errors.CaptureWarning")

X = np.array([0.5, 1.0, 2.0])

STAGES: dict[str, tuple[Any, str]] = {
    "linearize": (LinearizePass, "apply"),
    "form-kernels": (FormKernelsPass, "apply"),
    "plan-memory": (PlanMemoryPass, "apply"),
    "emit": (compiler, "emit_program"),
    "optimise": (engine, "run_pipeline"),
    "machine code": (engine, "_emit"),
    "load": (compilation, "NativeFunction"),
}


def interrupting(function: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    """The function, with Ctrl-C pressed before it or when it is done."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if not after:
            signal.raise_signal(signal.SIGINT)
        result = function(*args, **kwargs)
        signal.raise_signal(signal.SIGINT)
        return result

    return run


def check_sane(slope: Callable[..., Any], before: dict[str, Any]) -> None:
    """No lock is held, no setting changed, and the function compiles, here and in another thread."""
    assert not disturbed(before)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(slope(X)), daemon=True)
    thread.start()
    thread.join(60)
    assert len(found) == 1, "the other thread waits for a lock"
    for result in (found[0], slope(X)):
        np.testing.assert_allclose(result, np.cos(X) * X + np.sin(X))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("stage", STAGES)
def test_a_compile_is_interrupted_at_every_stage(
    stage: str, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    slope = ad.grad(lambda x: np.sum(np.sin(x) * x))
    slope_of_others = ad.grad(lambda x: np.sum(np.cos(x)))
    slope_of_others(X)
    before = settings()
    owner, name = STAGES[stage]
    engine._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(owner, name, interrupting(getattr(owner, name), after=after))
        slope(X)
    check_sane(slope, before)
    np.testing.assert_allclose(slope_of_others(X), -np.sin(X))


def test_a_trace_is_interrupted() -> None:
    pressed = threading.Event()

    def f(x: Any) -> Any:
        y = np.sin(x)
        if not pressed.is_set():
            pressed.set()
            signal.raise_signal(signal.SIGINT)
        return np.sum(y * x)

    slope, before = ad.grad(f), settings()
    with pytest.raises(KeyboardInterrupt):
        slope(X)
    check_sane(slope, before)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of threads")
def test_waiting_for_a_compile_is_interrupted() -> None:
    """The lock that another thread has stays with it."""
    before = settings()
    lock, taken, done = forking.CompileLock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            taken.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(20)
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(0.05, signal.pthread_kill, [main, signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt), lock:
        pass
    done.set()
    thread.join()
    with lock, lock:
        pass
    assert not disturbed(before)


class _Freeing:
    """Stands for a function of LLVM that frees something, and notes its name when it is called."""

    def __init__(self, name: str, freed: list[str]):
        self.name, self.freed = name, freed

    def __call__(self, *args: object) -> int:
        self.freed.append(self.name)
        return 0


@pytest.mark.parametrize("kind", ["string", "library", "linker"])
def test_what_an_interrupt_ends_is_not_freed_twice(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each place of closing an object of LLVM that runs handlers of signals; it is closed again later."""
    LLVM.get_process_triple()  # which loads it
    ffi: Any = importlib.import_module("llvmlite.binding.ffi")
    orcjit: Any = importlib.import_module("llvmlite.binding.orcjit")
    make: dict[str, Callable[[], Any]] = {
        "string": lambda: ffi.OutputString(),
        "library": lambda: orcjit.ResourceTracker(ctypes.c_void_p(1), "program", {}),
        "linker": lambda: orcjit.LLJIT(ctypes.c_void_p(1)),
    }
    functions = {
        "string": ffi.lib.LLVMPY_DisposeString,
        "library": ffi.lib.LLVMPY_LLJIT_Dylib_Tracker_Dispose,
        "linker": ffi.lib.LLVMPY_LLJITDispose,
    }
    freed: list[str] = []
    for name, function in functions.items():
        monkeypatch.setattr(function, "_cfn", _Freeing(name, freed))
    ended, place = 0, 0
    while ended == place:
        place += 1
        resource = make[kind]()
        try:
            Interrupting(place).during(resource.close)
        except Stop:
            ended += 1
        resource.close()
        assert freed.count(kind) <= 1
        freed.clear()
    assert place > 3
