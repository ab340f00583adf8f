; Generated from stack_linux.c by tools/build_runtime.py: change the source and run make runtime. sources 166e040786e59562 text 8d22e360977ed789
%mlirad.stack_linux.Attributes = type { [128 x i8] }

define internal void @mlirad_find_stack(ptr noundef %stack) nounwind {
entry:
  %here.i = alloca i8, align 1
  %attributes = alloca %mlirad.stack_linux.Attributes, align 16
  %guard = alloca i64, align 8
  %call = tail call ptr @pthread_self() nounwind
  %call1 = call i32 @pthread_getattr_np(ptr noundef %call, ptr noundef nonnull %attributes) nounwind
  %tobool.not = icmp eq i32 %call1, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %0 = ptrtoint ptr %here.i to i64
  %sub.i = add i64 %0, -32768
  store i64 %sub.i, ptr %stack, align 8
  %bytes.i = getelementptr inbounds nuw i8, ptr %stack, i64 8
  store i64 32768, ptr %bytes.i, align 8
  br label %cleanup

if.end:
  store i64 0, ptr %guard, align 8
  %bytes = getelementptr inbounds nuw i8, ptr %stack, i64 8
  %call2 = call i32 @pthread_attr_getstack(ptr noundef nonnull %attributes, ptr noundef %stack, ptr noundef nonnull %bytes) nounwind
  %call3 = call i32 @pthread_attr_getguardsize(ptr noundef nonnull %attributes, ptr noundef nonnull %guard) nounwind
  %call4 = call i32 @pthread_attr_destroy(ptr noundef nonnull %attributes) nounwind
  %1 = load i64, ptr %guard, align 8
  %2 = load i64, ptr %stack, align 8
  %add = add i64 %2, %1
  store i64 %add, ptr %stack, align 8
  %3 = load i64, ptr %bytes, align 8
  %sub = sub i64 %3, %1
  store i64 %sub, ptr %bytes, align 8
  br label %cleanup

cleanup:
  ret void
}

declare i32 @pthread_getattr_np(ptr noundef, ptr noundef)

declare ptr @pthread_self()

declare i32 @pthread_attr_getstack(ptr noundef, ptr noundef, ptr noundef)

declare i32 @pthread_attr_getguardsize(ptr noundef, ptr noundef)

declare i32 @pthread_attr_destroy(ptr noundef)
