"""The pool of worker threads: calls of several threads, forks, processes, ends of calls."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit import pool
from mlirad.jit.threads import (
    cgroup_processors,
    machine_threads,
    set_usual_threads,
    usual_threads,
    when_several,
)
from tests.forked import end_after
from tests.jit.pool_work import shared_sum
from tests.threads.sharing import counted

X = np.linspace(0.0, 1.0, 200_000)
ROOT = Path(__file__).parents[2]
DEADLINE = 60.0
"""Seconds after which something counts as hanging."""

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def work(x: Any) -> Any:
    return np.exp(np.sin(x)) * x


def endless(x: Any) -> Any:
    """A loop that threads share, whose tasks end by themselves after days."""
    return ad.fori_loop(0, 10**9, lambda i, c: np.sin(c) + x, x)


alone = ad.jit(work, threads=1)
together = ad.jit(work, threads=3)


def test_python_threads_share_the_workers() -> None:
    together(X)
    expected = alone(X)
    wrong: list[Any] = []

    def run() -> None:
        for _ in range(10):
            if not np.array_equal(together(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=run) for _ in range(4)]

    def all_at_once() -> None:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    counts = counted(all_at_once)
    assert not wrong
    assert counts.loops == 40
    # The first three places hold all workers that calls for three threads can have: two.
    assert counts.workers_started <= 2


def test_workers_are_no_threads_of_python() -> None:
    before = threading.active_count()
    together(X)
    assert threading.active_count() == before


def in_a_child(run: Any) -> int:
    """The status that a child ends with after calling a function: 0, or what went wrong."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


@forks
def test_children_have_pools_of_their_own() -> None:
    expected = together(X)

    def run() -> None:
        counts = counted(lambda: together(X))
        assert counts.workers_started == 2
        assert np.array_equal(together(X), expected)

    assert in_a_child(run) == 0
    assert np.array_equal(together(X), expected)


@forks
@pytest.mark.skipif(sys.platform != "linux", reason="reads the threads of the process from /proc")
def test_a_process_forks_without_workers() -> None:
    together(X)
    during: list[int] = []
    threads_before = len(os.listdir("/proc/self/task"))
    pool.retire()
    during.append(len(os.listdir("/proc/self/task")))
    assert during[0] <= threads_before - 2
    assert counted(lambda: together(X)).workers_started == 2


@forks
def test_a_fork_during_a_call_of_another_thread() -> None:
    together(X)
    stopped = threading.Event()

    def run() -> None:
        while not stopped.is_set():
            together(X)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(5):
            assert in_a_child(lambda: together(X)) == 0
    finally:
        stopped.set()
        thread.join()


@pytest.mark.parametrize(
    "method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()]
)
def test_processes_of_a_pool(method: str) -> None:
    expected = shared_sum(3.0)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, context, end_after, (DEADLINE,)) as executor:
        assert list(executor.map(shared_sum, [3.0] * 4, timeout=DEADLINE)) == [expected] * 4


def test_the_interpreter_ends_during_a_call() -> None:
    text = """
import threading, time
import numpy as np
import mlirad as ad
f = ad.jit(lambda x: ad.fori_loop(0, 10**9, lambda i, c: np.sin(c) + x, x), threads=3)
g = ad.jit(lambda x: np.exp(x), threads=3)
x = np.ones(200_000)
g(x)
f.lower(x).compile()
threading.Thread(target=f, args=(x,), daemon=True).start()
time.sleep(0.3)
print("ends")
"""
    run = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=DEADLINE, cwd=ROOT
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "ends\n", "")


