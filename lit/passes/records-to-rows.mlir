// RUN: mlirad-opt -p "records-to-rows{rooms=16},mlirad-dce" %s | filecheck %s

// Where something is differentiated, records are rows of arrays, which are threaded as values.

// The number of rows, then an array for each slot. The loop leaves a record, so the number goes on.
// CHECK-LABEL: func.func private @f(%x: f64) -> f64 {
// CHECK: %r = array.next_row %{{.*}} {record = 0, room = 16} : i64 -> i64
// CHECK-NEXT: %{{.*}} = array.update set %{{.*}}, %x () : tensor<16xf64>, f64 -> tensor<16xf64> {
// CHECK-NEXT: array.yield %r : i64
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = array.update set %{{.*}}, %{{.*}} () : tensor<16xi64>, i64 -> tensor<16xi64> {
// CHECK: array.add %r, %{{.*}} : i64
// CHECK: array.scan %r, {{.*}} {carries = 4, length = 3} : i64, i64, tensor<16xf64>, tensor<16xi64> -> (i64, i64, tensor<16xf64>, tensor<16xi64>) {
// CHECK: array.next_row
// CHECK: func.call @sum(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, tensor<16xf64>, tensor<16xi64>) -> f64

// A function that only reads records takes the state, and does not return it.
// CHECK-LABEL: func.func private @sum(%h: i64, %0: i64, %1: tensor<16xf64>, %2: tensor<16xi64>) -> f64 {
// CHECK-NEXT: %y = array.index %1[%h] : tensor<16xf64> -> f64
// CHECK-NEXT: %y_1 = array.index %2[%h] : tensor<16xi64> -> i64
func.func private @f(%x: f64) -> f64 {
  %none = array.no_frame : -> !array.frame<k>
  %r = array.save %x, %none : f64, !array.frame<k> -> !array.frame<k>
  %last = array.scan %r (%i, %h: !array.frame<k>) {carries = 1, length = 3} : !array.frame<k> -> !array.frame<k> {
    %s = array.save %x, %h : f64, !array.frame<k> -> !array.frame<k>
    array.yield %s : !array.frame<k>
  }
  %y = func.call @sum(%last) : (!array.frame<k>) -> f64
  func.return %y : f64
}
func.func private @sum(%h: !array.frame<k>) -> f64 {
  %y, %next = array.restore %h : !array.frame<k> -> (f64, !array.frame<k>)
  %zero = array.constant 0.0 : f64
  %more = array.compare gt %y, %zero : f64, f64 -> i1
  %z = array.if %more : i1 -> f64 {
    %w = func.call @sum(%next) : (!array.frame<k>) -> f64
    array.yield %w : f64
  } else {
    array.yield %y : f64
  }
  func.return %z : f64
}
func.func @main(%x: f64) -> f64 {
  %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %one = array.constant 1.0 : f64
  %g = linear.apply_transpose %d, %one : !linear.map<f64, f64>, f64 -> f64
  func.return %g : f64
}
