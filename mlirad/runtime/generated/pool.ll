; Generated from pool.c by tools/build_runtime.py: change the source and run make runtime. sources 46f9babd39e690f9 text 5a9da8d22ad3ead2
%mlirad.pool.Worker = type { i64, ptr, ptr, ptr, ptr, i64, ptr, i64, i64, [56 x i8] }
%mlirad.pool.Job = type { ptr, ptr, i64, i64, i64, i64, i64, i64, i64, ptr }
%mlirad.pool.Context = type { i64, i64, i64, ptr, i64, i64, i64, ptr, i64, ptr, i64, ptr }

@mlirad_pool_loops = global i64 0, align 8
@mlirad_pool_tasks = global i64 0, align 8
@mlirad.pool.workers = internal global [255 x %mlirad.pool.Worker] zeroinitializer, align 128
@mlirad.pool.quit = internal global %mlirad.pool.Job zeroinitializer, align 8
@mlirad_pool_worker_tasks = global i64 0, align 8
@mlirad_pool_starts = global i64 0, align 8

define i64 @mlirad_pool_share(ptr noundef %context, ptr noundef %run, ptr noundef %env, i64 noundef %tasks, ptr noundef %scratch, i64 noundef %scratch_bytes, i64 noundef %threads) nounwind {
entry:
  %job = alloca %mlirad.pool.Job, align 8
  %call = tail call i64 @mlirad_rt_poll(ptr noundef %context) nounwind
  %tobool.not = icmp eq i64 %call, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %0 = load i64, ptr %context, align 8
  br label %return

if.end:
  store ptr %run, ptr %job, align 8
  %env2 = getelementptr inbounds nuw i8, ptr %job, i64 8
  store ptr %env, ptr %env2, align 8
  %tasks3 = getelementptr inbounds nuw i8, ptr %job, i64 16
  store i64 %tasks, ptr %tasks3, align 8
  %next = getelementptr inbounds nuw i8, ptr %job, i64 24
  store i64 0, ptr %next, align 8
  %status4 = getelementptr inbounds nuw i8, ptr %job, i64 32
  store i64 0, ptr %status4, align 8
  %running = getelementptr inbounds nuw i8, ptr %job, i64 40
  store i64 0, ptr %running, align 8
  %scratch_bytes5 = getelementptr inbounds nuw i8, ptr %job, i64 48
  store i64 %scratch_bytes, ptr %scratch_bytes5, align 8
  %call6 = tail call i64 @float_control.get() nounwind
  %mode = getelementptr inbounds nuw i8, ptr %job, i64 56
  store i64 %call6, ptr %mode, align 8
  %deadline = getelementptr inbounds nuw i8, ptr %context, i64 32
  %1 = load i64, ptr %deadline, align 8
  %deadline7 = getelementptr inbounds nuw i8, ptr %job, i64 64
  store i64 %1, ptr %deadline7, align 8
  %done = getelementptr inbounds nuw i8, ptr %job, i64 72
  store ptr null, ptr %done, align 8
  %2 = atomicrmw add ptr @mlirad_pool_loops, i64 1 monotonic, align 8
  %3 = atomicrmw add ptr @mlirad_pool_tasks, i64 %tasks monotonic, align 8
  %cond.i = tail call noundef i64 @llvm.umin.i64(i64 %threads, i64 %tasks)
  %cond.i42 = tail call noundef i64 @llvm.umin.i64(i64 %cond.i, i64 256)
  %sub = add nsw i64 %cond.i42, -1
  %sub10 = add i64 %threads, -1
  %cond.i43 = tail call noundef i64 @llvm.umin.i64(i64 %sub10, i64 255)
  %cmp44 = icmp ne i64 %sub10, 0
  %cmp1245 = icmp ne i64 %sub, 0
  %4 = select i1 %cmp44, i1 %cmp1245, i1 false
  br i1 %4, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %looked_at.0.lcssa = phi i64 [ 0, %if.end ], [ %inc, %for.body ]
  %group = getelementptr inbounds nuw i8, ptr %context, i64 72
  store ptr %job, ptr %group, align 8
  %call15 = call fastcc i64 @mlirad.pool.work(ptr noundef nonnull %job, ptr noundef %scratch, ptr noundef nonnull %context)
  call fastcc void @mlirad.pool.recall(ptr noundef %job, i64 noundef %looked_at.0.lcssa)
  call fastcc void @mlirad.pool.join(ptr noundef %job, ptr noundef nonnull %context)
  call fastcc void @mlirad.pool.dismiss(ptr noundef %job, i64 noundef %looked_at.0.lcssa)
  store ptr null, ptr %group, align 8
  %5 = load i64, ptr %context, align 8
  %tobool18.not = icmp eq i64 %5, 0
  br i1 %tobool18.not, label %if.then19, label %if.end22

for.body:
  %enlisted.047 = phi i64 [ %add, %for.body ], [ 0, %if.end ]
  %looked_at.046 = phi i64 [ %inc, %for.body ], [ 0, %if.end ]
  %arrayidx = getelementptr inbounds nuw %mlirad.pool.Worker, ptr @mlirad.pool.workers, i64 %looked_at.046
  %cmp13 = icmp eq i64 %enlisted.047, 0
  %call14 = call fastcc zeroext i1 @mlirad.pool.enlist(ptr noundef nonnull %arrayidx, ptr noundef %job, i1 noundef zeroext %cmp13)
  %conv = zext i1 %call14 to i64
  %add = add nuw i64 %enlisted.047, %conv
  %inc = add nuw nsw i64 %looked_at.046, 1
  %cmp = icmp samesign ult i64 %inc, %cond.i43
  %cmp12 = icmp ult i64 %add, %sub
  %6 = select i1 %cmp, i1 %cmp12, i1 false
  br i1 %6, label %for.body, label %for.cond.cleanup

if.then19:
  %7 = load atomic i64, ptr %status4 monotonic, align 8
  store i64 %7, ptr %context, align 8
  br label %if.end22

if.end22:
  %8 = phi i64 [ %7, %if.then19 ], [ %5, %for.cond.cleanup ]
  br label %return

return:
  %retval.0 = phi i64 [ %0, %if.then ], [ %8, %if.end22 ]
  ret i64 %retval.0
}

