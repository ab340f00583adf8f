; Generated from chunk_store.c by tools/build_runtime.py: change the source and run make runtime. sources 7e3e98d3ae02af6c text 18b58fadc1ecb4ef
%mlirad.chunk_store.Store = type { %mlirad.chunk_store.anon, %mlirad.chunk_store.anon.0, %mlirad.chunk_store.anon.1, %mlirad.chunk_store.anon.2 }
%mlirad.chunk_store.anon = type { i64 }
%mlirad.chunk_store.anon.0 = type { i64 }
%mlirad.chunk_store.anon.1 = type { i64 }
%mlirad.chunk_store.anon.2 = type { i64 }

define internal zeroext i1 @mlirad_store_is_full(ptr noundef readonly captures(none) %store, i64 noundef %size) alwaysinline nounwind {
entry:
  %0 = getelementptr inbounds nuw i8, ptr %store, i64 8
  %1 = load ptr, ptr %0, align 8
  %2 = getelementptr inbounds nuw i8, ptr %store, i64 16
  %3 = load ptr, ptr %2, align 8
  %4 = ptrtoint ptr %3 to i64
  %5 = ptrtoint ptr %1 to i64
  %sub.i = sub i64 %4, %5
  %cmp = icmp ugt i64 %size, %sub.i
  ret i1 %cmp
}

define internal ptr @mlirad_store_push(ptr noundef captures(none) %store, i64 noundef %size) alwaysinline nounwind {
entry:
  %0 = getelementptr inbounds nuw i8, ptr %store, i64 8
  %1 = load ptr, ptr %0, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %size
  store ptr %add.ptr, ptr %0, align 8
  ret ptr %1
}

define internal void @mlirad_store_grow(ptr noundef captures(none) %store, i64 noundef %size) alwaysinline cold nounwind {
entry:
  %words = alloca %mlirad.chunk_store.Store, align 8
  %0 = load ptr, ptr %store, align 8
  %1 = getelementptr inbounds nuw i8, ptr %store, i64 8
  %2 = load ptr, ptr %1, align 8
  %3 = getelementptr inbounds nuw i8, ptr %store, i64 16
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %store, i64 24
  %6 = load ptr, ptr %5, align 8
  call fastcc void @mlirad.chunk_store.grown(ptr dead_on_unwind writable sret(%mlirad.chunk_store.Store) align 8 %words, ptr noundef %0, ptr noundef %2, ptr noundef %4, ptr noundef %6, i64 noundef %size) cold
  %7 = load ptr, ptr %words, align 8
  store ptr %7, ptr %store, align 8
  %8 = getelementptr inbounds nuw i8, ptr %words, i64 8
  %9 = load ptr, ptr %8, align 8
  store ptr %9, ptr %1, align 8
  %10 = getelementptr inbounds nuw i8, ptr %words, i64 16
  %11 = load ptr, ptr %10, align 8
  store ptr %11, ptr %3, align 8
  %12 = getelementptr inbounds nuw i8, ptr %words, i64 24
  %13 = load ptr, ptr %12, align 8
  store ptr %13, ptr %5, align 8
  ret void
}

