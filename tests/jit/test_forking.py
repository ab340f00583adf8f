"""Processes forked or spawned while other threads compile can compile and call, and wait for nothing."""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import multiprocessing
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.splicing.tracing_threads import TRACING
from mlirad.jit import forking
from mlirad.recursion import RECURSION_LIMIT
from tests.forked import end_after, fork

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
    assert gc.isenabled() and sys.getrecursionlimit() < RECURSION_LIMIT and not TRACING
    return float(ad.grad(lambda v: np.sin(v) * x)(0.0)) + float(inherited(2.0))


inherited = ad.jit(lambda x: x * 3.0)


def in_child(expected: float) -> int:
    """The status of a forked child that checks a gradient; it is killed after a while."""
    process = fork(DEADLINE)
    if process == 0:
        status = 1
        try:
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


@pytest.mark.fuzz
@needs_fork
def test_many_children_forked_while_threads_compile(judged: Counter[str]) -> None:
    with compiles_in_threads():
        for k in range(200):
            time.sleep(k % 7 * 1e-3)
            assert in_child(6.0 + k % 11) == 0
            judged["children"] += 1


@needs_fork
def test_forks_wait_for_no_trace() -> None:
    """A trace of another thread may itself wait for the thread that forks. The child traces and compiles."""
    begun, forked = threading.Event(), threading.Event()

    def f(x: Any) -> Any:
        begun.set()
        forked.wait(DEADLINE)
        return np.sin(x)

    waiting = ad.jit(f)
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.append(float(waiting(0.0))))
    thread.start()
    begun.wait(DEADLINE)
    start = time.monotonic()
    assert in_child(6.5) == 0
    assert time.monotonic() - start < DEADLINE / 2
    forked.set()
    thread.join()
    assert found == [0.0]


@needs_fork
def test_locks_of_others_are_free_in_a_child() -> None:
    """Settings that others have changed are as they were, too. Only calls of LLVM are waited for."""
    begun, ended = threading.Event(), threading.Event()
    known = forking._locks  # pyright: ignore[reportPrivateUsage]
    locks = [lock for lock in known if lock is not forking.CallsOfLLVM.lock]

    @compiling
    def hold() -> None:
        with contextlib.ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            TRACING.add(threading.get_ident())
            begun.set()
            ended.wait(DEADLINE)
            TRACING.discard(threading.get_ident())

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait(DEADLINE)
    assert len(locks) > 10
    start = time.monotonic()
    assert in_child(6.25) == 0
    assert time.monotonic() - start < DEADLINE / 2
    ended.set()
    thread.join()


@needs_fork
def test_forks_wait_for_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that another thread has half imported would stay so in the child."""
    (tmp_path / "mlirad_slow").mkdir()
    (tmp_path / "mlirad_slow" / "__init__.py").write_text("import time\ntime.sleep(0.3)\nDONE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(forking, "_PACKAGES", ("mlirad_slow",))
    thread = threading.Thread(target=importlib.import_module, args=("mlirad_slow",))
    thread.start()
    while "mlirad_slow" not in sys.modules:
        time.sleep(0.001)
    process = fork(DEADLINE)
    if process == 0:
        os._exit(getattr(importlib.import_module("mlirad_slow"), "DONE", 2))
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 1
    thread.join()


LOCAL = {
    "mlirad/distributed/progress_line.py",
    "mlirad/frontend/compiling/progress.py",
    "mlirad/tools/time_limit.py",
    "mlirad/jit/forking.py",
}
"""Files with locks that no other thread waits for in a child, and the one that makes the others."""


def test_all_locks_are_known_to_forks() -> None:
    names = {"Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier"}
    found = {
        str(path.relative_to(REPOSITORY))
        for path in (REPOSITORY / "mlirad").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in names
    }
    assert found == LOCAL


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

    @compiling
    def other() -> None:
        inside.set()
        leave.wait()

    thread = threading.Thread(target=other)

    @compiling
    def this() -> None:
        thread.start()
        inside.wait()

    this()
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
        with ProcessPoolExecutor(1, context, end_after, (DEADLINE,)) as executor:
            assert list(executor.map(pool_work.slope, work, timeout=DEADLINE)) == [2.0, 4.0, 6.0]
        return
    with compiles_in_threads(1):
        with context.Pool(2, end_after, (DEADLINE,)) as pool:
            assert pool.map_async(pool_work.slope, work).get(DEADLINE) == [2.0, 4.0, 6.0]
        with ProcessPoolExecutor(2, context, end_after, (DEADLINE,)) as executor:
            assert list(executor.map(pool_work.slope, work, timeout=DEADLINE)) == [2.0, 4.0, 6.0]
