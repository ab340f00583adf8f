; Generated from standard_mode.c by tools/build_runtime.py: change the source and run make runtime. sources 147b58a98126da8c text f115c867307916cf
define internal i64 @enter_standard() nounwind {
entry:
  %call = tail call i64 @float_control.get() nounwind
  %0 = tail call i32 @llvm.get.rounding()
  %cmp.not = icmp eq i32 %0, 1
  br i1 %cmp.not, label %if.end, label %if.then

if.then:
  tail call void @llvm.set.rounding(i32 1)
  br label %if.end

if.end:
  %conv = sext i32 %0 to i64
  %call2 = tail call i64 @float_control.standard() nounwind
  tail call void @float_control.set(i64 noundef %call2) nounwind
  %shl = shl nsw i64 %conv, 32
  %or = or i64 %shl, %call
  ret i64 %or
}

declare i64 @float_control.get()

declare i32 @llvm.get.rounding() nounwind

declare void @llvm.set.rounding(i32) nounwind

declare void @float_control.set(i64 noundef)

declare i64 @float_control.standard()

define internal void @leave_standard(i64 noundef %both) nounwind {
entry:
  %shr = lshr i64 %both, 32
  %cmp.not = icmp eq i64 %shr, 1
  br i1 %cmp.not, label %if.end, label %if.then

if.then:
  %conv = trunc nuw i64 %shr to i32
  tail call void @llvm.set.rounding(i32 %conv)
  br label %if.end

if.end:
  %conv3 = and i64 %both, 4294967295
  tail call void @float_control.set(i64 noundef %conv3) nounwind
  ret void
}