define internal fastcc void @mlirad.chunk_store.grown(ptr dead_on_unwind noalias nonnull writable writeonly sret(%mlirad.chunk_store.Store) align 8 captures(none) initializes((0, 32)) %agg.result, ptr noundef %chunk, ptr noundef %top, ptr noundef %end, ptr noundef %first, i64 noundef %size) cold noinline nounwind {
entry:
  %tobool.not = icmp eq ptr %chunk, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %0 = getelementptr inbounds nuw i8, ptr %chunk, i64 24
  store ptr %top, ptr %0, align 8
  %1 = getelementptr inbounds nuw i8, ptr %chunk, i64 8
  %2 = load ptr, ptr %1, align 8
  %3 = ptrtoint ptr %end to i64
  %4 = ptrtoint ptr %chunk to i64
  %sub.i = sub i64 %3, %4
  %mul = shl i64 %sub.i, 1
  br label %if.end

if.end:
  %least.0 = phi i64 [ %mul, %if.then ], [ 4096, %entry ]
  %following.0 = phi ptr [ %2, %if.then ], [ %first, %entry ]
  %tobool1.not = icmp eq ptr %following.0, null
  br i1 %tobool1.not, label %if.then4, label %lor.lhs.false

lor.lhs.false:
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %following.0, i64 32
  %5 = getelementptr inbounds nuw i8, ptr %following.0, i64 16
  %6 = load ptr, ptr %5, align 8
  %7 = ptrtoint ptr %6 to i64
  %8 = ptrtoint ptr %add.ptr.i to i64
  %sub.i40 = sub i64 %7, %8
  %cmp = icmp ugt i64 %size, %sub.i40
  br i1 %cmp, label %if.then4, label %if.end14

if.then4:
  %mul5 = shl i64 %size, 1
  %add = add i64 %mul5, 32
  %cond = tail call i64 @llvm.umax.i64(i64 %add, i64 %least.0)
  %call.i = tail call ptr @mlirad_rt_malloc(i64 noundef %cond) nounwind
  %tobool.not.i = icmp eq ptr %call.i, null
  br i1 %tobool.not.i, label %cleanup16, label %if.end.i

if.end.i:
  store ptr %chunk, ptr %call.i, align 8
  %9 = getelementptr inbounds nuw i8, ptr %call.i, i64 8
  store ptr %following.0, ptr %9, align 8
  %add.ptr.i41 = getelementptr inbounds nuw i8, ptr %call.i, i64 %cond
  %10 = getelementptr inbounds nuw i8, ptr %call.i, i64 16
  store ptr %add.ptr.i41, ptr %10, align 8
  br i1 %tobool1.not, label %if.end3.i, label %if.then2.i

if.then2.i:
  store ptr %call.i, ptr %following.0, align 8
  br label %if.end3.i

if.end3.i:
  br i1 %tobool.not, label %if.end14, label %if.then5.i

if.then5.i:
  %11 = getelementptr inbounds nuw i8, ptr %chunk, i64 8
  store ptr %call.i, ptr %11, align 8
  br label %if.end14

if.end14:
  %following.1 = phi ptr [ %following.0, %lor.lhs.false ], [ %call.i, %if.then5.i ], [ %call.i, %if.end3.i ]
  %first.addr.2 = phi ptr [ %first, %lor.lhs.false ], [ %first, %if.then5.i ], [ %call.i, %if.end3.i ]
  %add.ptr.i42 = getelementptr inbounds nuw i8, ptr %following.1, i64 32
  %12 = getelementptr inbounds nuw i8, ptr %following.1, i64 16
  %13 = load ptr, ptr %12, align 8
  br label %cleanup16

cleanup16:
  %chunk.sink = phi ptr [ %following.1, %if.end14 ], [ %chunk, %if.then4 ]
  %top.sink = phi ptr [ %add.ptr.i42, %if.end14 ], [ %top, %if.then4 ]
  %end.sink = phi ptr [ %13, %if.end14 ], [ %end, %if.then4 ]
  %first.sink = phi ptr [ %first.addr.2, %if.end14 ], [ %first, %if.then4 ]
  store ptr %chunk.sink, ptr %agg.result, align 8
  %14 = getelementptr inbounds nuw i8, ptr %agg.result, i64 8
  store ptr %top.sink, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %agg.result, i64 16
  store ptr %end.sink, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %agg.result, i64 24
  store ptr %first.sink, ptr %16, align 8
  ret void
}

define internal void @mlirad_store_mark(ptr noundef readonly captures(none) %store, ptr noundef writeonly captures(none) initializes((0, 24)) %mark) alwaysinline nounwind {
entry:
  %0 = load ptr, ptr %store, align 8
  store ptr %0, ptr %mark, align 8
  %1 = getelementptr inbounds nuw i8, ptr %store, i64 8
  %2 = load ptr, ptr %1, align 8
  %3 = getelementptr inbounds nuw i8, ptr %mark, i64 8
  store ptr %2, ptr %3, align 8
  %4 = getelementptr inbounds nuw i8, ptr %store, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %mark, i64 16
  store ptr %5, ptr %6, align 8
  ret void
}

define internal void @mlirad_store_reset(ptr noundef writeonly captures(none) initializes((0, 24)) %store, ptr noundef readonly captures(none) %mark) alwaysinline nounwind {
entry:
  %0 = load ptr, ptr %mark, align 8
  store ptr %0, ptr %store, align 8
  %1 = getelementptr inbounds nuw i8, ptr %mark, i64 8
  %2 = load ptr, ptr %1, align 8
  %3 = getelementptr inbounds nuw i8, ptr %store, i64 8
  store ptr %2, ptr %3, align 8
  %4 = getelementptr inbounds nuw i8, ptr %mark, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %store, i64 16
  store ptr %5, ptr %6, align 8
  ret void
}

