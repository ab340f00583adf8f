"""LLVM IR of the host: what runs around a compiled program, and what the program calls while it runs.

    i32 mlirad_call(main, buffers, arena, releases, limit)   runs a program: 0, or -1 and an exception is set
    i64 mlirad_rt_poll(context)                              whether the call is to go on: signals, time limit
    i64 mlirad_rt_report(context, description, values, element) reports to Python
    i64 mlirad_rt_stack_limit(context)                       down to which address the stack may grow

The record of a call lies on the stack of `mlirad_call`; see `mlirad/lower/native_program.py`. Its thread
state is null as long as the call holds Python's global lock. A program whose work is known to be long
releases the lock before it begins, every other one at its first poll: short calls pay nothing for it, and
none keeps others waiting.

Python's own handler of a signal only notes it; the user's handler waits until the main thread next runs
Python code. So the main thread takes the lock every 50 milliseconds and lets Python handle what was noted. An
exception that a handler raises stays set, and the call ends with it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import Final

from mlirad.jit import object_layout as layout
from mlirad.jit.templates import constants, filled, pointer, python_functions
from mlirad.lower import native_program

CALL: Final = "mlirad_call"

SIGNALS_EVERY: Final = 50_000_000
"""Nanoseconds between two looks for signals."""

MARGIN_BYTES: Final = 1 << 16
"""Stack that is left to what the deepest call calls in turn, or a quarter of the stack if that is less."""

REPORT_BYTES: Final = 1 << 15
"""Stack that a report needs, which runs Python."""

UNKNOWN_STACK_BYTES: Final = 1 << 15
"""What a stack is taken to have left where the system does not say."""


def host_text(main_thread: int, report: int, fail: int) -> str:
    """The text, given addresses: of a word with the identity of the main thread, and of two Python functions.

    `report(description, values, element)` gives None or the failure it found, `fail(status)` raises.
    """
    names = (
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
        "PyErr_CheckSignals",
        "PyErr_SetObject",
        "PyObject_CallFunction",
        "PyThread_get_thread_ident",
        "Py_DecRef",
    )
    values = {
        "None": pointer(id(None)),
        "main_thread": pointer(main_thread),
        "report": pointer(report),
        "fail": pointer(fail),
        "CALL": CALL,
        "SIGNALS_EVERY": SIGNALS_EVERY,
        "MARGIN_BYTES": MARGIN_BYTES,
        "REPORT_BYTES": REPORT_BYTES,
    }
    return filled(
        _TEXT + _clock_text() + _stack_text(),
        {**constants(layout), **constants(native_program), **python_functions(names), **values},
    )


def _system_function(name: str) -> str | None:
    """A function of the C library or of the system, as text; None if there is none."""
    library = ctypes.WinDLL("kernel32") if sys.platform == "win32" else ctypes.CDLL(None)
    try:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None
    return None if address is None else pointer(address)


def _clock_text() -> str:
    """The text of `i64 @now()`: nanoseconds of a clock that only goes forward."""
    if os.name == "nt":
        return f"""
define internal i64 @now() {{
  %milliseconds = call i64 {_system_function("GetTickCount64")}()
  %now = mul i64 %milliseconds, 1000000
  ret i64 %now
}}
"""
    return f"""
