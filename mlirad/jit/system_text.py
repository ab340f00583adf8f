"""LLVM IR of what the run-time library asks of the system and the processor: `mlirad/runtime/system.h`."""

from __future__ import annotations

import ctypes
from typing import Final

from mlirad.jit.pointers import python_functions
from mlirad.jit.target import find_target
from mlirad.lower.llvm.float_control import GET, SET, float_control


def system_text() -> str:
    """The definitions for this process."""
    triple = find_target("native").triple
    control = float_control(triple)
    mode = _NO_FLOAT_CONTROL if control is None else control.text
    return mode + _PAUSES.get(triple.split("-")[0], _NO_PAUSE) + _threads_text()


def _threads_text() -> str:
    """Functions of CPython's interface that return a `long`, which has 32 bits on Windows, 64 elsewhere."""
    names = ("PyThread_start_new_thread", "PyThread_get_thread_native_id", "PyThread_get_thread_ident")
    start, number, identity = python_functions(names).values()
    long = f"i{8 * ctypes.sizeof(ctypes.c_long)}"
    return f"""
define internal i1 @mlirad_start_thread(ptr %run, ptr %argument) {{
  %ident = call {long} {start}(ptr %run, ptr %argument)
  %is_started = icmp ne {long} %ident, -1
  ret i1 %is_started
}}
{_number_text("mlirad_thread_number", number, long)}
{_number_text("mlirad_thread_identity", identity, long)}
"""


def _number_text(name: str, function: str, long: str) -> str:
    return f"""
define internal i64 @{name}() {{
  %at = alloca i64
  store i64 0, ptr %at
  %number = call {long} {function}()
  store {long} %number, ptr %at
  %wide = load i64, ptr %at
  ret i64 %wide
}}"""


_NO_FLOAT_CONTROL: Final = f"""
define internal i64 @{GET}() {{
  ret i64 0
}}

define internal void @{SET}(i64 %mode) {{
  ret void
}}
"""

_X86_PAUSE: Final = """
declare void @llvm.x86.sse2.pause()

define internal void @mlirad_pause() {
  call void @llvm.x86.sse2.pause()
  ret void
}
"""

_ARM_PAUSE: Final = """
declare void @llvm.aarch64.hint(i32)

define internal void @mlirad_pause() {
  call void @llvm.aarch64.hint(i32 1)
  ret void
}
"""

_NO_PAUSE: Final = """
define internal void @mlirad_pause() {
  ret void
}
"""

_PAUSES: Final = {"x86_64": _X86_PAUSE, "amd64": _X86_PAUSE, "aarch64": _ARM_PAUSE, "arm64": _ARM_PAUSE}