define internal void @mlirad_store_clear(ptr noundef writeonly captures(none) initializes((0, 24)) %store) alwaysinline nounwind {
entry:
  store ptr null, ptr %store, align 8
  %0 = getelementptr inbounds nuw i8, ptr %store, i64 8
  store ptr null, ptr %0, align 8
  %1 = getelementptr inbounds nuw i8, ptr %store, i64 16
  store ptr null, ptr %1, align 8
  ret void
}

define internal void @mlirad_store_release(ptr noundef readonly captures(none) %store) alwaysinline nounwind {
entry:
  %0 = getelementptr inbounds nuw i8, ptr %store, i64 24
  %1 = load ptr, ptr %0, align 8
  tail call fastcc void @mlirad.chunk_store.free_chunks(ptr noundef %1)
  ret void
}

define internal fastcc void @mlirad.chunk_store.free_chunks(ptr noundef %first) noinline nounwind {
entry:
  %tobool.not5 = icmp eq ptr %first, null
  br i1 %tobool.not5, label %for.cond.cleanup, label %for.body

for.cond.cleanup:
  ret void

for.body:
  %chunk.06 = phi ptr [ %1, %for.body ], [ %first, %entry ]
  %0 = getelementptr inbounds nuw i8, ptr %chunk.06, i64 8
  %1 = load ptr, ptr %0, align 8
  %2 = getelementptr inbounds nuw i8, ptr %chunk.06, i64 16
  %3 = load ptr, ptr %2, align 8
  %4 = ptrtoint ptr %3 to i64
  %5 = ptrtoint ptr %chunk.06 to i64
  %sub.i = sub i64 %4, %5
  tail call void @mlirad_rt_free(ptr noundef nonnull %chunk.06, i64 noundef %sub.i) nounwind
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %for.cond.cleanup, label %for.body
}

define internal zeroext i1 @mlirad_store_holds(ptr noundef readonly captures(none) %store, ptr noundef %record, i64 noundef %size) noinline nounwind {
entry:
  %0 = load ptr, ptr %store, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %1 = getelementptr inbounds nuw i8, ptr %store, i64 24
  %chunk.026 = load ptr, ptr %1, align 8
  %cmp.not27 = icmp eq ptr %chunk.026, %0
  br i1 %cmp.not27, label %for.end, label %for.body.lr.ph

for.body.lr.ph:
  %2 = ptrtoint ptr %record to i64
  br label %for.body

for.cond:
  %3 = getelementptr inbounds nuw i8, ptr %chunk.028, i64 8
  %chunk.0 = load ptr, ptr %3, align 8
  %cmp.not = icmp eq ptr %chunk.0, %0
  br i1 %cmp.not, label %for.end, label %for.body

for.body:
  %chunk.028 = phi ptr [ %chunk.026, %for.body.lr.ph ], [ %chunk.0, %for.cond ]
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %chunk.028, i64 32
  %4 = getelementptr inbounds nuw i8, ptr %chunk.028, i64 24
  %5 = load ptr, ptr %4, align 8
  %cmp.not.i = icmp uge ptr %record, %add.ptr.i
  %cmp1.not.i = icmp ule ptr %record, %5
  %or.cond.i.not25 = and i1 %cmp.not.i, %cmp1.not.i
  %6 = ptrtoint ptr %5 to i64
  %sub.i.i = sub i64 %6, %2
  %cmp2.i = icmp uge i64 %sub.i.i, %size
  %or.cond = and i1 %or.cond.i.not25, %cmp2.i
  br i1 %or.cond, label %return, label %for.cond

for.end:
  %add.ptr.i15 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %7 = getelementptr inbounds nuw i8, ptr %store, i64 8
  %8 = load ptr, ptr %7, align 8
  %cmp.not.i16 = icmp ult ptr %record, %add.ptr.i15
  %cmp1.not.i17 = icmp ugt ptr %record, %8
  %or.cond.i18 = or i1 %cmp.not.i16, %cmp1.not.i17
  br i1 %or.cond.i18, label %return, label %land.rhs.i19

land.rhs.i19:
  %9 = ptrtoint ptr %8 to i64
  %10 = ptrtoint ptr %record to i64
  %sub.i.i20 = sub i64 %9, %10
  %cmp2.i21 = icmp uge i64 %sub.i.i20, %size
  br label %return

return:
  %retval.1 = phi i1 [ false, %for.end ], [ false, %entry ], [ %cmp2.i21, %land.rhs.i19 ], [ true, %for.body ]
  ret i1 %retval.1
}