declare i64 @mlirad_rt_poll(ptr noundef)

declare i64 @float_control.get()

define internal fastcc noundef zeroext i1 @mlirad.pool.enlist(ptr noundef %worker, ptr noundef nonnull %job, i1 noundef zeroext %is_first) noinline nounwind {
entry:
  %0 = cmpxchg ptr %worker, i64 1, i64 2 acquire monotonic, align 128
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.end, label %if.end.i

if.end.i:
  %2 = cmpxchg ptr %worker, i64 0, i64 2 acquire monotonic, align 128
  %3 = extractvalue { i64, i1 } %2, 1
  br i1 %3, label %if.end3.i, label %return

if.end3.i:
  %call4.i = tail call fastcc zeroext i1 @mlirad.pool.start(ptr noundef %worker)
  br i1 %call4.i, label %if.end, label %if.end6.i

if.end6.i:
  store atomic i64 0, ptr %worker release, align 128
  br label %return

if.end:
  %owner = getelementptr inbounds nuw i8, ptr %worker, i64 32
  %4 = ptrtoint ptr %job to i64
  store atomic i64 %4, ptr %owner monotonic, align 32
  br i1 %is_first, label %if.then1, label %if.end3

if.then1:
  %done = getelementptr inbounds nuw i8, ptr %worker, i64 16
  %5 = load ptr, ptr %done, align 16
  %done2 = getelementptr inbounds nuw i8, ptr %job, i64 72
  store ptr %5, ptr %done2, align 8
  br label %if.end3

if.end3:
  %running = getelementptr inbounds nuw i8, ptr %job, i64 40
  %6 = atomicrmw add ptr %running, i64 1 monotonic, align 8
  tail call fastcc void @mlirad.pool.leave_job(ptr noundef nonnull %worker, ptr noundef nonnull %job)
  br label %return

return:
  %retval.0.i11 = phi i1 [ true, %if.end3 ], [ false, %if.end.i ], [ false, %if.end6.i ]
  ret i1 %retval.0.i11
}

