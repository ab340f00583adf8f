; Generated from guards.c by tools/build_runtime.py: change the source and run make runtime. sources 8ad782c4fc573c45 text c9a05b55b7e7e736
%mlirad.guards.Object = type { i64, ptr }
%mlirad.guards.Guard = type { i64, %mlirad.guards.anon, %mlirad.guards.anon.0, %mlirad.guards.anon.1 }
%mlirad.guards.anon = type { ptr }
%mlirad.guards.anon.0 = type { ptr }
%mlirad.guards.anon.1 = type { ptr }

@_Py_TrueStruct = external global %mlirad.guards.Object, align 8
@_Py_FalseStruct = external global %mlirad.guards.Object, align 8

define internal noundef zeroext i1 @mlirad_same_array(ptr noundef readonly captures(none) %array, ptr noundef readnone captures(address) %dtype, i64 noundef %rank, ptr noundef readonly captures(none) %shape, i32 noundef %mask, i32 noundef %flags) noinline nounwind {
entry:
  %dtype1 = getelementptr inbounds nuw i8, ptr %array, i64 56
  %0 = load ptr, ptr %dtype1, align 8
  %cmp.not = icmp eq ptr %0, %dtype
  br i1 %cmp.not, label %lor.lhs.false, label %return

lor.lhs.false:
  %flags2 = getelementptr inbounds nuw i8, ptr %array, i64 64
  %1 = load i32, ptr %flags2, align 8
  %and = and i32 %1, %mask
  %cmp3.not = icmp eq i32 %and, %flags
  br i1 %cmp3.not, label %lor.lhs.false4, label %return

lor.lhs.false4:
  %rank5 = getelementptr inbounds nuw i8, ptr %array, i64 24
  %2 = load i32, ptr %rank5, align 8
  %conv = sext i32 %2 to i64
  %cmp6.not = icmp eq i64 %rank, %conv
  br i1 %cmp6.not, label %for.cond.preheader, label %return

for.cond.preheader:
  %cmp823 = icmp slt i64 %rank, 1
  br i1 %cmp823, label %return, label %for.body.lr.ph

for.body.lr.ph:
  %shape10 = getelementptr inbounds nuw i8, ptr %array, i64 32
  %3 = load ptr, ptr %shape10, align 8
  br label %for.body

for.body:
  %axis.024 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw i64, ptr %3, i64 %axis.024
  %4 = load i64, ptr %arrayidx, align 8
  %arrayidx11 = getelementptr inbounds nuw i64, ptr %shape, i64 %axis.024
  %5 = load i64, ptr %arrayidx11, align 8
  %cmp12.not = icmp eq i64 %4, %5
  %inc = add nuw nsw i64 %axis.024, 1
  %exitcond.not = icmp ne i64 %inc, %rank
  %or.cond.not = select i1 %cmp12.not, i1 %exitcond.not, i1 false
  br i1 %or.cond.not, label %for.body, label %return

return:
  %retval.1 = phi i1 [ false, %lor.lhs.false ], [ false, %entry ], [ false, %lor.lhs.false4 ], [ true, %for.cond.preheader ], [ %cmp12.not, %for.body ]
  ret i1 %retval.1
}

