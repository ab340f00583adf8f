; Generated from result_memory.c by tools/build_runtime.py: change the source and run make runtime. sources eceab75e63f47b63 text c06dd7da32470aae
%mlirad.result_memory.Handler = type { [127 x i8], i8, %mlirad.result_memory.Allocator }
%mlirad.result_memory.Allocator = type { ptr, ptr, ptr, ptr, ptr }
%mlirad.result_memory.Block = type { ptr, i64 }

@mlirad_results = constant %mlirad.result_memory.Handler { [127 x i8] c"mlirad results\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00", i8 1, %mlirad.result_memory.Allocator { ptr null, ptr @mlirad.result_memory.take, ptr @mlirad.result_memory.take_zeros, ptr @mlirad.result_memory.resize, ptr @mlirad.result_memory.give_back } }, align 8
@mlirad_kept_bytes = global i64 0, align 8
@mlirad_numpy_allocator = external constant %mlirad.result_memory.Allocator, align 8
@mlirad.result_memory.is_busy = internal global i64 0, align 8
@mlirad.result_memory.blocks = internal global [32 x %mlirad.result_memory.Block] zeroinitializer, align 16
@mlirad.result_memory.oldest = internal global i64 0, align 8

define internal ptr @mlirad.result_memory.take(ptr readnone captures(none) %context, i64 noundef %bytes) nounwind {
entry:
  %cmp = icmp ugt i64 %bytes, 262143
  br i1 %cmp, label %land.lhs.true, label %if.end3

land.lhs.true:
  %0 = cmpxchg ptr @mlirad.result_memory.is_busy, i64 0, i64 1 acquire monotonic, align 8
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.then, label %if.end3

if.then:
  %call1 = tail call fastcc ptr @mlirad.result_memory.take_kept(i64 noundef %bytes)
  store atomic i64 0, ptr @mlirad.result_memory.is_busy release, align 8
  %tobool.not.not = icmp eq ptr %call1, null
  br i1 %tobool.not.not, label %if.end3, label %return

if.end3:
  %2 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 8), align 8
  %3 = load ptr, ptr @mlirad_numpy_allocator, align 8
  %call4 = tail call ptr %2(ptr noundef %3, i64 noundef %bytes) nounwind
  br label %return

return:
  %retval.1 = phi ptr [ %call4, %if.end3 ], [ %call1, %if.then ]
  ret ptr %retval.1
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
  %0 = add i64 %bytes, -268435457
  %or.cond = icmp ult i64 %0, -268173313
  br i1 %or.cond, label %if.then, label %lor.lhs.false2

lor.lhs.false2:
  %1 = cmpxchg ptr @mlirad.result_memory.is_busy, i64 0, i64 1 acquire monotonic, align 8
  %2 = extractvalue { i64, i1 } %1, 1
  br i1 %2, label %if.end, label %if.then

if.then:
  %3 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 32), align 8
  %4 = load ptr, ptr @mlirad_numpy_allocator, align 8
  tail call void %3(ptr noundef %4, ptr noundef %memory, i64 noundef %bytes) nounwind
  br label %return

if.end:
  tail call fastcc void @mlirad.result_memory.keep(ptr noundef %memory, i64 noundef %bytes)
  store atomic i64 0, ptr @mlirad.result_memory.is_busy release, align 8
  br label %return

return:
  ret void
}

define internal fastcc ptr @mlirad.result_memory.take_kept(i64 noundef range(i64 262144, 0) %bytes) noinline nounwind {
entry:
  br label %for.body

for.cond:
  %inc = add nuw nsw i64 %k.010, 1
  %exitcond.not = icmp eq i64 %inc, 32
  br i1 %exitcond.not, label %.loopexit, label %for.body

for.body:
  %k.010 = phi i64 [ 0, %entry ], [ %inc, %for.cond ]
  %arrayidx = getelementptr inbounds nuw %mlirad.result_memory.Block, ptr @mlirad.result_memory.blocks, i64 %k.010
  %bytes1 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %0 = load i64, ptr %bytes1, align 8
  %cmp2 = icmp eq i64 %0, %bytes
  br i1 %cmp2, label %cleanup, label %for.cond

cleanup:
  %bytes1.le = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load ptr, ptr %arrayidx, align 8
  %2 = load i64, ptr @mlirad_kept_bytes, align 8
  %sub.i = sub i64 %2, %bytes
  store i64 %sub.i, ptr @mlirad_kept_bytes, align 8
  store ptr null, ptr %arrayidx, align 8
  store i64 0, ptr %bytes1.le, align 8
  br label %.loopexit

.loopexit:
  %3 = phi ptr [ %1, %cleanup ], [ null, %for.cond ]
  ret ptr %3
}

define internal fastcc void @mlirad.result_memory.keep(ptr noundef %memory, i64 noundef range(i64 262144, 268435457) %bytes) noinline nounwind {
entry:
  %0 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @mlirad_numpy_allocator, i64 32), align 8
  %1 = load ptr, ptr @mlirad_numpy_allocator, align 8
  %.pre = load i64, ptr @mlirad.result_memory.oldest, align 8
  %.pre18.pre = load i64, ptr @mlirad_kept_bytes, align 8
  br label %while.body

while.body.critedge:
  %2 = load i64, ptr @mlirad.result_memory.oldest, align 8
  %add9.c = add i64 %2, 1
  %rem.c = and i64 %add9.c, 31
  store i64 %rem.c, ptr @mlirad.result_memory.oldest, align 8
  br label %while.body

while.body:
  %.pre18 = phi i64 [ %.pre1819, %while.body.critedge ], [ %.pre18.pre, %entry ]
  %3 = phi i64 [ %rem.c, %while.body.critedge ], [ %.pre, %entry ]
  %arrayidx = getelementptr inbounds nuw %mlirad.result_memory.Block, ptr @mlirad.result_memory.blocks, i64 %3
  %bytes1 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %4 = load ptr, ptr %arrayidx, align 16
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %5 = load i64, ptr %bytes1, align 8
  %sub.i = sub i64 %.pre18, %5
  store i64 %sub.i, ptr @mlirad_kept_bytes, align 8
  store ptr null, ptr %arrayidx, align 16
  store i64 0, ptr %bytes1, align 8
  tail call void %0(ptr noundef %1, ptr noundef nonnull %4, i64 noundef %5) nounwind
  %.pre17 = load i64, ptr @mlirad_kept_bytes, align 8
  br label %if.end

if.end:
  %.pre1819 = phi i64 [ %.pre17, %if.then ], [ %.pre18, %while.body ]
  %add = add i64 %.pre1819, %bytes
  %cmp = icmp ult i64 %add, 268435457
  br i1 %cmp, label %if.then4, label %while.body.critedge

if.then4:
  store ptr %memory, ptr %arrayidx, align 8
  store i64 %bytes, ptr %bytes1, align 8
  store i64 %add, ptr @mlirad_kept_bytes, align 8
  %6 = load i64, ptr @mlirad.result_memory.oldest, align 8
  %add9 = add i64 %6, 1
  %rem = and i64 %add9, 31
  store i64 %rem, ptr @mlirad.result_memory.oldest, align 8
  ret void
}
