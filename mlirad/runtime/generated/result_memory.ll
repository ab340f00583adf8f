; Generated from result_memory.c by tools/build_runtime.py: change the source and run make runtime. sources 18e1cd63140ae85e text 93e4217830d4507b
%mlirad.result_memory.Handler = type { [127 x i8], i8, %mlirad.result_memory.Allocator }
%mlirad.result_memory.Allocator = type { ptr, ptr, ptr, ptr, ptr }
%mlirad.result_memory.Keeper = type { i64, i64, %mlirad.result_memory.List, [64 x %mlirad.result_memory.List] }
%mlirad.result_memory.List = type { ptr, ptr }

@mlirad_results = constant %mlirad.result_memory.Handler { [127 x i8] c"mlirad results\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00", i8 1, %mlirad.result_memory.Allocator { ptr null, ptr @mlirad.result_memory.take, ptr @mlirad.result_memory.take_zeros, ptr @mlirad.result_memory.resize, ptr @mlirad.result_memory.give_back } }, align 8
@mlirad_kept_results = global %mlirad.result_memory.Keeper zeroinitializer, align 8
@mlirad_numpy_allocator = external constant %mlirad.result_memory.Allocator, align 8

define internal ptr @mlirad.result_memory.take(ptr readnone captures(none) %context, i64 noundef %bytes) nounwind {
entry:
  %cmp = icmp ult i64 %bytes, 262144
  br i1 %cmp, label %cond.end4, label %cond.false

cond.false:
  %0 = cmpxchg ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 8), i64 0, i64 1 acquire monotonic, align 8
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %cond.end, label %cond.end4

cond.end:
  %call1.i = tail call fastcc ptr @mlirad.result_memory.find_kept(i64 noundef range(i64 262144, 0) %bytes)
  store atomic i64 0, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 8) release, align 8
  %tobool.not = icmp eq ptr %call1.i, null
  br i1 %tobool.not, label %cond.end4, label %if.end

cond.end4:
  %2 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 8), align 8
  %3 = load ptr, ptr @mlirad_numpy_allocator, align 8
  %call3 = tail call ptr %2(ptr noundef %3, i64 noundef %bytes) nounwind
  %tobool6.not = icmp eq ptr %call3, null
  br i1 %tobool6.not, label %land.lhs.true, label %if.end, !prof !{!"branch_weights", !"expected", i32 254519, i32 2147229129}

land.lhs.true:
  %call8 = tail call fastcc zeroext i1 @mlirad.result_memory.give_all_back() cold
  br i1 %call8, label %if.then, label %if.end

if.then:
  %call10 = tail call ptr %2(ptr noundef %3, i64 noundef %bytes) nounwind
  br label %if.end

if.end:
  %memory.0 = phi ptr [ %call10, %if.then ], [ null, %land.lhs.true ], [ %call3, %cond.end4 ], [ %call1.i, %cond.end ]
  ret ptr %memory.0
}

define internal ptr @mlirad.result_memory.take_zeros(ptr readnone captures(none) %context, i64 noundef %count, i64 noundef %bytes) nounwind {
entry:
  %0 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 16), align 8
  %1 = load ptr, ptr @mlirad_numpy_allocator, align 8
  %call = tail call ptr %0(ptr noundef %1, i64 noundef %count, i64 noundef %bytes) nounwind
  ret ptr %call
}

define internal ptr @mlirad.result_memory.resize(ptr readnone captures(none) %context, ptr noundef %memory, i64 noundef %bytes) nounwind {
entry:
  %0 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 24), align 8
  %1 = load ptr, ptr @mlirad_numpy_allocator, align 8
  %call = tail call ptr %0(ptr noundef %1, ptr noundef %memory, i64 noundef %bytes) nounwind
  ret ptr %call
}

define internal void @mlirad.result_memory.give_back(ptr readnone captures(none) %context, ptr noundef %memory, i64 noundef %bytes) nounwind {
entry:
  %cmp = icmp ult i64 %bytes, 262144
  br i1 %cmp, label %if.then, label %if.else

if.then:
  %0 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 32), align 8
  %1 = load ptr, ptr @mlirad_numpy_allocator, align 8
  tail call void %0(ptr noundef %1, ptr noundef %memory, i64 noundef %bytes) nounwind
  br label %if.end