def test_time_limits_end_calls_on_all_threads() -> None:
    limited = ad.jit(endless, threads=3, timeout=0.2)
    for _ in range(2):
        with pytest.raises(ad.TimeLimitError):
            limited(X)
    assert np.array_equal(together(X), alone(X))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_signals_end_calls_on_all_threads() -> None:
    function = ad.jit(endless, threads=3)
    compiled = function.lower(X).compile()

    class Interrupt(Exception):
        pass

    def handle(number: int, frame: FrameType | None) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Interrupt):
            compiled(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert np.array_equal(together(X), alone(X))


def test_a_print_calls_a_compiled_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """From inside a call, on its thread."""
    found: list[Any] = []

    class Stream:
        def write(self, text: str) -> int:
            found.append(together(X))
            return len(text)

        def flush(self) -> None:
            pass

    def printed(x: Any) -> Any:
        y = work(x)
        ad.debug_print("{}", np.sum(y))
        return np.exp(y)

    function = ad.jit(printed, threads=3)
    monkeypatch.setattr(sys, "stdout", Stream())
    result = function(X)
    monkeypatch.undo()
    assert found and all(np.array_equal(one, alone(X)) for one in found)
    assert np.array_equal(result, ad.jit(lambda x: np.exp(work(x)), threads=1)(X))


def test_checks_raise_as_on_one_thread() -> None:
    def gathered(x: Any, i: Any) -> Any:
        return np.exp(x[i])

    positions = np.arange(X.size)
    positions[-7] = X.size
    messages: list[str] = []
    for threads in (1, 3):
        function = ad.jit(gathered, check_bounds=True, threads=threads)
        loops = counted(lambda f=function: f(X, np.arange(X.size))).loops
        assert (loops > 0) == (threads > 1)
        with pytest.raises(ad.PositionError) as error:
            function(X, positions)
        messages.append(str(error.value).partition(": ")[2])
    assert messages[0] == messages[1]


def test_what_several_threads_need_is_there_before_they_are_usual() -> None:
    usual, made = usual_threads(), list[int]()
    try:
        set_usual_threads(1)
        when_several(lambda: made.append(usual_threads()))
        set_usual_threads(1)
        assert made == []
        set_usual_threads(3)
        assert made == [1]
        when_several(lambda: made.append(usual_threads()))
        assert made == [1, 3]
    finally:
        set_usual_threads(usual)


@pytest.mark.parametrize("flush", [True, False])
def test_workers_treat_subnormal_numbers_as_the_caller_does(flush: bool) -> None:
    def halves(x: Any) -> Any:
        return x * 0.5 + np.sin(x) * 0.0

    x = np.full(400_000, 3e-308)
    expected = ad.jit(halves, flush_subnormals=flush, threads=1)(x)
    assert (expected == 0).all() == flush
    function = ad.jit(halves, flush_subnormals=flush, threads=3)
    before = pool.counts().tasks_of_workers
    deadline = time.monotonic() + DEADLINE
    while pool.counts().tasks_of_workers == before and time.monotonic() < deadline:
        assert np.array_equal(function(x), expected)
    assert pool.counts().tasks_of_workers > before
    assert 3e-308 * 0.5 > 0


def test_pickled_functions_keep_their_threads() -> None:
    assert pickle.loads(pickle.dumps(shared_sum)).lower(1.0).options.threads == 2


def test_the_number_for_the_process() -> None:
    usual = ad.config.threads
    function = ad.jit(work)
    try:
        assert counted(lambda: function(X)).loops == (usual > 1)
        ad.config.threads = 2
        assert (ad.config.threads, counted(lambda: function(X)).loops) == (2, 1)
        assert counted(lambda: alone(X)).loops == 0
        ad.config.threads = "all"
        assert ad.config.threads == machine_threads()
    finally:
        ad.config.threads = usual
    assert f"threads={usual}" in repr(ad.config)


BAD = [0, -1, 1.5, "2", True, 10**9, 2**70, [2], float("nan")]


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_what_is_no_number_of_threads(value: Any) -> None:
    with pytest.raises(ad.ArgumentError, match=r"threads is .*an integer from 1 to 256, or 'all'") as error:
        ad.grad(work, threads=value)
    assert error.value.location is not None
    assert "test_pool.py" in error.value.location
    with pytest.raises(ad.ArgumentError, match=r"threads is"):
        ad.config.threads = value


@pytest.mark.parametrize(("text", "outcome"), [("3", "3"), ("x", "error"), ("0", "error"), ("1e3", "error")])
def test_the_environment_variable(text: str, outcome: str) -> None:
    program = """
import mlirad as ad
try:
    ad.jit(lambda x: x + 1)(1.0)
    print(ad.config.threads)
except ad.ArgumentError as error:
    print("error" if "MLIRAD_THREADS is" in str(error) else error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        cwd=ROOT,
        env=os.environ | {"MLIRAD_THREADS": text},
    )
    assert (run.stdout.strip(), run.stderr) == (outcome, "")


def test_limits_of_control_groups(tmp_path: Path) -> None:
    own = tmp_path / "cgroup"

    def limit(text: str, files: dict[str, str]) -> float | None:
        own.write_text(text)
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        return cgroup_processors(str(tmp_path), str(own))

    assert cgroup_processors(str(tmp_path), str(tmp_path / "none")) is None
    assert limit("0::/a/b\n", {"a/b/cpu.max": "max 100000"}) is None
    assert limit("0::/a/b\n", {"a/b/cpu.max": "150000 100000"}) == 1.5
    assert limit("0::/a/b\n", {"a/cpu.max": "50000 100000"}) == 0.5
    files = {"cpu/c/cpu.cfs_quota_us": "200000", "cpu/c/cpu.cfs_period_us": "100000"}
    assert limit("3:cpu,cpuacct:/c\n2:memory:/c\n", files) == 2.0
    assert 1 <= machine_threads() <= (os.cpu_count() or 1)
