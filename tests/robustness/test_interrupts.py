"""Ctrl-C anywhere: afterwards all settings are as they were, no lock is held, and the next call is right.

Python runs the handler of a signal when a function is entered and when a call has returned. These are events
of the profiler, so every one of them can be interrupted, one after the other. Signals at random times find
what is between.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import random
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.special
from numpy import array
from scipy.special import logsumexp, softmax

import mlirad as ad
from tests.invariants import disturbed, settings

pytestmark = [
    pytest.mark.filterwarnings("ignore::mlirad.errors.CaptureWarning"),
    pytest.mark.filterwarnings("ignore::mlirad.errors.RecompileWarning"),
]

X = np.array([0.5, 1.0, 2.0])


class Stop(KeyboardInterrupt):
    """An interrupt of these tests."""


class Late(Exception):
    """The exception of a handler of a signal that ends a call that takes too long."""


def stop() -> None:
    raise Stop


class Interrupting:
    """A profiler that counts the places where handlers of signals run, and raises at one of them."""

    def __init__(self, place: int | None = None, end: Callable[[], None] = stop):
        self.place = place
        self.count = 0
        self.end = end

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "return", "c_return"):
            self.count += 1
            if self.count == self.place:
                self.end()

    def during(self, call: Callable[[], Any]) -> Any:
        """The result of a call; it is interrupted at the place."""
        sys.setprofile(self)
        try:
            return call()
        finally:
            sys.setprofile(None)


def use(x: Any) -> Any:
    """A function that asks, branches, loops, differentiates and calls libraries."""
    y = array([x[0], x[1] * x[2], logsumexp(x)])
    z = ad.cond(x[0] > 0, lambda v: np.sum(v * v), lambda v: np.max(v), y)
    w = ad.fori_loop(0, 3, lambda k, c: np.tanh(c) + y[k], z)
    return (
        w
        + ad.grad(lambda v: np.mean([v, np.sin(v)]) * x[1])(x[2])
        + np.sum(scipy.linalg.expm(np.outer(x, x)))
    )


@ad.custom_derivative
def cubed(x: Any) -> Any:
    return x**3


@cubed.rule
def _(x: Any) -> Any:
    return lambda dx: 3 * cubed(x) / x * dx


def fresh(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that was never compiled, and gives the same."""
    number = random.random()
    return lambda x: function(x) + 0 * number


CALLS: dict[str, Callable[[], Any]] = {
    "trace": lambda: ad.trace(use, X),
    "interpreted": lambda: ad.grad(fresh(lambda x: np.sum(np.sin(x) * x)), interpret=True)(X),
    "rule": lambda: ad.grad(fresh(lambda x: np.sum(cubed(x))), interpret=True)(X),
    "compiled": lambda: ad.jit(fresh(lambda x: np.sum(np.sin(x) * x)))(X),
    "linearized": lambda: ad.linearize(fresh(lambda x: np.cumsum(x * x)), X)[1](X),
    "checked": lambda: ad.jit(fresh(lambda x: np.log(x)), check_nans=True, interpret=True)(X),
    "rewritten": lambda: ad.jit(lambda x: x if x[0] > 0 else -x, control="rewrite", interpret=True)(X),
    "sparse": lambda: ad.jacobian(fresh(lambda x: x * x[::-1]), sparse=True)(X),
    "lowered": lambda: ad.jit(fresh(np.sum)).lower(X).ir(after="bulk-operations"),
    "called": lambda: KNOWN(X),
    "library": lambda: softmax(X) + np.mean([1.0, 2.0]),  # `logsumexp` leaves NumPy's errors set itself
}
KNOWN = ad.jit(lambda x: np.sum(x * x))


def check(trial: Callable[[], Any]) -> bool:
    """Return whether a trial was interrupted. Afterwards nothing is disturbed."""
    before = settings()
    try:
        trial()
        interrupted = False
    except Stop:
        interrupted = True
    assert not disturbed(before)
    return interrupted


def check_calls() -> None:
    """Calls here and in another thread give what is right."""
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.append(float(ad.jit(fresh(np.sum))(X))), daemon=True)
    thread.start()
    thread.join(60)
    assert found == [3.5], "the other thread waits for a lock"
    want = np.sum(2 * X * X)
    np.testing.assert_allclose(ad.grad(fresh(lambda x: np.sum(x**2)), interpret=True)(X) @ X, want)


def places(name: str) -> int:
    """The number of places at which a call can be interrupted."""
    for _ in range(3):  # which may be different ways in
        CALLS[name]()
    counting = Interrupting()
    counting.during(CALLS[name])
    return counting.count