define internal fastcc i64 @mlirad.pool.work(ptr noundef captures(none) %job, ptr noundef %scratch, ptr noundef %context) noinline nounwind {
entry:
  %next = getelementptr inbounds nuw i8, ptr %job, i64 24
  %tasks = getelementptr inbounds nuw i8, ptr %job, i64 16
  %0 = atomicrmw add ptr %next, i64 1 monotonic, align 8
  %1 = load i64, ptr %tasks, align 8
  %cmp.not20 = icmp ult i64 %0, %1
  br i1 %cmp.not20, label %if.end.lr.ph, label %cleanup5

if.end.lr.ph:
  %env = getelementptr inbounds nuw i8, ptr %job, i64 8
  br label %if.end

if.end:
  %2 = phi i64 [ %0, %if.end.lr.ph ], [ %8, %for.inc ]
  %count.021 = phi i64 [ 1, %if.end.lr.ph ], [ %inc, %for.inc ]
  %3 = load ptr, ptr %job, align 8
  %4 = load ptr, ptr %env, align 8
  tail call void %3(ptr noundef %4, i64 noundef %2, ptr noundef %scratch, ptr noundef %context) nounwind
  %5 = load i64, ptr %context, align 8
  %tobool.not = icmp eq i64 %5, 0
  br i1 %tobool.not, label %lor.lhs.false, label %if.then2

lor.lhs.false:
  %call = tail call i64 @mlirad_rt_poll(ptr noundef nonnull %context) nounwind
  %tobool1.not = icmp eq i64 %call, 0
  br i1 %tobool1.not, label %for.inc, label %lor.lhs.false.if.then2_crit_edge

lor.lhs.false.if.then2_crit_edge:
  %.pre = load i64, ptr %context, align 8
  br label %if.then2

if.then2:
  %6 = phi i64 [ %.pre, %lor.lhs.false.if.then2_crit_edge ], [ %5, %if.end ]
  %status1.i = getelementptr inbounds nuw i8, ptr %job, i64 32
  %7 = cmpxchg ptr %status1.i, i64 0, i64 %6 monotonic monotonic, align 8
  br label %cleanup5

for.inc:
  %inc = add i64 %count.021, 1
  %8 = atomicrmw add ptr %next, i64 1 monotonic, align 8
  %9 = load i64, ptr %tasks, align 8
  %cmp.not = icmp ult i64 %8, %9
  br i1 %cmp.not, label %if.end, label %cleanup5

cleanup5:
  %retval.1.ph = phi i64 [ %count.021, %if.then2 ], [ 0, %entry ], [ %count.021, %for.inc ]
  ret i64 %retval.1.ph
}

