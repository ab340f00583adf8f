; Generated from stack_unknown.c by tools/build_runtime.py: change the source and run make runtime. sources a425e4799c74b5b0 text c1b489ca85f2bf29
define internal void @mlirad_find_stack(ptr noundef writeonly captures(none) initializes((0, 16)) %stack) nounwind {
entry:
  %here.i = alloca i8, align 1
  %0 = ptrtoint ptr %here.i to i64
  %sub.i = add i64 %0, -32768
  store i64 %sub.i, ptr %stack, align 8
  %bytes.i = getelementptr inbounds nuw i8, ptr %stack, i64 8
  store i64 32768, ptr %bytes.i, align 8
  ret void
}
