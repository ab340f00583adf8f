"""Memory: what is compiled and dropped, called, or fails is given back.

Resident memory is read after some warming up and again later; the difference per repetition must be below
half a kilobyte. What Python itself counts, blocks of its own memory, must not grow.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit import engine

STATUS = Path("/proc/self/statm")

BYTES = 512
"""How much resident memory a repetition may keep."""

PAGE = 4096

needs_status = pytest.mark.skipif(not STATUS.exists(), reason="resident memory is read from /proc")

X = np.array([1.0, 2.0, 3.0])


def resident() -> int:
    """Bytes of memory in use, after giving back what is free."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(STATUS.read_text().split()[1]) * PAGE


def growth(action: Callable[[int], object], count: int) -> float:
    """Bytes that a repetition keeps: the least of three series, as the first ones still fill caches."""
    found: list[float] = []
    for k in range(count // 4):
        action(k)
    for _ in range(3):
        before = resident()
        for k in range(count):
            action(k)
        found.append((resident() - before) / count)
    return min(found)


def compile_and_drop(k: int) -> None:
    """A gradient with a value of its own, called through all ways in."""
    scale = float(k % 7)
    gradient = ad.grad(lambda v: np.sum(np.cos(v) * v * scale))
    for _ in range(3):
        gradient(X)


def link_and_drop(k: int) -> None:
    """Machine code alone."""
    engine.load("define void @mlirad_main(ptr %a, ptr %b) {\n ret void\n}\n")


def interpret_and_drop(k: int) -> None:
    """All but machine code."""
    ad.grad(lambda v: np.sum(np.cos(v) * v), interpret=True)(X)
    _, derivative = ad.linearize(lambda v: np.sin(v), X, interpret=True)
    derivative(X)


double = ad.jit(lambda v: v * 2.0)
summed = ad.jit(lambda p: {"sum": np.sum(p["v"]) * 2.0})
strict = ad.jit(lambda v: np.log(v), check_nans=True)
static = ad.jit(lambda v, n: v * n, static_argnames="n", interpret=True)


def call(k: int) -> None:
    """One call through machine code."""
    double(X)


def call_in_all_ways(k: int) -> None:
    """Calls that are converted, dispatched and restructured, and NaN as a static argument."""
    double(X[::-1])
    summed({"v": X})
    static(X, n=float("nan"))


def fail(k: int) -> None:
    """Errors of the general path, of the running program, and of the trace."""
    for wrong in (
        lambda: double(X + 1j),
        lambda: strict(-X),
        lambda: ad.jit(lambda v: float(v), interpret=True)(2.0),
        lambda: double("x"),
    ):
        try:
            wrong()
        except ad.MliradError:
            continue
        raise AssertionError("an error is expected")


@pytest.fixture(autouse=True)
def quiet():
    """Functions are made anew on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.CaptureWarning)
        yield


@needs_status
@pytest.mark.parametrize(
    "action, count",
    [(link_and_drop, 40), (call, 20_000), (call_in_all_ways, 300), (fail, 60)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_memory_is_given_back(action, count) -> None:
    assert growth(action, count) < BYTES


@pytest.mark.parametrize("action", [interpret_and_drop, compile_and_drop, call_in_all_ways, fail])
def test_objects_are_given_back(action) -> None:
    """What Python counts: blocks of memory. Some of its own caches still take one or two per repetition."""

    def blocks() -> int:
        gc.collect()
        return sys.getallocatedblocks()

    for k in range(8):
        action(k)
    found: list[int] = []
    for _ in range(3):
        before = blocks()
        for k in range(4):
            action(k)
        found.append(blocks() - before)
    assert min(found) <= 3 * 4, found


@needs_status
@pytest.mark.fuzz
@pytest.mark.parametrize(
    "action, count",
    [
        (compile_and_drop, 1000),
        (link_and_drop, 1000),
        (interpret_and_drop, 1000),
        (call, 350_000),
        (call_in_all_ways, 5000),
        (fail, 1000),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_memory_is_given_back_for_long(action, count) -> None:
    """Three thousand compiles, a million calls."""
    assert growth(action, count) < BYTES