define internal i64 @now() {{
  %time = alloca [2 x i64], align 16
  %status = call i32 {_system_function("clock_gettime")}(i32 {time.CLOCK_MONOTONIC}, ptr %time)
  %seconds = load i64, ptr %time
  %rest.at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest.at
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}
"""


def _stack_text() -> str:
    """The text of `void @bounds(ptr)`: stores the lowest address of this thread's stack and its size."""
    if os.name == "nt":
        ends = f"""
  call void {_system_function("GetCurrentThreadStackLimits")}(ptr %low.at, ptr %high.at)
  %low.found = load i64, ptr %low.at
  %high.found = load i64, ptr %high.at
  %size.found = sub i64 %high.found, %low.found
  br label %found"""
    elif sys.platform == "darwin":
        ends = f"""
  %self = call ptr {_system_function("pthread_self")}()
  %high.found = call i64 {_system_function("pthread_get_stackaddr_np")}(ptr %self)
  %size.found = call i64 {_system_function("pthread_get_stacksize_np")}(ptr %self)
  %low.found = sub i64 %high.found, %size.found
  br label %found"""
    elif _system_function("pthread_getattr_np"):
        # 128 bytes hold the opaque attributes of every C library.
        ends = f"""
  %attributes = alloca [128 x i8], align 16
  %self = call ptr {_system_function("pthread_self")}()
  %error = call i32 {_system_function("pthread_getattr_np")}(ptr %self, ptr %attributes)
  %is_known = icmp eq i32 %error, 0
  br i1 %is_known, label %known, label %unknown

known:
  call i32 {_system_function("pthread_attr_getstack")}(ptr %attributes, ptr %low.at, ptr %high.at)
  %guard.at = alloca i64
  store i64 0, ptr %guard.at
  call i32 {_system_function("pthread_attr_getguardsize")}(ptr %attributes, ptr %guard.at)
  call i32 {_system_function("pthread_attr_destroy")}(ptr %attributes)
  %guard = load i64, ptr %guard.at
  %start = load i64, ptr %low.at
  %whole = load i64, ptr %high.at
  %low.found = add i64 %start, %guard
  %size.found = sub i64 %whole, %guard
  br label %found"""
    else:
        ends = """
  %low.found = add i64 0, 0
  %size.found = add i64 0, 0
  br label %unknown"""
    return f"""
define internal void @bounds(ptr %bounds) {{
  %low.at = alloca i64
  %high.at = alloca i64
{ends}

found:
  store i64 %low.found, ptr %bounds
  %size.at = getelementptr i64, ptr %bounds, i64 1
  store i64 %size.found, ptr %size.at
  ret void

unknown:
  %here = ptrtoint ptr %low.at to i64
  %low.guessed = sub i64 %here, {UNKNOWN_STACK_BYTES}
  store i64 %low.guessed, ptr %bounds
  %unknown.size.at = getelementptr i64, ptr %bounds, i64 1
  store i64 {UNKNOWN_STACK_BYTES}, ptr %unknown.size.at
  ret void
}}
"""


_TEXT = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

@main.low = internal global [3 x i64] zeroinitializer

define i32 @${CALL}(ptr %main, ptr %buffers, ptr %arena, i64 %releases, i64 %limit) {
entry:
  %context = alloca [${CONTEXT_WORDS} x i64], align 16
  store [${CONTEXT_WORDS} x i64] zeroinitializer, ptr %context
  %limit.at = getelementptr i64, ptr %context, i64 ${LIMIT_WORD}
  store i64 %limit, ptr %limit.at
  %keeps = icmp eq i64 %releases, 0
  br i1 %keeps, label %run, label %release

release:
  call void @unlock(ptr %context)
  br label %run

run:
  call void %main(ptr %buffers, ptr %arena, ptr %context)
  %was_locked = call i1 @lock(ptr %context)
  %status.at = getelementptr i64, ptr %context, i64 ${STATUS_WORD}
  %status = load i64, ptr %status.at
  %failure.at = getelementptr i64, ptr %context, i64 ${FAILURE_WORD}
  %failure.bits = load i64, ptr %failure.at
  %failure = inttoptr i64 %failure.bits to ptr
  %either = or i64 %status, %failure.bits
  %is_done = icmp eq i64 %either, 0
  br i1 %is_done, label %done, label %failed

done:
  ret i32 0

failed:
  %is_reported = icmp eq i64 %status, 0
  br i1 %is_reported, label %reported, label %stopped

reported:
  %type.at = getelementptr i8, ptr %failure, i64 ${TYPE}
  %type = load ptr, ptr %type.at
  call void ${PyErr_SetObject}(ptr %type, ptr %failure)
  br label %dropped

stopped:
  %is_raised = icmp eq i64 %status, ${RAISED}
  br i1 %is_raised, label %dropped, label %raise

raise:
  %nothing = call ptr (ptr, ptr, ...) ${PyObject_CallFunction}(ptr ${fail}, ptr @format.status, i64 %status)
  br label %dropped

dropped:
  call void ${Py_DecRef}(ptr %failure)
  ret i32 -1
}

@format.status = internal constant [2 x i8] c"L\\00"
@format.report = internal constant [4 x i8] c"LLL\\00"

; Take the global lock unless the call holds it; whether it did.
define internal i1 @lock(ptr %context) {
  %thread.at = getelementptr i64, ptr %context, i64 ${THREAD_WORD}
  %thread = load ptr, ptr %thread.at
  %is_locked = icmp eq ptr %thread, null
  br i1 %is_locked, label %locked, label %take

take:
  call void ${PyEval_RestoreThread}(ptr %thread)
  store ptr null, ptr %thread.at
  br label %locked

locked:
  ret i1 %is_locked
}

; Release the global lock, which the call must hold.
define internal void @unlock(ptr %context) {
  %thread.at = getelementptr i64, ptr %context, i64 ${THREAD_WORD}
  %thread = call ptr ${PyEval_SaveThread}()
  store ptr %thread, ptr %thread.at
  ret void
}

define internal i1 @is_main_thread() {
  %this = call i64 ${PyThread_get_thread_ident}()
  %main = load i64, ptr ${main_thread}
  %same = icmp eq i64 %this, %main
  ret i1 %same
}

define i64 @${POLL}(ptr %context) {
entry:
  %status.at = getelementptr i64, ptr %context, i64 ${STATUS_WORD}
  %deadline.at = getelementptr i64, ptr %context, i64 ${DEADLINE_WORD}
  %signals.at = getelementptr i64, ptr %context, i64 ${SIGNALS_WORD}
  %limit.at = getelementptr i64, ptr %context, i64 ${LIMIT_WORD}
  %thread.at = getelementptr i64, ptr %context, i64 ${THREAD_WORD}
  %now = call i64 @now()
  %deadline.old = load i64, ptr %deadline.at
  %is_begun = icmp ne i64 %deadline.old, 0
  br i1 %is_begun, label %look, label %begin

begin:
  %limit = load i64, ptr %limit.at
  %is_limited = icmp ne i64 %limit, 0
  %end = add i64 %now, %limit
  %deadline.new = select i1 %is_limited, i64 %end, i64 9223372036854775807
  store i64 %deadline.new, ptr %deadline.at
  %signals.new = add i64 %now, ${SIGNALS_EVERY}
  store i64 %signals.new, ptr %signals.at
  %thread.old = load ptr, ptr %thread.at
  %is_locked = icmp eq ptr %thread.old, null
  br i1 %is_locked, label %release, label %look

release:
  call void @unlock(ptr %context)
  br label %look

look:
  %deadline = load i64, ptr %deadline.at
  %is_late = icmp sge i64 %now, %deadline
  br i1 %is_late, label %late, label %in_time

late:
  store i64 ${OUT_OF_TIME}, ptr %status.at
  br label %done

in_time:
  %signals = load i64, ptr %signals.at
  %is_due = icmp sge i64 %now, %signals
  br i1 %is_due, label %due, label %done

due:
  %following = add i64 %now, ${SIGNALS_EVERY}
  store i64 %following, ptr %signals.at
  %is_main = call i1 @is_main_thread()
  br i1 %is_main, label %handle, label %done

handle:
  %was_locked = call i1 @lock(ptr %context)
  %raised = call i32 ${PyErr_CheckSignals}()
  call void @unlock(ptr %context)
  %is_quiet = icmp eq i32 %raised, 0
  br i1 %is_quiet, label %done, label %interrupted

interrupted:
  store i64 ${RAISED}, ptr %status.at
  br label %done

done:
  %status = load i64, ptr %status.at
  ret i64 %status
}

define i64 @${REPORT}(ptr %context, ptr %description, ptr %values, i64 %element) {
entry:
  %status.at = getelementptr i64, ptr %context, i64 ${STATUS_WORD}
  %failure.at = getelementptr i64, ptr %context, i64 ${FAILURE_WORD}
  %bounds = alloca [2 x i64]
  %here = ptrtoint ptr %bounds to i64
  call void @known_bounds(ptr %bounds)
  %low = load i64, ptr %bounds
  %needed = add i64 %low, ${REPORT_BYTES}
  %has_room = icmp ugt i64 %here, %needed
  br i1 %has_room, label %enter, label %no_room

no_room:
  store i64 ${OUT_OF_STACK}, ptr %status.at
  br label %done

enter:
  %was_locked = call i1 @lock(ptr %context)
  %raised = call i32 ${PyErr_CheckSignals}()
  %is_quiet = icmp eq i32 %raised, 0
  br i1 %is_quiet, label %report, label %failed

report:
  %description.bits = ptrtoint ptr %description to i64
  %values.bits = ptrtoint ptr %values to i64
  %result = call ptr (ptr, ptr, ...) ${PyObject_CallFunction}(
      ptr ${report}, ptr @format.report, i64 %description.bits, i64 %values.bits, i64 %element)
  %is_failed = icmp eq ptr %result, null
  br i1 %is_failed, label %failed, label %reported

failed:
  store i64 ${RAISED}, ptr %status.at
  br label %leave

reported:
  %is_nothing = icmp eq ptr %result, ${None}
  %failure = load ptr, ptr %failure.at
  %is_later = icmp ne ptr %failure, null
  %is_dropped = or i1 %is_nothing, %is_later
  br i1 %is_dropped, label %drop, label %keep

drop:
  call void ${Py_DecRef}(ptr %result)
  br label %leave

keep:
  store ptr %result, ptr %failure.at
  br label %leave

leave:
  br i1 %was_locked, label %done, label %unlock

unlock:
  call void @unlock(ptr %context)
  br label %done

done:
  %status = load i64, ptr %status.at
  ret i64 %status
}

; The bounds of the main thread are kept, with its identity: the system takes 20 microseconds to find them.
define internal void @known_bounds(ptr %bounds) {
entry:
  %is_main = call i1 @is_main_thread()
  br i1 %is_main, label %main, label %other

main:
  %kept.size.at = getelementptr i64, ptr @main.low, i64 1
  %kept.for.at = getelementptr i64, ptr @main.low, i64 2
  %kept.for = load atomic i64, ptr %kept.for.at acquire, align 8
  %this = call i64 ${PyThread_get_thread_ident}()
  %is_kept = icmp eq i64 %kept.for, %this
  br i1 %is_kept, label %kept, label %find

kept:
  %low.kept = load i64, ptr @main.low
  %size.kept = load i64, ptr %kept.size.at
  store i64 %low.kept, ptr %bounds
  %size.at = getelementptr i64, ptr %bounds, i64 1
  store i64 %size.kept, ptr %size.at
  ret void

find:
  call void @bounds(ptr @main.low)
  store atomic i64 %this, ptr %kept.for.at release, align 8
  br label %kept

other:
  call void @bounds(ptr %bounds)
  ret void
}

define i64 @${STACK_LIMIT}(ptr %context) {
  %bounds = alloca [2 x i64]
  call void @known_bounds(ptr %bounds)
  %low = load i64, ptr %bounds
  %size.at = getelementptr i64, ptr %bounds, i64 1
  %size = load i64, ptr %size.at
  %part = lshr i64 %size, 2
  %is_small = icmp ult i64 %part, ${MARGIN_BYTES}
  %margin = select i1 %is_small, i64 %part, i64 ${MARGIN_BYTES}
  %limit = add i64 %low, %margin
  %limit.at = getelementptr i64, ptr %context, i64 ${STACK_WORD}
  store i64 %limit, ptr %limit.at
  ret i64 %limit
}

"""
