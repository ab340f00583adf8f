; Generated from host.c by tools/build_runtime.py: change the source and run make runtime. sources 827d767ea5978e35 text 4ff432b487d3d14e
%mlirad.host.Object = type { i64, ptr }
%mlirad.host.Stack = type { i64, i64 }
%mlirad.host.Context = type { i64, i64, i64, ptr, i64, i64, i64, ptr, i64, ptr, i64, ptr }

@mlirad_report = external global %mlirad.host.Object, align 8
@mlirad.host.str = private constant [4 x i8] c"LLL\00", align 1
@_Py_NoneStruct = external global %mlirad.host.Object, align 8
@PyArray_Type = external global %mlirad.host.Object, align 8
@mlirad_fail = external global %mlirad.host.Object, align 8
@mlirad.host.str.1 = private constant [2 x i8] c"L\00", align 1
@mlirad_main_thread = external global i64, align 8
@mlirad.host.main_stack_of = internal global i64 0, align 8
@mlirad.host.main_stack = internal global %mlirad.host.Stack zeroinitializer, align 8

define range(i32 -1, 1) i32 @mlirad_call(ptr noundef readonly captures(none) %program, ptr noundef %buffers, ptr noundef %arena, i64 noundef %releases, i64 noundef %time_limit, i64 noundef %threads, ptr noundef %borrowed, i64 noundef %holds) nounwind {
entry:
  %context = alloca %mlirad.host.Context, align 8
  store i64 0, ptr %context, align 8
  %fuel.i = getelementptr inbounds nuw i8, ptr %context, i64 8
  store i64 0, ptr %fuel.i, align 8
  %stack.i = getelementptr inbounds nuw i8, ptr %context, i64 16
  store i64 0, ptr %stack.i, align 8
  %thread.i = getelementptr inbounds nuw i8, ptr %context, i64 24
  store ptr null, ptr %thread.i, align 8
  %deadline.i = getelementptr inbounds nuw i8, ptr %context, i64 32
  store i64 0, ptr %deadline.i, align 8
  %signals.i = getelementptr inbounds nuw i8, ptr %context, i64 40
  store i64 0, ptr %signals.i, align 8
  %time_limit.i = getelementptr inbounds nuw i8, ptr %context, i64 48
  %failure.i = getelementptr inbounds nuw i8, ptr %context, i64 56
  store ptr null, ptr %failure.i, align 8
  %threads.i = getelementptr inbounds nuw i8, ptr %context, i64 64
  %group.i = getelementptr inbounds nuw i8, ptr %context, i64 72
  store ptr null, ptr %group.i, align 8
  %mode.i = getelementptr inbounds nuw i8, ptr %context, i64 80
  %borrowed.i = getelementptr inbounds nuw i8, ptr %context, i64 88
  store i64 %time_limit, ptr %time_limit.i, align 8
  store i64 %threads, ptr %threads.i, align 8
  store ptr %borrowed, ptr %borrowed.i, align 8
  %call = tail call i64 @float_control.get() nounwind
  store i64 %call, ptr %mode.i, align 8
  %tobool.not = icmp eq i64 %holds, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  tail call fastcc void @mlirad.host.hold(ptr noundef %borrowed)
  br label %if.end

if.end:
  %tobool4.not = icmp eq i64 %releases, 0
  br i1 %tobool4.not, label %if.end6, label %if.then5

if.then5:
  call fastcc void @mlirad.host.unlock(ptr noundef nonnull %context)
  br label %if.end6

if.end6:
  call void %program(ptr noundef %buffers, ptr noundef %arena, ptr noundef nonnull %context) nounwind
  %0 = load ptr, ptr %thread.i, align 8
  %tobool.not.i = icmp eq ptr %0, null
  br i1 %tobool.not.i, label %lock.exit, label %if.end.i

if.end.i:
  call void @PyEval_RestoreThread(ptr noundef nonnull %0) nounwind
  store ptr null, ptr %thread.i, align 8
  br label %lock.exit

lock.exit:
  %tobool.not.i17 = icmp eq ptr %borrowed, null
  br i1 %tobool.not.i17, label %let_go.exit, label %lor.lhs.false.i

lor.lhs.false.i:
  %are_held.i = getelementptr inbounds nuw i8, ptr %borrowed, i64 16
  %1 = load i64, ptr %are_held.i, align 8
  %tobool1.not.i = icmp eq i64 %1, 0
  br i1 %tobool1.not.i, label %let_go.exit, label %for.cond.preheader.i

for.cond.preheader.i:
  %count.i = getelementptr inbounds nuw i8, ptr %borrowed, i64 8
  %2 = load i64, ptr %count.i, align 8
  %cmp7.i = icmp sgt i64 %2, 0
  br i1 %cmp7.i, label %for.body.lr.ph.i, label %let_go.exit

for.body.lr.ph.i:
  %references.i = getelementptr inbounds nuw i8, ptr %borrowed, i64 24
  br label %for.body.i

for.body.i:
  %k.08.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.body.i ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %references.i, i64 %k.08.i
  %3 = load ptr, ptr %arrayidx.i, align 8
  call void @Py_DecRef(ptr noundef %3) nounwind
  %inc.i = add nuw nsw i64 %k.08.i, 1
  %4 = load i64, ptr %count.i, align 8
  %cmp.i = icmp slt i64 %inc.i, %4
  br i1 %cmp.i, label %for.body.i, label %let_go.exit

let_go.exit:
  %5 = load i64, ptr %context, align 8
  %tobool8 = icmp ne i64 %5, 0
  %6 = load ptr, ptr %failure.i, align 8
  %tobool9 = icmp ne ptr %6, null
  %or.cond = select i1 %tobool8, i1 true, i1 %tobool9
  br i1 %or.cond, label %if.then10, label %if.end11

if.then10:
  call fastcc void @mlirad.host.raise_exception(ptr noundef %context)
  br label %cleanup

if.end11:
  %call12 = call ptr @PyErr_Occurred() nounwind
  %tobool13.not = icmp ne ptr %call12, null
  %cond = sext i1 %tobool13.not to i32
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ -1, %if.then10 ], [ %cond, %if.end11 ]
  ret i32 %retval.0
}

