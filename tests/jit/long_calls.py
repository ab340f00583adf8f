"""Calls that do not end by themselves, for `test_long_calls.py`: as a program it prints a line for each case.

python long_calls.py interrupts:while stacks:64 ...      each case and its outcome
"""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad
from mlirad.errors import CallDepthError

FOREVER = 10**15


def endless_while(x: Any, n: Any) -> Any:
    return ad.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, np.abs(np.sin(s[1]))), (0, x))[1]


def counted_by_data(x: Any, n: Any) -> Any:
    return ad.fori_loop(0, n, lambda i, c: np.cos(c) * x, x)


def recorded(x: Any, n: Any) -> Any:
    """A loop that records few iterations, each of them long, in reverse mode."""
    return ad.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, endless_while(c[1], n) + x), (0, x))[1]


def counted_scan(x: Any, n: Any) -> Any:
    """Long whatever n is below 0; the loop around has few iterations."""
    return ad.cond(n > 100, lambda: ad.fori_loop(0, 10**13, lambda i, c: c * 0.999 + x, x), lambda: np.sin(x))


@ad.function
def tree(x: Any, n: Any) -> Any:
    return ad.cond(n < 1, lambda: x, lambda: tree(x * 0.5, n - 1) + tree(x + 1.0, n - 1))


def recursive(x: Any, n: Any) -> Any:
    return tree(x, np.minimum(n, 200))


def nest(x: Any, n: Any) -> Any:
    """One kernel of 10^11 elements, or of few."""
    a = np.linspace(0.0, 1.0, 300_000) * x
    long = lambda: np.max(np.sin(a[:, None] + a[None, :]))  # noqa: E731
    return ad.cond(n > 100, long, lambda: np.sin(x))


def printing(x: Any, n: Any) -> Any:
    def step(i: Any, c: Any) -> Any:
        ad.debug_print("{}", i)
        return c + x

    return ad.fori_loop(0, n, step, x)


CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "while": (ad.jit, endless_while),
    "fori": (ad.jit, counted_by_data),
    "gradient": (ad.grad, counted_by_data),
    "recorded": (ad.grad, recorded),
    "scan": (ad.jit, counted_scan),
    "recursion": (ad.jit, recursive),
    "nest": (ad.jit, nest),
    "printing": (ad.jit, printing),
}


def outcome(call: Callable[[], object]) -> str:
    """The name of what a call raises, or `returned`."""
    try:
        call()
    except BaseException as error:
        return type(error).__name__
    return "returned"


def soon(action: Callable[[], None]) -> None:
    """Do something from another thread while the call is under way."""

    def wait() -> None:
        time.sleep(0.15)
        action()

    threading.Thread(target=wait, daemon=True).start()


class Nowhere:
    """A stream that forgets what it is told."""

    def write(self, text: str) -> None: ...
    def flush(self) -> None: ...


def interrupted(name: str) -> str:
    """Interrupt a long call, then look whether short ones give what they gave before."""
    transform, function = CASES[name]
    compiled = transform(function)
    out, sys.stdout = sys.stdout, Nowhere()  # type: ignore[assignment]
    try:
        before = compiled(0.5, 3)
        soon(_thread.interrupt_main)
        how = outcome(lambda: compiled(0.5, FOREVER))
        after = compiled(0.5, 3)
    finally:
        sys.stdout = out
    return f"{how} {'same' if np.array_equal(before, after) else 'other'}"


def limited(name: str) -> str:
    """End a long call by its time limit in this thread and, while others run the program, in another one."""
    transform, function = CASES[name]
    compiled = transform(function, timeout=0.2)
    before = compiled(0.5, 3)
    how = [outcome(lambda: compiled(0.5, FOREVER))]
    other = threading.Thread(target=lambda: how.append(outcome(lambda: compiled(0.5, FOREVER))))
    other.start()
    same = True
    while other.is_alive():
        same = same and bool(np.array_equal(compiled(0.5, 3), before))
    return f"{' '.join(how)} {'same' if same else 'other'}"


def sharing(name: str) -> str:
    """Tell whether another thread runs while a call of unknown length does."""
    transform, function = CASES[name]
    compiled = transform(function, timeout=0.5)
    compiled(0.5, 3)
    ticks: list[float] = []
    is_over = threading.Event()

    def tick() -> None:
        while not is_over.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    how = outcome(lambda: compiled(0.5, FOREVER))
    end = time.monotonic()
    is_over.set()
    thread.join()
    return f"{how} {'shared' if sum(start < t < end for t in ticks) > 2 else 'alone'}"


def small_stack(name: str) -> str:
    """Compile, and recurse, in a thread with a stack of that many kilobytes."""
    how: list[str] = []

    def run() -> None:
        for transform in (ad.jit, ad.grad):
            compiled = transform(lambda x, n: chain(x, n))
            for depth in (10, 3990):
                try:
                    right = np.isclose(compiled(0.5, depth), 1.0 if transform is ad.grad else 0.5)
                    how.append("right" if right else "wrong")
                except CallDepthError:
                    how.append("CallDepthError")

    threading.stack_size(int(name) * 1024)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return " ".join(how)


@ad.function
def chain(x: Any, n: Any) -> Any:
    return ad.cond(n < 1, lambda: x, lambda: chain(x * 2.0, n - 1) * 0.5)


def interpreted(name: str) -> str:
    """The time limit of the interpreter."""
    transform, function = CASES[name]
    compiled = transform(function, timeout=0.2, interpret=True)
    return outcome(lambda: compiled(0.5, FOREVER))


def while_compiling(name: str) -> str:
    """Interrupt a first call at some moment; the next call compiles, or finds, a program that is right."""
    x = np.arange(4.0) + 0.1

    def f(x: Any) -> Any:
        return np.sum(ad.scan(lambda c, y: (np.tanh(c * y) + 2.0, c), x[0], x)[1] ** 2)

    expected = ad.grad(f, interpret=True)(x)
    wrong = 0
    for k in range(int(name)):
        compiled = ad.grad(lambda x: f(x))
        timer = threading.Timer(0.02 * k, _thread.interrupt_main)
        try:
            timer.start()
            compiled(x)
            timer.join()
            time.sleep(0.001)
        except KeyboardInterrupt:
            pass
        wrong += not np.allclose(compiled(x), expected, rtol=1e-12)
    return f"{wrong} wrong"


KINDS: dict[str, Callable[[str], str]] = {
    "interrupts": interrupted,
    "limits": limited,
    "sharing": sharing,
    "stacks": small_stack,
    "interpreted": interpreted,
    "compiling": while_compiling,
}

if __name__ == "__main__":
    for case in sys.argv[1:]:
        kind, name = case.split(":")
        sys.stdout.write(f"{case} {KINDS[kind](name)}\n")
        sys.stdout.flush()
