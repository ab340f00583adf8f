"""The control register of floating point: how a program rounds, and whether subnormal numbers count as 0.

    mode = float_mode("x86_64-pc-linux-gnu", flushes=True)
    with running_in(f, mode):
        f.call("mlirad_body", operands)            rounds to nearest, with subnormals as zeros

The register belongs to the thread, and whatever else runs there may have changed it: a library that rounds
upwards, or one that was compiled for fast arithmetic. So a program sets the whole register, and restores it.

A subnormal operand takes some processors a hundred times as long as others, because microcode handles it.
LLVM may move arithmetic across an access to the register, so what is to run in a mode is a function that is
not inlined.

Programs set the whole mode of floating point. To switch on some bits and leave the rest would make results
depend on what other libraries did to the thread: rounding modes that make an exponential wrong by a factor of
2, and flushing that was asked not to be. A pair of accesses to the register costs the same either way. Traced
and compiled code is kept for other processes, so it is made in the standard mode too. Comparing the register
first would save nothing: the bits that note exceptions always differ.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from mlirad.lower.llvm.text import IRBuilder

GET: Final = "float_control.get"
SET: Final = "float_control.set"
STANDARD: Final = "float_control.standard"


@dataclass(frozen=True)
class FloatControl:
    """The register of a processor: its content that programs are written for, and the text of its access.

    The text defines `i64 @float_control.get()` and `void @float_control.set(i64)`.
    """

    standard: int
    """Rounding to nearest, subnormal numbers, and no traps."""
    flushing: int
    """The bits that make subnormal operands and results 0."""
    text: str


@dataclass(frozen=True)
class FloatMode:
    """A content of the register."""

    control: FloatControl
    word: int


def float_mode(triple: str, *, flushes: bool) -> FloatMode | None:
    """Return what a program runs in, with subnormal numbers as zeros if it `flushes`.

    None for a processor that is not known to have the register.
    """
    control = float_control(triple)
    if control is None:
        return None
    return FloatMode(control, control.standard | (control.flushing if flushes else 0))


def float_control(triple: str) -> FloatControl | None:
    """The register of the processor that an LLVM triple names; None for one that is not known to have it."""
    return _OF_ARCHITECTURE.get(triple.split("-")[0])


@contextmanager
def running_in(f: IRBuilder, mode: FloatMode) -> Generator[None]:
    """Write code that runs in a mode. However it ends, that of the caller is restored behind it."""
    f.module.add_text(mode.control.text)
    before = f.define(f"call i64 @{GET}()", "i64")
    f.line(f"call void @{SET}(i64 {mode.word})")
    yield
    f.write_stop()
    f.line(f"call void @{SET}({before.typed})")


_MXCSR: Final = f"""
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

define internal i64 @{GET}() alwaysinline nounwind {{
  %at = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %at)
  %narrow = load i32, ptr %at
  %mode = zext i32 %narrow to i64
  ret i64 %mode
}}

define internal void @{SET}(i64 %mode) alwaysinline nounwind {{
  %at = alloca i32
  %narrow = trunc i64 %mode to i32
  store i32 %narrow, ptr %at
  call void @llvm.x86.sse.ldmxcsr(ptr %at)
  ret void
}}
"""

_FPCR: Final = f"""
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)

define internal i64 @{GET}() alwaysinline nounwind {{
  %mode = call i64 @llvm.aarch64.get.fpcr()
  ret i64 %mode
}}

define internal void @{SET}(i64 %mode) alwaysinline nounwind {{
  call void @llvm.aarch64.set.fpcr(i64 %mode)
  ret void
}}
"""

_X86 = FloatControl(0x1FA2, 1 << 15 | 1 << 6, _MXCSR)
"""All exceptions are masked. The flags of inexact results and of subnormal operands are up from the start:
nobody reads them, and an instruction that raises a flag delays the next access to the register by hundreds of
cycles. Flush to zero, of results, and denormals are zeros, of operands."""

_ARM = FloatControl(0, 1 << 24, _FPCR)
"""FZ is of operands and results."""

_OF_ARCHITECTURE: Final = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}