declare i64 @float_control.get()

define internal fastcc void @mlirad.host.hold(ptr noundef captures(address_is_null) %borrowed) noinline nounwind {
entry:
  %tobool.not = icmp eq ptr %borrowed, null
  br i1 %tobool.not, label %for.end, label %lor.lhs.false

lor.lhs.false:
  %are_held = getelementptr inbounds nuw i8, ptr %borrowed, i64 16
  %0 = load i64, ptr %are_held, align 8
  %tobool1.not = icmp eq i64 %0, 0
  br i1 %tobool1.not, label %if.end, label %for.end

if.end:
  store i64 1, ptr %are_held, align 8
  %count = getelementptr inbounds nuw i8, ptr %borrowed, i64 8
  %1 = load i64, ptr %count, align 8
  %cmp15 = icmp sgt i64 %1, 0
  br i1 %cmp15, label %for.body.lr.ph, label %for.end

for.body.lr.ph:
  %references = getelementptr inbounds nuw i8, ptr %borrowed, i64 24
  br label %for.body

for.body:
  %2 = phi i64 [ %1, %for.body.lr.ph ], [ %8, %cond.end ]
  %k.016 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %cond.end ]
  %3 = load ptr, ptr %borrowed, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %3, i64 %k.016
  %4 = load ptr, ptr %arrayidx, align 8
  %type.i = getelementptr inbounds nuw i8, ptr %4, i64 8
  %5 = load ptr, ptr %type.i, align 8
  %cmp.i = icmp eq ptr %5, @PyArray_Type
  br i1 %cmp.i, label %cond.true, label %cond.end

cond.true:
  %base.i = getelementptr inbounds nuw i8, ptr %4, i64 48
  %6 = load ptr, ptr %base.i, align 8
  %tobool.not.i = icmp eq ptr %6, null
  br i1 %tobool.not.i, label %owner_of.exit, label %land.lhs.true.i

