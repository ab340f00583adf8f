"""Processes forked or spawned while other threads compile can compile and call, and wait for nothing."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.compilation import compiling
from mlirad.recursion import RECURSION_LIMIT

DEADLINE = 60.0
"""Seconds after which a child counts as hanging."""

REPOSITORY = Path(__file__).resolve().parents[2]


@contextmanager
def compiles_in_threads(count: int = 2) -> Generator[None]:
    """Two threads that compile one function after the other, and drop them."""
    stop = threading.Event()
    started = threading.Barrier(count + 1)

    def work() -> None:
        k = 0
        ad.jit(lambda x: x + 1.0)(np.ones(3))
        started.wait()
        while not stop.is_set():
            k += 1
            ad.jit(lambda x, k=k: np.cos(x) * k)(np.ones(3))

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    started.wait()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def gradient(x: float) -> float:
    """Compiles, also what the parent has compiled, and what it has not."""
    assert gc.isenabled() and sys.getrecursionlimit() < RECURSION_LIMIT
    return float(ad.grad(lambda v: np.sin(v) * x)(0.0)) + float(inherited(2.0))


inherited = ad.jit(lambda x: x * 3.0)


def in_child(expected: float) -> int:
    """The status of a forked child that checks a gradient; it is killed after a while."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            import faulthandler

            faulthandler.dump_traceback_later(DEADLINE, exit=True)
            status = int(gradient(expected - 6.0) != expected)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


@needs_fork
def test_children_forked_while_threads_compile() -> None:
    assert inherited(1.0) == 3.0
    with compiles_in_threads():
        assert [in_child(6.0 + k) for k in range(4)] == [0] * 4


@needs_fork
def test_a_function_that_forks_while_it_is_traced() -> None:
    statuses: list[int] = []

    def f(x: Any) -> Any:
        if not statuses:
            process = os.fork()
            if process == 0:
                os._exit(7)
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
        return x * 2.0

    assert ad.jit(f, interpret=True)(3.0) == 6.0
    assert statuses == [7]


@needs_fork
def test_forks_of_several_threads() -> None:
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(in_child(6.0))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 3


def test_settings_are_restored_by_the_last_of_several_compiles() -> None:
    before = gc.isenabled(), sys.getrecursionlimit()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with compiling():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with compiling():
        thread.start()
        inside.wait()
    assert (gc.isenabled(), sys.getrecursionlimit()) == (False, RECURSION_LIMIT)
    leave.set()
    thread.join()
    assert (gc.isenabled(), sys.getrecursionlimit()) == before


@pytest.mark.parametrize("method", sorted({"fork", "spawn"} & set(multiprocessing.get_all_start_methods())))
def test_pools(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    from tests.jit import pool_work

    context = multiprocessing.get_context(method)
    work = [1.0, 2.0, 3.0]
    if method == "spawn":  # which costs seconds, and inherits nothing
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            assert list(executor.map(pool_work.slope, work, timeout=DEADLINE)) == [2.0, 4.0, 6.0]
        return
    with compiles_in_threads(1):
        with context.Pool(2) as pool:
            assert pool.map_async(pool_work.slope, work).get(DEADLINE) == [2.0, 4.0, 6.0]
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            assert list(executor.map(pool_work.slope, work, timeout=DEADLINE)) == [2.0, 4.0, 6.0]
