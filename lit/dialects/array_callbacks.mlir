// RUN: mlirad-opt %s | mlirad-opt | filecheck %s

// Calls of Python functions.

// CHECK-LABEL: func.func @one(%p: i1, %x: f64) -> tensor<3xf64> {
// CHECK-NEXT: %y = array.callback %p, %x {function = "model.table", batch_rank = 0} : i1, f64 -> tensor<3xf64>
func.func @one(%p: i1, %x: f64) -> tensor<3xf64> {
  %y = array.callback %p, %x {function = "model.table", batch_rank = 0} : i1, f64 -> tensor<3xf64>
  func.return %y : tensor<3xf64>
}

// CHECK-LABEL: func.func @batch
// CHECK-NEXT: %y, %z = array.callback %p, %x {function = "m.f", vectorized, source = "m.py:3", batch_rank = 1} : tensor<2xi1>, tensor<2x3xf64> -> (tensor<2xf64>, tensor<2x4xi64>)
func.func @batch(%p: tensor<2xi1>, %x: tensor<2x3xf64>) -> tensor<2xf64> {
  %y, %z = array.callback %p, %x {function = "m.f", vectorized, source = "m.py:3", batch_rank = 1} : tensor<2xi1>, tensor<2x3xf64> -> (tensor<2xf64>, tensor<2x4xi64>)
  func.return %y : tensor<2xf64>
}

// CHECK-LABEL: func.func @called_report
// CHECK-NEXT: %u = array.report call %t, %p, %x {message = "model.{progress}", batch_rank = 0} : i64, i1, f64 -> i64
func.func @called_report(%t: i64, %p: i1, %x: f64) -> i64 {
  %u = array.report call %t, %p, %x {message = "model.{progress}", batch_rank = 0} : i64, i1, f64 -> i64
  func.return %u : i64
}