land.lhs.true.i:
  %type.i.i = getelementptr inbounds nuw i8, ptr %6, i64 8
  %7 = load ptr, ptr %type.i.i, align 8
  %cmp.i.i = icmp eq ptr %7, @PyArray_Type
  %spec.select.i = select i1 %cmp.i.i, ptr %6, ptr %4
  br label %owner_of.exit

owner_of.exit:
  %cond.i = phi ptr [ %4, %cond.true ], [ %spec.select.i, %land.lhs.true.i ]
  %call4 = tail call ptr @PyWeakref_NewRef(ptr noundef nonnull %cond.i, ptr noundef null) nounwind
  %.pre = load i64, ptr %count, align 8
  br label %cond.end

cond.end:
  %8 = phi i64 [ %.pre, %owner_of.exit ], [ %2, %for.body ]
  %cond = phi ptr [ %call4, %owner_of.exit ], [ null, %for.body ]
  %arrayidx5 = getelementptr inbounds nuw ptr, ptr %references, i64 %k.016
  store ptr %cond, ptr %arrayidx5, align 8
  %inc = add nuw nsw i64 %k.016, 1
  %cmp = icmp slt i64 %inc, %8
  br i1 %cmp, label %for.body, label %for.end

for.end:
  ret void
}

define internal fastcc void @mlirad.host.unlock(ptr noundef captures(none) initializes((24, 32)) %context) noinline nounwind {
entry:
  %borrowed = getelementptr inbounds nuw i8, ptr %context, i64 88
  %0 = load ptr, ptr %borrowed, align 8
  tail call fastcc void @mlirad.host.hold(ptr noundef %0)
  %call = tail call ptr @PyEval_SaveThread() nounwind
  %thread = getelementptr inbounds nuw i8, ptr %context, i64 24
  store ptr %call, ptr %thread, align 8
  ret void
}

define internal fastcc void @mlirad.host.raise_exception(ptr noundef nonnull readonly captures(none) %context) noinline nounwind {
entry:
  %failure1 = getelementptr inbounds nuw i8, ptr %context, i64 56
  %0 = load ptr, ptr %failure1, align 8
  %1 = load i64, ptr %context, align 8
  switch i64 %1, label %if.then3 [
    i64 0, label %if.then
    i64 5, label %if.end5
  ]

if.then:
  %type = getelementptr inbounds nuw i8, ptr %0, i64 8
  %2 = load ptr, ptr %type, align 8
  tail call void @PyErr_SetObject(ptr noundef %2, ptr noundef %0) nounwind
  br label %if.end5

if.then3:
  tail call void @PyErr_Clear() nounwind
  %3 = load i64, ptr %context, align 8
  %call = tail call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr noundef nonnull @mlirad_fail, ptr noundef nonnull @mlirad.host.str.1, i64 noundef %3) nounwind
  br label %if.end5

if.end5:
  tail call void @Py_DecRef(ptr noundef %0) nounwind
  ret void
}

declare ptr @PyErr_Occurred()

