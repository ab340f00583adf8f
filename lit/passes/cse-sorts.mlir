// RUN: mlirad-opt %s -p cse-sorts --split-input-file | filecheck %s

// An array that is sorted and whose order is found is read in that order.

// CHECK-LABEL: func.func @both(
// CHECK-NEXT:    %[[P:.*]] = array.argsort %x {dim = 1} : tensor<3x4xf64> -> tensor<3x4xi64>
// CHECK-NEXT:    %[[S:.*]] = array.gather %x (%[[I:.*]], %[[J:.*]]) : tensor<3x4xf64> -> tensor<3x4xf64> {
// CHECK-NEXT:      %[[Q:.*]] = array.index %[[P]][%[[I]], %[[J]]] : tensor<3x4xi64> -> i64
// CHECK-NEXT:      array.yield %[[I]], %[[Q]] : i64, i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[S]], %[[P]]
func.func @both(%x: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>) {
  %s = array.sort %x {dim = 1} : tensor<3x4xf64>
  %p = array.argsort %x {dim = 1} : tensor<3x4xf64> -> tensor<3x4xi64>
  func.return %s, %p : tensor<3x4xf64>, tensor<3x4xi64>
}

// -----

// Orders along another dimension, and of another array, say nothing.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    array.sort %x {dim = 1}
// CHECK-NEXT:    array.argsort %x {dim = 0}
// CHECK-NEXT:    array.argsort %y {dim = 1}
func.func @others(%x: tensor<3x4xf64>, %y: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>, tensor<3x4xi64>) {
  %s = array.sort %x {dim = 1} : tensor<3x4xf64>
  %p = array.argsort %x {dim = 0} : tensor<3x4xf64> -> tensor<3x4xi64>
  %q = array.argsort %y {dim = 1} : tensor<3x4xf64> -> tensor<3x4xi64>
  func.return %s, %p, %q : tensor<3x4xf64>, tensor<3x4xi64>, tensor<3x4xi64>
}
