; Generated from parallel.c by tools/build_runtime.py: change the source and run make runtime. sources 12821df94cd72bdc text ec987e99db2247dd
@mlirad_usual_threads = external global i64, align 8
@mlirad_pool = external global ptr, align 8

define i64 @mlirad_rt_parallel(ptr noundef %context, ptr noundef %run, ptr noundef %env, i64 noundef %tasks, ptr noundef %scratch, i64 noundef %scratch_bytes) nounwind {
entry:
  %0 = load atomic i64, ptr @mlirad_usual_threads monotonic, align 8
  %threads1 = getelementptr inbounds nuw i8, ptr %context, i64 64
  %1 = load i64, ptr %threads1, align 8
  %tobool.not = icmp eq i64 %1, 0
  %. = select i1 %tobool.not, i64 %0, i64 %1
  %2 = load atomic i64, ptr @mlirad_pool acquire, align 8
  %3 = inttoptr i64 %2 to ptr
  %tobool4 = icmp ne i64 %2, 0
  %cmp = icmp ugt i64 %., 1
  %or.cond = select i1 %tobool4, i1 %cmp, i1 false
  %cmp6 = icmp ugt i64 %tasks, 1
  %or.cond19 = and i1 %cmp6, %or.cond
  br i1 %or.cond19, label %land.lhs.true7, label %if.end

land.lhs.true7:
  %group = getelementptr inbounds nuw i8, ptr %context, i64 72
  %4 = load ptr, ptr %group, align 8
  %tobool8.not = icmp eq ptr %4, null
  br i1 %tobool8.not, label %if.then, label %for.body.preheader

if.then:
  %call = tail call i64 %3(ptr noundef nonnull %context, ptr noundef %run, ptr noundef %env, i64 noundef %tasks, ptr noundef %scratch, i64 noundef %scratch_bytes, i64 noundef %.) nounwind
  br label %cleanup16

if.end:
  %cmp937.not = icmp eq i64 %tasks, 0
  br i1 %cmp937.not, label %cleanup, label %for.body.preheader

for.body.preheader:
  br label %for.body

for.body:
  %task.038 = phi i64 [ %inc, %lor.lhs.false ], [ 0, %for.body.preheader ]
  tail call void %run(ptr noundef %env, i64 noundef %task.038, ptr noundef %scratch, ptr noundef nonnull %context) nounwind
  %5 = load i64, ptr %context, align 8
  %tobool10.not = icmp eq i64 %5, 0
  br i1 %tobool10.not, label %lor.lhs.false, label %cleanup

lor.lhs.false:
  %call11 = tail call i64 @mlirad_rt_poll(ptr noundef nonnull %context) nounwind
  %tobool12.not = icmp ne i64 %call11, 0
  %inc = add nuw i64 %task.038, 1
  %exitcond.not = icmp eq i64 %inc, %tasks
  %or.cond40 = select i1 %tobool12.not, i1 true, i1 %exitcond.not
  br i1 %or.cond40, label %cleanup, label %for.body

cleanup:
  %6 = load i64, ptr %context, align 8
  br label %cleanup16

cleanup16:
  %retval.0 = phi i64 [ %6, %cleanup ], [ %call, %if.then ]
  ret i64 %retval.0
}

declare i64 @mlirad_rt_poll(ptr noundef)
