// RUN: mlirad-opt %s -p expand-formulas | filecheck %s

// A function with a formula becomes that; SciPy computes the others.

// CHECK-LABEL: func.func @slope(%x: f64, %y: f64, %r: f64) -> f64 {
// CHECK-NOT: array.special
// CHECK: array.div %x, %r : f64
// CHECK: func.return
func.func @slope(%x: f64, %y: f64, %r: f64) -> f64 {
  %u = array.special unit %x, %y, %r : f64
  func.return %u : f64
}

// CHECK-LABEL: func.func @both(%x: tensor<3xf64>, %n: i64) -> tensor<3xf64> {
// CHECK: array.scan
// CHECK: array.log
// CHECK: array.special gamma
// CHECK: func.return
func.func @both(%x: tensor<3xf64>, %n: i64) -> tensor<3xf64> {
  %y = array.scan %x (%i, %c: tensor<3xf64>) {carries = 1, length = 4} : tensor<3xf64> -> tensor<3xf64> {
    %e = array.special entr %c : tensor<3xf64>
    %g = array.special gamma %e : tensor<3xf64>
    array.yield %g : tensor<3xf64>
  }
  func.return %y : tensor<3xf64>
}
