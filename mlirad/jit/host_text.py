"""LLVM IR of the host: what runs around a compiled program, and what the program calls while it runs.

    i32 mlirad_call(main, buffers, arena, releases, limit, threads, borrowed, holds)
                                                             runs a program: 0, or -1 and an exception is set
    i64 mlirad_rt_poll(context)                              whether the call is to go on: signals, time limit
    i64 mlirad_rt_report(context, description, values, element) reports to Python
    i64 mlirad_rt_python(context, description, values, element) calls a Python function
    i64 mlirad_rt_stack_limit(context)                       down to which address the stack may grow
    i64 mlirad_rt_clock()                                    nanoseconds, by as fine a clock as there is

The record of a call lies on the stack of `mlirad_call`; see `mlirad/lower/native_program.py`. Its thread
state is null as long as the call holds Python's global lock. A program whose work is known to be long
releases the lock before it begins, every other one at its first poll: short calls pay nothing for it, and
none keeps others waiting.

Python's own handler of a signal only notes it; the user's handler waits until the main thread next runs
Python code. So the main thread takes the lock every 50 milliseconds and lets Python handle what was noted. An
exception that a handler raises stays set, and the call ends with it.

Before Python code can run, of this thread or of another one, the call takes weak references to the arrays
whose memory it works on, or to those behind views: NumPy resizes none that has some. Most calls end before.

Python code that runs within a call rounds, and treats subnormal numbers, as its caller does, in whatever mode
of floating point the program runs.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import Final

import numpy as np

from mlirad.jit import object_layout as layout
from mlirad.jit.target import find_target
from mlirad.jit.templates import constants, filled, pointer, python_functions
from mlirad.lower import native_program
from mlirad.lower.llvm.float_control import GET, SET, float_control

CALL: Final = "mlirad_call"

SIGNALS_EVERY: Final = 50_000_000
"""Nanoseconds between two looks for signals."""

MARGIN_BYTES: Final = 1 << 16
"""Stack that is left to what the deepest call calls in turn, or a quarter of the stack if that is less."""

REPORT_BYTES: Final = 1 << 15
"""Stack that a report needs, which runs Python."""

UNKNOWN_STACK_BYTES: Final = 1 << 15
"""What a stack is taken to have left where the system does not say."""

BORROWED_ARGUMENTS: Final = 0
BORROWED_COUNT: Final = 1
BORROWED_HELD: Final = 2
BORROWED_REFERENCES: Final = 3
"""Words of the table of borrowed arguments: where they are, how many, whether references are held, and where
these begin. There may be no table."""

JOB_STATUS_WORD: Final = 4
"""The word of the record of a parallel loop (`runtime/job.h`) that says why the call ends."""


def host_text(main_thread: int, report: int, fail: int) -> str:
    """The text, given addresses: of a word with the identity of the main thread, and of two Python functions.

    `report(description, values, element)` gives None or the failure it found, `fail(status)` raises.
    """
    names = (
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
        "PyErr_CheckSignals",
        "PyErr_SetObject",
        "PyErr_Occurred",
        "PyErr_Clear",
        "PyObject_CallFunction",
        "PyWeakref_NewRef",
        "PyThread_get_thread_ident",
        "Py_DecRef",
    )
    values = {
        "None": pointer(id(None)),
        "ndarray": pointer(id(np.ndarray)),
        "BORROWED_ARGUMENTS": BORROWED_ARGUMENTS,
        "BORROWED_COUNT": BORROWED_COUNT,
        "BORROWED_HELD": BORROWED_HELD,
        "BORROWED_REFERENCES": BORROWED_REFERENCES,
        "main_thread": pointer(main_thread),
        "report": pointer(report),
        "fail": pointer(fail),
        "CALL": CALL,
        "SIGNALS_EVERY": SIGNALS_EVERY,
        "JOB_STATUS_WORD": JOB_STATUS_WORD,
        "MARGIN_BYTES": MARGIN_BYTES,
        "REPORT_BYTES": REPORT_BYTES,
    }
    return filled(
        _TEXT + _clock_text() + _stack_text() + _python_mode_text(),
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
        frequency = ctypes.c_int64()
        ctypes.WinDLL("kernel32").QueryPerformanceFrequency(ctypes.byref(frequency))
        return f"""
define internal i64 @now() {{
  %milliseconds = call i64 {_system_function("GetTickCount64")}()
  %now = mul i64 %milliseconds, 1000000
  ret i64 %now
}}

define i64 @{native_program.CLOCK}() {{
  %count.at = alloca i64
  %status = call i32 {_system_function("QueryPerformanceCounter")}(ptr %count.at)
  %count = load i64, ptr %count.at
  %ticks = sitofp i64 %count to double
  %nanoseconds = fmul double %ticks, {1e9 / frequency.value!r}
  %clock = fptosi double %nanoseconds to i64
  ret i64 %clock
}}
"""
    return f"""
