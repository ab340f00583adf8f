"""The control register of floating point: whether subnormal numbers count as 0 while a program runs.

    float_control("x86_64-pc-linux-gnu").text      defines @float_control.get and @float_control.set
    with flushing(f, control):
        f.call("mlirad_body", operands)            runs with subnormals as zeros

A subnormal operand takes some processors a hundred times as long as others, because microcode handles it.
The register belongs to the thread. LLVM may move arithmetic across an access to it, so what is to run in a
mode is a function that is not inlined.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mlirad.lower.llvm_text import IRBuilder

GET: Final = "float_control.get"
SET: Final = "float_control.set"


@dataclass(frozen=True)
class FloatControl:
    """The bits of the register that make subnormal operands and results 0, and text that defines its access.

    The text defines `i64 @float_control.get()` and `void @float_control.set(i64)`.
    """

    flushing: int
    text: str


def float_control(triple: str) -> FloatControl | None:
    """The register of the processor that an LLVM triple names; None for one that is not known to have it."""
    return _OF_ARCHITECTURE.get(triple.split("-")[0])


@contextmanager
def flushing(f: IRBuilder, control: FloatControl) -> Generator[None]:
    """Write code that runs with subnormals as zeros. However it ends, the mode is restored behind it."""
    f.module.add_text(control.text)
    before = f.define(f"call i64 @{GET}()", "i64")
    f.line(f"call void @{SET}({f.or_(before, control.flushing).typed})")
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

_X86 = FloatControl(1 << 15 | 1 << 6, _MXCSR)
"""Flush to zero, of results, and denormals are zeros, of operands."""

_ARM = FloatControl(1 << 24, _FPCR)
"""FZ, which is of operands and results."""

_OF_ARCHITECTURE: Final = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}
