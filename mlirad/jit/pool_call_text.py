"""What a call does with the pool of worker threads, as LLVM IR: it enlists workers, works too,
and waits for them.

    i64 mlirad_pool_share(context, body, env, tasks, scratch, bytes, threads)

enlists, works, recalls, joins and dismisses.

`mlirad/jit/pool_text.py` says how the pool works, and fills in the names; a job is a record of its
type `%job`.
"""

from typing import Final

CALL_TEXT: Final = """
define i64 @${SHARE}(
    ptr %context, ptr %body, ptr %env, i64 %tasks, ptr %scratch, i64 %bytes, i64 %threads) {
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
  %group.at = getelementptr i64, ptr %context, i64 ${GROUP_WORD}
  %few = call i64 @llvm.umin.i64(i64 %threads, i64 %tasks)
  %limited = call i64 @llvm.umin.i64(i64 %few, i64 ${MOST_THREADS})
  ; The first poll sets the deadline and releases the global lock of Python.
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
  %is_first = icmp eq i64 %taken, 0
  %got = call i1 @enlist(ptr %slot, ptr %job, i1 %is_first)
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
; The call waits on the lock of its first worker, which it has to itself. Workers read it while others are
; enlisted, so it is written once, before any is woken.
define internal i1 @enlist(ptr %slot, ptr %job, i1 %is_first) {
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
  store atomic ptr %job, ptr %owner.at monotonic, align 8
  br i1 %is_first, label %choose, label %count

choose:
  %done = load ptr, ptr %slot[i64 2]
  %done.at = getelementptr i64, ptr %job, i64 9
  store ptr %done, ptr %done.at
  br label %count

count:
  %running.at = getelementptr i64, ptr %job, i64 5
  %running = atomicrmw add ptr %running.at, i64 1 monotonic
  %job.bits = ptrtoint ptr %job to i64
  call void @wake(ptr %slot, i64 %job.bits)
  ret i1 true
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
"""