define internal fastcc void @mlirad.pool.recall(ptr noundef nonnull captures(address) %job, i64 noundef %count) noinline nounwind {
entry:
  %cmp11.not = icmp eq i64 %count, 0
  br i1 %cmp11.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %running = getelementptr inbounds nuw i8, ptr %job, i64 40
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.012 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %arrayidx = getelementptr inbounds nuw %mlirad.pool.Worker, ptr @mlirad.pool.workers, i64 %k.012
  %owner = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %0 = load atomic i64, ptr %owner monotonic, align 32
  %1 = inttoptr i64 %0 to ptr
  %cmp1 = icmp eq ptr %job, %1
  br i1 %cmp1, label %land.lhs.true, label %for.inc

land.lhs.true:
  %job3 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %2 = atomicrmw xchg ptr %job3, i64 0 seq_cst, align 8
  %tobool.not = icmp eq i64 %2, 0
  br i1 %tobool.not, label %for.inc, label %if.then

if.then:
  %3 = atomicrmw sub ptr %running, i64 1 monotonic, align 8
  br label %for.inc

for.inc:
  %inc = add nuw i64 %k.012, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define internal fastcc void @mlirad.pool.join(ptr noundef nonnull captures(none) %job, ptr noundef %context) noinline nounwind {
entry:
  %running = getelementptr inbounds nuw i8, ptr %job, i64 40
  br label %for.body

for.body:
  %k.021 = phi i64 [ 0, %entry ], [ %inc, %if.end ]
  %0 = load atomic i64, ptr %running acquire, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %while.end, label %if.end

if.end:
  tail call void @mlirad_pause() nounwind
  %inc = add nuw nsw i64 %k.021, 1
  %exitcond.not = icmp eq i64 %inc, 400
  br i1 %exitcond.not, label %for.end, label %for.body

for.end:
  %1 = atomicrmw add ptr %running, i64 4294967296 acq_rel, align 8
  %tobool3.not = icmp eq i64 %1, 0
  br i1 %tobool3.not, label %while.end, label %while.cond.preheader

while.cond.preheader:
  %done = getelementptr inbounds nuw i8, ptr %job, i64 72
  %2 = load ptr, ptr %done, align 8
  %call22 = tail call i32 @PyThread_acquire_lock_timed(ptr noundef %2, i64 noundef 50000, i32 noundef 0) nounwind
  %cmp6.not23 = icmp eq i32 %call22, 1
  br i1 %cmp6.not23, label %while.end, label %while.body.lr.ph

while.body.lr.ph:
  %status1.i = getelementptr inbounds nuw i8, ptr %job, i64 32
  br label %while.body

while.body:
  %3 = load i64, ptr %context, align 8
  %tobool7.not = icmp eq i64 %3, 0
  br i1 %tobool7.not, label %land.lhs.true, label %if.end12

land.lhs.true:
  %call8 = tail call i64 @mlirad_rt_poll(ptr noundef nonnull %context) nounwind
  %tobool9.not = icmp eq i64 %call8, 0
  br i1 %tobool9.not, label %if.end12, label %if.then10

if.then10:
  %4 = load i64, ptr %context, align 8
  %5 = cmpxchg ptr %status1.i, i64 0, i64 %4 monotonic monotonic, align 8
  br label %if.end12

if.end12:
  %6 = load ptr, ptr %done, align 8
  %call = tail call i32 @PyThread_acquire_lock_timed(ptr noundef %6, i64 noundef 50000, i32 noundef 0) nounwind
  %cmp6.not = icmp eq i32 %call, 1
  br i1 %cmp6.not, label %while.end, label %while.body

while.end:
  ret void
}

define internal fastcc void @mlirad.pool.dismiss(ptr noundef nonnull readnone captures(address) %job, i64 noundef %count) noinline nounwind {
entry:
  %cmp10.not = icmp eq i64 %count, 0
  br i1 %cmp10.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.011 = phi i64 [ %inc, %for.inc ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw %mlirad.pool.Worker, ptr @mlirad.pool.workers, i64 %k.011
  %owner = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %0 = load atomic i64, ptr %owner monotonic, align 32
  %1 = inttoptr i64 %0 to ptr
  %cmp1 = icmp eq ptr %job, %1
  br i1 %cmp1, label %if.then, label %for.inc

if.then:
  store atomic i64 0, ptr %owner monotonic, align 32
  store atomic i64 1, ptr %arrayidx release, align 128
  br label %for.inc

for.inc:
  %inc = add nuw i64 %k.011, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define i64 @mlirad_pool_retire() nounwind {
entry:
  br label %for.body

for.cond.cleanup:
  ret i64 %count.1

for.body:
  %count.013 = phi i64 [ 0, %entry ], [ %count.1, %for.inc ]
  %k.012 = phi i64 [ 0, %entry ], [ %inc5, %for.inc ]
  %arrayidx = getelementptr inbounds nuw %mlirad.pool.Worker, ptr @mlirad.pool.workers, i64 %k.012
  %0 = cmpxchg ptr %arrayidx, i64 1, i64 2 acquire monotonic, align 128
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.then, label %for.inc

if.then:
  tail call fastcc void @mlirad.pool.leave_job(ptr noundef nonnull %arrayidx, ptr noundef nonnull @mlirad.pool.quit)
  %done = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load ptr, ptr %done, align 16
  %call3 = tail call i32 @PyThread_acquire_lock(ptr noundef %2, i32 noundef 1) nounwind
  store atomic i64 0, ptr %arrayidx release, align 128
  %inc = add i64 %count.013, 1
  br label %for.inc

for.inc:
  %count.1 = phi i64 [ %inc, %if.then ], [ %count.013, %for.body ]
  %inc5 = add nuw nsw i64 %k.012, 1
  %exitcond.not = icmp eq i64 %inc5, 255
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define internal fastcc void @mlirad.pool.leave_job(ptr noundef captures(none) %worker, ptr noundef %job) noinline nounwind {
entry:
  %job1 = getelementptr inbounds nuw i8, ptr %worker, i64 24
  %0 = ptrtoint ptr %job to i64
  store atomic i64 %0, ptr %job1 seq_cst, align 8
  %sleeps = getelementptr inbounds nuw i8, ptr %worker, i64 40
  %1 = atomicrmw xchg ptr %sleeps, i64 0 seq_cst, align 8
  %tobool.not = icmp eq i64 %1, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %wake = getelementptr inbounds nuw i8, ptr %worker, i64 8
  %2 = load ptr, ptr %wake, align 8
  tail call void @PyThread_release_lock(ptr noundef %2) nounwind
  br label %if.end

if.end:
  ret void
}

declare i32 @PyThread_acquire_lock(ptr noundef, i32 noundef)

define i64 @mlirad_pool_last_threads(ptr noundef writeonly captures(none) %numbers) nounwind {
entry:
  br label %for.body

for.cond.cleanup:
  ret i64 %count.1

for.body:
  %count.012 = phi i64 [ 0, %entry ], [ %count.1, %if.end ]
  %k.011 = phi i64 [ 0, %entry ], [ %inc5, %if.end ]
  %arrayidx = getelementptr inbounds nuw %mlirad.pool.Worker, ptr @mlirad.pool.workers, i64 %k.011
  %thread = getelementptr inbounds nuw i8, ptr %arrayidx, i64 64
  %0 = load atomic i64, ptr %thread monotonic, align 64
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:
  %1 = load atomic i64, ptr %arrayidx monotonic, align 128
  %cmp3 = icmp eq i64 %1, 0
  br i1 %cmp3, label %if.then, label %if.end

if.then:
  %inc = add i64 %count.012, 1
  %arrayidx4 = getelementptr inbounds nuw i64, ptr %numbers, i64 %count.012
  store i64 %0, ptr %arrayidx4, align 8
  br label %if.end

if.end:
  %count.1 = phi i64 [ %inc, %if.then ], [ %count.012, %land.lhs.true ], [ %count.012, %for.body ]
  %inc5 = add nuw nsw i64 %k.011, 1
  %exitcond.not = icmp eq i64 %inc5, 255
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define void @mlirad_pool_reset() nounwind {
entry:
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.013 = phi i64 [ 0, %entry ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw %mlirad.pool.Worker, ptr @mlirad.pool.workers, i64 %k.013
  store i64 0, ptr %arrayidx, align 128
  %wake = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  store ptr null, ptr %wake, align 8
  %done = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store ptr null, ptr %done, align 16
  %job = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  store ptr null, ptr %job, align 8
  %owner = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  store ptr null, ptr %owner, align 32
  %sleeps = getelementptr inbounds nuw i8, ptr %arrayidx, i64 40
  store i64 0, ptr %sleeps, align 8
  %inc = add nuw nsw i64 %k.013, 1
  %exitcond.not = icmp eq i64 %inc, 255
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define internal fastcc noundef zeroext i1 @mlirad.pool.start(ptr noundef %worker) noinline nounwind {
entry:
  %wake = getelementptr inbounds nuw i8, ptr %worker, i64 8
  %0 = load ptr, ptr %wake, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.then, label %if.end11

if.then:
  %call = tail call ptr @PyThread_allocate_lock() nounwind
  %call2 = tail call ptr @PyThread_allocate_lock() nounwind
  %tobool3 = icmp eq ptr %call, null
  %tobool4 = icmp eq ptr %call2, null
  %or.cond.not = select i1 %tobool3, i1 true, i1 %tobool4
  br i1 %or.cond.not, label %return, label %cleanup.thread

cleanup.thread:
  %call6 = tail call i32 @PyThread_acquire_lock(ptr noundef nonnull %call, i32 noundef 1) nounwind
  %call7 = tail call i32 @PyThread_acquire_lock(ptr noundef nonnull %call2, i32 noundef 1) nounwind
  store ptr %call, ptr %wake, align 8
  %done9 = getelementptr inbounds nuw i8, ptr %worker, i64 16
  store ptr %call2, ptr %done9, align 16
  br label %if.end11

if.end11:
  %call12 = tail call zeroext i1 @mlirad_start_thread(ptr noundef nonnull @mlirad.pool.run_worker, ptr noundef nonnull %worker) nounwind
  br i1 %call12, label %if.end14, label %return

if.end14:
  %1 = atomicrmw add ptr @mlirad_pool_starts, i64 1 monotonic, align 8
  br label %return

return:
  %retval.1 = phi i1 [ true, %if.end14 ], [ false, %if.end11 ], [ false, %if.then ]
  ret i1 %retval.1
}

declare ptr @PyThread_allocate_lock()

declare zeroext i1 @mlirad_start_thread(ptr noundef, ptr noundef)

define internal void @mlirad.pool.run_worker(ptr noundef %argument) nounwind {
entry:
  %context = alloca %mlirad.pool.Context, align 8
  store i64 0, ptr %context, align 8
  %fuel.i = getelementptr inbounds nuw i8, ptr %context, i64 8
  store i64 0, ptr %fuel.i, align 8
  %stack.i = getelementptr inbounds nuw i8, ptr %context, i64 16
  store i64 0, ptr %stack.i, align 8
  %thread.i = getelementptr inbounds nuw i8, ptr %context, i64 24
  %deadline.i = getelementptr inbounds nuw i8, ptr %context, i64 32
  store i64 0, ptr %deadline.i, align 8
  %signals.i = getelementptr inbounds nuw i8, ptr %context, i64 40
  %time_limit.i = getelementptr inbounds nuw i8, ptr %context, i64 48
  store i64 0, ptr %time_limit.i, align 8
  %failure.i = getelementptr inbounds nuw i8, ptr %context, i64 56
  store ptr null, ptr %failure.i, align 8
  %threads.i = getelementptr inbounds nuw i8, ptr %context, i64 64
  store i64 0, ptr %threads.i, align 8
  %group.i = getelementptr inbounds nuw i8, ptr %context, i64 72
  store ptr null, ptr %group.i, align 8
  %mode.i = getelementptr inbounds nuw i8, ptr %context, i64 80
  store i64 0, ptr %mode.i, align 8
  %borrowed.i = getelementptr inbounds nuw i8, ptr %context, i64 88
  store ptr null, ptr %borrowed.i, align 8
  store ptr %argument, ptr %thread.i, align 8
  store i64 9223372036854775807, ptr %signals.i, align 8
  %thread1 = getelementptr inbounds nuw i8, ptr %argument, i64 64
  %call = tail call i64 @mlirad_thread_number() nounwind
  store atomic i64 %call, ptr %thread1 monotonic, align 64
  %job.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 24
  %sleeps.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 40
  %wake.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 8
  %scratch_bytes.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 56
  %scratch.i.i = getelementptr inbounds nuw i8, ptr %argument, i64 48
  br label %for.body.i.i

for.body.i.i:
  %k.03.i.i = phi i64 [ 0, %entry ], [ %k.03.i.i.be, %for.body.i.i.backedge ]
  %0 = load atomic i64, ptr %job.i.i seq_cst, align 8
  %tobool.not.not.not.i.not.i = icmp eq i64 %0, 0
  br i1 %tobool.not.not.not.i.not.i, label %if.end.i.i, label %if.end.i

if.end.i.i:
  call void @mlirad_pause() nounwind
  %inc.i.i = add nuw nsw i64 %k.03.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, 400
  br i1 %exitcond.not.i.i, label %if.then.i, label %for.body.i.i.backedge

for.body.i.i.backedge:
  %k.03.i.i.be = phi i64 [ %inc.i.i, %if.end.i.i ], [ 0, %if.end.i ], [ 0, %if.then9.i ], [ 0, %if.end6.i ]
  br label %for.body.i.i

if.then.i:
  store atomic i64 1, ptr %sleeps.i.i seq_cst, align 8
  %1 = load atomic i64, ptr %job.i.i seq_cst, align 8
  %tobool.not.i.i = icmp eq i64 %1, 0
  br i1 %tobool.not.i.i, label %if.end.i8.i, label %land.lhs.true.i.i

land.lhs.true.i.i:
  %2 = atomicrmw xchg ptr %sleeps.i.i, i64 0 seq_cst, align 8
  %tobool4.not.i.i = icmp eq i64 %2, 0
  br i1 %tobool4.not.i.i, label %if.end.i8.i, label %if.end.i

if.end.i8.i:
  %3 = load ptr, ptr %wake.i.i, align 8
  %call.i.i = call i32 @PyThread_acquire_lock(ptr noundef %3, i32 noundef 1) nounwind
  br label %if.end.i

if.end.i:
  %4 = atomicrmw xchg ptr %job.i.i, i64 0 seq_cst, align 8
  %tobool.not.not.i = icmp eq i64 %4, 0
  br i1 %tobool.not.not.i, label %for.body.i.i.backedge, label %next_job.exit

next_job.exit:
  %5 = inttoptr i64 %4 to ptr
  %cmp = icmp eq i64 %4, ptrtoint (ptr @mlirad.pool.quit to i64)
  br i1 %cmp, label %for.end, label %if.end

if.end:
  %scratch_bytes.i = getelementptr inbounds nuw i8, ptr %5, i64 48
  %6 = load i64, ptr %scratch_bytes.i, align 8
  %add.i = add i64 %6, 64
  %7 = load i64, ptr %scratch_bytes.i.i, align 8
  %cmp.not.i.i = icmp ugt i64 %add.i, %7
  br i1 %cmp.not.i.i, label %has_scratch.exit.i, label %if.then.i8

has_scratch.exit.i:
  call fastcc void @mlirad.pool.drop_scratch(ptr noundef nonnull %argument)
  %call.i.i12 = call ptr @mlirad_rt_malloc(i64 noundef %add.i) nounwind
  store ptr %call.i.i12, ptr %scratch.i.i, align 16
  %tobool.not.i.i13 = icmp eq ptr %call.i.i12, null
  %cond.i.i = select i1 %tobool.not.i.i13, i64 0, i64 %add.i
  store i64 %cond.i.i, ptr %scratch_bytes.i.i, align 8
  br i1 %tobool.not.i.i13, label %if.end6.i, label %if.then.i8

if.then.i8:
  %deadline.i9 = getelementptr inbounds nuw i8, ptr %5, i64 64
  %8 = load i64, ptr %deadline.i9, align 8
  store i64 %8, ptr %deadline.i, align 8
  store i64 0, ptr %context, align 8
  store ptr %5, ptr %group.i, align 8
  %mode.i11 = getelementptr inbounds nuw i8, ptr %5, i64 56
  %9 = load i64, ptr %mode.i11, align 8
  call void @float_control.set(i64 noundef %9) nounwind
  %10 = load ptr, ptr %scratch.i.i, align 16
  %11 = ptrtoint ptr %10 to i64
  %sub.i.i = add i64 %11, 63
  %and.i.i = and i64 %sub.i.i, -64
  %12 = inttoptr i64 %and.i.i to ptr
  %call3.i = call fastcc i64 @mlirad.pool.work(ptr noundef nonnull %5, ptr noundef %12, ptr noundef nonnull %context)
  %13 = atomicrmw add ptr @mlirad_pool_worker_tasks, i64 %call3.i monotonic, align 8
  %14 = load i64, ptr %scratch_bytes.i.i, align 8
  %cmp.i = icmp ugt i64 %14, 16777216
  br i1 %cmp.i, label %if.then5.i, label %if.end6.i

if.then5.i:
  call fastcc void @mlirad.pool.drop_scratch(ptr noundef nonnull %argument)
  br label %if.end6.i

if.end6.i:
  %done7.i = getelementptr inbounds nuw i8, ptr %5, i64 72
  %15 = load ptr, ptr %done7.i, align 8
  %running.i = getelementptr inbounds nuw i8, ptr %5, i64 40
  %16 = atomicrmw sub ptr %running.i, i64 1 acq_rel, align 8
  %cmp8.i = icmp eq i64 %16, 4294967297
  br i1 %cmp8.i, label %if.then9.i, label %for.body.i.i.backedge

if.then9.i:
  call void @PyThread_release_lock(ptr noundef %15) nounwind
  br label %for.body.i.i.backedge

for.end:
  %done = getelementptr inbounds nuw i8, ptr %argument, i64 16
  %17 = load ptr, ptr %done, align 16
  call void @PyThread_release_lock(ptr noundef %17) nounwind
  ret void
}

declare i64 @mlirad_thread_number()

declare void @PyThread_release_lock(ptr noundef)

declare void @mlirad_pause()

declare void @float_control.set(i64 noundef)

define internal fastcc void @mlirad.pool.drop_scratch(ptr noundef captures(none) %worker) noinline nounwind {
entry:
  %scratch1 = getelementptr inbounds nuw i8, ptr %worker, i64 48
  %0 = load ptr, ptr %scratch1, align 16
  %scratch_bytes = getelementptr inbounds nuw i8, ptr %worker, i64 56
  %1 = load i64, ptr %scratch_bytes, align 8
  store i64 0, ptr %scratch_bytes, align 8
  store ptr null, ptr %scratch1, align 16
  tail call void @mlirad_rt_free(ptr noundef %0, i64 noundef %1) nounwind
  ret void
}

declare ptr @mlirad_rt_malloc(i64 noundef)

declare void @mlirad_rt_free(ptr noundef, i64 noundef)

declare i32 @PyThread_acquire_lock_timed(ptr noundef, i64 noundef, i32 noundef)

declare i64 @llvm.umin.i64(i64, i64) nounwind