define i64 @mlirad_rt_poll(ptr noundef captures(none) %context) nounwind {
entry:
  %call = tail call i64 @mlirad_now() nounwind
  %deadline = getelementptr inbounds nuw i8, ptr %context, i64 32
  %0 = load i64, ptr %deadline, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.then, label %if.end

if.then:
  tail call fastcc void @mlirad.host.begin_polling(ptr noundef nonnull %context, i64 noundef %call)
  br label %if.end

if.end:
  %group = getelementptr inbounds nuw i8, ptr %context, i64 72
  %1 = load ptr, ptr %group, align 8
  %tobool1.not = icmp eq ptr %1, null
  br i1 %tobool1.not, label %if.else, label %cond.end

cond.end:
  %status = getelementptr inbounds nuw i8, ptr %1, i64 32
  %2 = load atomic i64, ptr %status monotonic, align 8
  %tobool3.not = icmp eq i64 %2, 0
  br i1 %tobool3.not, label %if.else, label %if.then4

if.then4:
  store i64 %2, ptr %context, align 8
  br label %if.end14

if.else:
  %3 = load i64, ptr %deadline, align 8
  %cmp.not = icmp slt i64 %call, %3
  br i1 %cmp.not, label %if.else9, label %if.then7

if.then7:
  store i64 4, ptr %context, align 8
  br label %if.end14

if.else9:
  %signals = getelementptr inbounds nuw i8, ptr %context, i64 40
  %4 = load i64, ptr %signals, align 8
  %cmp10.not = icmp slt i64 %call, %4
  br i1 %cmp10.not, label %if.end14, label %if.then11

if.then11:
  tail call fastcc void @mlirad.host.handle_signals(ptr noundef nonnull %context, i64 noundef %call)
  br label %if.end14

if.end14:
  %5 = load i64, ptr %context, align 8
  ret i64 %5
}

declare i64 @mlirad_now()

define internal fastcc void @mlirad.host.begin_polling(ptr noundef captures(none) initializes((32, 48)) %context, i64 noundef %now) noinline nounwind {
entry:
  %time_limit = getelementptr inbounds nuw i8, ptr %context, i64 48
  %0 = load i64, ptr %time_limit, align 8
  %tobool.not = icmp eq i64 %0, 0
  %add = add nsw i64 %0, %now
  %spec.select = select i1 %tobool.not, i64 9223372036854775807, i64 %add
  %deadline = getelementptr inbounds nuw i8, ptr %context, i64 32
  store i64 %spec.select, ptr %deadline, align 8
  %add2 = add nsw i64 %now, 50000000
  %signals = getelementptr inbounds nuw i8, ptr %context, i64 40
  store i64 %add2, ptr %signals, align 8
  %thread = getelementptr inbounds nuw i8, ptr %context, i64 24
  %1 = load ptr, ptr %thread, align 8
  %tobool3.not = icmp eq ptr %1, null
  br i1 %tobool3.not, label %if.then, label %if.end

if.then:
  tail call fastcc void @mlirad.host.unlock(ptr noundef nonnull %context)
  br label %if.end

if.end:
  ret void
}

define internal fastcc void @mlirad.host.handle_signals(ptr noundef captures(none) initializes((40, 48)) %context, i64 noundef %now) noinline nounwind {
entry:
  %add = add nsw i64 %now, 50000000
  %signals = getelementptr inbounds nuw i8, ptr %context, i64 40
  store i64 %add, ptr %signals, align 8
  %call.i = tail call i64 @mlirad_thread_identity() nounwind
  %0 = load i64, ptr @mlirad_main_thread, align 8
  %cmp.i = icmp eq i64 %call.i, %0
  br i1 %cmp.i, label %if.end, label %return

if.end:
  %thread.i = getelementptr inbounds nuw i8, ptr %context, i64 24
  %1 = load ptr, ptr %thread.i, align 8
  %tobool.not.i = icmp eq ptr %1, null
  br i1 %tobool.not.i, label %lock.exit, label %if.end.i

if.end.i:
  tail call void @PyEval_RestoreThread(ptr noundef nonnull %1) nounwind
  store ptr null, ptr %thread.i, align 8
  br label %lock.exit

lock.exit:
  %call.i10 = tail call i64 @float_control.get() nounwind
  %mode1.i = getelementptr inbounds nuw i8, ptr %context, i64 80
  %2 = load i64, ptr %mode1.i, align 8
  tail call void @float_control.set(i64 noundef %2) nounwind
  %call3 = tail call i32 @PyErr_CheckSignals() nounwind
  %tobool.not = icmp eq i32 %call3, 0
  tail call void @float_control.set(i64 noundef %call.i10) nounwind
  tail call fastcc void @mlirad.host.unlock(ptr noundef nonnull %context)
  br i1 %tobool.not, label %return, label %if.then4

if.then4:
  store i64 5, ptr %context, align 8
  br label %return

return:
  ret void
}

