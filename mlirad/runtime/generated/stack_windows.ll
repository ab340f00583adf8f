; Generated from stack_windows.c by tools/build_runtime.py: change the source and run make runtime. sources 52b132cfad9b68b6 text 6b192232340df1aa
define internal void @mlirad_find_stack(ptr noundef %stack) nounwind {
entry:
  %high = alloca i64, align 8
  call void @GetCurrentThreadStackLimits(ptr noundef %stack, ptr noundef nonnull %high) nounwind
  %0 = load i64, ptr %high, align 8
  %1 = load i64, ptr %stack, align 8
  %sub = sub i64 %0, %1
  %bytes = getelementptr inbounds nuw i8, ptr %stack, i64 8
  store i64 %sub, ptr %bytes, align 8
  ret void
}

declare void @GetCurrentThreadStackLimits(ptr noundef, ptr noundef)
