"""Under limits of memory, compiles and calls end with a result or an error, never with the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from tests.forked import fork

resource = pytest.importorskip("resource")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="reads how much memory a process has from /proc"
)

ROOT = Path(__file__).parents[2]
DEADLINE = 60
LEFT = [0, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 29]
"""Bytes that the process may still take when it begins: some are too few for anything, some are plenty."""

X = np.linspace(0.1, 0.9, 1000)
A = np.eye(40) + 0.01


def recursion() -> Any:
    @ad.function
    def f(x: Any, n: Any) -> Any:
        return ad.cond(n < 1, lambda: np.sin(x), lambda: np.tanh(f(x * 0.99, n - 1)) + x)

    return ad.grad(lambda x: np.sum(f(x, 300)))(X)


warm = ad.jit(lambda x: x + 1.0)

PROGRAMS: dict[str, Callable[[], Any]] = {
    "elementwise": lambda: ad.jit(lambda x: np.exp(np.sin(x)) * x)(X),
    "recursion": recursion,
    "product": lambda: ad.jit(lambda a: a @ a.T @ a)(np.ones((300, 300))),
    "solution": lambda: ad.grad(lambda a: np.sum(np.linalg.solve(a, a)))(A),
    "special": lambda: ad.jit(lambda x: special.jv(1.5, x))(X),
    "threads": lambda: ad.jit(lambda x: np.exp(np.sin(x)) * x, threads=3)(np.ones(200_000)),
    "tape": lambda: ad.grad(lambda x: np.sum(ad.while_loop(lambda c: c[0] < 1e4, growing, (0.0, x))[1]))(X),
    "interpreted": lambda: ad.jit(lambda x: np.outer(x, x) @ x, interpret=True)(np.ones(2000)),
}


def growing(c: Any) -> Any:
    return c[0] + 1.0, np.sin(c[1]) + 0.5


def outcome(run: Callable[[], object], left: int, *, in_thread: bool) -> str:
    """The outcome of a run in a child that may take `left` bytes."""
    child = fork(DEADLINE)
    if child == 0:
        status = [3]

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with open("/proc/self/statm") as file:
                used = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + left, used + left))
            try:
                run()
                status[0] = 0
            except MemoryError:
                status[0] = 1
            except ad.MliradError as error:
                status[0] = 4 if "defect" in str(error) else 2

        try:
            if in_thread:
                thread = threading.Thread(target=limited)
                thread.start()
                thread.join()
            else:
                limited()
        finally:
            os._exit(status[0])
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        return signal.Signals(-code).name
    return ("ran", "no memory", "error", "another exception", "defect")[code]


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("case", PROGRAMS)
def test_programs_end_with_a_result_or_an_error(case: str, in_thread: bool, left: int) -> None:
    warm(X)
    found = outcome(PROGRAMS[case], left, in_thread=in_thread)
    assert found in ("ran", "no memory", "error")
    assert found == "ran" or in_thread or left < LEFT[-1]


@pytest.mark.parametrize("case", [250, 350, 450, 600, 900])
def test_tools_end_with_a_result_or_an_error(case: int, tmp_path: Path) -> None:
    text = tmp_path / "program.mlir"
    text.write_text("func.func @main(%x: f64) -> f64 {\n%y = array.sin %x : f64\nfunc.return %y : f64\n}\n")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (case << 20, case << 20))

    run = subprocess.run(
        [sys.executable, "-m", "mlirad.tools.run", str(text), "--args", "0.5"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        cwd=ROOT,
        preexec_fn=limit,
    )
    assert run.returncode in (0, 1), run
    assert "Traceback" not in run.stderr
    assert (run.returncode == 0) == (run.stdout.strip() == repr(np.sin(0.5).item())), run
    assert run.returncode == 1 or case > 250
    assert run.returncode == 0 or "memory" in run.stderr