define i64 @mlirad_rt_stack_limit(ptr noundef writeonly captures(none) initializes((16, 24)) %context) nounwind {
entry:
  %stack = alloca %mlirad.host.Stack, align 8
  %call.i.i = tail call i64 @mlirad_thread_identity() nounwind
  %0 = load i64, ptr @mlirad_main_thread, align 8
  %cmp.i.i = icmp eq i64 %call.i.i, %0
  br i1 %cmp.i.i, label %if.end.i, label %if.then.i

if.then.i:
  call void @mlirad_find_stack(ptr noundef nonnull %stack) nounwind
  %bytes.phi.trans.insert = getelementptr inbounds nuw i8, ptr %stack, i64 8
  %.pre = load i64, ptr %bytes.phi.trans.insert, align 8
  br label %find_stack.exit

if.end.i:
  %1 = load atomic i64, ptr @mlirad.host.main_stack_of acquire, align 8
  %2 = load i64, ptr @mlirad_main_thread, align 8
  %cmp.not.i = icmp eq i64 %1, %2
  br i1 %cmp.not.i, label %if.end2.i, label %if.then1.i

if.then1.i:
  tail call void @mlirad_find_stack(ptr noundef nonnull @mlirad.host.main_stack) nounwind
  %3 = load i64, ptr @mlirad_main_thread, align 8
  store atomic i64 %3, ptr @mlirad.host.main_stack_of release, align 8
  br label %if.end2.i

if.end2.i:
  %4 = load i64, ptr getelementptr inbounds nuw (i8, ptr @mlirad.host.main_stack, i64 8), align 8
  br label %find_stack.exit

find_stack.exit:
  %.in = phi ptr [ %stack, %if.then.i ], [ @mlirad.host.main_stack, %if.end2.i ]
  %5 = phi i64 [ %.pre, %if.then.i ], [ %4, %if.end2.i ]
  %6 = load i64, ptr %.in, align 8
  %div5 = lshr i64 %5, 2
  %cond = call i64 @llvm.umin.i64(i64 %div5, i64 65536)
  %add = add i64 %cond, %6
  %stack1 = getelementptr inbounds nuw i8, ptr %context, i64 16
  store i64 %add, ptr %stack1, align 8
  ret i64 %add
}

