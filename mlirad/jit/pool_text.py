"""LLVM IR of the pool of worker threads, among which a program shares the tasks of a parallel loop.

    i64 mlirad_rt_parallel(context, body, env, tasks, scratch, bytes)    the status of the call
    void body(env, task, scratch, context)                               one task of the loop, 0 ... tasks - 1

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

When a call is to end, its status is noted in the job; whoever works for it sees it when it polls or asks for
a task.
"""

from __future__ import annotations

import ctypes
from typing import Final

from mlirad.jit.target import find_target
from mlirad.jit.templates import constants, filled, pointer, python_functions
from mlirad.jit.threads import MOST_THREADS
from mlirad.lower import native_program
from mlirad.lower.float_control import GET, SET, float_control

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

RETIRE: Final = "mlirad_pool_retire"
RESET: Final = "mlirad_pool_reset"
COUNTS: Final = "mlirad_pool_counts"
SLOTS: Final = "mlirad_pool_slots"


def pool_text(default_threads: int, malloc: int, free: int, poll: int) -> str:
    """The text, given addresses: of the word with the number of threads of calls that state none, and of
    three functions.
    """
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
        "default_threads": pointer(default_threads),
        "malloc": pointer(malloc),
        "free": pointer(free),
        "poll": pointer(poll),
        "pause": "" if pause is None else f"call void @{pause[0]}({pause[2]})",
        "mode": "add i64 0, 0" if control is None else f"call i64 @{GET}()",
        "set_mode": "" if control is None else f"call void @{SET}(i64 %mode)",
        "PLACES": MOST_THREADS - 1,
        "LONG": f"i{8 * ctypes.sizeof(ctypes.c_long)}",
        "PARALLEL": native_program.PARALLEL,
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
    text = _TEXT if control is None else control.text + _TEXT
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

