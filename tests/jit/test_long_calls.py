"""Interrupts, time limits, the global lock and small stacks: calls that do not end by themselves.

They run in a child process, which is killed if it does not come to an end; nothing else is timed.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import ArgumentError, PositionError, TimeLimitError
from mlirad.lower.llvm.elementary import emit
from mlirad.lower.llvm.text import ModuleText, Parameter
from mlirad.lower.native_program import POLL

SECONDS = 300
"""The seconds after which a child is killed."""

LOOPS = ("while", "fori", "gradient", "recorded", "scan", "recursion", "nest", "printing")

LIMITED = "TimeLimitError TimeLimitError same"
DEEP = ("right", "CallDepthError")

OUTCOMES = {f"interrupts:{name}": ("KeyboardInterrupt same",) for name in LOOPS}
OUTCOMES |= {f"limits:{name}": (LIMITED,) for name in ("fori", "recursion", "nest")}
OUTCOMES |= {f"sharing:{name}": ("TimeLimitError shared",) for name in ("while", "recursion")}
OUTCOMES |= {"interpreted:while": ("TimeLimitError",), "compiling:5": ("0 wrong",)}
OUTCOMES |= {f"stacks:{k}": tuple(f"right {a} right {b}" for a in DEEP for b in DEEP) for k in (64, 256)}
"""The outcomes that each case may have."""


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    """The child's report on each case."""
    child = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("long_calls.py")), *OUTCOMES],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert child.returncode == 0, child.stdout + child.stderr
    return dict(line.split(" ", 1) for line in child.stdout.splitlines())


@pytest.mark.parametrize("case", OUTCOMES)
def test_long_calls(found: dict[str, str], case: str) -> None:
    assert found[case] in OUTCOMES[case]


ENDLESS = """
func.func @f(%x: f64) -> (f64, i64) {
  %t = array.constant 1 : i1
  %0 = array.constant 0 : i64
  %1 = array.report print %0, %t {message = "begun", batch_rank = 0} : i64, i1 -> i64
  %y, %n = array.while %x, %1 (%c : f64, %k : i64) : f64, i64 -> (f64, i64) {
    %z = array.constant -1.0 : f64
    %more = array.compare gt %c, %z : f64, f64 -> i1
    array.yield %more : i1
  } do (%a : f64, %k : i64) {
    %b = array.abs %a : f64
    array.yield %b, %k : f64, i64
  }
  func.return %y, %n : f64, i64
}"""


def start(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    """The tool, with a program that prints and then runs forever."""
    source = tmp_path / "endless.mlir"
    source.write_text(ENDLESS)
    command = [sys.executable, "-u", "-m", "mlirad.tools.run", str(source), *options, "--args", "1.0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_the_tool_is_interrupted(tmp_path: Path) -> None:
    with start(tmp_path) as tool:
        assert tool.stdout is not None
        tool.stdout.readline()
        tool.send_signal(signal.SIGINT)
        _, errors = tool.communicate(timeout=SECONDS)
    assert tool.returncode == 130
    assert errors == "interrupted\n"


@pytest.mark.parametrize("options", [(), ("--interpret",)], ids=["native", "interpreted"])
def test_the_time_limit_of_the_tool(tmp_path: Path, options: tuple[str, ...]) -> None:
    with start(tmp_path, "--timeout", "1", *options) as tool:
        _, errors = tool.communicate(timeout=SECONDS)
    assert tool.returncode == 1
    assert "longer than its time limit" in errors


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan"), float("inf")])
def test_time_limits_that_are_none(timeout: float) -> None:
    with pytest.raises(ArgumentError, match="must be a finite number"):
        ad.jit(np.sin, timeout=timeout)


def test_the_time_limit_is_that_of_a_python_timeout() -> None:
    assert issubclass(TimeLimitError, TimeoutError)


# Prints that fail --------------------------------------------------------------------------------


class Stream:
    """A stream that fails at the third line."""

    def __init__(self, error: type[BaseException]):
        self.error = error
        self.lines = 0

    def write(self, text: str) -> None:
        self.lines += text.count("\n")
        if self.lines == 3:
            raise self.error("no")

    def flush(self) -> None: ...


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("error", [ValueError, BrokenPipeError, KeyboardInterrupt, SystemExit])
def test_what_a_stream_raises_ends_the_call(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException], interpret: bool
) -> None:
    def step(i: Any, c: Any) -> Any:
        ad.debug_print("{} {}", i, c)
        return c * 2.0

    function = ad.jit(lambda x, n: ad.fori_loop(0, n, step, x), interpret=interpret)
    stream = Stream(error)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        with pytest.raises(error, match="no"):
            function(1.0, 1000)
    assert stream.lines == 3
    assert function(1.0, 2) == 4.0


def test_a_call_within_a_print_keeps_the_failures_of_the_call_around(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(x: Any, i: Any) -> Any:
        y = x[i]
        ad.debug_print("{}", y)
        return y

    function = ad.jit(read, check_bounds=True)
    x = np.arange(3.0)

    class Calling:
        def write(self, text: str) -> None:
            monkeypatch.undo()
            assert function(x, 1) == 1.0

        def flush(self) -> None: ...

    function(x, 0)
    stream = Calling()
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(PositionError, match="7"):
        function(x, 7)


# Polls -------------------------------------------------------------------------------------------


def polls(write: Any, *, asked: bool = True) -> int:
    """The number of polls in a function that is written so."""
    module = ModuleText(polls=asked)
    f = module.function("f", [Parameter("n", "i64"), Parameter("p", "ptr")], linkage="")
    write(f, *f.arguments)
    f.ret()
    return f.text().count(f"call i64 @{POLL}")


def loops(*extents: Any, **bounds: int) -> Any:
    """Loops in each other; None stands for a number of iterations that is not known."""

    def write(f: Any, n: Any, p: Any, level: int = 0) -> None:
        if level == len(extents):
            f.store(n, p)
            return
        with f.loop(0, n if extents[level] is None else extents[level], **bounds):
            write(f, n, p, level + 1)

    return write


def test_loops_poll_if_they_may_run_long() -> None:
    assert polls(loops(1000)) == 0
    assert polls(loops(1000, 1000)) == 0
    assert polls(loops(10**9)) == 1
    assert polls(loops(10**5, 10**5)) == 1
    assert polls(loops(None)) == 1
    assert polls(loops(None, at_most=1000)) == 0
    assert polls(loops(None, 100)) == 1
    assert polls(loops(10**9), asked=False) == 0


def test_loops_over_functions_of_scipy_poll() -> None:
    def write(f: Any, n: Any, p: Any) -> None:
        with f.loop(0, 50_000):
            f.store(emit(f, "special", [f.load(p, "double", 4)], function="gamma"), p)

    assert polls(write) == 1


def test_loops_on_a_condition_poll() -> None:
    def write(f: Any, n: Any, p: Any) -> None:
        with f.repeat(lambda: f.icmp("slt", f.load(p, "i64"), n)):
            f.store(f.add(f.load(p, "i64"), 1), p)

    assert polls(write) == 1


def test_many_short_kernels_poll_between_them() -> None:
    def write(f: Any, n: Any, p: Any) -> None:
        kernel = f.module.function("k", [Parameter("p", "ptr")])
        with kernel.loop(0, 10**6) as loop:
            kernel.store(loop.index, p)
        kernel.ret()
        for _ in range(30):
            f.call("k", [p])

    assert 3 < polls(write) < 30
