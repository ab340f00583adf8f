// RUN: mlirad-opt -p convert-from-array --split-input-file %s | filecheck %s

// A contraction is one structured op, on zeros.
func.func @dot(%x: tensor<3x4xf64>, %y: tensor<4x5xf64>) -> tensor<3x5xf64> {
  %r = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x4xf64>, tensor<4x5xf64> -> tensor<3x5xf64>
  func.return %r : tensor<3x5xf64>
}
// CHECK-LABEL: func.func @dot
// CHECK: arith.constant dense<0.000000e+00> : tensor<3x5xf64>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield

// -----

// Integers are divided between guards, and positions clamped.
func.func @guards(%x: i64, %y: i64, %a: tensor<5xf64>) -> f64 {
  %q = array.div %x, %y : i64
  %r = array.index %a[%q] : tensor<5xf64> -> f64
  func.return %r : f64
}
// CHECK-LABEL: func.func @guards
// CHECK: arith.divsi
// CHECK: arith.maxsi
// CHECK-NEXT: arith.constant 4 : i64
// CHECK-NEXT: arith.minsi
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: tensor.extract

// -----

// A loop carries tensors; what is stacked is written slice by slice.
func.func @scan(%z: f64, %x: tensor<5xf64>) -> (f64, tensor<5xf64>) {
  %r, %s = array.scan %z, %x (%i, %c: f64, %e: f64) {carries = 1, length = 5} : f64, tensor<5xf64> -> (f64, tensor<5xf64>) {
    %t = array.mul %c, %e : f64
    array.yield %t, %c : f64, f64
  }
  func.return %r, %s : f64, tensor<5xf64>
}
// CHECK-LABEL: func.func @scan
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK-NEXT: arith.mulf
// CHECK: tensor.insert
// CHECK-NEXT: scf.yield

// -----

// An op that upstream lacks is a function of the C library.
func.func @erfc(%x: f32) -> f32 {
  %r = array.erfc %x : f32
  func.return %r : f32
}
// CHECK-LABEL: func.func @erfc
// CHECK: func.call @erfcf(%x) : (f32) -> f32
// CHECK: func.func private @erfcf(f32) -> f32
