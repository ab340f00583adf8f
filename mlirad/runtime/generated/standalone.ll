; Generated from standalone.c by tools/build_runtime.py: change the source and run make runtime. sources 30f69133476e5c70 text 9a14d7d5d00f79b6
define internal i64 @mlirad_rt_poll(ptr noundef readonly captures(none) %context) alwaysinline nounwind {
entry:
  %0 = load i64, ptr %context, align 8
  ret i64 %0
}

define internal noundef i64 @mlirad_rt_stack_limit(ptr noundef %context) nounwind {
entry:
  %0 = ptrtoint ptr %context to i64
  %sub = add i64 %0, -524288
  %stack = getelementptr inbounds nuw i8, ptr %context, i64 16
  store i64 %sub, ptr %stack, align 8
  ret i64 %sub
}

define internal i64 @mlirad_rt_parallel(ptr noundef %context, ptr noundef readonly captures(none) %run, ptr noundef %env, i64 noundef %tasks, ptr noundef %scratch, i64 noundef %scratch_bytes) nounwind {
entry:
  %cmp6.not = icmp eq i64 %tasks, 0
  br i1 %cmp6.not, label %for.cond.cleanup, label %land.rhs

land.rhs:
  %task.07 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %0 = load i64, ptr %context, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %1 = load i64, ptr %context, align 8
  ret i64 %1

for.body:
  tail call void %run(ptr noundef %env, i64 noundef %task.07, ptr noundef %scratch, ptr noundef nonnull %context) nounwind
  %inc = add nuw i64 %task.07, 1
  %exitcond.not = icmp eq i64 %inc, %tasks
  br i1 %exitcond.not, label %for.cond.cleanup, label %land.rhs
}

define internal noundef i64 @mlirad_note_failure(ptr noundef captures(none) %context, i64 noundef %code) nounwind {
entry:
  %add.ptr = getelementptr inbounds nuw i8, ptr %context, i64 56
  %0 = load i64, ptr %add.ptr, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.then, label %if.end

if.then:
  store i64 %code, ptr %add.ptr, align 8
  br label %if.end

if.end:
  ret i64 0
}
