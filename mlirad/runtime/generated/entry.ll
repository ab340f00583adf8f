; Generated from entry.c by tools/build_runtime.py: change the source and run make runtime. sources 98e5b7403b16f717 text db67b1406e3a2766
%mlirad.entry.Object = type { i64, ptr }
%mlirad.entry.Call = type { ptr, ptr, ptr, ptr, i64, ptr, ptr, ptr, ptr, ptr, i64 }
%mlirad.entry.Input = type { ptr, i64, ptr, i64, ptr, ptr, ptr }
%mlirad.entry.Output = type { ptr, i64, ptr, i64, i64, i64, i64, i64 }

@PyFloat_Type = external global %mlirad.entry.Object, align 8
@PyArray_Type = external global %mlirad.entry.Object, align 8
@PyBool_Type = external global %mlirad.entry.Object, align 8
@_Py_TrueStruct = external global %mlirad.entry.Object, align 8

define ptr @mlirad_entry(ptr noundef %self, ptr noundef %arguments, i64 noundef %count) nounwind {
entry:
  %call3 = alloca %mlirad.entry.Call, align 8
  %call = tail call ptr @PyCapsule_GetPointer(ptr noundef %self, ptr noundef null) nounwind
  %inputs1 = getelementptr inbounds nuw i8, ptr %call, i64 16
  %0 = load i64, ptr %inputs1, align 8
  %outputs2 = getelementptr inbounds nuw i8, ptr %call, i64 24
  %1 = load i64, ptr %outputs2, align 8
  store ptr %call, ptr %call3, align 8
  %inputs5 = getelementptr inbounds nuw i8, ptr %call3, i64 8
  %outputs6 = getelementptr inbounds nuw i8, ptr %call3, i64 16
  %arguments7 = getelementptr inbounds nuw i8, ptr %call3, i64 24
  store ptr %arguments, ptr %arguments7, align 8
  %argument_count = getelementptr inbounds nuw i8, ptr %call3, i64 32
  store i64 %count, ptr %argument_count, align 8
  %buffers = getelementptr inbounds nuw i8, ptr %call3, i64 40
  %scalars = getelementptr inbounds nuw i8, ptr %call3, i64 48
  %destinations = getelementptr inbounds nuw i8, ptr %call3, i64 56
  %results = getelementptr inbounds nuw i8, ptr %call3, i64 64
  %converted = getelementptr inbounds nuw i8, ptr %call3, i64 72
  %conversions = getelementptr inbounds nuw i8, ptr %call3, i64 80
  store i64 0, ptr %conversions, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %call, i64 120
  store ptr %add.ptr, ptr %inputs5, align 8
  %add.ptr10 = getelementptr inbounds %mlirad.entry.Input, ptr %add.ptr, i64 %0
  store ptr %add.ptr10, ptr %outputs6, align 8
  %given_outs = getelementptr inbounds nuw i8, ptr %call, i64 80
  %2 = load i64, ptr %given_outs, align 8
  %add = add nsw i64 %2, %0
  %cmp.not = icmp eq i64 %count, %add
  br i1 %cmp.not, label %lor.lhs.false, label %if.then

lor.lhs.false:
  %guards = getelementptr inbounds nuw i8, ptr %call, i64 64
  %3 = load ptr, ptr %guards, align 8
  %guard_count = getelementptr inbounds nuw i8, ptr %call, i64 72
  %4 = load i64, ptr %guard_count, align 8
  %call12 = tail call zeroext i1 @mlirad_guards(ptr noundef %3, i64 noundef %4) nounwind
  br i1 %call12, label %if.end, label %if.then

if.then:
  %general_path.i = getelementptr inbounds nuw i8, ptr %call, i64 40
  %5 = load ptr, ptr %general_path.i, align 8
  %call1.i = tail call ptr @PyObject_Vectorcall(ptr noundef %5, ptr noundef %arguments, i64 noundef %count, ptr noundef null) nounwind
  br label %cleanup63

if.end:
  %add14 = add nsw i64 %1, %0
  %constants = getelementptr inbounds nuw i8, ptr %call, i64 32
  %6 = load i64, ptr %constants, align 8
  %add15 = add nsw i64 %6, %add14
  %mul = shl i64 %add15, 3
  %7 = alloca i8, i64 %mul, align 16
  store ptr %7, ptr %buffers, align 8
  %mul18 = shl i64 %add14, 3
  %8 = alloca i8, i64 %mul18, align 16
  store ptr %8, ptr %scalars, align 8
  %mul20 = shl i64 %1, 3
  %9 = alloca i8, i64 %mul20, align 16
  store ptr %9, ptr %destinations, align 8
  %10 = alloca i8, i64 %mul20, align 16
  store ptr %10, ptr %results, align 8
  %mul24 = shl i64 %0, 3
  %11 = alloca i8, i64 %mul24, align 16
  store ptr %11, ptr %converted, align 8
  %mul26 = shl i64 %count, 3
  %add27 = add i64 %mul26, 24
  %12 = alloca i8, i64 %add27, align 16
  %13 = load i64, ptr %inputs1, align 8
  %cmp.not24.i = icmp slt i64 %13, 1
  br i1 %cmp.not24.i, label %lor.lhs.false29, label %for.body.i

for.body.i:
  %add.i167 = phi i64 [ %add.i, %if.end.i ], [ 0, %if.end ]
  %k.025.i = phi i64 [ %inc.i, %if.end.i ], [ 0, %if.end ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %arguments, i64 %k.025.i
  %14 = load ptr, ptr %arrayidx.i, align 8
  %arrayidx2.i = getelementptr inbounds nuw %mlirad.entry.Input, ptr %add.ptr, i64 %k.025.i
  %arrayidx3.i = getelementptr inbounds nuw i64, ptr %8, i64 %k.025.i
  %arrayidx4.i = getelementptr inbounds nuw ptr, ptr %7, i64 %k.025.i
  %15 = load ptr, ptr %arrayidx2.i, align 8
  %given_dtype.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 48
  %16 = load ptr, ptr %given_dtype.i.i, align 8
  %cmp.i.i = icmp eq ptr %15, %16
  %type.i.i.i = getelementptr inbounds nuw i8, ptr %14, i64 8
  %17 = load ptr, ptr %type.i.i.i, align 8
  %cmp.i.i.i = icmp eq ptr %17, @PyArray_Type
  br i1 %cmp.i.i.i, label %if.then.i.i, label %if.end7.i.i

if.then.i.i:
  %rank.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 8
  %18 = load i64, ptr %rank.i.i, align 8
  %shape.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 16
  %19 = load ptr, ptr %shape.i.i, align 8
  %call2.i.i = call zeroext i1 @mlirad_same_array(ptr noundef nonnull %14, ptr noundef %16, i64 noundef %18, ptr noundef %19, i32 noundef 0, i32 noundef 0) nounwind
  br i1 %call2.i.i, label %if.end.i.i, label %if.then32

if.end.i.i:
  %flags.i.i = getelementptr inbounds nuw i8, ptr %14, i64 64
  %20 = load i32, ptr %flags.i.i, align 8
  %and.i.i = and i32 %20, 257
  %cmp4.i.i = icmp eq i32 %and.i.i, 257
  %or.cond.i.i = select i1 %cmp4.i.i, i1 %cmp.i.i, i1 false
  br i1 %or.cond.i.i, label %cond.true.i.i, label %cond.end.i.i

cond.true.i.i:
  %data.i.i = getelementptr inbounds nuw i8, ptr %14, i64 16
  %21 = load ptr, ptr %data.i.i, align 8
  br label %cond.end.i.i

cond.end.i.i:
  %cond.i.i = phi ptr [ %21, %cond.true.i.i ], [ null, %if.end.i.i ]
  store ptr %cond.i.i, ptr %arrayidx4.i, align 8
  br label %if.end.i

if.end7.i.i:
  %numpy_type.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 32
  %22 = load ptr, ptr %numpy_type.i.i, align 8
  %cmp8.i.i = icmp eq ptr %17, %22
  br i1 %cmp8.i.i, label %if.then9.i.i, label %if.end16.i.i

if.then9.i.i:
  %value12.i.i = getelementptr inbounds nuw i8, ptr %14, i64 16
  %cond15.i.i = select i1 %cmp.i.i, ptr %value12.i.i, ptr null
  store ptr %cond15.i.i, ptr %arrayidx4.i, align 8
  br label %if.end.i

if.end16.i.i:
  %python_type.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 40
  %23 = load ptr, ptr %python_type.i.i, align 8
  %cmp18.not.i.i = icmp eq ptr %17, %23
  br i1 %cmp18.not.i.i, label %if.end20.i.i, label %if.then32

if.end20.i.i:
  %cmp22.i.i = icmp eq ptr %17, @PyFloat_Type
  br i1 %cmp22.i.i, label %if.then23.i.i, label %if.end25.i.i

if.then23.i.i:
  %value24.i.i = getelementptr inbounds nuw i8, ptr %14, i64 16
  store ptr %value24.i.i, ptr %arrayidx4.i, align 8
  br label %if.end.i

if.end25.i.i:
  store ptr %arrayidx3.i, ptr %arrayidx4.i, align 8
  %24 = load ptr, ptr %type.i.i.i, align 8
  %cmp.i49.i.i = icmp eq ptr %24, @PyBool_Type
  br i1 %cmp.i49.i.i, label %if.then.i.i.i, label %if.end.i.i.i

if.then.i.i.i:
  %cmp1.i.i.i = icmp eq ptr %14, @_Py_TrueStruct
  %conv2.i.i.i = zext i1 %cmp1.i.i.i to i8
  store i8 %conv2.i.i.i, ptr %arrayidx3.i, align 8
  br label %if.end.i

if.end.i.i.i:
  %call.i.i.i = call i64 @PyLong_AsLongLong(ptr noundef nonnull %14) nounwind
  store i64 %call.i.i.i, ptr %arrayidx3.i, align 8
  %cmp3.not.i.i.i = icmp eq i64 %call.i.i.i, -1
  br i1 %cmp3.not.i.i.i, label %lor.lhs.false.i.i.i, label %if.end.i

lor.lhs.false.i.i.i:
  %call5.i.i.i = call ptr @PyErr_Occurred() nounwind
  %tobool.not.i.i.i = icmp eq ptr %call5.i.i.i, null
  br i1 %tobool.not.i.i.i, label %if.end.i, label %if.end7.i.i.i

if.end7.i.i.i:
  call void @PyErr_Clear() nounwind
  br label %if.then32

if.end.i:
  %25 = load ptr, ptr %arrayidx4.i, align 8
  %tobool.not.i = icmp eq ptr %25, null
  %conv.i = zext i1 %tobool.not.i to i64
  %add.i = add nuw nsw i64 %add.i167, %conv.i
  %inc.i = add nuw nsw i64 %k.025.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %13
  br i1 %exitcond.not.i, label %lor.lhs.false29.loopexit, label %for.body.i

lor.lhs.false29.loopexit:
  store i64 %add.i, ptr %conversions, align 8
  %26 = icmp eq i64 %add.i, 0
  br label %lor.lhs.false29

lor.lhs.false29:
  %tobool.not.i108 = phi i1 [ true, %if.end ], [ %26, %lor.lhs.false29.loopexit ]
  %destinations30 = getelementptr inbounds nuw i8, ptr %call, i64 88
  %27 = load i64, ptr %destinations30, align 8
  %tobool.not = icmp eq i64 %27, 0
  br i1 %tobool.not, label %if.end34, label %land.lhs.true

land.lhs.true:
  %call31 = call fastcc zeroext i1 @mlirad.entry.find_destinations(ptr noundef %call3)
  br i1 %call31, label %if.end34, label %if.then32

if.then32:
  %general_path.i94 = getelementptr inbounds nuw i8, ptr %call, i64 40
  %28 = load ptr, ptr %general_path.i94, align 8
  %call1.i97 = call ptr @PyObject_Vectorcall(ptr noundef %28, ptr noundef %arguments, i64 noundef %count, ptr noundef null) nounwind
  br label %cleanup63

if.end34:
  %29 = load i64, ptr %outputs2, align 8
  %add.ptr.i = getelementptr inbounds %mlirad.entry.Output, ptr %add.ptr10, i64 %29
  %30 = load i64, ptr %inputs1, align 8
  %add.ptr4.i = getelementptr inbounds ptr, ptr %7, i64 %30
  %add.ptr6.i = getelementptr inbounds ptr, ptr %add.ptr4.i, i64 %29
  %31 = load i64, ptr %constants, align 8
  %cmp17.i = icmp sgt i64 %31, 0
  br i1 %cmp17.i, label %for.body.i99, label %place_constants.exit

for.body.i99:
  %k.018.i = phi i64 [ %inc.i101, %for.body.i99 ], [ 0, %if.end34 ]
  %arrayidx.i100 = getelementptr inbounds nuw ptr, ptr %add.ptr.i, i64 %k.018.i
  %32 = load ptr, ptr %arrayidx.i100, align 8
  %arrayidx8.i = getelementptr inbounds nuw ptr, ptr %add.ptr6.i, i64 %k.018.i
  store ptr %32, ptr %arrayidx8.i, align 8
  %inc.i101 = add nuw nsw i64 %k.018.i, 1
  %cmp.i = icmp slt i64 %inc.i101, %31
  br i1 %cmp.i, label %for.body.i99, label %place_constants.exit

place_constants.exit:
  %arena35 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %33 = load ptr, ptr %arena35, align 8
  %tobool36.not = icmp eq ptr %33, null
  br i1 %tobool36.not, label %if.end41, label %land.lhs.true37

land.lhs.true37:
  %34 = cmpxchg ptr %33, i64 0, i64 1 acquire monotonic, align 8
  %35 = extractvalue { i64, i1 } %34, 1
  br i1 %35, label %land.lhs.true37.if.end41_crit_edge, label %if.then39

land.lhs.true37.if.end41_crit_edge:
  %.pre = load i64, ptr %outputs2, align 8
  br label %if.end41

if.then39:
  %general_path.i102 = getelementptr inbounds nuw i8, ptr %call, i64 40
  %36 = load ptr, ptr %general_path.i102, align 8
  %call1.i105 = call ptr @PyObject_Vectorcall(ptr noundef %36, ptr noundef %arguments, i64 noundef %count, ptr noundef null) nounwind
  br label %cleanup63

if.end41:
  %37 = phi i64 [ %.pre, %land.lhs.true37.if.end41_crit_edge ], [ %29, %place_constants.exit ]
  %cmp3.i.i = icmp sgt i64 %37, 0
  br i1 %cmp3.i.i, label %for.body.i.i, label %clear.exit.i

for.body.i.i:
  %k.04.i.i = phi i64 [ %inc.i.i, %for.body.i.i ], [ 0, %if.end41 ]
  %arrayidx.i.i = getelementptr inbounds nuw ptr, ptr %10, i64 %k.04.i.i
  store ptr null, ptr %arrayidx.i.i, align 8
  %inc.i.i = add nuw nsw i64 %k.04.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %37
  br i1 %exitcond.not.i.i, label %clear.exit.i, label %for.body.i.i

clear.exit.i:
  br i1 %tobool.not.i108, label %if.end.i110, label %land.lhs.true.i

land.lhs.true.i:
  %call1.i109 = call fastcc zeroext i1 @mlirad.entry.convert_arguments(ptr noundef nonnull readonly %call3)
  br i1 %call1.i109, label %land.lhs.true.i.if.end.i110_crit_edge, label %land.end

land.lhs.true.i.if.end.i110_crit_edge:
  %.pre172 = load i64, ptr %outputs2, align 8
  br label %if.end.i110

if.end.i110:
  %38 = phi i64 [ %.pre172, %land.lhs.true.i.if.end.i110_crit_edge ], [ %37, %clear.exit.i ]
  %39 = load i64, ptr %destinations30, align 8
  %tobool5.not.i = icmp eq i64 %39, 0
  %40 = load i64, ptr %inputs1, align 8
  %add.ptr.i112 = getelementptr inbounds ptr, ptr %7, i64 %40
  %add.ptr11.i = getelementptr inbounds i64, ptr %8, i64 %40
  %cmp.not.not80.i = icmp sgt i64 %38, 0
  br i1 %cmp.not.not80.i, label %for.body.i114.preheader, label %land.rhs

for.body.i114.preheader:
  %handler.i.i.i = getelementptr inbounds nuw i8, ptr %call, i64 96
  br label %for.body.i114

for.body.i114:
  %k.081.i = phi i64 [ %inc.i123, %if.end30.i ], [ 0, %for.body.i114.preheader ]
  %arrayidx.i115 = getelementptr inbounds nuw %mlirad.entry.Output, ptr %add.ptr10, i64 %k.081.i
  br i1 %tobool5.not.i, label %land.lhs.true18.i, label %land.lhs.true13.i

land.lhs.true13.i:
  %is_copied.i = getelementptr inbounds nuw i8, ptr %arrayidx.i115, i64 48
  %41 = load i64, ptr %is_copied.i, align 8
  %tobool14.not.i = icmp eq i64 %41, 0
  br i1 %tobool14.not.i, label %cond.end.i, label %land.lhs.true18.i

cond.end.i:
  %arrayidx16.i = getelementptr inbounds nuw ptr, ptr %9, i64 %k.081.i
  %42 = load ptr, ptr %arrayidx16.i, align 8
  %tobool17.not.i = icmp eq ptr %42, null
  br i1 %tobool17.not.i, label %land.lhs.true18.i, label %if.end.thread.i.i

land.lhs.true18.i:
  %rank.i = getelementptr inbounds nuw i8, ptr %arrayidx.i115, i64 8
  %43 = load i64, ptr %rank.i, align 8
  %tobool19.not.i = icmp eq i64 %43, 0
  br i1 %tobool19.not.i, label %if.then20.i, label %if.else.i.i

if.then20.i:
  %arrayidx21.i = getelementptr inbounds nuw i64, ptr %add.ptr11.i, i64 %k.081.i
  %arrayidx22.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i112, i64 %k.081.i
  store ptr %arrayidx21.i, ptr %arrayidx22.i, align 8
  br label %if.end30.i

if.end.thread.i.i:
  call void @Py_IncRef(ptr noundef nonnull %42) nounwind
  br label %place_array.exit.i

if.else.i.i:
  %is_large.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i115, i64 56
  %44 = load i64, ptr %is_large.i.i.i, align 8
  %tobool.not.i.i.i116 = icmp eq i64 %44, 0
  br i1 %tobool.not.i.i.i116, label %if.end3.i.i.i, label %if.then.i.i.i117

if.then.i.i.i117:
  %45 = load ptr, ptr %handler.i.i.i, align 8
  %call.i.i.i118 = call ptr @PyDataMem_SetHandler(ptr noundef %45) nounwind
  %tobool1.not.i.i.i = icmp eq ptr %call.i.i.i118, null
  br i1 %tobool1.not.i.i.i, label %land.end, label %if.then.i.i.if.end3.i.i_crit_edge.i

if.then.i.i.if.end3.i.i_crit_edge.i:
  %.pre.i119 = load i64, ptr %rank.i, align 8
  br label %if.end3.i.i.i

if.end3.i.i.i:
  %46 = phi i64 [ %.pre.i119, %if.then.i.i.if.end3.i.i_crit_edge.i ], [ %43, %if.else.i.i ]
  %usual.0.i.i.i = phi ptr [ %call.i.i.i118, %if.then.i.i.if.end3.i.i_crit_edge.i ], [ null, %if.else.i.i ]
  %conv.i.i.i = trunc i64 %46 to i32
  %shape.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i115, i64 16
  %47 = load ptr, ptr %shape.i.i.i, align 8
  %dtype_number.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i115, i64 32
  %48 = load i64, ptr %dtype_number.i.i.i, align 8
  %conv4.i.i.i = trunc i64 %48 to i32
  %call5.i.i.i120 = call ptr @PyArray_New(ptr noundef nonnull @PyArray_Type, i32 noundef %conv.i.i.i, ptr noundef %47, i32 noundef %conv4.i.i.i, ptr noundef null, ptr noundef null, i32 noundef 0, i32 noundef 0, ptr noundef null) nounwind
  %tobool6.not.i.i.i = icmp eq ptr %usual.0.i.i.i, null
  br i1 %tobool6.not.i.i.i, label %if.end.i.i121, label %if.then7.i.i.i

if.then7.i.i.i:
  %call8.i.i.i = call ptr @PyDataMem_SetHandler(ptr noundef nonnull %usual.0.i.i.i) nounwind
  call void @Py_DecRef(ptr noundef %call8.i.i.i) nounwind
  call void @Py_DecRef(ptr noundef nonnull %usual.0.i.i.i) nounwind
  br label %if.end.i.i121

if.end.i.i121:
  %tobool1.not.not.i.i = icmp eq ptr %call5.i.i.i120, null
  br i1 %tobool1.not.not.i.i, label %land.end, label %place_array.exit.i

place_array.exit.i:
  %array.011.i.i = phi ptr [ %42, %if.end.thread.i.i ], [ %call5.i.i.i120, %if.end.i.i121 ]
  %arrayidx2575.i = getelementptr inbounds nuw ptr, ptr %10, i64 %k.081.i
  %arrayidx2677.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i112, i64 %k.081.i
  store ptr %array.011.i.i, ptr %arrayidx2575.i, align 8
  %data.i.i122 = getelementptr inbounds nuw i8, ptr %array.011.i.i, i64 16
  %49 = load ptr, ptr %data.i.i122, align 8
  store ptr %49, ptr %arrayidx2677.i, align 8
  br label %if.end30.i

if.end30.i:
  %inc.i123 = add nuw nsw i64 %k.081.i, 1
  %exitcond.not.i124 = icmp eq i64 %inc.i123, %38
  br i1 %exitcond.not.i124, label %land.rhs, label %for.body.i114

land.rhs:
  br i1 %tobool36.not, label %cond.end, label %cond.true

cond.true:
  %memory = getelementptr inbounds nuw i8, ptr %33, i64 8
  %50 = load ptr, ptr %memory, align 8
  br label %cond.end

cond.end:
  %cond = phi ptr [ %50, %cond.true ], [ null, %land.rhs ]
  store ptr %arguments, ptr %12, align 16
  %count.i = getelementptr inbounds nuw i8, ptr %12, i64 8
  store i64 %count, ptr %count.i, align 8
  %are_held.i = getelementptr inbounds nuw i8, ptr %12, i64 16
  store i64 0, ptr %are_held.i, align 16
  %51 = load ptr, ptr %call, align 8
  %releases.i = getelementptr inbounds nuw i8, ptr %call, i64 48
  %52 = load i64, ptr %releases.i, align 8
  %time_limit.i = getelementptr inbounds nuw i8, ptr %call, i64 56
  %53 = load i64, ptr %time_limit.i, align 8
  %threads.i = getelementptr inbounds nuw i8, ptr %call, i64 104
  %54 = load i64, ptr %threads.i, align 8
  %holds.i = getelementptr inbounds nuw i8, ptr %call, i64 112
  %55 = load i64, ptr %holds.i, align 8
  %call3.i = call i32 @mlirad_call(ptr noundef %51, ptr noundef nonnull %7, ptr noundef %cond, i64 noundef %52, i64 noundef %53, i64 noundef %54, ptr noundef nonnull %12, i64 noundef %55) nounwind
  %tobool.not.i128 = icmp eq i32 %call3.i, 0
  br label %land.end

land.end:
  %56 = phi i1 [ %tobool.not.i128, %cond.end ], [ false, %land.lhs.true.i ], [ false, %if.end.i.i121 ], [ false, %if.then.i.i.i117 ]
  br i1 %tobool36.not, label %if.end47, label %if.then46

if.then46:
  store atomic i64 0, ptr %33 release, align 8
  br label %if.end47

if.end47:
  br i1 %56, label %if.then48, label %if.then59

if.then48:
  %57 = load i64, ptr %destinations30, align 8
  %tobool50.not = icmp eq i64 %57, 0
  br i1 %tobool50.not, label %if.end52, label %if.then51

if.then51:
  call fastcc void @mlirad.entry.copy_results(ptr noundef %call3)
  br label %if.end52

if.end52:
  %58 = load i64, ptr %outputs2, align 8
  %cmp.not26.i = icmp slt i64 %58, 1
  br i1 %cmp.not26.i, label %if.end57, label %for.body.i135

for.body.i135:
  %k.027.i = phi i64 [ %inc.i138, %for.inc.i ], [ 0, %if.end52 ]
  %arrayidx.i136 = getelementptr inbounds nuw ptr, ptr %10, i64 %k.027.i
  %59 = load ptr, ptr %arrayidx.i136, align 8
  %tobool.not.i137 = icmp eq ptr %59, null
  br i1 %tobool.not.i137, label %if.end.i140, label %for.inc.i

if.end.i140:
  %60 = load i64, ptr %inputs1, align 8
  %61 = getelementptr i64, ptr %8, i64 %60
  %arrayidx2.i142 = getelementptr i64, ptr %61, i64 %k.027.i
  %arrayidx4.i143 = getelementptr inbounds nuw %mlirad.entry.Output, ptr %add.ptr10, i64 %k.027.i
  %62 = load ptr, ptr %arrayidx4.i143, align 8
  %call5.i = call ptr @PyArray_Scalar(ptr noundef %arrayidx2.i142, ptr noundef %62, ptr noundef null) nounwind
  store ptr %call5.i, ptr %arrayidx.i136, align 8
  %tobool10.not.i = icmp eq ptr %call5.i, null
  br i1 %tobool10.not.i, label %if.then59, label %for.inc.i

for.inc.i:
  %inc.i138 = add nuw nsw i64 %k.027.i, 1
  %exitcond.not.i139 = icmp eq i64 %inc.i138, %58
  br i1 %exitcond.not.i139, label %if.end57, label %for.body.i135

if.end57:
  %call55 = call fastcc ptr @mlirad.entry.returned(ptr noundef %call3)
  %tobool58.not = icmp eq ptr %call55, null
  br i1 %tobool58.not, label %if.then59, label %if.end61

if.then59:
  %cmp3.i = icmp sgt i64 %1, 0
  br i1 %cmp3.i, label %for.body.i145, label %if.end61

for.body.i145:
  %k.04.i = phi i64 [ %inc.i147, %for.body.i145 ], [ 0, %if.then59 ]
  %arrayidx.i146 = getelementptr inbounds nuw ptr, ptr %10, i64 %k.04.i
  %63 = load ptr, ptr %arrayidx.i146, align 8
  call void @Py_DecRef(ptr noundef %63) nounwind
  %inc.i147 = add nuw nsw i64 %k.04.i, 1
  %exitcond.not.i148 = icmp eq i64 %inc.i147, %1
  br i1 %exitcond.not.i148, label %if.end61, label %for.body.i145

if.end61:
  %result.0165 = phi ptr [ %call55, %if.end57 ], [ null, %if.then59 ], [ null, %for.body.i145 ]
  br i1 %tobool.not.i108, label %cleanup63, label %if.then.i

if.then.i:
  %64 = load i64, ptr %inputs1, align 8
  %cmp3.i.i152 = icmp sgt i64 %64, 0
  br i1 %cmp3.i.i152, label %for.body.i.i154, label %cleanup63

for.body.i.i154:
  %k.04.i.i155 = phi i64 [ %inc.i.i157, %for.body.i.i154 ], [ 0, %if.then.i ]
  %arrayidx.i.i156 = getelementptr inbounds nuw ptr, ptr %11, i64 %k.04.i.i155
  %65 = load ptr, ptr %arrayidx.i.i156, align 8
  call void @Py_DecRef(ptr noundef %65) nounwind
  %inc.i.i157 = add nuw nsw i64 %k.04.i.i155, 1
  %exitcond.not.i.i158 = icmp eq i64 %inc.i.i157, %64
  br i1 %exitcond.not.i.i158, label %cleanup63, label %for.body.i.i154

cleanup63:
  %retval.2 = phi ptr [ %call1.i, %if.then ], [ %call1.i97, %if.then32 ], [ %call1.i105, %if.then39 ], [ %result.0165, %if.end61 ], [ %result.0165, %if.then.i ], [ %result.0165, %for.body.i.i154 ]
  ret ptr %retval.2
}

declare ptr @PyCapsule_GetPointer(ptr noundef, ptr noundef)

declare hidden zeroext i1 @mlirad_guards(ptr noundef, i64 noundef)

define internal fastcc noundef zeroext i1 @mlirad.entry.find_destinations(ptr noundef nonnull readonly captures(none) %call) noinline nounwind {
entry:
  %0 = load ptr, ptr %call, align 8
  %outputs = getelementptr inbounds nuw i8, ptr %0, i64 24
  %1 = load i64, ptr %outputs, align 8
  %cmp.not12 = icmp slt i64 %1, 1
  br i1 %cmp.not12, label %cleanup2, label %for.body.lr.ph

for.body.lr.ph:
  %outputs.i = getelementptr inbounds nuw i8, ptr %call, i64 16
  %destinations.i = getelementptr inbounds nuw i8, ptr %call, i64 56
  %arguments.i = getelementptr inbounds nuw i8, ptr %call, i64 24
  %buffers.i.i = getelementptr inbounds nuw i8, ptr %call, i64 40
  %inputs8.i.i = getelementptr inbounds nuw i8, ptr %call, i64 8
  br label %for.body

for.body:
  %k.013 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %2 = load ptr, ptr %outputs.i, align 8
  %arrayidx.i = getelementptr inbounds nuw %mlirad.entry.Output, ptr %2, i64 %k.013
  %3 = load ptr, ptr %call, align 8
  %given_outs.i = getelementptr inbounds nuw i8, ptr %3, i64 80
  %4 = load i64, ptr %given_outs.i, align 8
  %tobool.not.i = icmp eq i64 %4, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.true.i

cond.true.i:
  %inputs.i = getelementptr inbounds nuw i8, ptr %3, i64 16
  %5 = load i64, ptr %inputs.i, align 8
  %add.i = add nsw i64 %5, %k.013
  br label %cond.end.i

cond.false.i:
  %donated_input.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 40
  %6 = load i64, ptr %donated_input.i, align 8
  br label %cond.end.i

cond.end.i:
  %cond.i = phi i64 [ %add.i, %cond.true.i ], [ %6, %cond.false.i ]
  %7 = load ptr, ptr %destinations.i, align 8
  %arrayidx2.i = getelementptr inbounds nuw ptr, ptr %7, i64 %k.013
  store ptr null, ptr %arrayidx2.i, align 8
  %cmp.i = icmp slt i64 %cond.i, 0
  br i1 %cmp.i, label %for.inc, label %if.end.i

if.end.i:
  %8 = load ptr, ptr %arguments.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw ptr, ptr %8, i64 %cond.i
  %9 = load ptr, ptr %arrayidx3.i, align 8
  %type.i.i = getelementptr inbounds nuw i8, ptr %9, i64 8
  %10 = load ptr, ptr %type.i.i, align 8
  %cmp.i.i = icmp eq ptr %10, @PyArray_Type
  br i1 %cmp.i.i, label %lor.lhs.false.i, label %cleanup2

lor.lhs.false.i:
  %11 = load ptr, ptr %arrayidx.i, align 8
  %rank.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  %12 = load i64, ptr %rank.i, align 8
  %shape.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %13 = load ptr, ptr %shape.i, align 8
  %call5.i = tail call zeroext i1 @mlirad_same_array(ptr noundef nonnull %9, ptr noundef %11, i64 noundef %12, ptr noundef %13, i32 noundef 1281, i32 noundef 1281) nounwind
  br i1 %call5.i, label %lor.lhs.false6.i, label %cleanup2

lor.lhs.false6.i:
  %14 = load ptr, ptr %outputs.i, align 8
  %arrayidx.i.i = getelementptr inbounds nuw %mlirad.entry.Output, ptr %14, i64 %k.013
  %bytes1.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 24
  %15 = load i64, ptr %bytes1.i.i, align 8
  %16 = load ptr, ptr %call, align 8
  %inputs2.i.i = getelementptr inbounds nuw i8, ptr %16, i64 16
  %17 = load i64, ptr %inputs2.i.i, align 8
  %cmp.not64.i.i = icmp sgt i64 %17, 0
  br i1 %cmp.not64.i.i, label %for.body.lr.ph.i.i, label %for.cond13.preheader.i.i

for.body.lr.ph.i.i:
  %data.i.i = getelementptr inbounds nuw i8, ptr %9, i64 16
  br label %for.body.i.i

for.cond13.preheader.i.i:
  %cmp14.not66.i.i = icmp eq i64 %k.013, 0
  %.pre.i = load ptr, ptr %destinations.i, align 8
  br i1 %cmp14.not66.i.i, label %if.end9.i, label %for.body16.lr.ph.i.i

for.body16.lr.ph.i.i:
  %data20.i.i = getelementptr inbounds nuw i8, ptr %9, i64 16
  br label %for.body16.i.i

for.body.i.i:
  %k.065.i.i = phi i64 [ 0, %for.body.lr.ph.i.i ], [ %inc.i.i, %for.inc.i.i ]
  %cmp3.not.i.i = icmp eq i64 %k.065.i.i, %cond.i
  br i1 %cmp3.not.i.i, label %for.inc.i.i, label %land.lhs.true.i.i

land.lhs.true.i.i:
  %18 = load ptr, ptr %buffers.i.i, align 8
  %arrayidx4.i.i = getelementptr inbounds nuw ptr, ptr %18, i64 %k.065.i.i
  %19 = load ptr, ptr %arrayidx4.i.i, align 8
  %tobool.not.i.i = icmp eq ptr %19, null
  br i1 %tobool.not.i.i, label %for.inc.i.i, label %land.lhs.true5.i.i

land.lhs.true5.i.i:
  %20 = load ptr, ptr %data.i.i, align 8
  %21 = load ptr, ptr %inputs8.i.i, align 8
  %arrayidx9.i.i = getelementptr inbounds nuw %mlirad.entry.Input, ptr %21, i64 %k.065.i.i
  %bytes10.i.i = getelementptr inbounds nuw i8, ptr %arrayidx9.i.i, i64 24
  %22 = load i64, ptr %bytes10.i.i, align 8
  %23 = ptrtoint ptr %20 to i64
  %add.i.i.i = add i64 %15, %23
  %24 = ptrtoint ptr %19 to i64
  %cmp.not.i.i.i = icmp ule i64 %add.i.i.i, %24
  %add1.i.i.i = add i64 %22, %24
  %cmp2.i.i.i = icmp ule i64 %add1.i.i.i, %23
  %25 = or i1 %cmp.not.i.i.i, %cmp2.i.i.i
  br i1 %25, label %for.inc.i.i, label %cleanup2

for.inc.i.i:
  %inc.i.i = add nuw nsw i64 %k.065.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %17
  br i1 %exitcond.not.i.i, label %for.cond13.preheader.i.i, label %for.body.i.i

for.body16.i.i:
  %k12.067.i.i = phi i64 [ 0, %for.body16.lr.ph.i.i ], [ %inc31.i.i, %for.inc30.i.i ]
  %arrayidx17.i.i = getelementptr inbounds nuw ptr, ptr %.pre.i, i64 %k12.067.i.i
  %26 = load ptr, ptr %arrayidx17.i.i, align 8
  %tobool18.not.i.i = icmp eq ptr %26, null
  br i1 %tobool18.not.i.i, label %for.inc30.i.i, label %land.lhs.true19.i.i

land.lhs.true19.i.i:
  %27 = load ptr, ptr %data20.i.i, align 8
  %data23.i.i = getelementptr inbounds nuw i8, ptr %26, i64 16
  %28 = load ptr, ptr %data23.i.i, align 8
  %arrayidx25.i.i = getelementptr inbounds nuw %mlirad.entry.Output, ptr %14, i64 %k12.067.i.i
  %bytes26.i.i = getelementptr inbounds nuw i8, ptr %arrayidx25.i.i, i64 24
  %29 = load i64, ptr %bytes26.i.i, align 8
  %30 = ptrtoint ptr %27 to i64
  %add.i59.i.i = add i64 %15, %30
  %31 = ptrtoint ptr %28 to i64
  %cmp.not.i60.i.i = icmp ule i64 %add.i59.i.i, %31
  %add1.i61.i.i = add i64 %29, %31
  %cmp2.i62.i.i = icmp ule i64 %add1.i61.i.i, %30
  %32 = or i1 %cmp.not.i60.i.i, %cmp2.i62.i.i
  br i1 %32, label %for.inc30.i.i, label %cleanup2

for.inc30.i.i:
  %inc31.i.i = add nuw nsw i64 %k12.067.i.i, 1
  %exitcond70.not.i.i = icmp eq i64 %inc31.i.i, %k.013
  br i1 %exitcond70.not.i.i, label %if.end9.i, label %for.body16.i.i

if.end9.i:
  %arrayidx11.i = getelementptr inbounds nuw ptr, ptr %.pre.i, i64 %k.013
  store ptr %9, ptr %arrayidx11.i, align 8
  br label %for.inc

for.inc:
  %inc = add nuw nsw i64 %k.013, 1
  %exitcond.not = icmp eq i64 %inc, %1
  br i1 %exitcond.not, label %cleanup2, label %for.body

cleanup2:
  %cmp.not11 = phi i1 [ false, %land.lhs.true5.i.i ], [ false, %land.lhs.true19.i.i ], [ true, %entry ], [ true, %for.inc ], [ false, %if.end.i ], [ false, %lor.lhs.false.i ]
  ret i1 %cmp.not11
}

define internal fastcc void @mlirad.entry.copy_results(ptr noundef nonnull readonly captures(none) %call) noinline nounwind {
entry:
  %0 = load ptr, ptr %call, align 8
  %outputs = getelementptr inbounds nuw i8, ptr %0, i64 24
  %1 = load i64, ptr %outputs, align 8
  %cmp31 = icmp sgt i64 %1, 0
  br i1 %cmp31, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %destinations = getelementptr inbounds nuw i8, ptr %call, i64 56
  %results = getelementptr inbounds nuw i8, ptr %call, i64 64
  %buffers = getelementptr inbounds nuw i8, ptr %call, i64 40
  %outputs5 = getelementptr inbounds nuw i8, ptr %call, i64 16
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.032 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %cleanup ]
  %2 = load ptr, ptr %destinations, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %2, i64 %k.032
  %3 = load ptr, ptr %arrayidx, align 8
  %4 = load ptr, ptr %results, align 8
  %arrayidx1 = getelementptr inbounds nuw ptr, ptr %4, i64 %k.032
  %5 = load ptr, ptr %arrayidx1, align 8
  %tobool.not = icmp eq ptr %3, null
  %cmp2 = icmp eq ptr %3, %5
  %or.cond = select i1 %tobool.not, i1 true, i1 %cmp2
  br i1 %or.cond, label %cleanup, label %if.end

if.end:
  %data = getelementptr inbounds nuw i8, ptr %3, i64 16
  %6 = load ptr, ptr %data, align 8
  %7 = load ptr, ptr %buffers, align 8
  %8 = load ptr, ptr %call, align 8
  %inputs = getelementptr inbounds nuw i8, ptr %8, i64 16
  %9 = load i64, ptr %inputs, align 8
  %10 = getelementptr ptr, ptr %7, i64 %9
  %arrayidx4 = getelementptr ptr, ptr %10, i64 %k.032
  %11 = load ptr, ptr %arrayidx4, align 8
  %12 = load ptr, ptr %outputs5, align 8
  %arrayidx6 = getelementptr inbounds nuw %mlirad.entry.Output, ptr %12, i64 %k.032
  %bytes = getelementptr inbounds nuw i8, ptr %arrayidx6, i64 24
  %13 = load i64, ptr %bytes, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %6, ptr align 1 %11, i64 %13, i1 false)
  tail call void @Py_IncRef(ptr noundef nonnull %3) nounwind
  %14 = load ptr, ptr %results, align 8
  %arrayidx9 = getelementptr inbounds nuw ptr, ptr %14, i64 %k.032
  store ptr %3, ptr %arrayidx9, align 8
  tail call void @Py_DecRef(ptr noundef %5) nounwind
  br label %cleanup