define internal noundef zeroext i1 @mlirad_guards(ptr noundef readonly captures(none) %guards, i64 noundef %count) nounwind {
entry:
  %cmp6 = icmp slt i64 %count, 1
  br i1 %cmp6, label %cleanup, label %for.body

for.body:
  %k.07 = phi i64 [ %inc, %for.inc ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw %mlirad.guards.Guard, ptr %guards, i64 %k.07
  %0 = load i64, ptr %arrayidx, align 8
  switch i64 %0, label %cleanup [
    i64 0, label %holds.exit
    i64 1, label %sw.bb1.i
    i64 2, label %sw.bb3.i
    i64 9, label %sw.bb6.i
    i64 3, label %sw.bb12.i
    i64 10, label %sw.bb12.i
    i64 8, label %sw.bb12.i
    i64 4, label %sw.bb14.i
    i64 5, label %sw.bb16.i
    i64 6, label %sw.bb18.i
    i64 7, label %sw.bb20.i
  ]

sw.bb1.i:
  %1 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %2 = load ptr, ptr %1, align 8
  %3 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %4 = load ptr, ptr %3, align 8
  %call.i = tail call ptr @PyDict_GetItem(ptr noundef %2, ptr noundef %4) nounwind
  %5 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %6 = load ptr, ptr %5, align 8
  %cmp2.i = icmp eq ptr %call.i, %6
  br i1 %cmp2.i, label %for.inc, label %cleanup

sw.bb3.i:
  %7 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %8 = load ptr, ptr %7, align 8
  %size.i = getelementptr inbounds nuw i8, ptr %8, i64 16
  %9 = load i64, ptr %size.i, align 8
  %10 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %11 = load i64, ptr %10, align 8
  %cmp4.i = icmp eq i64 %9, %11
  br i1 %cmp4.i, label %land.rhs.i, label %cleanup

land.rhs.i:
  %items.i.i = getelementptr inbounds nuw i8, ptr %8, i64 24
  %12 = load ptr, ptr %items.i.i, align 8
  %13 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %14 = load ptr, ptr %13, align 8
  %mul.i.i = shl i64 %9, 3
  %call.i.i = tail call i32 @memcmp(ptr noundef %12, ptr noundef %14, i64 noundef %mul.i.i) nounwind
  %tobool.not.i.i = icmp eq i32 %call.i.i, 0
  br i1 %tobool.not.i.i, label %for.inc, label %cleanup

sw.bb6.i:
  %15 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %16 = load ptr, ptr %15, align 8
  %size7.i = getelementptr inbounds nuw i8, ptr %16, i64 16
  %17 = load i64, ptr %size7.i, align 8
  %18 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %19 = load i64, ptr %18, align 8
  %cmp8.not.i = icmp slt i64 %17, %19
  br i1 %cmp8.not.i, label %cleanup, label %land.rhs9.i

land.rhs9.i:
  %items.i43.i = getelementptr inbounds nuw i8, ptr %16, i64 24
  %20 = load ptr, ptr %items.i43.i, align 8
  %21 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %22 = load ptr, ptr %21, align 8
  %mul.i44.i = shl i64 %19, 3
  %call.i45.i = tail call i32 @memcmp(ptr noundef %20, ptr noundef %22, i64 noundef %mul.i44.i) nounwind
  %tobool.not.i46.i = icmp eq i32 %call.i45.i, 0
  br i1 %tobool.not.i46.i, label %for.inc, label %cleanup

sw.bb12.i:
  %call13.i = tail call fastcc zeroext i1 @mlirad.guards.has_entries(ptr noundef nonnull readonly %arrayidx)
  br i1 %call13.i, label %for.inc, label %cleanup

sw.bb14.i:
  %23 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %26 = load ptr, ptr %25, align 8
  %call.i47.i = tail call ptr @PyObject_GetAttr(ptr noundef %24, ptr noundef %26) nounwind
  %tobool.not.i48.i = icmp eq ptr %call.i47.i, null
  br i1 %tobool.not.i48.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:
  tail call void @Py_DecRef(ptr noundef nonnull %call.i47.i) nounwind
  br label %has_attribute.exit.i

if.else.i.i:
  tail call void @PyErr_Clear() nounwind
  br label %has_attribute.exit.i

has_attribute.exit.i:
  %27 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %28 = load ptr, ptr %27, align 8
  %cmp.i.i = icmp eq ptr %call.i47.i, %28
  br i1 %cmp.i.i, label %for.inc, label %cleanup

sw.bb16.i:
  %29 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %30 = load ptr, ptr %29, align 8
  %31 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %32 = load ptr, ptr %31, align 8
  %33 = load ptr, ptr %30, align 8
  %rank.i.i = getelementptr inbounds nuw i8, ptr %30, i64 16
  %34 = load i64, ptr %rank.i.i, align 8
  %shape.i.i = getelementptr inbounds nuw i8, ptr %30, i64 24
  %35 = load ptr, ptr %shape.i.i, align 8
  %flags.i.i = getelementptr inbounds nuw i8, ptr %30, i64 8
  %36 = load i64, ptr %flags.i.i, align 8
  %conv.i.i = trunc i64 %36 to i32
  %call.i49.i = tail call zeroext i1 @mlirad_same_array(ptr noundef %32, ptr noundef %33, i64 noundef %34, ptr noundef %35, i32 noundef -1, i32 noundef %conv.i.i)
  br i1 %call.i49.i, label %land.rhs.i.i, label %cleanup

land.rhs.i.i:
  %data.i.i = getelementptr inbounds nuw i8, ptr %32, i64 16
  %37 = load ptr, ptr %data.i.i, align 8
  %copy.i.i = getelementptr inbounds nuw i8, ptr %30, i64 32
  %38 = load ptr, ptr %copy.i.i, align 8
  %bytes.i.i = getelementptr inbounds nuw i8, ptr %30, i64 40
  %39 = load i64, ptr %bytes.i.i, align 8
  %call2.i.i = tail call i32 @memcmp(ptr noundef %37, ptr noundef %38, i64 noundef %39) nounwind
  %tobool.not.i50.i = icmp eq i32 %call2.i.i, 0
  br i1 %tobool.not.i50.i, label %for.inc, label %cleanup

sw.bb18.i:
  %40 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %41 = load ptr, ptr %40, align 8
  %call19.i = tail call fastcc zeroext i1 @mlirad.guards.answers_true(ptr noundef %41)
  br i1 %call19.i, label %for.inc, label %cleanup

sw.bb20.i:
  %42 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %43 = load ptr, ptr %42, align 8
  %44 = load i32, ptr %43, align 4
  %conv.i = zext i32 %44 to i64
  %45 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %46 = load ptr, ptr %45, align 8
  %47 = load i64, ptr %46, align 8
  %cmp21.i = icmp eq i64 %47, %conv.i
  br i1 %cmp21.i, label %for.inc, label %lor.rhs.i

lor.rhs.i:
  %48 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %49 = load ptr, ptr %48, align 8
  %call23.i = tail call fastcc zeroext i1 @mlirad.guards.answers_true(ptr noundef %49)
  br i1 %call23.i, label %for.inc, label %cleanup

holds.exit:
  %50 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %51 = load ptr, ptr %50, align 8
  %52 = load ptr, ptr %51, align 8
  %53 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %54 = load ptr, ptr %53, align 8
  %cmp.i = icmp eq ptr %52, %54
  br i1 %cmp.i, label %for.inc, label %cleanup

for.inc:
  %inc = add nuw nsw i64 %k.07, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %cleanup, label %for.body

cleanup:
  %cmp.lcssa = phi i1 [ true, %entry ], [ false, %sw.bb16.i ], [ false, %sw.bb6.i ], [ false, %sw.bb3.i ], [ false, %for.body ], [ false, %sw.bb1.i ], [ false, %land.rhs9.i ], [ false, %land.rhs.i ], [ false, %sw.bb12.i ], [ false, %has_attribute.exit.i ], [ false, %land.rhs.i.i ], [ false, %sw.bb18.i ], [ false, %lor.rhs.i ], [ false, %holds.exit ], [ true, %for.inc ]
  ret i1 %cmp.lcssa
}

define noundef nonnull ptr @mlirad_hold(ptr noundef %self, ptr noundef readnone captures(none) %arguments, i64 noundef %count) nounwind {
entry:
  %call = tail call ptr @PyCapsule_GetPointer(ptr noundef %self, ptr noundef null) nounwind
  %0 = load ptr, ptr %call, align 8
  %count1 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %1 = load i64, ptr %count1, align 8
  %call2 = tail call zeroext i1 @mlirad_guards(ptr noundef %0, i64 noundef %1)
  %cond = select i1 %call2, ptr @_Py_TrueStruct, ptr @_Py_FalseStruct
  tail call void @Py_IncRef(ptr noundef nonnull %cond) nounwind
  ret ptr %cond
}

declare ptr @PyCapsule_GetPointer(ptr noundef, ptr noundef)

declare void @Py_IncRef(ptr noundef)

declare ptr @PyDict_GetItem(ptr noundef, ptr noundef)

define internal fastcc zeroext i1 @mlirad.guards.has_entries(ptr noundef readonly captures(none) %guard) noinline nounwind {
entry:
  %key = alloca ptr, align 8
  %value = alloca ptr, align 8
  %position = alloca i64, align 8
  %0 = load i64, ptr %guard, align 8
  %cmp.not = icmp eq i64 %0, 8
  %1 = getelementptr inbounds nuw i8, ptr %guard, i64 16
  %2 = load ptr, ptr %1, align 8
  store i64 0, ptr %position, align 8
  %3 = getelementptr inbounds nuw i8, ptr %guard, i64 8
  %4 = load ptr, ptr %3, align 8
  %call25 = call i32 @PyDict_Next(ptr noundef %4, ptr noundef nonnull %position, ptr noundef nonnull %key, ptr noundef nonnull %value) nounwind
  %tobool.not26 = icmp eq i32 %call25, 0
  br i1 %tobool.not26, label %for.end, label %for.body.lr.ph

for.body.lr.ph:
  %5 = getelementptr inbounds nuw i8, ptr %guard, i64 24
  br label %for.body

for.body:
  %count.028 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %expected.027 = phi ptr [ %2, %for.body.lr.ph ], [ %expected.1, %for.inc ]
  %6 = load i64, ptr %5, align 8
  %cmp1 = icmp eq i64 %count.028, %6
  br i1 %cmp1, label %if.then, label %if.end

if.then:
  %7 = load i64, ptr %guard, align 8
  %cmp3 = icmp eq i64 %7, 10
  br label %cleanup

if.end:
  %8 = load ptr, ptr %key, align 8
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %expected.027, i64 8
  %9 = load ptr, ptr %expected.027, align 8
  %cmp4.not = icmp eq ptr %8, %9
  br i1 %cmp4.not, label %lor.lhs.false, label %cleanup

lor.lhs.false:
  br i1 %cmp.not, label %for.inc, label %land.lhs.true

land.lhs.true:
  %10 = load ptr, ptr %value, align 8
  %incdec.ptr5 = getelementptr inbounds nuw i8, ptr %expected.027, i64 16
  %11 = load ptr, ptr %incdec.ptr, align 8
  %cmp6.not = icmp eq ptr %10, %11
  br i1 %cmp6.not, label %for.inc, label %cleanup

for.inc:
  %expected.1 = phi ptr [ %incdec.ptr5, %land.lhs.true ], [ %incdec.ptr, %lor.lhs.false ]
  %inc = add nuw nsw i64 %count.028, 1
  %12 = load ptr, ptr %3, align 8
  %call = call i32 @PyDict_Next(ptr noundef %12, ptr noundef nonnull %position, ptr noundef nonnull %key, ptr noundef nonnull %value) nounwind
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %for.end, label %for.body

for.end:
  %count.0.lcssa = phi i64 [ 0, %entry ], [ %inc, %for.inc ]
  %13 = getelementptr inbounds nuw i8, ptr %guard, i64 24
  %14 = load i64, ptr %13, align 8
  %cmp9 = icmp eq i64 %count.0.lcssa, %14
  br label %cleanup

cleanup:
  %retval.0 = phi i1 [ %cmp3, %if.then ], [ %cmp9, %for.end ], [ false, %land.lhs.true ], [ false, %if.end ]
  ret i1 %retval.0
}

define internal fastcc zeroext i1 @mlirad.guards.answers_true(ptr noundef %function) noinline nounwind {
entry:
  %call = tail call ptr @PyObject_CallNoArgs(ptr noundef %function) nounwind
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:
  tail call void @PyErr_Clear() nounwind
  br label %cleanup

if.end:
  tail call void @Py_DecRef(ptr noundef nonnull %call) nounwind
  %cmp = icmp eq ptr %call, @_Py_TrueStruct
  br label %cleanup

cleanup:
  %retval.0 = phi i1 [ %cmp, %if.end ], [ false, %if.then ]
  ret i1 %retval.0
}

declare i32 @memcmp(ptr noundef, ptr noundef, i64 noundef)

declare i32 @PyDict_Next(ptr noundef, ptr noundef, ptr noundef, ptr noundef)

declare ptr @PyObject_GetAttr(ptr noundef, ptr noundef)

declare void @Py_DecRef(ptr noundef)

declare void @PyErr_Clear()

declare ptr @PyObject_CallNoArgs(ptr noundef)