@pytest.mark.parametrize("name", CALLS)
def test_interrupts_at_chosen_places(name: str) -> None:
    count, draw = places(name), random.Random(name)
    chosen = sorted(draw.sample(range(1, count + 1), min(count, 12)))
    hits = sum(check(lambda place=place: Interrupting(place).during(CALLS[name])) for place in chosen)
    assert hits >= len(chosen) / 2 or name == "called"
    check_calls()


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="signals")
@pytest.mark.parametrize("name", CALLS)
def test_exceptions_of_handlers_pass_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that is not an interrupt is not taken for one of mlirad's, of an operand's, or of a
    branch.

    Python itself drops what is raised in a finaliser or a callback of a weak reference, and reports it.
    """
    dropped: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: dropped.append(report.exc_type))

    def late(number: int, frame: FrameType | None) -> None:
        raise Late

    def interrupted(place: int) -> None:
        dropped.clear()
        interrupting = Interrupting(place, lambda: signal.raise_signal(signal.SIGALRM))
        with contextlib.suppress(Late):
            interrupting.during(CALLS[name])
            assert interrupting.count < place or Late in dropped, "the exception was swallowed"

    count, draw = places(name), random.Random(f"late {name}")
    before = signal.signal(signal.SIGALRM, late)
    try:
        for place in draw.sample(range(1, count + 1), min(count, 30)):
            check(lambda place=place: interrupted(place))
    finally:
        signal.signal(signal.SIGALRM, before)
    check_calls()


OF_OTHERS = {"bridges/jax_rules.py", "explorer/tool.py", "frontend/compiling/log.py"}
"""Files that tell of any exception as it is: tools print it, and a rule of JAX's user is named."""


def test_whatever_catches_all_exceptions_lets_those_of_handlers_pass() -> None:
    """Each `except Exception` asks whether a handler of a signal has raised, or raises what it caught."""
    root = Path(ad.__file__).parent
    missing: list[str] = []
    for file in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
                asks = any(isinstance(n, ast.Name) and n.id == "is_from_signal" for n in ast.walk(node))
                passes = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
                if node.type.id == "Exception" and not asks and not passes:
                    missing.append(f"{file.relative_to(root)}:{node.lineno}")
    files = {place.rpartition(":")[0] for place in missing}
    assert {file for file in files if not file.startswith("tools/")} <= OF_OTHERS


@pytest.mark.parametrize("name", ["interpreted", "library", "called"])
def test_the_ends_of_calls(name: str) -> None:
    """The last places of a call are where what it changed is undone."""
    count = places(name)
    for place in range(max(count - 25, 1), count + 1):
        check(lambda place=place: Interrupting(place).during(CALLS[name]))
    check_calls()


@contextlib.contextmanager
def stopping() -> Any:
    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)


def signalled(call: Callable[[], Any], seconds: float) -> None:
    """A call, and a signal after some time, unless it ends before."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    call()
    signal.setitimer(signal.ITIMER_REAL, 0)


def random_signals(draw: random.Random, end: Callable[[int], bool]) -> Counter[str]:
    """Signals at random times of calls, until there were enough."""
    spans: dict[str, float] = {}
    for name, call in CALLS.items():
        start = time.perf_counter()
        call()
        spans[name] = time.perf_counter() - start
    hits: Counter[str] = Counter()
    with stopping():
        while not end(hits.total()):
            name = draw.choice(list(CALLS))
            with contextlib.suppress(Stop):
                hits[name] += check(lambda name=name: signalled(CALLS[name], draw.uniform(2e-6, spans[name])))
                signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    return hits


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers")
def test_signals_at_random_times() -> None:
    hits = random_signals(random.Random(5), lambda count: count >= 40)
    assert len(hits) > 5
    check_calls()


@pytest.mark.fuzz
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers")
def test_many_interrupts(fuzz_seconds: float, judged: Counter[str]) -> None:
    """Half of them at places that are counted, half at times."""
    warnings.simplefilter("ignore")
    draw, counts = random.Random(), {name: places(name) for name in CALLS}
    end = time.monotonic() + fuzz_seconds
    while time.monotonic() < end or judged["interrupts"] < 10_000:
        for name, count in counts.items():
            for _ in range(20):
                place = draw.randrange(1, count + 1)
                judged["interrupts"] += check(lambda p=place, n=name: Interrupting(p).during(CALLS[n]))
        judged["interrupts"] += random_signals(draw, lambda count: count >= 200).total()
        check_calls()
        gc.collect()