if.else:
  %cmp.i = icmp ugt i64 %bytes, 268435456
  br i1 %cmp.i, label %if.then.i, label %lor.lhs.false.i

lor.lhs.false.i:
  %2 = cmpxchg ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 8), i64 0, i64 1 acquire monotonic, align 8
  %3 = extractvalue { i64, i1 } %2, 1
  br i1 %3, label %if.end.i, label %if.then.i

if.then.i:
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 32), align 8
  %5 = load ptr, ptr @mlirad_numpy_allocator, align 8
  tail call void %4(ptr noundef %5, ptr noundef %memory, i64 noundef range(i64 262144, 0) %bytes) nounwind
  br label %if.end

if.end.i:
  tail call fastcc void @mlirad.result_memory.put(ptr noundef %memory, i64 noundef range(i64 262144, 0) %bytes)
  store atomic i64 0, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 8) release, align 8
  br label %if.end

if.end:
  ret void
}

define internal fastcc zeroext i1 @mlirad.result_memory.give_all_back() cold noinline nounwind {
entry:
  %0 = cmpxchg ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 8), i64 0, i64 1 acquire monotonic, align 8
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.end, label %return

if.end:
  %2 = load i64, ptr @mlirad_kept_results, align 8
  %tobool = icmp ne i64 %2, 0
  tail call fastcc void @mlirad.result_memory.shrink(i64 noundef 0)
  store atomic i64 0, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 8) release, align 8
  br label %return

return:
  %retval.0 = phi i1 [ %tobool, %if.end ], [ false, %entry ]
  ret i1 %retval.0
}

define internal fastcc noundef ptr @mlirad.result_memory.find_kept(i64 noundef range(i64 262144, 0) %bytes) noinline nounwind {
entry:
  %mul.i = mul i64 %bytes, -7046029254386353131
  %shr.i = lshr i64 %mul.i, 58
  %arrayidx.i = getelementptr inbounds nuw %mlirad.result_memory.List, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 32), i64 %shr.i
  %block.011 = load ptr, ptr %arrayidx.i, align 8
  %tobool.not12 = icmp eq ptr %block.011, null
  br i1 %tobool.not12, label %.loopexit, label %for.body

for.body:
  %block.013 = phi ptr [ %block.0, %for.inc ], [ %block.011, %entry ]
  %0 = load i64, ptr %block.013, align 8
  %cmp = icmp eq i64 %0, %bytes
  br i1 %cmp, label %if.then, label %for.inc

if.then:
  %cond.i.i.i = getelementptr inbounds nuw i8, ptr %block.013, i64 8
  %1 = load ptr, ptr %cond.i.i.i, align 8
  %tobool.not.i.i = icmp eq ptr %1, null
  %older5.i.i = getelementptr inbounds nuw i8, ptr %block.013, i64 16
  %2 = load ptr, ptr %older5.i.i, align 8
  br i1 %tobool.not.i.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:
  %older4.i.i = getelementptr inbounds nuw i8, ptr %1, i64 16
  store ptr %2, ptr %older4.i.i, align 8
  br label %if.end.i.i

if.else.i.i:
  store ptr %2, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 16), align 8
  br label %if.end.i.i

if.end.i.i:
  %tobool7.not.i.i = icmp eq ptr %2, null
  %3 = load ptr, ptr %cond.i.i.i, align 8
  br i1 %tobool7.not.i.i, label %if.else14.i.i, label %if.then8.i.i

if.then8.i.i:
  %cond.i31.i.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  store ptr %3, ptr %cond.i31.i.i, align 8
  br label %delist.exit.i

if.else14.i.i:
  store ptr %3, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 24), align 8
  br label %delist.exit.i

delist.exit.i:
  %4 = load i64, ptr %block.013, align 8
  %mul.i.i = mul i64 %4, -7046029254386353131
  %shr.i.i = lshr i64 %mul.i.i, 58
  %arrayidx.i.i = getelementptr inbounds nuw %mlirad.result_memory.List, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 32), i64 %shr.i.i
  %cond.i.i9.i = getelementptr inbounds nuw i8, ptr %block.013, i64 24
  %5 = load ptr, ptr %cond.i.i9.i, align 8
  %tobool.not.i10.i = icmp eq ptr %5, null
  %older5.i11.i = getelementptr inbounds nuw i8, ptr %block.013, i64 32
  %6 = load ptr, ptr %older5.i11.i, align 8
  br i1 %tobool.not.i10.i, label %if.else.i20.i, label %if.then.i12.i