cleanup:
  %inc = add nuw nsw i64 %k.032, 1
  %exitcond.not = icmp eq i64 %inc, %1
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define internal fastcc ptr @mlirad.entry.returned(ptr noundef nonnull readonly captures(none) %call) nounwind {
entry:
  %0 = load ptr, ptr %call, align 8
  %outputs = getelementptr inbounds nuw i8, ptr %0, i64 24
  %1 = load i64, ptr %outputs, align 8
  %cmp = icmp eq i64 %1, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %results = getelementptr inbounds nuw i8, ptr %call, i64 64
  %2 = load ptr, ptr %results, align 8
  %3 = load ptr, ptr %2, align 8
  br label %cleanup

if.end:
  %call1 = tail call ptr @PyTuple_New(i64 noundef %1) nounwind
  %tobool = icmp ne ptr %call1, null
  %cmp215 = icmp sgt i64 %1, 0
  %4 = and i1 %tobool, %cmp215
  br i1 %4, label %for.body.lr.ph, label %cleanup

for.body.lr.ph:
  %results3 = getelementptr inbounds nuw i8, ptr %call, i64 64
  br label %for.body

for.body:
  %k.016 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %5 = load ptr, ptr %results3, align 8
  %arrayidx4 = getelementptr inbounds nuw ptr, ptr %5, i64 %k.016
  %6 = load ptr, ptr %arrayidx4, align 8
  %call5 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %call1, i64 noundef %k.016, ptr noundef %6) nounwind
  %inc = add nuw nsw i64 %k.016, 1
  %cmp2 = icmp slt i64 %inc, %1
  br i1 %cmp2, label %for.body, label %cleanup

