// RUN: mlirad-opt -p plan-memory %s | filecheck %s

// Each map writes over what it reads last, all of them in the output.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: kernel.arena_bytes = 0 : i64
// CHECK: places = [-1]
// CHECK: places = [-1]
// CHECK: places = [-1]
// CHECK: places = [-1]
func.func @chain(%x: tensor<100xf64>) -> tensor<100xf64> {
  %a = kernel.nest %x (%i) {space = [100], reduction = []} : tensor<100xf64> -> tensor<100xf64> {
    %0 = kernel.load %x[%i] : tensor<100xf64> -> f64
    array.yield %0 : f64
  }
  %b = kernel.nest %a (%i) {space = [100], reduction = []} : tensor<100xf64> -> tensor<100xf64> {
    %0 = kernel.load %a[%i] : tensor<100xf64> -> f64
    array.yield %0 : f64
  }
  %c = kernel.nest %b (%i) {space = [100], reduction = []} : tensor<100xf64> -> tensor<100xf64> {
    %0 = kernel.load %b[%i] : tensor<100xf64> -> f64
    array.yield %0 : f64
  }
  %d = kernel.nest %c (%i) {space = [100], reduction = []} : tensor<100xf64> -> tensor<100xf64> {
    %0 = kernel.load %c[%i] : tensor<100xf64> -> f64
    array.yield %0 : f64
  }
  func.return %d : tensor<100xf64>
}

// The base dies: the scatter works on it, in the output itself. An argument is never written to.
// CHECK-LABEL: func.func @scatters
// CHECK: kernel.scatter add %x, %g (%i) {space = [100], places = [-1]}
// CHECK: kernel.scatter add %a, %g (%i) {space = [100], in_place, places = [-1]}
func.func @scatters(%x: tensor<100xf64>, %g: tensor<100xf64>) -> tensor<100xf64> {
  %a = kernel.scatter add %x, %g (%i) {space = [100]} : tensor<100xf64>, tensor<100xf64> -> tensor<100xf64> {
    %0 = kernel.load %g[%i] : tensor<100xf64> -> f64
    array.yield %0, %i : f64, i64
  }
  %b = kernel.scatter add %a, %g (%i) {space = [100]} : tensor<100xf64>, tensor<100xf64> -> tensor<100xf64> {
    %0 = kernel.load %g[%i] : tensor<100xf64> -> f64
    array.yield %0, %i : f64, i64
  }
  func.return %b : tensor<100xf64>
}
