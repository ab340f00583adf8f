"""Profiled programs: the clock is read before and after each call of a kernel.

    %start = call i64 @mlirad_rt_clock()
    call void @k3_model_py_12_sum(ptr ..., ptr ...)
    %end = call i64 @mlirad_rt_clock()
    ...                                            adds to the nanoseconds and the runs of kernel 3

The sums lie in a constant of the program, whose elements the host reads. No kernel is inlined, so what one of
them computes is not taken for the work of another. A program that is not profiled has none of this.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from mlirad.lower.bodies.buffers import MemorySlot
from mlirad.lower.cpu.emit.kernels import PROFILE_PLACE, ProgramText
from mlirad.lower.llvm.text import IRBuilder, Value
from mlirad.lower.native_program import CLOCK


@contextmanager
def timed(
    f: IRBuilder, program: ProgramText, pointers: Mapping[MemorySlot, Value], kernel: int
) -> Generator[None]:
    """Add the time of what is written meanwhile to that of a kernel, in a program that is profiled."""
    if not program.is_profiled:
        yield
        return
    start = _clock(f)
    yield
    spent = f.sub(_clock(f), start)
    for k, more in enumerate((spent, f.value(1, "i64"))):
        at = f.gep(pointers[PROFILE_PLACE], 2 * kernel + k, "i64")
        f.store(f.add(f.load(at, "i64"), more), at)


def _clock(f: IRBuilder) -> Value:
    f.module.external(CLOCK, "i64", [], "nounwind")
    now = f.call(CLOCK, [], "i64")
    assert now is not None
    return now
