"""The host's functions as LLVM IR text, for an object file that has no host.

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
    PARALLEL,
    POLL,
    REPORT,
    STACK_LIMIT,
    NativeProgram,
    ReportNote,
)
from mlirad.object_files.routines import characters_of, library_of, routine_of
from mlirad.object_files.status import OF_REPORT
from mlirad.runtime import runtime_module

STACK_BYTES: Final = 1 << 19
"""The stack that calls of the program may use: half a MiB."""

_STANDALONE: Final = frozenset({POLL, STACK_LIMIT, PARALLEL})
"""The functions that `mlirad/runtime/standalone.c` defines."""


def runtime_text(program: NativeProgram, triple: str, pointer_bits: int) -> str:
    """The definitions of all that a program declares outside of itself.

    They are for the processor of an LLVM triple, whose pointers have a given number of bits.
    """
    made = {
        REPORT: lambda: _report(program.reports),
        "mlirad_rt_malloc": lambda: _malloc(pointer_bits),
        "mlirad_rt_free": lambda: _FREE,
    }
    outside = [symbol for symbol in program.externals if symbol not in _STANDALONE]
    parts = [_defined(symbol, program.llvm, made) for symbol in outside]
    if REPORT in outside or len(outside) < len(program.externals):
        parts.append(runtime_module("standalone").definitions)
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
  call i64 @mlirad_note_failure(ptr %context, i64 %code.{len(codes)})
  ret i64 0
}}"""


_FREE: Final = """
declare void @free(ptr)

define internal void @mlirad_rt_free(ptr %memory, i64 %bytes) alwaysinline nounwind {
  call void @free(ptr %memory)
  ret void
}"""
