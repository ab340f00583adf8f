"""LLVM IR of the function that programs call for a parallel loop: a loop, or a call of the pool.

    i64 mlirad_rt_parallel(context, body, env, tasks, scratch, bytes)    the status of the call
    void body(env, task, scratch, context)                               one task of the loop, 0 ... tasks - 1

Tasks run one after another where the call has one thread, or is itself part of a parallel loop; all others go
to the pool (`pool_text.py`), which is ten times as long and made when a call may have several threads. Until
then its address is null.
"""

from __future__ import annotations

from mlirad.jit.templates import constants, filled, pointer
from mlirad.lower import native_program


def parallel_text(default_threads: int, poll: int, pool: int) -> str:
    """The text, given addresses: of the word with the number of threads of calls that state none, of the
    function that polls, and of the word that holds the address of the pool's function.
    """
    values = {
        "default_threads": pointer(default_threads),
        "poll": pointer(poll),
        "pool": pointer(pool),
    }
    return filled(_TEXT, constants(native_program) | values)


_TEXT = """
define i64 @${PARALLEL}(ptr %context, ptr %body, ptr %env, i64 %tasks, ptr %scratch, i64 %bytes) {
entry:
  %stated = load i64, ptr %context[i64 ${THREADS_WORD}]
  %usual = load atomic i64, ptr ${default_threads} monotonic, align 8
  %is_stated = icmp ne i64 %stated, 0
  %threads = select i1 %is_stated, i64 %stated, i64 %usual
  %group = load ptr, ptr %context[i64 ${GROUP_WORD}]
  %is_inside = icmp ne ptr %group, null
  %one_thread = icmp ule i64 %threads, 1
  %one_task = icmp ule i64 %tasks, 1
  %pool = load atomic ptr, ptr ${pool} acquire, align 8
  %no_pool = icmp eq ptr %pool, null
  %is_alone = or i1 %one_thread, %one_task
  %is_bound = or i1 %is_inside, %no_pool
  %stays = or i1 %is_alone, %is_bound
  br i1 %stays, label %next, label %share

share:
  %shared = call i64 %pool(
    ptr %context, ptr %body, ptr %env, i64 %tasks, ptr %scratch, i64 %bytes, i64 %threads)
  ret i64 %shared

next:
  %task = phi i64 [0, %entry], [%task.more, %look]
  if ult i64 %task, %tasks then %run else %end

run:
  call void %body(ptr %env, i64 %task, ptr %scratch, ptr %context)
  %task.more = add i64 %task, 1
  %ended = load i64, ptr %context[i64 ${STATUS_WORD}]
  if eq i64 %ended, 0 then %look else %end

look:
  %polled = call i64 ${poll}(ptr %context)
  if eq i64 %polled, 0 then %next else %end

end:
  %status = load i64, ptr %context[i64 ${STATUS_WORD}]
  ret i64 %status
}
"""