cleanup:
  %retval.0 = phi ptr [ %3, %if.then ], [ %call1, %if.end ], [ %call1, %for.body ]
  ret ptr %retval.0
}

declare ptr @PyObject_Vectorcall(ptr noundef, ptr noundef, i64 noundef, ptr noundef)

declare hidden zeroext i1 @mlirad_same_array(ptr noundef, ptr noundef, i64 noundef, ptr noundef, i32 noundef, i32 noundef)

declare i64 @PyLong_AsLongLong(ptr noundef)

declare ptr @PyErr_Occurred()

declare void @PyErr_Clear()

define internal fastcc noundef zeroext i1 @mlirad.entry.convert_arguments(ptr noundef nonnull readonly captures(none) %call) noinline nounwind {
entry:
  %0 = load ptr, ptr %call, align 8
  %inputs = getelementptr inbounds nuw i8, ptr %0, i64 16
  %1 = load i64, ptr %inputs, align 8
  %converted = getelementptr inbounds nuw i8, ptr %call, i64 72
  %2 = load ptr, ptr %converted, align 8
  %cmp3.i = icmp sgt i64 %1, 0
  br i1 %cmp3.i, label %for.body.i, label %clear.exit

for.body.i:
  %k.04.i = phi i64 [ %inc.i, %for.body.i ], [ 0, %entry ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %2, i64 %k.04.i
  store ptr null, ptr %arrayidx.i, align 8
  %inc.i = add nuw nsw i64 %k.04.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %1
  br i1 %exitcond.not.i, label %for.body.lr.ph, label %for.body.i

clear.exit:
  %call1 = tail call i64 @enter_standard() nounwind
  br label %for.cond.cleanup

for.body.lr.ph:
  %call148 = tail call i64 @enter_standard() nounwind
  %buffers = getelementptr inbounds nuw i8, ptr %call, i64 40
  %arguments = getelementptr inbounds nuw i8, ptr %call, i64 24
  %inputs3 = getelementptr inbounds nuw i8, ptr %call, i64 8
  br label %for.body

for.cond.cleanup:
  %call149 = phi i64 [ %call1, %clear.exit ], [ %call148, %for.inc ], [ %call148, %cond.end ]
  %is_done.0.lcssa = phi i1 [ true, %clear.exit ], [ false, %cond.end ], [ true, %for.inc ]
  tail call void @leave_standard(i64 noundef %call149) nounwind
  ret i1 %is_done.0.lcssa

for.body:
  %k.046 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %3 = load ptr, ptr %buffers, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %3, i64 %k.046
  %4 = load ptr, ptr %arrayidx, align 8
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %if.end, label %for.inc

if.end:
  %5 = load ptr, ptr %arguments, align 8
  %arrayidx2 = getelementptr inbounds nuw ptr, ptr %5, i64 %k.046
  %6 = load ptr, ptr %arrayidx2, align 8
  %7 = load ptr, ptr %inputs3, align 8
  %arrayidx4 = getelementptr inbounds nuw %mlirad.entry.Input, ptr %7, i64 %k.046
  %8 = load ptr, ptr %arrayidx4, align 8
  tail call void @Py_IncRef(ptr noundef %8) nounwind
  %type.i = getelementptr inbounds nuw i8, ptr %6, i64 8
  %9 = load ptr, ptr %type.i, align 8
  %cmp.i = icmp eq ptr %9, @PyArray_Type
  br i1 %cmp.i, label %cond.true, label %cond.false

cond.true:
  %call7 = tail call ptr @PyArray_FromArray(ptr noundef nonnull %6, ptr noundef %8, i32 noundef 305) nounwind
  br label %cond.end

cond.false:
  %call8 = tail call ptr @PyArray_FromScalar(ptr noundef nonnull %6, ptr noundef %8) nounwind
  br label %cond.end

cond.end:
  %cond = phi ptr [ %call7, %cond.true ], [ %call8, %cond.false ]
  %10 = load ptr, ptr %converted, align 8
  %arrayidx10 = getelementptr inbounds nuw ptr, ptr %10, i64 %k.046
  store ptr %cond, ptr %arrayidx10, align 8
  %11 = load ptr, ptr %converted, align 8
  %arrayidx12 = getelementptr inbounds nuw ptr, ptr %11, i64 %k.046
  %12 = load ptr, ptr %arrayidx12, align 8
  %tobool13.not = icmp eq ptr %12, null
  br i1 %tobool13.not, label %for.cond.cleanup, label %if.then15

if.then15:
  %data = getelementptr inbounds nuw i8, ptr %12, i64 16
  %13 = load ptr, ptr %data, align 8
  %14 = load ptr, ptr %buffers, align 8
  %arrayidx19 = getelementptr inbounds nuw ptr, ptr %14, i64 %k.046
  store ptr %13, ptr %arrayidx19, align 8
  br label %for.inc

for.inc:
  %inc = add nuw nsw i64 %k.046, 1
  %cmp = icmp slt i64 %inc, %1
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

declare i64 @enter_standard()

declare void @Py_IncRef(ptr noundef)

declare ptr @PyArray_FromArray(ptr noundef, ptr noundef, i32 noundef)

declare ptr @PyArray_FromScalar(ptr noundef, ptr noundef)

declare void @leave_standard(i64 noundef)

declare ptr @PyDataMem_SetHandler(ptr noundef)

declare ptr @PyArray_New(ptr noundef, i32 noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, i32 noundef, i32 noundef, ptr noundef)

declare void @Py_DecRef(ptr noundef)

declare i32 @mlirad_call(ptr noundef, ptr noundef, ptr noundef, i64 noundef, i64 noundef, i64 noundef, ptr noundef, i64 noundef)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) nounwind

declare ptr @PyArray_Scalar(ptr noundef, ptr noundef, ptr noundef)

declare ptr @PyTuple_New(i64 noundef)

declare i32 @PyTuple_SetItem(ptr noundef, i64 noundef, ptr noundef)
