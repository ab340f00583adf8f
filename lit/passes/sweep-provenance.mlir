// RUN: mlirad-opt -p 'sweep{function=f instance=provenance mode=forward}' %s | filecheck %s

// A boolean per element: a branch adds what its condition depends on, an element what its position does.

// CHECK-LABEL: func.func @f_sweep(%x: f64, %y: f64, %a: tensor<3xf64>, %p: i1, %k: i64, %d_x: i1, %d_y: i1, %d_a: tensor<3xi1>, %d_p: i1, %d_k: i1) -> (f64, f64, i1, i1) {
// CHECK-NEXT: %0, %1 = array.if %p : i1 -> (f64, i1) {
// CHECK-NEXT: %s = array.sin %x : f64
// CHECK-NEXT: array.yield %s, %d_x : f64, i1
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %y, %d_y : f64, i1
// CHECK-NEXT: }
// CHECK-NEXT: %2 = array.or %1, %d_p : i1
// CHECK-NEXT: %e = array.index %a[%k] : tensor<3xf64> -> f64
// CHECK-NEXT: %e_1 = array.index %d_a[%k] : tensor<3xi1> -> i1
// CHECK-NEXT: %e_2 = array.or %e_1, %d_k : i1
// CHECK-NEXT: %z = array.mul %e, %y : f64
// CHECK-NEXT: %z_1 = array.or %e_2, %d_y : i1
// CHECK-NEXT: func.return %0, %z, %2, %z_1 : f64, f64, i1, i1
// CHECK-NEXT: }

func.func @f(%x: f64, %y: f64, %a: tensor<3xf64>, %p: i1, %k: i64) -> (f64, f64) {
  %r = array.if %p : i1 -> f64 {
    %s = array.sin %x : f64
    array.yield %s : f64
  } else {
    array.yield %y : f64
  }
  %e = array.index %a[%k] : tensor<3xf64> -> f64
  %z = array.mul %e, %y : f64
  func.return %r, %z : f64, f64
}
