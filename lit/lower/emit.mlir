// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=sum %s | filecheck %s --check-prefix=SUM
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=twice %s | filecheck %s --check-prefix=TWICE
// RUN: mlirad-opt --emit=llvm --entry=twice %s | filecheck %s --check-prefix=CHECKED
// RUN: mlirad-opt --emit=llvm --trust-kernels --entry=twice %s | filecheck %s --check-prefix=FLUSHED

// Blocks of lanes, then a last one that ends with the loop: lanes that were added before are masked off.
// SUM: define internal void @k0_emit_mlir_{{[0-9]+}}_s(ptr noalias %b0, ptr noalias readonly %b1) alwaysinline
// SUM: load <[[W:[0-9]+]] x double>
// SUM: fadd contract <[[W]] x double>
// SUM: select <[[W]] x i1> <i1 false, {{.*}}i1 true>
// SUM: call reassoc double @llvm.vector.reduce.fadd
// SUM: store double
// SUM: define internal void @mlirad_body(
// SUM: call void @k0_emit_mlir_{{[0-9]+}}_s(
func.func @sum(%x: tensor<21xf64>) -> f64 attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x (%r) {space = [], reduction = [21], combiners = [add], lane = 0, width = 8, places = [-1]}
      : tensor<21xf64> -> f64 {
    %a = kernel.load %x[%r] : tensor<21xf64> -> f64
    array.yield %a : f64
  }
  func.return %s : f64
}

// A whole vector and two elements; no loop, no mask.
// TWICE-NOT: br label
// TWICE: [[X:%[a-z0-9.]+]] = load <8 x double>, ptr %b1, align 8
// TWICE: fadd contract <8 x double> [[X]], [[X]]
// TWICE: store <8 x double> {{.*}}, ptr %b0, align 8
// TWICE: load <2 x double>
// TWICE: store <2 x double>
// Kernels that were read as text are checked, and stay one basic block.
// CHECKED: define internal void @k0
// CHECKED-NEXT: entry:
// CHECKED-NOT: {{^[a-z0-9.]+:}}
// CHECKED: icmp ult <8 x i64>
// CHECKED-NOT: {{^[a-z0-9.]+:}}
// CHECKED: [[CELL:%[a-z0-9.]+]] = select i1 {{.*}}, ptr %fault, ptr %
// CHECKED-NEXT: store i64 1, ptr [[CELL]]
// CHECKED-NOT: {{^[a-z0-9.]+:}}
// CHECKED: ret void
// Kernels of floats run in a function of their own, between two settings of the mode: with subnormal numbers as zeros,
// or as they are.
// TWICE: call void @float_control.set(i64 {{[0-9]+}})
// FLUSHED: define internal void @mlirad_body({{.*}} noinline
// FLUSHED: define void @mlirad_main(
// FLUSHED: [[MODE:%[a-z0-9.]+]] = call i64 @float_control.get()
// FLUSHED: call void @float_control.set(i64 {{[0-9]+}})
// FLUSHED: call void @mlirad_body(
// FLUSHED: call void @float_control.set(i64 [[MODE]])
// FLUSHED: ret void
func.func @twice(%x: tensor<10xf64>) -> tensor<10xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [10], reduction = [], lane = 0, width = 8, places = [-1]}
      : tensor<10xf64> -> tensor<10xf64> {
    %a = kernel.load %x[%i] : tensor<10xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<10xf64>
}