if.then.i12.i:
  %older4.i14.i = getelementptr inbounds nuw i8, ptr %5, i64 32
  store ptr %6, ptr %older4.i14.i, align 8
  br label %if.end.i15.i

if.else.i20.i:
  store ptr %6, ptr %arrayidx.i.i, align 8
  br label %if.end.i15.i

if.end.i15.i:
  %tobool7.not.i16.i = icmp eq ptr %6, null
  %7 = load ptr, ptr %cond.i.i9.i, align 8
  br i1 %tobool7.not.i16.i, label %if.else14.i19.i, label %if.then8.i17.i

if.then8.i17.i:
  %cond.i31.i18.i = getelementptr inbounds nuw i8, ptr %6, i64 24
  store ptr %7, ptr %cond.i31.i18.i, align 8
  br label %cleanup

if.else14.i19.i:
  %oldest.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 8
  store ptr %7, ptr %oldest.i.i, align 8
  br label %cleanup

for.inc:
  %older = getelementptr inbounds nuw i8, ptr %block.013, i64 32
  %block.0 = load ptr, ptr %older, align 8
  %tobool.not = icmp eq ptr %block.0, null
  br i1 %tobool.not, label %.loopexit, label %for.body

cleanup:
  %8 = load i64, ptr %block.013, align 8
  %9 = load i64, ptr @mlirad_kept_results, align 8
  %sub.i = sub i64 %9, %8
  store i64 %sub.i, ptr @mlirad_kept_results, align 8
  br label %.loopexit

.loopexit:
  %block.010 = phi ptr [ %block.013, %cleanup ], [ null, %entry ], [ null, %for.inc ]
  ret ptr %block.010
}

define internal fastcc void @mlirad.result_memory.shrink(i64 noundef range(i64 0, 268173313) %most) noinline nounwind {
entry:
  %0 = load i64, ptr @mlirad_kept_results, align 8
  %cmp7 = icmp ugt i64 %0, %most
  br i1 %cmp7, label %while.body.lr.ph, label %while.end

while.body.lr.ph:
  %1 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 32), align 8
  %2 = load ptr, ptr @mlirad_numpy_allocator, align 8
  br label %while.body

while.body:
  %3 = phi i64 [ %0, %while.body.lr.ph ], [ %14, %taken.exit ]
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 24), align 8
  %5 = load i64, ptr %4, align 8
  %cond.i.i.i = getelementptr inbounds nuw i8, ptr %4, i64 8
  %6 = load ptr, ptr %cond.i.i.i, align 8
  %tobool.not.i.i = icmp eq ptr %6, null
  %older5.i.i = getelementptr inbounds nuw i8, ptr %4, i64 16
  %7 = load ptr, ptr %older5.i.i, align 8
  br i1 %tobool.not.i.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:
  %older4.i.i = getelementptr inbounds nuw i8, ptr %6, i64 16
  store ptr %7, ptr %older4.i.i, align 8
  br label %if.end.i.i

if.else.i.i:
  store ptr %7, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 16), align 8
  br label %if.end.i.i

if.end.i.i:
  %tobool7.not.i.i = icmp eq ptr %7, null
  %8 = load ptr, ptr %cond.i.i.i, align 8
  br i1 %tobool7.not.i.i, label %if.else14.i.i, label %if.then8.i.i

if.then8.i.i:
  %cond.i31.i.i = getelementptr inbounds nuw i8, ptr %7, i64 8
  store ptr %8, ptr %cond.i31.i.i, align 8
  br label %delist.exit.i

if.else14.i.i:
  store ptr %8, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 24), align 8
  br label %delist.exit.i

delist.exit.i:
  %9 = load i64, ptr %4, align 8
  %mul.i.i = mul i64 %9, -7046029254386353131
  %shr.i.i = lshr i64 %mul.i.i, 58
  %arrayidx.i.i = getelementptr inbounds nuw %mlirad.result_memory.List, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 32), i64 %shr.i.i
  %cond.i.i9.i = getelementptr inbounds nuw i8, ptr %4, i64 24
  %10 = load ptr, ptr %cond.i.i9.i, align 8
  %tobool.not.i10.i = icmp eq ptr %10, null
  %older5.i11.i = getelementptr inbounds nuw i8, ptr %4, i64 32
  %11 = load ptr, ptr %older5.i11.i, align 8
  br i1 %tobool.not.i10.i, label %if.else.i20.i, label %if.then.i12.i

