// RUN: mlirad-opt --split-input-file --verify-diagnostics -p 'provenance{function=f}' %s | filecheck %s

// Sets of arguments, as bits: a branch adds what its condition depends on, an element what its position does.

// CHECK-LABEL: func.func @f_provenance(%x: f64, %y: f64, %a: tensor<3xf64>, %p: i1, %k: i64) -> (f64, f64, i64, i64) {
// CHECK-NEXT: %0 = array.constant 1 : i64
// CHECK-NEXT: %1 = array.constant 2 : i64
// CHECK-NEXT: %2 = array.constant 4 : i64
// CHECK-NEXT: %3 = array.constant 8 : i64
// CHECK-NEXT: %4 = array.constant 16 : i64
// CHECK-NEXT: %5, %6 = array.if %p : i1 -> (f64, i64) {
// CHECK-NEXT: %s = array.sin %x : f64
// CHECK-NEXT: array.yield %s, %0 : f64, i64
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %y, %1 : f64, i64
// CHECK-NEXT: }
// CHECK-NEXT: %7 = array.or %6, %3 : i64
// CHECK-NEXT: %e = array.index %a[%k] : tensor<3xf64> -> f64
// CHECK-NEXT: %e_1 = array.constant 20 : i64
// CHECK-NEXT: %z = array.mul %e, %y : f64
// CHECK-NEXT: %z_1 = array.constant 22 : i64
// CHECK-NEXT: func.return %5, %z, %7, %z_1 : f64, f64, i64, i64
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

// -----

// In a loop sets are carried; that of what is stacked is collected over the trips.

// CHECK-LABEL: func.func @f_provenance(%x: f64, %a: tensor<3xf64>) -> (f64, tensor<3xf64>, i64, i64) {
// CHECK-NEXT: %0 = array.constant 1 : i64
// CHECK-NEXT: %1 = array.constant 2 : i64
// CHECK-NEXT: %2 = array.constant 0 : i64
// CHECK-NEXT: %3, %4, %5, %6 = array.scan %x, %0, %2, %a (%7, %8: f64, %9, %10, %11: f64) {carries = 3, length = 3} : f64, i64, i64, tensor<3xf64> -> (f64, i64, i64, tensor<3xf64>) {
// CHECK-NEXT: %u = array.mul %8, %11 : f64
// CHECK-NEXT: %u_1 = array.or %9, %1 : i64
// CHECK-NEXT: %u_2 = array.or %10, %9 : i64
// CHECK-NEXT: array.yield %u, %u_1, %u_2, %8 : f64, i64, i64, f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %3, %6, %4, %5 : f64, tensor<3xf64>, i64, i64
// CHECK-NEXT: }

func.func @f(%x: f64, %a: tensor<3xf64>) -> (f64, tensor<3xf64>) {
  %c, %ys = array.scan %x, %a (%i, %s: f64, %t: f64) {carries = 1, length = 3} : f64, tensor<3xf64> -> (f64, tensor<3xf64>) {
    %u = array.mul %s, %t : f64
    array.yield %u, %s : f64, f64
  }
  func.return %c, %ys : f64, tensor<3xf64>
}
