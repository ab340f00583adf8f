; Generated from stack_darwin.c by tools/build_runtime.py: change the source and run make runtime. sources 7c6ff3885aa0ce0d text 789169c027809472
define internal void @mlirad_find_stack(ptr noundef captures(none) initializes((0, 16)) %stack) nounwind {
entry:
  %call = tail call ptr @pthread_self() nounwind
  %call1 = tail call i64 @pthread_get_stacksize_np(ptr noundef %call) nounwind
  %bytes = getelementptr inbounds nuw i8, ptr %stack, i64 8
  store i64 %call1, ptr %bytes, align 8
  %call2 = tail call i64 @pthread_get_stackaddr_np(ptr noundef %call) nounwind
  %0 = load i64, ptr %bytes, align 8
  %sub = sub i64 %call2, %0
  store i64 %sub, ptr %stack, align 8
  ret void
}

declare ptr @pthread_self()

declare i64 @pthread_get_stacksize_np(ptr noundef)

declare i64 @pthread_get_stackaddr_np(ptr noundef)