if.then.i12.i:
  %older4.i14.i = getelementptr inbounds nuw i8, ptr %10, i64 32
  store ptr %11, ptr %older4.i14.i, align 8
  br label %if.end.i15.i

if.else.i20.i:
  store ptr %11, ptr %arrayidx.i.i, align 8
  br label %if.end.i15.i

if.end.i15.i:
  %tobool7.not.i16.i = icmp eq ptr %11, null
  %12 = load ptr, ptr %cond.i.i9.i, align 8
  br i1 %tobool7.not.i16.i, label %if.else14.i19.i, label %if.then8.i17.i

if.then8.i17.i:
  %cond.i31.i18.i = getelementptr inbounds nuw i8, ptr %11, i64 24
  store ptr %12, ptr %cond.i31.i18.i, align 8
  br label %taken.exit

if.else14.i19.i:
  %oldest.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 8
  store ptr %12, ptr %oldest.i.i, align 8
  br label %taken.exit

taken.exit:
  %13 = load i64, ptr %4, align 8
  %sub.i = sub i64 %3, %13
  store i64 %sub.i, ptr @mlirad_kept_results, align 8
  tail call void %1(ptr noundef %2, ptr noundef nonnull %4, i64 noundef %5) nounwind
  %14 = load i64, ptr @mlirad_kept_results, align 8
  %cmp = icmp ugt i64 %14, %most
  br i1 %cmp, label %while.body, label %while.end

while.end:
  ret void
}

define internal fastcc void @mlirad.result_memory.put(ptr noundef initializes((0, 24)) %memory, i64 noundef range(i64 262144, 268435457) %bytes) noinline nounwind {
entry:
  %sub = sub nuw nsw i64 268435456, %bytes
  tail call fastcc void @mlirad.result_memory.shrink(i64 noundef %sub)
  store i64 %bytes, ptr %memory, align 8
  %cond.i.i = getelementptr inbounds nuw i8, ptr %memory, i64 8
  store ptr null, ptr %cond.i.i, align 8
  %0 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 16), align 8
  %older.i = getelementptr inbounds nuw i8, ptr %memory, i64 16
  store ptr %0, ptr %older.i, align 8
  %tobool.not.i = icmp eq ptr %0, null
  br i1 %tobool.not.i, label %if.else.i, label %if.then.i

if.then.i:
  %cond.i17.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr %memory, ptr %cond.i17.i, align 8
  br label %enlist.exit

if.else.i:
  store ptr %memory, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 24), align 8
  br label %enlist.exit

enlist.exit:
  store ptr %memory, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 16), align 8
  %mul.i = mul i64 %bytes, -7046029254386353131
  %shr.i = lshr i64 %mul.i, 58
  %arrayidx.i = getelementptr inbounds nuw %mlirad.result_memory.List, ptr getelementptr inbounds nuw (i8, ptr @mlirad_kept_results, i64 32), i64 %shr.i
  %cond.i.i11 = getelementptr inbounds nuw i8, ptr %memory, i64 24
  store ptr null, ptr %cond.i.i11, align 8
  %1 = load ptr, ptr %arrayidx.i, align 8
  %older.i12 = getelementptr inbounds nuw i8, ptr %memory, i64 32
  store ptr %1, ptr %older.i12, align 8
  %tobool.not.i13 = icmp eq ptr %1, null
  br i1 %tobool.not.i13, label %if.else.i16, label %if.then.i14

if.then.i14:
  %cond.i17.i15 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store ptr %memory, ptr %cond.i17.i15, align 8
  br label %enlist.exit17

if.else.i16:
  %oldest.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store ptr %memory, ptr %oldest.i, align 8
  br label %enlist.exit17

enlist.exit17:
  store ptr %memory, ptr %arrayidx.i, align 8
  %2 = load i64, ptr @mlirad_kept_results, align 8
  %add = add i64 %2, %bytes
  store i64 %add, ptr @mlirad_kept_results, align 8
  ret void
}
