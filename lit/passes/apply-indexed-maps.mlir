// RUN: mlirad-opt %s -p apply-linear-maps --split-input-file | filecheck %s

// Maps at every position, and through spaces of functions, applied.

// Reads at positions, transposed: one scatter.

// CHECK-LABEL: func.func @reads(
// CHECK-NEXT:  %y = array.scatter %ct (%0) : tensor<5xf64> -> tensor<9xf64> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<5xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y : tensor<9xf64>
// CHECK-NEXT:}
func.func @reads(%k: tensor<5xi64>, %ct: tensor<5xf64>) -> tensor<9xf64> {
  %m = linear.build (%i) {extents = [5]} : -> !linear.map<tensor<9xf64>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<5xi64> -> i64
    %e = linear.index [%j] : -> !linear.map<tensor<9xf64>, f64>
    array.yield %e : !linear.map<tensor<9xf64>, f64>
  }
  %y = linear.apply_transpose %m, %ct : !linear.map<tensor<9xf64>, tensor<5xf64>>, tensor<5xf64> -> tensor<9xf64>
  func.return %y : tensor<9xf64>
}

// -----

// A sum that no law makes one map of arrays is a loop that adds to the sum in place.

// CHECK-LABEL: func.func @loop(
// CHECK-NEXT:  %y = array.constant 0.000000e+00 : f64
// CHECK-NEXT:  %y_1 = array.broadcast %y {dims = []} : f64 -> tensor<9xf64>
// CHECK-NEXT:  %y_2 = array.scan %y_1 (%0, %1: tensor<9xf64>) {carries = 1, length = 5} : tensor<9xf64> -> tensor<9xf64> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<5xi64> -> i64
// CHECK-NEXT:    %r = array.index %a[%0] : tensor<5x9xf64> -> tensor<9xf64>
// CHECK-NEXT:    %r_1 = array.index %ct[%0] : tensor<5xf64> -> f64
// CHECK-NEXT:    %r_2 = array.dot %r_1, %r {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : f64, tensor<9xf64> -> tensor<9xf64>
// CHECK-NEXT:    %r_3 = array.add %1, %r_2 : tensor<9xf64>
// CHECK-NEXT:    %r_4 = array.update add %r_3, %r_1 () : tensor<9xf64>, f64 -> tensor<9xf64> {
// CHECK-NEXT:      array.yield %j : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    array.yield %r_4 : tensor<9xf64>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y_2 : tensor<9xf64>
// CHECK-NEXT:}
func.func @loop(%k: tensor<5xi64>, %a: tensor<5x9xf64>, %ct: tensor<5xf64>) -> tensor<9xf64> {
  %m = linear.build (%i) {extents = [5]} : -> !linear.map<tensor<9xf64>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<5xi64> -> i64
    %r = array.index %a[%i] : tensor<5x9xf64> -> tensor<9xf64>
    %e = linear.index [%j] : -> !linear.map<tensor<9xf64>, f64>
    %s = linear.dot_left %r {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<9xf64> -> !linear.map<tensor<9xf64>, f64>
    %t = linear.add %e, %s : !linear.map<tensor<9xf64>, f64>
    array.yield %t : !linear.map<tensor<9xf64>, f64>
  }
  %y = linear.apply_transpose %m, %ct : !linear.map<tensor<9xf64>, tensor<5xf64>>, tensor<5xf64> -> tensor<9xf64>
  func.return %y : tensor<9xf64>
}

// -----

// A pair is eliminated where it was made, a function evaluated where it is used.

// CHECK-LABEL: func.func @pair(
// CHECK-NEXT:  %y = array.scatter %x () : f64 -> tensor<4xf64> {
// CHECK-NEXT:    array.yield %k : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y : tensor<4xf64>
// CHECK-NEXT:}
func.func @pair(%k: i64, %x: f64) -> tensor<4xf64> {
  %s = linear.single %k : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
  %e = linear.eliminate (%a) : -> !linear.map<!linear.copower<i64, f64>, tensor<4xf64>> {
    %h = linear.one_hot [%a] : -> !linear.map<f64, tensor<4xf64>>
    array.yield %h : !linear.map<f64, tensor<4xf64>>
  }
  %m = linear.compose %e, %s : !linear.map<!linear.copower<i64, f64>, tensor<4xf64>>, !linear.map<f64, !linear.copower<i64, f64>> -> !linear.map<f64, tensor<4xf64>>
  %y = linear.apply %m, %x : !linear.map<f64, tensor<4xf64>>, f64 -> tensor<4xf64>
  func.return %y : tensor<4xf64>
}