define i64 @mlirad_rt_report(ptr noundef captures(none) %context, ptr noundef %description, ptr noundef %values, i64 noundef %element) nounwind {
entry:
  %stack.i = alloca %mlirad.host.Stack, align 8
  %call.i.i.i = tail call i64 @mlirad_thread_identity() nounwind
  %0 = load i64, ptr @mlirad_main_thread, align 8
  %cmp.i.i.i = icmp eq i64 %call.i.i.i, %0
  br i1 %cmp.i.i.i, label %if.end.i.i, label %if.then.i.i

if.then.i.i:
  call void @mlirad_find_stack(ptr noundef nonnull %stack.i) nounwind
  br label %has_stack_for_python.exit

if.end.i.i:
  %1 = load atomic i64, ptr @mlirad.host.main_stack_of acquire, align 8
  %2 = load i64, ptr @mlirad_main_thread, align 8
  %cmp.not.i.i = icmp eq i64 %1, %2
  br i1 %cmp.not.i.i, label %has_stack_for_python.exit, label %if.then1.i.i

if.then1.i.i:
  tail call void @mlirad_find_stack(ptr noundef nonnull @mlirad.host.main_stack) nounwind
  %3 = load i64, ptr @mlirad_main_thread, align 8
  store atomic i64 %3, ptr @mlirad.host.main_stack_of release, align 8
  br label %has_stack_for_python.exit

has_stack_for_python.exit:
  %stack.sink.i = phi ptr [ %stack.i, %if.then.i.i ], [ @mlirad.host.main_stack, %if.then1.i.i ], [ @mlirad.host.main_stack, %if.end.i.i ]
  %.pre.i = load i64, ptr %stack.sink.i, align 8
  %4 = ptrtoint ptr %stack.i to i64
  %add.i = add i64 %.pre.i, 32768
  %cmp.i = icmp ult i64 %add.i, %4
  br i1 %cmp.i, label %if.end, label %if.then

if.then:
  store i64 3, ptr %context, align 8
  br label %return

if.end:
  %thread.i = getelementptr inbounds nuw i8, ptr %context, i64 24
  %5 = load ptr, ptr %thread.i, align 8
  %tobool.not.i = icmp eq ptr %5, null
  br i1 %tobool.not.i, label %lock.exit, label %if.end.i

if.end.i:
  call void @PyEval_RestoreThread(ptr noundef nonnull %5) nounwind
  store ptr null, ptr %thread.i, align 8
  br label %lock.exit

lock.exit:
  %borrowed = getelementptr inbounds nuw i8, ptr %context, i64 88
  %6 = load ptr, ptr %borrowed, align 8
  call fastcc void @mlirad.host.hold(ptr noundef %6)
  %call.i = call i64 @float_control.get() nounwind
  %mode1.i = getelementptr inbounds nuw i8, ptr %context, i64 80
  %7 = load i64, ptr %mode1.i, align 8
  call void @float_control.set(i64 noundef %7) nounwind
  %call3 = call i32 @PyErr_CheckSignals() nounwind
  %tobool.not = icmp eq i32 %call3, 0
  br i1 %tobool.not, label %if.end6, label %if.then8

if.end6:
  %8 = ptrtoint ptr %description to i64
  %9 = ptrtoint ptr %values to i64
  %call5 = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr noundef nonnull @mlirad_report, ptr noundef nonnull @mlirad.host.str, i64 noundef %8, i64 noundef %9, i64 noundef %element) nounwind
  %tobool7.not = icmp eq ptr %call5, null
  br i1 %tobool7.not, label %if.then8, label %if.else

if.then8:
  store i64 5, ptr %context, align 8
  br label %if.end15

if.else:
  %cmp = icmp eq ptr %call5, @_Py_NoneStruct
  br i1 %cmp, label %if.then11, label %lor.lhs.false

lor.lhs.false:
  %failure = getelementptr inbounds nuw i8, ptr %context, i64 56
  %10 = load ptr, ptr %failure, align 8
  %tobool10.not = icmp eq ptr %10, null
  br i1 %tobool10.not, label %if.else12, label %if.then11

if.then11:
  call void @Py_DecRef(ptr noundef nonnull %call5) nounwind
  br label %if.end15

if.else12:
  store ptr %call5, ptr %failure, align 8
  br label %if.end15

if.end15:
  call void @float_control.set(i64 noundef %call.i) nounwind
  br i1 %tobool.not.i, label %if.end17, label %if.then16

if.then16:
  call fastcc void @mlirad.host.unlock(ptr noundef nonnull %context)
  br label %if.end17

if.end17:
  %11 = load i64, ptr %context, align 8
  br label %return

return:
  %retval.0 = phi i64 [ %11, %if.end17 ], [ 3, %if.then ]
  ret i64 %retval.0
}

declare i32 @PyErr_CheckSignals()

declare ptr @PyObject_CallFunction(ptr noundef, ptr noundef, ...)

declare void @Py_DecRef(ptr noundef)

define i64 @mlirad_rt_python(ptr noundef captures(none) %context, ptr noundef %description, ptr noundef %values, i64 noundef %element) nounwind {
entry:
  %call = tail call i64 @mlirad_rt_report(ptr noundef %context, ptr noundef %description, ptr noundef %values, i64 noundef %element)
  ret i64 %call
}

declare ptr @PyWeakref_NewRef(ptr noundef, ptr noundef)

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr noundef)

declare void @PyErr_SetObject(ptr noundef, ptr noundef)

declare void @PyErr_Clear()

declare i64 @mlirad_thread_identity()

declare void @mlirad_find_stack(ptr noundef)

declare void @float_control.set(i64 noundef)

declare i64 @llvm.umin.i64(i64, i64) nounwind