define internal i64 @now() {{
  %time = alloca [2 x i64], align 16
  %status = call i32 {_system_function("clock_gettime")}(i32 {time.CLOCK_MONOTONIC}, ptr %time)
  %seconds = load i64, ptr %time
  %rest = load i64, ptr %time[i64 1]
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}

define i64 @{native_program.CLOCK}() {{
  %clock = call i64 @now()
  ret i64 %clock
}}
"""


def _python_mode_text() -> str:
    """The text of what notes the caller's mode of floating point, sets it before Python runs, and that of the
    program behind it.
    """
    control = float_control(find_target("native").triple)
    if control is None:
        return """
define internal void @note_mode(ptr %context) {
  ret void
}

define internal i64 @enter_python(ptr %context) {
  ret i64 0
}

define internal void @leave_python(i64 %mode) {
  ret void
}
"""
    return f"""{control.text}
define internal void @note_mode(ptr %context) alwaysinline {{
  %mode = call i64 @{GET}()
  store i64 %mode, ptr %context[i64 ${{MODE_WORD}}]
  ret void
}}

define internal i64 @enter_python(ptr %context) {{
  %mode = call i64 @{GET}()
  %callers = load i64, ptr %context[i64 ${{MODE_WORD}}]
  call void @{SET}(i64 %callers)
  ret i64 %mode
}}

define internal void @leave_python(i64 %mode) {{
  call void @{SET}(i64 %mode)
  ret void
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
  if eq i32 %error, 0 then %known else %unknown

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
  store i64 %size.found, ptr %bounds[i64 1]
  ret void

unknown:
  %here = ptrtoint ptr %low.at to i64
  %low.guessed = sub i64 %here, {UNKNOWN_STACK_BYTES}
  store i64 %low.guessed, ptr %bounds
  store i64 {UNKNOWN_STACK_BYTES}, ptr %bounds[i64 1]
  ret void
}}
"""


_TEXT = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

@main.low = internal global [3 x i64] zeroinitializer

define i32 @${CALL}(
    ptr %main, ptr %buffers, ptr %arena, i64 %releases, i64 %limit, i64 %threads, ptr %borrowed, i64 %holds) {
entry:
  %context = alloca [${CONTEXT_WORDS} x i64], align 16
  store [${CONTEXT_WORDS} x i64] zeroinitializer, ptr %context
  store i64 %limit, ptr %context[i64 ${LIMIT_WORD}]
  store i64 %threads, ptr %context[i64 ${THREADS_WORD}]
  store ptr %borrowed, ptr %context[i64 ${BORROWED_WORD}]
  call void @note_mode(ptr %context)
  if eq i64 %holds, 0 then %begin else %hold

hold:
  call void @hold(ptr %context)
  br label %begin

begin:
  if eq i64 %releases, 0 then %run else %release

release:
  call void @unlock(ptr %context)
  br label %run

run:
  call void %main(ptr %buffers, ptr %arena, ptr %context)
  %was_locked = call i1 @lock(ptr %context)
  call void @let_go(ptr %context)
  %status = load i64, ptr %context[i64 ${STATUS_WORD}]
  %failure.bits = load i64, ptr %context[i64 ${FAILURE_WORD}]
  %failure = inttoptr i64 %failure.bits to ptr
  %either = or i64 %status, %failure.bits
  if eq i64 %either, 0 then %finished else %failed

; Functions of SciPy leave an exception where warnings are errors, or scipy.special.seterr says so.
finished:
  %left = call ptr ${PyErr_Occurred}()
  if eq ptr %left, null then %done else %dropped

done:
  ret i32 0

failed:
  if eq i64 %status, 0 then %reported else %stopped

reported:
  %type = load ptr, ptr %failure[i8 ${TYPE}]
  call void ${PyErr_SetObject}(ptr %type, ptr %failure)
  br label %dropped

stopped:
  if eq i64 %status, ${RAISED} then %dropped else %raise

raise:
  call void ${PyErr_Clear}()
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
  %thread = load ptr, ptr %context[i64 ${THREAD_WORD}]
  %is_locked = icmp eq ptr %thread, null
  br i1 %is_locked, label %locked, label %take

take:
  call void ${PyEval_RestoreThread}(ptr %thread)
  store ptr null, ptr %context[i64 ${THREAD_WORD}]
  br label %locked

locked:
  ret i1 %is_locked
}

; Hold the arrays whose memory the call has borrowed, unless it does. Of a view that is the array behind it.
define internal void @hold(ptr %context) {
entry:
  %borrowed = load ptr, ptr %context[i64 ${BORROWED_WORD}]
  if eq ptr %borrowed, null then %done else %look

look:
  %held = load i64, ptr %borrowed[i64 ${BORROWED_HELD}]
  if eq i64 %held, 0 then %begin else %done

begin:
  %held.at = getelementptr i64, ptr %borrowed, i64 ${BORROWED_HELD}
  store i64 1, ptr %held.at
  %arguments = load ptr, ptr %borrowed[i64 ${BORROWED_ARGUMENTS}]
  %count = load i64, ptr %borrowed[i64 ${BORROWED_COUNT}]
  %references = getelementptr i64, ptr %borrowed, i64 ${BORROWED_REFERENCES}
  br label %next

next:
  %k = phi i64 [0, %begin], [%k.more, %put]
  if ult i64 %k, %count then %argument else %done

argument:
  %array = load ptr, ptr %arguments[ptr %k]
  %type = load ptr, ptr %array[i8 ${TYPE}]
  if eq ptr %type, ${ndarray} then %owner else %put

owner:
  %base = load ptr, ptr %array[i8 ${BASE}]
  if eq ptr %base, null then %refer else %view

view:
  %base.type = load ptr, ptr %base[i8 ${TYPE}]
  %is_array = icmp eq ptr %base.type, ${ndarray}
  %behind = select i1 %is_array, ptr %base, ptr %array
  br label %refer

refer:
  %owned = phi ptr [%array, %owner], [%behind, %view]
  %made = call ptr ${PyWeakref_NewRef}(ptr %owned, ptr null)
  br label %put

put:
  %reference = phi ptr [null, %argument], [%made, %refer]
  %place = getelementptr ptr, ptr %references, i64 %k
  store ptr %reference, ptr %place
  %k.more = add i64 %k, 1
  br label %next

done:
  ret void
}

define internal void @let_go(ptr %context) {
entry:
  %borrowed = load ptr, ptr %context[i64 ${BORROWED_WORD}]
  if eq ptr %borrowed, null then %done else %look

look:
  %held = load i64, ptr %borrowed[i64 ${BORROWED_HELD}]
  if eq i64 %held, 0 then %done else %begin

begin:
  %count = load i64, ptr %borrowed[i64 ${BORROWED_COUNT}]
  %references = getelementptr i64, ptr %borrowed, i64 ${BORROWED_REFERENCES}
  br label %next

next:
  %k = phi i64 [0, %begin], [%k.more, %drop]
  if ult i64 %k, %count then %drop else %done

drop:
  %reference = load ptr, ptr %references[ptr %k]
  call void ${Py_DecRef}(ptr %reference)
  %k.more = add i64 %k, 1
  br label %next

done:
  ret void
}

; Release the global lock, which the call must hold.
define internal void @unlock(ptr %context) {
  call void @hold(ptr %context)
  %thread = call ptr ${PyEval_SaveThread}()
  store ptr %thread, ptr %context[i64 ${THREAD_WORD}]
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
  %now = call i64 @now()
  %deadline.old = load i64, ptr %context[i64 ${DEADLINE_WORD}]
  if ne i64 %deadline.old, 0 then %look else %begin

begin:
  %limit = load i64, ptr %context[i64 ${LIMIT_WORD}]
  %is_limited = icmp ne i64 %limit, 0
  %end = add i64 %now, %limit
  %deadline.new = select i1 %is_limited, i64 %end, i64 9223372036854775807
  store i64 %deadline.new, ptr %context[i64 ${DEADLINE_WORD}]
  %signals.new = add i64 %now, ${SIGNALS_EVERY}
  store i64 %signals.new, ptr %context[i64 ${SIGNALS_WORD}]
  %thread.old = load ptr, ptr %context[i64 ${THREAD_WORD}]
  if eq ptr %thread.old, null then %release else %look

release:
  call void @unlock(ptr %context)
  br label %look

look:
  %group = load ptr, ptr %context[i64 ${GROUP_WORD}]
  if eq ptr %group, null then %look.time else %look.group

; Another thread that works on the call has found that it is to end.
look.group:
  %ended.at = getelementptr i64, ptr %group, i64 ${JOB_STATUS_WORD}
  %ended = load atomic i64, ptr %ended.at monotonic, align 8
  if eq i64 %ended, 0 then %look.time else %ended.elsewhere

ended.elsewhere:
  store i64 %ended, ptr %context[i64 ${STATUS_WORD}]
  br label %done

look.time:
  %deadline = load i64, ptr %context[i64 ${DEADLINE_WORD}]
  if sge i64 %now, %deadline then %late else %in_time

late:
  store i64 ${OUT_OF_TIME}, ptr %context[i64 ${STATUS_WORD}]
  br label %done

in_time:
  %signals = load i64, ptr %context[i64 ${SIGNALS_WORD}]
  if sge i64 %now, %signals then %due else %done

due:
  %following = add i64 %now, ${SIGNALS_EVERY}
  store i64 %following, ptr %context[i64 ${SIGNALS_WORD}]
  %is_main = call i1 @is_main_thread()
  br i1 %is_main, label %handle, label %done

handle:
  %was_locked = call i1 @lock(ptr %context)
  %mode = call i64 @enter_python(ptr %context)
  %raised = call i32 ${PyErr_CheckSignals}()
  call void @leave_python(i64 %mode)
  call void @unlock(ptr %context)
  if eq i32 %raised, 0 then %done else %interrupted

interrupted:
  store i64 ${RAISED}, ptr %context[i64 ${STATUS_WORD}]
  br label %done

done:
  %status = load i64, ptr %context[i64 ${STATUS_WORD}]
  ret i64 %status
}

define i64 @${REPORT}(ptr %context, ptr %description, ptr %values, i64 %element) {
entry:
  %bounds = alloca [2 x i64]
  %here = ptrtoint ptr %bounds to i64
  call void @known_bounds(ptr %bounds)
  %low = load i64, ptr %bounds
  %needed = add i64 %low, ${REPORT_BYTES}
  if ugt i64 %here, %needed then %enter else %no_room

no_room:
  store i64 ${OUT_OF_STACK}, ptr %context[i64 ${STATUS_WORD}]
  br label %done

enter:
  %was_locked = call i1 @lock(ptr %context)
  call void @hold(ptr %context)
  %mode = call i64 @enter_python(ptr %context)
  %raised = call i32 ${PyErr_CheckSignals}()
  if eq i32 %raised, 0 then %report else %failed

report:
  %description.bits = ptrtoint ptr %description to i64
  %values.bits = ptrtoint ptr %values to i64
  %result = call ptr (ptr, ptr, ...) ${PyObject_CallFunction}(
      ptr ${report}, ptr @format.report, i64 %description.bits, i64 %values.bits, i64 %element)
  if eq ptr %result, null then %failed else %reported

failed:
  store i64 ${RAISED}, ptr %context[i64 ${STATUS_WORD}]
  br label %leave

reported:
  %is_nothing = icmp eq ptr %result, ${None}
  %failure = load ptr, ptr %context[i64 ${FAILURE_WORD}]
  %is_later = icmp ne ptr %failure, null
  %is_dropped = or i1 %is_nothing, %is_later
  br i1 %is_dropped, label %drop, label %keep

drop:
  call void ${Py_DecRef}(ptr %result)
  br label %leave

keep:
  store ptr %result, ptr %context[i64 ${FAILURE_WORD}]
  br label %leave

leave:
  call void @leave_python(i64 %mode)
  br i1 %was_locked, label %done, label %unlock

unlock:
  call void @unlock(ptr %context)
  br label %done

done:
  %status = load i64, ptr %context[i64 ${STATUS_WORD}]
  ret i64 %status
}

define i64 @${PYTHON}(ptr %context, ptr %description, ptr %values, i64 %element) {
  %status = call i64 @${REPORT}(ptr %context, ptr %description, ptr %values, i64 %element)
  ret i64 %status
}

; The bounds of the main thread are kept, with its identity: the system takes 20 microseconds to find them.
define internal void @known_bounds(ptr %bounds) {
entry:
  %is_main = call i1 @is_main_thread()
  br i1 %is_main, label %main, label %other

main:
  %kept.for = load atomic i64, ptr @main.low[i64 2] acquire, align 8
  %this = call i64 ${PyThread_get_thread_ident}()
  if eq i64 %kept.for, %this then %kept else %find

kept:
  %low.kept = load i64, ptr @main.low
  %size.kept = load i64, ptr @main.low[i64 1]
  store i64 %low.kept, ptr %bounds
  store i64 %size.kept, ptr %bounds[i64 1]
  ret void

find:
  call void @bounds(ptr @main.low)
  store atomic i64 %this, ptr @main.low[i64 2] release, align 8
  br label %kept

other:
  call void @bounds(ptr %bounds)
  ret void
}

define i64 @${STACK_LIMIT}(ptr %context) {
  %bounds = alloca [2 x i64]
  call void @known_bounds(ptr %bounds)
  %low = load i64, ptr %bounds
  %size = load i64, ptr %bounds[i64 1]
  %part = lshr i64 %size, 2
  %is_small = icmp ult i64 %part, ${MARGIN_BYTES}
  %margin = select i1 %is_small, i64 %part, i64 ${MARGIN_BYTES}
  %limit = add i64 %low, %margin
  store i64 %limit, ptr %context[i64 ${STACK_WORD}]
  ret i64 %limit
}

"""
