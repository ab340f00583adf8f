"""Objects whose address machine code holds are made once, whoever asks first."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import threading
import time
from typing import Any

import pytest

from mlirad.jit import guards
from mlirad.jit.once import once


def results_of(function: Any, count: int = 8) -> list[Any]:
    """The results of a function in several threads that call it at once."""
    barrier, found = threading.Barrier(count), list[Any]()

    def run() -> None:
        barrier.wait()
        found.append(function())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_threads_that_ask_at_once_get_one_value() -> None:
    calls: list[int] = []

    @once
    def slow(k: int) -> object:
        calls.append(k)
        time.sleep(0.02)
        return object()

    assert len(set(map(id, results_of(lambda: slow(3))))) == 1
    assert calls == [3]
    assert slow(4) is slow(4) is not slow(3)


def test_one_value_may_ask_for_another_and_an_error_is_not_kept() -> None:
    tries: list[int] = []

    @once
    def inner() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError
        return 7

    @once
    def outer() -> int:
        return inner() + 1

    with pytest.raises(OSError):
        outer()
    assert outer() == 8


HARMLESS = {
    "bool",
    "int",
    "None",
    "tuple[int, ...]",
    "dict[str, int]",
    "tuple[ctypes.CDLL, ...]",
    "tuple[bytes, StageTimes]",
    "_Description",
    "Target",
    "TargetMachine",
}
"""Values that `functools.cache` may keep: those as good as an equal one, or held by all that use them."""


def test_caches_keep_nothing_of_which_machine_code_holds_addresses() -> None:
    harmful: list[str] = []
    for found in pkgutil.iter_modules(importlib.import_module("mlirad.jit").__path__, "mlirad.jit."):
        for name, value in vars(importlib.import_module(found.name)).items():
            is_own = isinstance(value, functools._lru_cache_wrapper) and value.__module__ == found.name
            if is_own and value.__wrapped__.__annotations__["return"] not in HARMLESS:
                harmful.append(f"{found.name}.{name}")
    assert not harmful, "decorate them with mlirad.jit.once.once"


def test_words_of_guards_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def words(self, kept: list[object]) -> list[tuple[int, ...]]:
            time.sleep(0.02)
            return [(guards.CALL, id(len), 0, 0)]

    both: Any = guards.Guards([Slow()])  # pyright: ignore[reportArgumentType]
    assert len(set(results_of(lambda: both.address))) == 1
