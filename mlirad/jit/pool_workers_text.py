"""The worker threads of the pool, as LLVM IR: how they start, sleep, serve jobs and end.

    void worker(slot)                    the thread: waits for a job in its place, serves it, waits again
    i64 mlirad_pool_retire()             ends those that are idle

`mlirad/jit/pool_text.py` says how the pool works, and fills in the names; a place is a record of
its type `%slot`.
"""

from typing import Final

WORKERS_TEXT: Final = """
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
  call void @drop_scratch(ptr %slot)
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
  call void @drop_scratch(ptr %slot)
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

; Free the scratch memory of a worker. A child that is forked in here finds memory that is freed in no place.
define internal void @drop_scratch(ptr %slot) {
entry:
  %scratch.at = getelementptr i64, ptr %slot, i64 6
  %bytes.at = getelementptr i64, ptr %slot, i64 7
  %scratch = load ptr, ptr %scratch.at
  store i64 0, ptr %bytes.at
  store ptr null, ptr %scratch.at
  call void ${free}(ptr %scratch)
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
