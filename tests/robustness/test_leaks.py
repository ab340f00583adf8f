"""Memory comes back: of programs that were dropped, of calls, and of calls that raise.

Every day objects are counted. With `--fuzz-seconds` the resident memory of a process is measured over 3000
programs. Of each program llvmlite keeps 1.6 kB for ever (the callbacks that its pass builder makes and does
not free), which is measured alone and subtracted.
"""

from __future__ import annotations

import ctypes
import gc
import statistics
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit import engine

X = np.linspace(0.1, 1.0, 3)
CYCLES = 3000
KILOBYTES_PER_CYCLE = 0.5


def straight() -> None:
    ad.grad(lambda x: np.sum(np.sin(x) * 3.0))(X)


def looping() -> None:
    ad.grad(lambda x: ad.while_loop(lambda c: c < 100.0, lambda c: c * 1.5 + 1, x))(2.0)


def recursive() -> None:
    @ad.function
    def power(x, n):
        return ad.cond(n < 1, lambda: x, lambda: x * power(x, n - 1))

    ad.jit(lambda x, n: ad.grad(lambda y: power(y, n))(x))(1.5, 3)


def mapped() -> None:
    _, by_x = ad.linearize(lambda x: np.sin(x) * x, X)
    by_x.T(by_x(X))


def refused() -> None:
    with pytest.raises(ad.PositionError):
        ad.jit(lambda x: x[7])(X)


def stopped() -> None:
    with pytest.raises(ad.PositionError):
        ad.jit(lambda x, i: x[i], check_bounds=True)(X, 7)


summed = ad.jit(lambda p: {"sum": np.sum(p["v"]) * 2.0})
scaled = ad.jit(lambda v, n: v * n, static_argnames="n", interpret=True)
checked = ad.jit(lambda v: np.log(v), check_nans=True)


def called() -> None:
    """Calls that are converted, dispatched and restructured, and NaN as a static argument."""
    summed({"v": X[::-1]})
    scaled(X, n=float("nan"))


def failed() -> None:
    """Errors of the general path, of the running program, and of the trace."""
    for wrong in (
        lambda: checked(np.array(["x"])),
        lambda: checked(-X),
        lambda: ad.jit(lambda v: float(v), interpret=True, control="plain")(2.0),
        lambda: checked(),
    ):
        with pytest.raises(ad.MliradError):
            wrong()


PROGRAMS: dict[str, Callable[[], None]] = {
    f.__name__: f for f in (straight, looping, recursive, mapped, refused, stopped, called, failed)
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Functions are made again on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.CaptureWarning)
        yield


def objects() -> Counter[str]:
    """The number of objects of every class."""
    gc.collect()
    return Counter(type(thing).__qualname__ for thing in gc.get_objects())


def look_no_more_at_what_there_is() -> None:
    """Have later collections leave out the objects of the tests before."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_objects_are_left_of_dropped_programs(name: str) -> None:
    """Four programs, and four more, leave less than an object for each."""
    PROGRAMS[name]()
    look_no_more_at_what_there_is()
    counts = [objects()]
    for _ in range(2):
        for _ in range(4):
            PROGRAMS[name]()
        counts.append(objects())
    first, second = (after - before for before, after in pairwise(counts))
    assert not {kind: count for kind, count in (first & second).items() if count >= 4}


# Resident memory ---------------------------------------------------------------------------------

STATUS = Path("/proc/self/smaps_rollup")
measured = pytest.mark.skipif(not STATUS.exists(), reason="needs the resident memory that Linux tells")


def resident_kilobytes() -> int:
    """The resident memory of the process, after everything that is free was given back."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))


def growth(run: Callable[[], object], cycles: int) -> float:
    """Kilobytes that each cycle adds: the median of five stretches, after a first one that does not count."""
    look_no_more_at_what_there_is()
    stretch = max(1, cycles // 6)
    sizes: list[int] = []
    for _ in range(6):
        for _ in range(stretch):
            run()
        sizes.append(resident_kilobytes())
    return statistics.median(b - a for a, b in pairwise(sizes)) / stretch


@measured
def test_calls_leave_nothing() -> None:
    """Many calls, and calls that raise."""
    f = ad.grad(lambda x: np.sum(np.sin(x) * x))
    f(X)
    assert growth(lambda: [f(X) for _ in range(1000)], 60) < 1.0
    read = ad.jit(lambda x, i: x[i], check_bounds=True)

    def failing() -> None:
        with pytest.raises(ad.PositionError):
            read(X, 7)

    assert growth(failing, 600) < 0.1


@pytest.mark.fuzz
@measured
def test_a_million_calls_leave_nothing() -> None:
    f = ad.grad(lambda x: np.sum(np.sin(x) * x))
    f(X)
    assert growth(lambda: [f(X) for _ in range(1000)], 1200) < 1.0


@pytest.mark.fuzz
@measured
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_leave_nothing(name: str) -> None:
    """Programs that are compiled and dropped."""
    text = ad.jit(lambda x: x + 1.0).llvm(X)
    kept_by_llvmlite = growth(lambda: engine.object_code(text), 600)
    runs = Counter[str]()
    optimised = engine._optimised

    def counting(*args, **kwargs):
        runs["pipeline"] += 1
        return optimised(*args, **kwargs)

    engine._optimised = counting
    try:
        slope = growth(PROGRAMS[name], CYCLES)
    finally:
        engine._optimised = optimised
    own = slope - kept_by_llvmlite * runs["pipeline"] / CYCLES
    sys.stderr.write(f"{name}: {slope:.2f} kB a cycle, {own:.2f} kB without llvmlite's\n")
    assert own < KILOBYTES_PER_CYCLE
