"""Peak rates of one core of this machine: bytes a second from each cache, and operations a second.

    measured()     Peaks(bandwidth={"L1": 1.9e11, "L2": 9.1e10, "L3": 4.2e10, "memory": 1.8e10}, 5.6e10)

Both are found by running machine code for some tens of milliseconds: loops that add up an array of half the
size of a cache, and loops of independent multiply-adds of vectors. Each is repeated and the best counts, by
the time that the thread was on a processor.

Peaks are measured. Tables of processors by clock and ports are never complete, and virtual machines do not
tell. A tenth of a second of adding and multiplying tells it for the machine as it is, once per user.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from mlirad.jit.caches import MEMORY, cache_bytes
from mlirad.jit.engine import load
from mlirad.jit.target import find_target
from mlirad.lazy_dataclass import dataclass

SECONDS: Final = 0.002
"""The time that one repetition takes at least, roughly."""

REPETITIONS: Final = 7

_DOUBLE_BYTES: Final = 8
_SUMS: Final = 12
"""The number of independent vectors that are added to: enough for two multiply-adds at a time of five cycles
each."""

_BEYOND_CACHES: Final = 4
"""The size of an array in memory, in multiples of the largest cache."""

_MOST_BYTES: Final = 1 << 28
_UNKNOWN_CACHE: Final = 1 << 25


@dataclass(frozen=True)
class Peaks:
    """Bytes a second that one core reads, by the name of the cache ("memory" beyond them), and the float64
    operations a second, where a multiply-add counts as two. float32 has twice as many.
    """

    bandwidth: dict[str, float]
    operations: float

    def least_seconds(self, level: str | None, nbytes: float, operations: float, element_bytes: int) -> float:
        """The time below which no code on one core can move these bytes and do these operations."""
        rate = self.bandwidth.get(level or "", 0.0)
        moving = nbytes / rate if rate else 0.0
        return max(moving, operations * element_bytes / _DOUBLE_BYTES / self.operations)


def measured() -> Peaks:
    """The peaks of the machine as they are found, in a tenth of a second."""
    code = load(_text(find_target().vector_bytes // _DOUBLE_BYTES), symbols=("read", "multiply_add"))
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    read, multiply_add = (kind(code.addresses[name]) for name in ("read", "multiply_add"))
    lanes = find_target().vector_bytes // _DOUBLE_BYTES
    round_bytes = _SUMS * lanes * _DOUBLE_BYTES
    caches = cache_bytes()
    beyond = min(_BEYOND_CACHES * max(caches.values(), default=_UNKNOWN_CACHE), _MOST_BYTES)
    sizes = {name: size // 2 for name, size in caches.items()} | {MEMORY: beyond}
    array = np.full(beyond // _DOUBLE_BYTES, 0.25)  # written, so that its pages are its own
    bandwidth: dict[str, float] = {}
    for name, size in sizes.items():
        rounds = size // round_bytes
        rate = _best_rate(lambda times, n=rounds: read(array.ctypes.data, n, times))
        bandwidth[name] = rate * rounds * round_bytes
    operations = (
        _best_rate(lambda times: multiply_add(array.ctypes.data, 1000, times)) * 1000 * _SUMS * lanes * 2
    )
    return Peaks(bandwidth, operations)


def _best_rate(run: Callable[[int], object]) -> float:
    """Return how many times a second something runs that is told how often to run."""
    times, best = 1, 0.0
    while True:
        taken = _seconds(run, times)
        if taken >= SECONDS:
            break
        times *= 2
    for _ in range(REPETITIONS):
        best = max(best, times / _seconds(run, times))
    return best


def _seconds(run: Callable[[int], object], times: int) -> float:
    start = _clock()
    run(times)
    return max(_clock() - start, 1e-9)


def _clock() -> float:
    """The time that this thread was on a processor, where that is known finely; else the time."""
    is_fine = time.get_clock_info("thread_time").resolution < 0.01 * SECONDS
    return time.thread_time() if is_fine else time.perf_counter()


def _text(lanes: int) -> str:
    """Functions of an array, a number of rounds of `_SUMS` vectors, and how often to do all of them."""
    vector = f"<{lanes} x double>"

    def function(name: str, body: str, value: str) -> str:
        sums = range(_SUMS)
        phis = "\n".join(f"  %s{k} = phi {vector} [%t{k}, %outer], [%n{k}, %inner]" for k in sums)
        kept = "\n".join(f"  %t{k} = phi {vector} [zeroinitializer, %entry], [%n{k}, %next]" for k in sums)
        steps = "\n".join(body.format(k=k, vector=vector, value=value) for k in sums)
        total = "\n".join(
            f"  %a{k} = fadd {vector} {f'%a{k - 1}' if k else 'zeroinitializer'}, %n{k}" for k in sums
        )
        return f"""
define double @{name}(ptr %array, i64 %rounds, i64 %times) {{
entry:
  %factor = load {vector}, ptr %array, align 8
  br label %outer
outer:
  %time = phi i64 [0, %entry], [%time.next, %next]
{kept}
  br label %inner
inner:
  %i = phi i64 [0, %outer], [%i.next, %inner]
{phis}
  %at = mul i64 %i, {_SUMS}
{steps}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %rounds
  br i1 %more, label %inner, label %next
next:
  %time.next = add i64 %time, 1
  %again = icmp ult i64 %time.next, %times
  br i1 %again, label %outer, label %end
end:
{total}
  %result = extractelement {vector} %a{_SUMS - 1}, i64 0
  ret double %result
}}
"""

    reading = (
        "  %at{k} = add i64 %at, {k}\n"
        "  %p{k} = getelementptr {vector}, ptr %array, i64 %at{k}\n"
        "  %v{k} = load {vector}, ptr %p{k}, align 8\n"
        "  %n{k} = fadd {vector} %s{k}, %v{k}"
    )
    operands = "{vector} %s{k}, {vector} %factor, {vector} %factor"
    adding = "  %n{k} = call {vector} @llvm.fmuladd.v{value}f64(" + operands + ")"
    declared = f"declare {vector} @llvm.fmuladd.v{lanes}f64({vector}, {vector}, {vector})\n"
    return declared + function("read", reading, "") + function("multiply_add", adding, str(lanes))
