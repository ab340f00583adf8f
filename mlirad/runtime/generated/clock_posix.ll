; Generated from clock_posix.c by tools/build_runtime.py: change the source and run make runtime. sources a4e5ccaa7b6e7151 text 1c1876c3d29c1440
%mlirad.clock_posix.Time = type { i64, i64 }

@mlirad_monotonic_clock = external global i32, align 4

define internal i64 @mlirad_now() nounwind {
entry:
  %time = alloca %mlirad.clock_posix.Time, align 8
  %0 = load i32, ptr @mlirad_monotonic_clock, align 4
  %call = call i32 @clock_gettime(i32 noundef %0, ptr noundef nonnull %time) nounwind
  %1 = load i64, ptr %time, align 8
  %mul = mul nsw i64 %1, 1000000000
  %nanoseconds = getelementptr inbounds nuw i8, ptr %time, i64 8
  %2 = load i64, ptr %nanoseconds, align 8
  %add = add nsw i64 %mul, %2
  ret i64 %add
}

declare i32 @clock_gettime(i32 noundef, ptr noundef)

define i64 @mlirad_rt_clock() nounwind {
entry:
  %time.i = alloca %mlirad.clock_posix.Time, align 8
  %0 = load i32, ptr @mlirad_monotonic_clock, align 4
  %call.i = call i32 @clock_gettime(i32 noundef %0, ptr noundef nonnull %time.i) nounwind
  %1 = load i64, ptr %time.i, align 8
  %mul.i = mul nsw i64 %1, 1000000000
  %nanoseconds.i = getelementptr inbounds nuw i8, ptr %time.i, i64 8
  %2 = load i64, ptr %nanoseconds.i, align 8
  %add.i = add nsw i64 %mul.i, %2
  ret i64 %add.i
}