define internal void @mlirad_store_first(ptr noundef readonly captures(none) %store, ptr noundef writeonly captures(none) initializes((0, 16)) %cursor) alwaysinline nounwind {
entry:
  %0 = getelementptr inbounds nuw i8, ptr %store, i64 24
  %1 = load ptr, ptr %0, align 8
  store ptr %1, ptr %cursor, align 8
  %tobool.not = icmp eq ptr %1, null
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %1, i64 32
  %spec.select = select i1 %tobool.not, ptr null, ptr %add.ptr.i
  %2 = getelementptr inbounds nuw i8, ptr %cursor, i64 8
  store ptr %spec.select, ptr %2, align 8
  ret void
}

define internal void @mlirad_store_last(ptr noundef readonly captures(none) %store, ptr noundef writeonly captures(none) initializes((0, 16)) %cursor) alwaysinline nounwind {
entry:
  %0 = load ptr, ptr %store, align 8
  store ptr %0, ptr %cursor, align 8
  %1 = getelementptr inbounds nuw i8, ptr %store, i64 8
  %2 = load ptr, ptr %1, align 8
  %3 = getelementptr inbounds nuw i8, ptr %cursor, i64 8
  store ptr %2, ptr %3, align 8
  ret void
}

define internal ptr @mlirad_store_next(ptr noundef captures(none) %cursor, i64 noundef %size) alwaysinline nounwind {
entry:
  %0 = getelementptr inbounds nuw i8, ptr %cursor, i64 8
  %1 = load ptr, ptr %0, align 8
  %2 = load ptr, ptr %cursor, align 8
  %3 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %4 = load ptr, ptr %3, align 8
  %5 = ptrtoint ptr %4 to i64
  %6 = ptrtoint ptr %1 to i64
  %sub.i = sub i64 %5, %6
  %cmp = icmp ugt i64 %size, %sub.i
  br i1 %cmp, label %if.then, label %if.end, !prof !{!"branch_weights", !"expected", i32 214750, i32 2147268899}

if.then:
  %7 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %8 = load ptr, ptr %7, align 8
  store ptr %8, ptr %cursor, align 8
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %8, i64 32
  br label %if.end

if.end:
  %record.0 = phi ptr [ %add.ptr.i, %if.then ], [ %1, %entry ]
  %add.ptr = getelementptr inbounds nuw i8, ptr %record.0, i64 %size
  store ptr %add.ptr, ptr %0, align 8
  ret ptr %record.0
}

define internal ptr @mlirad_store_back(ptr noundef captures(none) %cursor, i64 noundef %size) alwaysinline nounwind {
entry:
  %0 = getelementptr inbounds nuw i8, ptr %cursor, i64 8
  %1 = load ptr, ptr %0, align 8
  %2 = load ptr, ptr %cursor, align 8
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %2, i64 32
  %cmp = icmp eq ptr %1, %add.ptr.i
  br i1 %cmp, label %if.then, label %if.end, !prof !{!"branch_weights", !"expected", i32 214750, i32 2147268899}

if.then:
  %3 = load ptr, ptr %2, align 8
  store ptr %3, ptr %cursor, align 8
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %5 = load ptr, ptr %4, align 8
  br label %if.end

if.end:
  %end.0 = phi ptr [ %5, %if.then ], [ %1, %entry ]
  %idx.neg = sub i64 0, %size
  %add.ptr = getelementptr inbounds i8, ptr %end.0, i64 %idx.neg
  store ptr %add.ptr, ptr %0, align 8
  ret ptr %add.ptr
}

declare ptr @mlirad_rt_malloc(i64 noundef)

declare void @mlirad_rt_free(ptr noundef, i64 noundef)

declare i64 @llvm.umax.i64(i64, i64) nounwind