_TEXT: Final = """
; state (0 nobody, 1 idle, 2 taken), wake, done, job, owner, sleeps, scratch, its bytes, number of the thread
%slot = type [${SLOT_WORDS} x i64]
; body, env, tasks, next task, status, workers that are not done (and 2^32 where the call waits for the last),
; bytes of scratch memory, mode of floating point, deadline, lock to be released by the last worker
%job = type [10 x i64]

@${SLOTS} = global [${PLACES} x %slot] zeroinitializer, align 128
; calls that ran in parallel, their tasks, those that workers ran, workers started
@${COUNTS} = global [4 x i64] zeroinitializer

define i64 @${PARALLEL}(ptr %context, ptr %body, ptr %env, i64 %tasks, ptr %scratch, i64 %bytes) {
entry:
  %job = alloca %job, align 16
  store %job zeroinitializer, ptr %job
  %body.at = getelementptr i64, ptr %job, i64 0
  store ptr %body, ptr %body.at
  store ptr %env, ptr %job[i64 1]
  store i64 %tasks, ptr %job[i64 2]
  store i64 %bytes, ptr %job[i64 6]
  %mode = ${mode}
  store i64 %mode, ptr %job[i64 7]
  %stated = load i64, ptr %context[i64 ${THREADS_WORD}]
  %usual = load i64, ptr ${default_threads}
  %is_stated = icmp ne i64 %stated, 0
  %threads = select i1 %is_stated, i64 %stated, i64 %usual
  %group.at = getelementptr i64, ptr %context, i64 ${GROUP_WORD}
  %group = load ptr, ptr %group.at
  %is_inside = icmp ne ptr %group, null
  %few = call i64 @llvm.umin.i64(i64 %threads, i64 %tasks)
  %limited = call i64 @llvm.umin.i64(i64 %few, i64 ${MOST_THREADS})
  %is_alone = icmp ule i64 %limited, 1
  %runs_alone = or i1 %is_inside, %is_alone
  br i1 %runs_alone, label %alone, label %begin

alone:
  %ran.alone = call i64 @work(ptr %job, ptr %scratch, ptr %context)
  br label %end

; The first poll sets the deadline and releases the global lock of Python.
begin:
  %begins = call i64 ${poll}(ptr %context)
  if eq i64 %begins, 0 then %together else %end

together:
  %deadline = load i64, ptr %context[i64 ${DEADLINE_WORD}]
  store i64 %deadline, ptr %job[i64 8]
  %runs = atomicrmw add ptr @${COUNTS}, i64 1 monotonic
  %tasks.at = getelementptr i64, ptr @${COUNTS}, i64 1
  %tasks.before = atomicrmw add ptr %tasks.at, i64 %tasks monotonic
  %wanted = sub i64 %limited, 1
  br label %take.next

take.next:
  %p = phi i64 [0, %together], [%p.more, %take.done]
  %taken = phi i64 [0, %together], [%taken.more, %take.done]
  %places = sub i64 %threads, 1
  %places.all = call i64 @llvm.umin.i64(i64 %places, i64 ${PLACES})
  %has_place = icmp ult i64 %p, %places.all
  %has_need = icmp ult i64 %taken, %wanted
  %goes_on = and i1 %has_place, %has_need
  br i1 %goes_on, label %take, label %share

take:
  %slot = getelementptr %slot, ptr @${SLOTS}, i64 %p
  %got = call i1 @enlist(ptr %slot, ptr %job)
  %one = zext i1 %got to i64
  br label %take.done

take.done:
  %p.more = add i64 %p, 1
  %taken.more = add i64 %taken, %one
  br label %take.next

share:
  store ptr %job, ptr %group.at
  %ran.share = call i64 @work(ptr %job, ptr %scratch, ptr %context)
  call void @recall(ptr %job, i64 %p)
  call void @join(ptr %job, ptr %context)
  call void @dismiss(ptr %job, i64 %p)
  store ptr null, ptr %group.at
  br label %end

end:
  %status.job = load i64, ptr %job[i64 4]
  %status.at = getelementptr i64, ptr %context, i64 ${STATUS_WORD}
  %status.own = load i64, ptr %status.at
  %is_fine = icmp eq i64 %status.own, 0
  %status = select i1 %is_fine, i64 %status.job, i64 %status.own
  store i64 %status, ptr %status.at
  ret i64 %status
}

declare i64 @llvm.umin.i64(i64, i64)

; Run tasks as long as there are any and the call is to go on; how many this thread has run.
define internal i64 @work(ptr %job, ptr %scratch, ptr %context) {
entry:
  %body = load ptr, ptr %job[i64 0]
  %env = load ptr, ptr %job[i64 1]
  %tasks = load i64, ptr %job[i64 2]
  %next.at = getelementptr i64, ptr %job, i64 3
  %status.at = getelementptr i64, ptr %job, i64 4
  br label %next

next:
  %count = phi i64 [0, %entry], [%count.more, %look]
  %task = atomicrmw add ptr %next.at, i64 1 monotonic
  if ult i64 %task, %tasks then %run else %done

run:
  call void %body(ptr %env, i64 %task, ptr %scratch, ptr %context)
  %count.more = add i64 %count, 1
  %ended = load i64, ptr %context[i64 ${STATUS_WORD}]
  if eq i64 %ended, 0 then %look else %stop

look:
  %status = call i64 ${poll}(ptr %context)
  if eq i64 %status, 0 then %next else %stop

stop:
  %why = load i64, ptr %context[i64 ${STATUS_WORD}]
  %noted = cmpxchg ptr %status.at, i64 0, i64 %why monotonic monotonic
  br label %done

done:
  %total = phi i64 [%count, %next], [%count.more, %stop]
  ret i64 %total
}

; Give a job to the worker of a place, if it is idle or can be started; whether it was given.
define internal i1 @enlist(ptr %slot, ptr %job) {
entry:
  %idle = cmpxchg ptr %slot, i64 1, i64 2 acquire monotonic
  %was_idle = extractvalue {i64, i1} %idle, 1
  br i1 %was_idle, label %hand, label %empty

empty:
  %nobody = cmpxchg ptr %slot, i64 0, i64 2 acquire monotonic
  %was_empty = extractvalue {i64, i1} %nobody, 1
  br i1 %was_empty, label %start, label %no

start:
  %made = call i1 @start(ptr %slot)
  br i1 %made, label %hand, label %failed

failed:
  store atomic i64 0, ptr %slot release, align 8
  br label %no

no:
  ret i1 false

hand:
  %owner.at = getelementptr i64, ptr %slot, i64 4
  store ptr %job, ptr %owner.at
  %done = load ptr, ptr %slot[i64 2]
  %done.at = getelementptr i64, ptr %job, i64 9
  store ptr %done, ptr %done.at
  %running.at = getelementptr i64, ptr %job, i64 5
  %running = atomicrmw add ptr %running.at, i64 1 monotonic
  %job.bits = ptrtoint ptr %job to i64
  call void @wake(ptr %slot, i64 %job.bits)
  ret i1 true
}

; Make the locks of a place, unless it has them, and its thread.
define internal i1 @start(ptr %slot) {
entry:
  %wake.at = getelementptr i64, ptr %slot, i64 1
  %wake.old = load ptr, ptr %wake.at
  if eq ptr %wake.old, null then %locks else %thread

locks:
  %wake = call ptr ${PyThread_allocate_lock}()
  %done = call ptr ${PyThread_allocate_lock}()
  %no_wake = icmp eq ptr %wake, null
  %no_done = icmp eq ptr %done, null
  %missing = or i1 %no_wake, %no_done
  br i1 %missing, label %no, label %close

close:
  %a = call i32 ${PyThread_acquire_lock}(ptr %wake, i32 1)
  %b = call i32 ${PyThread_acquire_lock}(ptr %done, i32 1)
  store ptr %wake, ptr %wake.at
  %done.at = getelementptr i64, ptr %slot, i64 2
  store ptr %done, ptr %done.at
  br label %thread

thread:
  %ident = call ${LONG} ${PyThread_start_new_thread}(ptr @worker, ptr %slot)
  if eq ${LONG} %ident, -1 then %no else %yes

yes:
  %started.at = getelementptr i64, ptr @${COUNTS}, i64 3
  %started = atomicrmw add ptr %started.at, i64 1 monotonic
  ret i1 true

no:
  ret i1 false
}

; Leave a job, or 1 to end, for a worker, and wake it if it sleeps.
define internal void @wake(ptr %slot, i64 %job) {
entry:
  %job.at = getelementptr i64, ptr %slot, i64 3
  store atomic i64 %job, ptr %job.at seq_cst, align 8
  %sleeps.at = getelementptr i64, ptr %slot, i64 5
  %slept = atomicrmw xchg ptr %sleeps.at, i64 0 seq_cst
  if eq i64 %slept, 0 then %awake else %asleep

asleep:
  %lock = load ptr, ptr %slot[i64 1]
  call void ${PyThread_release_lock}(ptr %lock)
  br label %awake

awake:
  ret void
}

define internal void @worker(ptr %slot) {
entry:
  %context = alloca [${CONTEXT_WORDS} x i64], align 16
  store [${CONTEXT_WORDS} x i64] zeroinitializer, ptr %context
  ; It holds no lock of Python, and looks for no signals.
  store i64 1, ptr %context[i64 ${THREAD_WORD}]
  store i64 9223372036854775807, ptr %context[i64 ${SIGNALS_WORD}]
  %number = call ${LONG} ${PyThread_get_thread_native_id}()
  store ${LONG} %number, ptr %slot[i64 ${NUMBER_WORD}]
  %job.at = getelementptr i64, ptr %slot, i64 3
  %sleeps.at = getelementptr i64, ptr %slot, i64 5
  %scratch.at = getelementptr i64, ptr %slot, i64 6
  %bytes.at = getelementptr i64, ptr %slot, i64 7
  br label %wait

wait:
  br label %look

look:
  %k = phi i64 [0, %wait], [%k.more, %again]
  %found = load atomic i64, ptr %job.at seq_cst, align 8
  if eq i64 %found, 0 then %again else %have

again:
  ${pause}
  %k.more = add i64 %k, 1
  if ult i64 %k.more, ${SPINS} then %look else %tired

tired:
  store atomic i64 1, ptr %sleeps.at seq_cst, align 8
  %late = load atomic i64, ptr %job.at seq_cst, align 8
  if eq i64 %late, 0 then %sleep else %stay

stay:
  %slept = atomicrmw xchg ptr %sleeps.at, i64 0 seq_cst
  if eq i64 %slept, 0 then %sleep else %have

sleep:
  %lock = load ptr, ptr %slot[i64 1]
  %woken = call i32 ${PyThread_acquire_lock}(ptr %lock, i32 1)
  br label %have

have:
  %job.bits = atomicrmw xchg ptr %job.at, i64 0 seq_cst
  if eq i64 %job.bits, 0 then %wait.again else %began

began:
  if eq i64 %job.bits, 1 then %quit else %serve

quit:
  %done.quit = load ptr, ptr %slot[i64 2]
  call void ${PyThread_release_lock}(ptr %done.quit)
  ret void

serve:
  %job = inttoptr i64 %job.bits to ptr
  %asked = load i64, ptr %job[i64 6]
  %wanted = add i64 %asked, 64
  %kept = load i64, ptr %bytes.at
  if ugt i64 %wanted, %kept then %grow else %ready

grow:
  %old = load ptr, ptr %scratch.at
  call void ${free}(ptr %old)
  %new = call ptr ${malloc}(i64 %wanted)
  store ptr %new, ptr %scratch.at
  %is_none = icmp eq ptr %new, null
  %room = select i1 %is_none, i64 0, i64 %wanted
  store i64 %room, ptr %bytes.at
  br i1 %is_none, label %leave, label %ready

ready:
  %scratch.any = load i64, ptr %scratch.at
  %scratch.up = add i64 %scratch.any, 63
  %scratch.even = and i64 %scratch.up, -64
  %scratch = inttoptr i64 %scratch.even to ptr
  %deadline = load i64, ptr %job[i64 8]
  store i64 %deadline, ptr %context[i64 ${DEADLINE_WORD}]
  store i64 0, ptr %context[i64 ${STATUS_WORD}]
  store ptr %job, ptr %context[i64 ${GROUP_WORD}]
  %mode = load i64, ptr %job[i64 7]
  ${set_mode}
  %ran = call i64 @work(ptr %job, ptr %scratch, ptr %context)
  %ran.at = getelementptr i64, ptr @${COUNTS}, i64 2
  %ran.before = atomicrmw add ptr %ran.at, i64 %ran monotonic
  %size = load i64, ptr %bytes.at
  if ugt i64 %size, ${KEPT_SCRATCH_BYTES} then %drop else %leave

drop:
  %large = load ptr, ptr %scratch.at
  call void ${free}(ptr %large)
  store ptr null, ptr %scratch.at
  store i64 0, ptr %bytes.at
  br label %leave

; The job may be gone as soon as this worker is not counted any more.
leave:
  %done = load ptr, ptr %job[i64 9]
  %running.at = getelementptr i64, ptr %job, i64 5
  %running = atomicrmw sub ptr %running.at, i64 1 acq_rel
  if eq i64 %running, 4294967297 then %tell else %wait.again

tell:
  call void ${PyThread_release_lock}(ptr %done)
  br label %wait.again

wait.again:
  br label %wait
}

; Take the job back from those workers in the first places that have not begun: one may sleep on while others
; have done everything.
define internal void @recall(ptr %job, i64 %places) {
entry:
  %running.at = getelementptr i64, ptr %job, i64 5
  br label %next

next:
  %p = phi i64 [0, %entry], [%p.more, %done]
  if ult i64 %p, %places then %look else %end

look:
  %slot = getelementptr %slot, ptr @${SLOTS}, i64 %p
  %owner.at = getelementptr i64, ptr %slot, i64 4
  %owner = load atomic ptr, ptr %owner.at monotonic, align 8
  if eq ptr %owner, %job then %take else %done

take:
  %job.at = getelementptr i64, ptr %slot, i64 3
  %left = atomicrmw xchg ptr %job.at, i64 0 seq_cst
  if eq i64 %left, 0 then %done else %count

count:
  %running = atomicrmw sub ptr %running.at, i64 1 monotonic
  br label %done

done:
  %p.more = add i64 %p, 1
  br label %next

end:
  ret void
}

; Wait until no worker is at work; a call that is to end meanwhile tells them.
define internal void @join(ptr %job, ptr %context) {
entry:
  %running.at = getelementptr i64, ptr %job, i64 5
  %status.at = getelementptr i64, ptr %job, i64 4
  br label %look

look:
  %k = phi i64 [0, %entry], [%k.more, %again]
  %running = load atomic i64, ptr %running.at acquire, align 8
  if eq i64 %running, 0 then %done else %again

again:
  ${pause}
  %k.more = add i64 %k, 1
  if ult i64 %k.more, ${SPINS} then %look else %sleep

sleep:
  %before = atomicrmw add ptr %running.at, i64 4294967296 acq_rel
  if eq i64 %before, 0 then %done else %wait

wait:
  %lock = load ptr, ptr %job[i64 9]
  %woken = call i32 ${PyThread_acquire_lock_timed}(ptr %lock, i64 ${WAIT_MICROSECONDS}, i32 0)
  if eq i32 %woken, 1 then %done else %poll

poll:
  %ended = load i64, ptr %context[i64 ${STATUS_WORD}]
  if eq i64 %ended, 0 then %ask else %wait

ask:
  %status = call i64 ${poll}(ptr %context)
  if eq i64 %status, 0 then %wait else %tell

tell:
  %noted = cmpxchg ptr %status.at, i64 0, i64 %status monotonic monotonic
  br label %wait

done:
  ret void
}

; Give back the workers of a job in the first places.
define internal void @dismiss(ptr %job, i64 %places) {
entry:
  br label %next

next:
  %p = phi i64 [0, %entry], [%p.more, %done]
  if ult i64 %p, %places then %look else %end

look:
  %slot = getelementptr %slot, ptr @${SLOTS}, i64 %p
  %owner.at = getelementptr i64, ptr %slot, i64 4
  %owner = load atomic ptr, ptr %owner.at monotonic, align 8
  if eq ptr %owner, %job then %give else %done

give:
  store atomic ptr null, ptr %owner.at monotonic, align 8
  store atomic i64 1, ptr %slot release, align 8
  br label %done

done:
  %p.more = add i64 %p, 1
  br label %next

end:
  ret void
}

; End the workers that are idle; how many there were.
define i64 @${RETIRE}() {
entry:
  br label %next

next:
  %p = phi i64 [0, %entry], [%p.more, %done]
  %count = phi i64 [0, %entry], [%count.more, %done]
  if ult i64 %p, ${PLACES} then %look else %end

look:
  %slot = getelementptr %slot, ptr @${SLOTS}, i64 %p
  %idle = cmpxchg ptr %slot, i64 1, i64 2 acquire monotonic
  %was_idle = extractvalue {i64, i1} %idle, 1
  br i1 %was_idle, label %quit, label %done

quit:
  call void @wake(ptr %slot, i64 1)
  %lock = load ptr, ptr %slot[i64 2]
  %ended = call i32 ${PyThread_acquire_lock}(ptr %lock, i32 1)
  store atomic i64 0, ptr %slot release, align 8
  br label %done

done:
  %one = phi i64 [0, %look], [1, %quit]
  %p.more = add i64 %p, 1
  %count.more = add i64 %count, %one
  br label %next

end:
  ret i64 %count
}

; In a child, where all workers are gone, whatever they were doing: empty places, which keep scratch memory.
define void @${RESET}() {
entry:
  br label %next

next:
  %p = phi i64 [0, %entry], [%p.more, %reset]
  if ult i64 %p, ${PLACES} then %reset else %end

reset:
  %slot = getelementptr %slot, ptr @${SLOTS}, i64 %p
  %rest = getelementptr i64, ptr %slot, i64 0
  store [6 x i64] zeroinitializer, ptr %rest
  %p.more = add i64 %p, 1
  br label %next

end:
  ret void
}
"""
