// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Reports: strings that are not identifiers are quoted.

// CHECK-LABEL: func.func @report(%t: i64, %p: i1, %m: tensor<2xi1>, %x: f64, %y: tensor<2x3xf64>) {
// CHECK-NEXT: %v0 = array.report print %t, %p, %x {message = "x = {}", batch_rank = 0} : i64, i1, f64 -> i64
// CHECK-NEXT: %v1 = array.report position %v0, %m, %y {message = outside, source = "model.py:3", batch_rank = 1} : i64, tensor<2xi1>, tensor<2x3xf64> -> i64
// CHECK-NEXT: %v2 = array.report nan %v1, %p {message = "7", batch_rank = 0} : i64, i1 -> i64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @report(%t: i64, %p: i1, %m: tensor<2xi1>, %x: f64, %y: tensor<2x3xf64>) {
  %v0 = array.report print %t, %p, %x {message = "x = {}", batch_rank = 0} : i64, i1, f64 -> i64
  %v1 = array.report position %v0, %m, %y {message = "outside", source = "model.py:3", batch_rank = 1} : i64, tensor<2xi1>, tensor<2x3xf64> -> i64
  %v2 = array.report nan %v1, %p {message = "7", batch_rank = 0} : i64, i1 -> i64
  func.return
}
