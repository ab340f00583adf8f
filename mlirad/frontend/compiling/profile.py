"""The time of real calls by kernel and source line, measured in a program that reads the clock.

  share        ms    runs   GB/s  Gop/s  fits     peak  kernel      line
 43.2 %    8.8280       1    0.3   13.6  L3       28 %  k1 add      model.py:12   h = np.tanh(x @ w)
 ...

The bytes of a kernel are those of the arrays that it reads and writes, each counted once a run, and of no
more elements than it computes with; the level is the smallest cache that they fit together. Operations are
counted roughly, an elementary function as what its polynomial takes. The peak is that of one core: the
bandwidth of that level, or the operations per second, whichever bounds the kernel; it is measured once per
user.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlirad.disk_cache.peaks import kept_peaks
from mlirad.frontend.tracing.notebook import html_columns
from mlirad.ir.locations import read_place
from mlirad.jit.caches import level_of
from mlirad.jit.call import NativeFunction
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import KernelNote

LEAST_CALLS = 3
"""The number of calls that are measured at least, after one that is not."""

MOST_CALLS = 1000
"""The number of calls that are measured at most."""

SECONDS = 0.25
"""The time that calls are measured, beyond the least number of them."""

_LONGEST_LINE = 60
"""The number of characters of a source line that are shown."""


@dataclass(frozen=True)
class KernelTime:
    """The time of one kernel in a call: its name in the program and what it computes, its source line as
    `file:line`, seconds, how often it runs, and the bytes and scalar operations of all these runs.
    """

    name: str
    what: str
    line: str | None
    seconds: float
    runs: float
    nbytes: float
    operations: float
    level: str | None
    """The smallest cache that holds the bytes of a run, or "memory"; None where that is not known."""
    element_bytes: int = 8
    tasks: int = 1
    """The number of tasks that a run is cut into, which threads share."""
    loop_tasks: int = 0
    """The number of tasks that a loop around it is cut into, which threads share; 0 if it is not cut."""

    @property
    def peak_share(self) -> float:
        """Return how much this is of what one core can do at most: of the bytes per second of the level, or
        of the operations per second, whichever is more. 0 for a kernel that did not run.
        """
        if not self.seconds:
            return 0.0
        least = kept_peaks().least_seconds(self.level, self.nbytes, self.operations, self.element_bytes)
        return least / self.seconds


@dataclass(frozen=True, repr=False)
class Profile:
    """The time of a call by kernel, most first, averaged over `calls` calls of `seconds` each."""

    calls: int
    seconds: float
    kernels: tuple[KernelTime, ...]

    @property
    def lines(self) -> dict[str, float]:
        """The seconds of a call by source line, most first."""
        found: dict[str, float] = {}
        for kernel in self.kernels:
            line = kernel.line or "(no line)"
            found[line] = found.get(line, 0.0) + kernel.seconds
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def __str__(self) -> str:
        return "\n".join(self._rows())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return a table of the kernels for notebooks."""
        rows = [(*map(str.strip, self._cells(k)), _title(k), _shown(k.line or "")) for k in self.kernels]
        shares = [kernel.seconds / self.seconds for kernel in self.kernels]
        names = (*_MEASURED, "kernel", "line")
        return html_columns("A profile by mlirad", names, rows, shares, [self._rest(), self._mean()], words=2)

    def _rows(self) -> Iterator[str]:
        share, ms, runs, of_bytes, of_operations, fits, peak = _MEASURED
        rates = f"{of_bytes:>6} {of_operations:>6}"
        yield f"{share:>7} {ms:>9} {runs:>7} {rates}  {fits:<6} {peak:>6}  {'kernel':<14}  line"
        for kernel in self.kernels:
            yield f"{' '.join(self._cells(kernel))}  {_title(kernel):<14}  {_shown(kernel.line or '')}"
        yield self._rest()
        yield self._mean()

    def _cells(self, k: KernelTime) -> tuple[str, ...]:
        giga = 1e-9 / k.seconds if k.seconds else 0.0
        return (
            self._share(k.seconds), f"{1e3 * k.seconds:>9.4f}", f"{k.runs:>7.0f}", f"{giga * k.nbytes:>6.1f}",
            f"{giga * k.operations:>6.1f}", f" {k.level or '':<6}", f"{100 * k.peak_share:>4.0f} %",
        )  # fmt: skip

    def _rest(self) -> str:
        rest = self.seconds - sum(k.seconds for k in self.kernels)
        return f"{self._share(rest)} {1e3 * rest:>9.4f} {'':>39}outside of kernels"

    def _mean(self) -> str:
        return f"{1e3 * self.seconds:.4f} ms a call, the mean of {self.calls} calls"

    def _share(self, seconds: float) -> str:
        return f"{100 * seconds / self.seconds:>5.1f} %"


_MEASURED = ("share", "ms", "runs", "GB/s", "Gop/s", "fits", "peak")


def profiled(native: NativeFunction, kernels: Sequence[KernelNote], arguments: Sequence[Any]) -> Profile:
    """The profile of calls of a profiled program with these arguments, which it does not overwrite."""
    native.entry(*arguments)
    before = native.constants[-1].copy()
    calls, start = 0, time.perf_counter()
    while calls < LEAST_CALLS or (calls < MOST_CALLS and time.perf_counter() - start < SECONDS):
        native.entry(*arguments)
        calls += 1
    seconds = (time.perf_counter() - start) / calls
    sums = np.reshape(native.constants[-1] - before, (-1, 2))
    times = [
        _time(note, int(nanoseconds), int(runs), calls)
        for note, (nanoseconds, runs) in zip(kernels, sums, strict=True)
    ]
    return Profile(calls, seconds, tuple(sorted(times, key=lambda k: -k.seconds)))


def _time(note: KernelNote, nanoseconds: int, runs: int, calls: int) -> KernelTime:
    often = runs / calls
    level = level_of(note.nbytes)
    seconds = 1e-9 * nanoseconds / calls
    return KernelTime(
        note.name, note.what, note.line, seconds, often, often * note.nbytes, often * note.work, level,
        note.element_bytes, note.tasks, note.loop_tasks,
    )  # fmt: skip


def _title(kernel: KernelTime) -> str:
    """The number of a kernel and what it computes."""
    return f"{kernel.name.partition('_')[0]} {kernel.what}"[:14]


def _shown(line: str) -> str:
    """A line of the source by its number and as it is written."""
    place = read_place(line)
    if place is None:
        return line
    text = linecache.getline(place.file, place.line).strip()
    if len(text) > _LONGEST_LINE:
        text = f"{text[: _LONGEST_LINE - 1]}…"
    name = place.file.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{place.line}   {text}".rstrip()
