"""LLVM IR of the pool of worker threads, among which a program shares the tasks of a parallel loop.

    i64 mlirad_pool_share(context, body, env, tasks, scratch, bytes, threads)    the status of the call
    void body(env, task, scratch, context)                 one task of the loop, 0 ... tasks - 1

Whoever is free takes the next task, the calling thread too, so a call never depends on a worker. What a task
computes does not depend on who runs it, and results do not depend on how many threads there are. `scratch`
is memory of so many bytes for the calling thread; workers have their own.

Workers are threads of the system, made by the functions of CPython's interface for C that need neither its
global lock nor a thread state, so they are the same on every system. A worker belongs to one call at a time:
a call takes those that are idle in the first n - 1 places, starts those that are missing there, and gives
them back at its end; it waits for those alone that have begun. So there are never more workers than the
largest number of threads asked for, less one; calls of several threads share them, and one that finds none
runs its tasks itself.

A place in the pool is `SLOT_WORDS` words, a job is a record on the stack of the call. Two locks per worker
are used as binary semaphores: `wake`, on which it sleeps, and `done`, on which the call may wait for the
last of its workers. Both sides look for a few microseconds before they sleep; of two that decide at once
whether to wake, the one that takes the flag `sleeps` does it.

What a call does with it is in `pool_call_text.py`, what workers do in `pool_workers_text.py`.

When a call is to end, its status is noted in the job; whoever works for it sees it when it polls or asks for
a task.
"""

from __future__ import annotations

import ctypes
from typing import Final

from mlirad.jit.pool_call_text import CALL_TEXT
from mlirad.jit.pool_workers_text import WORKERS_TEXT
from mlirad.jit.target import find_target
from mlirad.jit.templates import constants, filled, pointer, python_functions
from mlirad.jit.threads import MOST_THREADS
from mlirad.lower import native_program
from mlirad.lower.llvm.float_control import GET, SET, float_control

SLOT_WORDS: Final = 16
"""Of a place in the pool: two cache lines, as processors fetch pairs of them."""

NUMBER_WORD: Final = 8
"""Where in it the number is that the system gives to the thread."""

SPINS: Final = 400
"""How often a thread looks before it sleeps, with a pause between: some ten microseconds."""

WAIT_MICROSECONDS: Final = 50_000
"""How long a call waits for its workers until it looks for signals and the time limit again."""

KEPT_SCRATCH_BYTES: Final = 1 << 24
"""Scratch memory up to which a worker keeps it for the next job."""

SHARE: Final = "mlirad_pool_share"
RETIRE: Final = "mlirad_pool_retire"
RESET: Final = "mlirad_pool_reset"
COUNTS: Final = "mlirad_pool_counts"
SLOTS: Final = "mlirad_pool_slots"


def pool_text(malloc: int, free: int, poll: int) -> str:
    """The text, given the addresses of three functions."""
    names = (
        "PyThread_start_new_thread",
        "PyThread_allocate_lock",
        "PyThread_acquire_lock",
        "PyThread_acquire_lock_timed",
        "PyThread_release_lock",
        "PyThread_get_thread_native_id",
    )
    triple = find_target("native").triple
    control = float_control(triple)
    pause = _PAUSES.get(triple.split("-")[0])
    values = {
        "malloc": pointer(malloc),
        "free": pointer(free),
        "poll": pointer(poll),
        "pause": "" if pause is None else f"call void @{pause[0]}({pause[2]})",
        "mode": "add i64 0, 0" if control is None else f"call i64 @{GET}()",
        "set_mode": "" if control is None else f"call void @{SET}(i64 %mode)",
        "PLACES": MOST_THREADS - 1,
        "LONG": f"i{8 * ctypes.sizeof(ctypes.c_long)}",
        "SHARE": SHARE,
        "MOST_THREADS": MOST_THREADS,
        "SPINS": SPINS,
        "WAIT_MICROSECONDS": WAIT_MICROSECONDS,
        "KEPT_SCRATCH_BYTES": KEPT_SCRATCH_BYTES,
        "SLOT_WORDS": SLOT_WORDS,
        "NUMBER_WORD": NUMBER_WORD,
        "RETIRE": RETIRE,
        "RESET": RESET,
        "COUNTS": COUNTS,
        "SLOTS": SLOTS,
    }
    text = "" if control is None else control.text
    text += _RECORDS + CALL_TEXT + WORKERS_TEXT
    if pause is not None:
        text += f"declare void @{pause[0]}({pause[1]})\n"
    return filled(text, constants(native_program) | python_functions(names) | values)


_X86_PAUSE: Final = "llvm.x86.sse2.pause"
_ARM_PAUSE: Final = "llvm.aarch64.hint"
_PAUSES: Final = {
    "x86_64": (_X86_PAUSE, "", ""),
    "amd64": (_X86_PAUSE, "", ""),
    "aarch64": (_ARM_PAUSE, "i32", "i32 1"),
    "arm64": (_ARM_PAUSE, "i32", "i32 1"),
}
"""What tells the processor that a thread looks at memory that another one is to change."""

_RECORDS: Final = """
; state (0 nobody, 1 idle, 2 taken), wake, done, job, owner, sleeps, scratch, its bytes, number of the thread
%slot = type [${SLOT_WORDS} x i64]
; body, env, tasks, next task, status, workers that are not done (and 2^32 where the call waits for the last),
; bytes of scratch memory, mode of floating point, deadline, lock to be released by the last worker
%job = type [10 x i64]

@${SLOTS} = global [${PLACES} x %slot] zeroinitializer, align 128
; calls that ran in parallel, their tasks, those that workers ran, workers started
@${COUNTS} = global [4 x i64] zeroinitializer
"""
