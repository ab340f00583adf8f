"""What programs ask of their host, as LLVM IR text for an object file that has no host.

i64 mlirad_rt_poll(context)                   the status of the call: there are no time limit and no signals
i64 mlirad_rt_stack_limit(context)            `STACK_BYTES` below the frame of the function that is called
i64 mlirad_rt_parallel(context, task, ...)    tasks one after another, on the thread that calls
i64 mlirad_rt_report(context, description, ...)     notes the first failure
ptr mlirad_rt_malloc(bytes), mlirad_rt_free        those of C
mlirad_c_*, mlirad_blas_*, mlirad_lapack_*         those of the linker, under their own names, LAPACK with
                                                   subnormal numbers
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from mlirad.jit.standard_mode_text import standard_mode_text
from mlirad.lower.native_program import (
    FAILURE_WORD,
    PARALLEL,
    POLL,
    REPORT,
    STACK_LIMIT,
    STACK_WORD,
    STATUS_WORD,
    NativeProgram,
    ReportNote,
)
from mlirad.object_files.routines import characters_of, library_of, routine_of
from mlirad.object_files.status import OF_REPORT

STACK_BYTES: Final = 1 << 19
"""How far calls of the program may go down the stack: half a MiB."""


def runtime_text(program: NativeProgram, triple: str, pointer_bits: int) -> str:
    """The definitions of all that a program declares outside of itself.

    They are for the processor of an LLVM triple, whose pointers have so many bits.
    """
    made = {
        POLL: lambda: _POLL,
        STACK_LIMIT: lambda: _STACK_LIMIT,
        PARALLEL: lambda: _PARALLEL,
        REPORT: lambda: _report(program.reports),
        "mlirad_rt_malloc": lambda: _malloc(pointer_bits),
        "mlirad_rt_free": lambda: _FREE,
    }
    parts = [_defined(symbol, program.llvm, made) for symbol in program.externals]
    if any(library_of(symbol) == "lapack" for symbol in program.externals):
        parts.append(standard_mode_text(triple, program.llvm))
    return "\n".join(parts)


def without_declarations(text: str, symbols: Sequence[str]) -> str:
    """The text of a program without the lines that declare these symbols, which are to be defined."""
    starts = tuple(f"@{symbol}(" for symbol in symbols)
    lines = text.splitlines()
    kept = [x for x in lines if not (x.startswith("declare ") and any(start in x for start in starts))]
    return "\n".join(kept)


def _defined(symbol: str, text: str, made: dict[str, Callable[[], str]]) -> str:
    known = made.get(symbol)
    return _forwarding(symbol, text) if known is None else known()


def _forwarding(symbol: str, text: str) -> str:
    """A function that calls the routine of the linker with the arguments that a declaration names."""
    found = re.search(rf"^declare (\S+) @{re.escape(symbol)}\(([^)]*)\)", text, re.MULTILINE)
    assert found is not None
    result, types = found[1], [t.split()[0] for t in found[2].split(",") if t.strip()]
    names = [f"{t} %x{k}" for k, t in enumerate(types)]
    lengths = ["i64"] * (characters_of(symbol) if library_of(symbol) else 0)
    routine = routine_of(symbol)
    call = f"call {result} @{routine}({', '.join([*names, *(f'{t} 1' for t in lengths)])})"
    lines = [call if result == "void" else f"%y = {call}"]
    if library_of(symbol) == "lapack":
        lines = ["%mode = call i64 @enter_standard()", *lines, "call void @leave_standard(i64 %mode)"]
    lines.append(f"ret {result}{'' if result == 'void' else ' %y'}")
    body = "\n".join(f"  {line}" for line in lines)
    return f"""
declare {result} @{routine}({", ".join([*types, *lengths])})

define internal {result} @{symbol}({", ".join(names)}) alwaysinline nounwind {{
{body}
}}"""


def _malloc(pointer_bits: int) -> str:
    """The size of C's `malloc` is as wide as a pointer; a size beyond that gives no memory."""
    if pointer_bits == 64:
        return """
declare ptr @malloc(i64)

define internal ptr @mlirad_rt_malloc(i64 %bytes) alwaysinline nounwind {
  %memory = call ptr @malloc(i64 %bytes)
  ret ptr %memory
}"""
    return f"""
declare ptr @malloc(i{pointer_bits})

define internal ptr @mlirad_rt_malloc(i64 %bytes) nounwind {{
  %narrow = trunc i64 %bytes to i{pointer_bits}
  %back = zext i{pointer_bits} %narrow to i64
  %fits = icmp eq i64 %back, %bytes
  br i1 %fits, label %ask, label %none
ask:
  %memory = call ptr @malloc(i{pointer_bits} %narrow)
  ret ptr %memory
none:
  ret ptr null
}}"""


def _report(reports: Sequence[ReportNote]) -> str:
    """The first failure is noted by its code, and the call goes on, as it does under Python."""
    lines = ["  %code.0 = add i64 0, 0"]
    codes = {r.name: OF_REPORT[r.kind] for r in reports}
    for k, (name, code) in enumerate(codes.items()):
        lines += [
            f"  %is.{k} = icmp eq ptr %description, {name}",
            f"  %code.{k + 1} = select i1 %is.{k}, i64 {code}, i64 %code.{k}",
        ]
    chosen = "\n".join(lines)
    return f"""
define internal i64 @{REPORT}(ptr %context, ptr %description, ptr %values, i64 %element) nounwind {{
{chosen}
  %at = getelementptr i64, ptr %context, i64 {FAILURE_WORD}
  %before = load i64, ptr %at
  %is_first = icmp eq i64 %before, 0
  %noted = select i1 %is_first, i64 %code.{len(codes)}, i64 %before
  store i64 %noted, ptr %at
  ret i64 0
}}"""


_FREE: Final = """
declare void @free(ptr)

define internal void @mlirad_rt_free(ptr %memory) alwaysinline nounwind {
  call void @free(ptr %memory)
  ret void
}"""

_POLL: Final = f"""
define internal i64 @{POLL}(ptr captures(none) %context) alwaysinline nounwind {{
  %at = getelementptr i64, ptr %context, i64 {STATUS_WORD}
  %status = load i64, ptr %at
  ret i64 %status
}}"""

_STACK_LIMIT: Final = f"""
define internal i64 @{STACK_LIMIT}(ptr %context) nounwind {{
  %base.bits = ptrtoint ptr %context to i64
  %limit = sub i64 %base.bits, {STACK_BYTES}
  %at = getelementptr i64, ptr %context, i64 {STACK_WORD}
  store i64 %limit, ptr %at
  ret i64 %limit
}}"""
# The record of the call lies in the frame of the function that is called from outside.

_PARALLEL: Final = f"""
define internal i64 @{PARALLEL}(
    ptr %context, ptr %task, ptr %env, i64 %tasks, ptr %scratch, i64 %bytes) nounwind {{
entry:
  %at = getelementptr i64, ptr %context, i64 {STATUS_WORD}
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k.next, %run ]
  %status = load i64, ptr %at
  %goes_on = icmp eq i64 %status, 0
  %is_left = icmp ult i64 %k, %tasks
  %runs = and i1 %goes_on, %is_left
  br i1 %runs, label %run, label %end
run:
  call void %task(ptr %env, i64 %k, ptr %scratch, ptr %context)
  %k.next = add i64 %k, 1
  br label %next
end:
  ret i64 %status
}}"""
