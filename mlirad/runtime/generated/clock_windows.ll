; Generated from clock_windows.c by tools/build_runtime.py: change the source and run make runtime. sources 2497b2cc9e637cbc text 89453a4805925636
@mlirad_tick_nanoseconds = external global double, align 8

define internal i64 @mlirad_now() nounwind {
entry:
  %call = tail call i64 @GetTickCount64() nounwind
  %mul = mul nsw i64 %call, 1000000
  ret i64 %mul
}

declare i64 @GetTickCount64()

define i64 @mlirad_rt_clock() nounwind {
entry:
  %ticks = alloca i64, align 8
  %call = call i32 @QueryPerformanceCounter(ptr noundef nonnull %ticks) nounwind
  %0 = load i64, ptr %ticks, align 8
  %conv = sitofp i64 %0 to double
  %1 = load double, ptr @mlirad_tick_nanoseconds, align 8
  %mul = fmul double %1, %conv
  %conv1 = fptosi double %mul to i64
  ret i64 %conv1
}

declare i32 @QueryPerformanceCounter(ptr noundef)
