// RUN: mlirad-opt %s -p raise-contractions --split-input-file | filecheck %s

// Sums of products of broadcast arrays become contractions.

// Matrix by matrix.

// CHECK-LABEL: func.func @matmat(
// CHECK-NEXT:    %s = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x4xf64>, tensor<4x5xf64> -> tensor<3x5xf64>
// CHECK-NEXT:    func.return %s : tensor<3x5xf64>
func.func @matmat(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>) -> tensor<3x5xf64> {
  %x = array.broadcast %a {dims = [0, 2]} : tensor<3x4xf64> -> tensor<3x5x4xf64>
  %y = array.broadcast %b {dims = [2, 1]} : tensor<4x5xf64> -> tensor<3x5x4xf64>
  %z = array.mul %x, %y : tensor<3x5x4xf64>
  %s = array.sum %z {dims = [2]} : tensor<3x5x4xf64> -> tensor<3x5xf64>
  func.return %s : tensor<3x5xf64>
}

// -----

// A dimension of both operands that is kept is a batch dimension; the result is put in the order of the sum's.

// CHECK-LABEL: func.func @batch(
// CHECK-NEXT:    %s = array.dot %b, %a {lhs_batch = [0], rhs_batch = [0], lhs_contract = [1], rhs_contract = [2]} : tensor<2x4xf64>, tensor<2x3x4xf64> -> tensor<2x3xf64>
// CHECK-NEXT:    %s_1 = array.broadcast %s {dims = [1, 0]} : tensor<2x3xf64> -> tensor<3x2xf64>
// CHECK-NEXT:    func.return %s_1 : tensor<3x2xf64>
func.func @batch(%a: tensor<2x3x4xf64>, %b: tensor<2x4xf64>) -> tensor<3x2xf64> {
  %x = array.transpose %a {permutation = [1, 0, 2]} : tensor<2x3x4xf64> -> tensor<3x2x4xf64>
  %y = array.broadcast %b {dims = [1, 2]} : tensor<2x4xf64> -> tensor<3x2x4xf64>
  %z = array.mul %x, %y : tensor<3x2x4xf64>
  %s = array.sum %z {dims = [2]} : tensor<3x2x4xf64> -> tensor<3x2xf64>
  func.return %s : tensor<3x2xf64>
}

// -----

// A sum over a dimension of one operand alone stays: infinities would meet differently.

// CHECK-LABEL: func.func @one_sided(
// CHECK-NEXT:    %y = array.broadcast %b {dims = [0]} : tensor<3xf64> -> tensor<3x4xf64>
// CHECK-NEXT:    %z = array.mul %a, %y : tensor<3x4xf64>
// CHECK-NEXT:    %s = array.sum %z {dims = [0, 1]} : tensor<3x4xf64> -> f64
// CHECK-NEXT:    func.return %s : f64
func.func @one_sided(%a: tensor<3x4xf64>, %b: tensor<3xf64>) -> f64 {
  %y = array.broadcast %b {dims = [0]} : tensor<3xf64> -> tensor<3x4xf64>
  %z = array.mul %a, %y : tensor<3x4xf64>
  %s = array.sum %z {dims = [0, 1]} : tensor<3x4xf64> -> f64
  func.return %s : f64
}
