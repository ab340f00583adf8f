// RUN: mlirad-opt %s -p spectral-functions --split-input-file | filecheck %s
// RUN: mlirad-opt %s -p 'spectral-functions,lower-deviations' --split-input-file | filecheck %s --check-prefix=VALUE

// The exponential of a symmetric matrix, which is differentiated: the sum over eigenvectors keeps its value, and
// has the derivative by divided differences of exp, with exp itself where values are equal.

// CHECK-LABEL: func.func private @f
// CHECK:         [[R:%.*]] = array.dot %u, %v
// CHECK:         array.deviation %a : tensor<2x2xf64>
// CHECK:         array.sub {{.*}} : tensor<2x2xf64>
// CHECK:         [[NAN:%.*]] = array.constant 0x7ff8000000000000 : f64
// CHECK:         array.absorbing_mul
// CHECK:         [[S:%.*]] = array.stop_gradient [[R]] : tensor<2x2xf64>
// CHECK-NEXT:    [[D:%.*]] = array.deviation {{.*}} : tensor<2x2xf64>
// CHECK-NEXT:    [[T:%.*]] = array.add [[S]], [[D]] : tensor<2x2xf64>
// CHECK-NEXT:    func.return [[T]]

// Nothing of that is computed for the value.

// VALUE-LABEL: func.func private @f
// VALUE-NEXT:    [[W:%.*]] = array.eigh values %a
// VALUE-NEXT:    [[V:%.*]] = array.eigh vectors %a
// VALUE-NEXT:    [[E:%.*]] = array.exp [[W]]
// VALUE-NEXT:    array.broadcast
// VALUE-NEXT:    array.mul
// VALUE-NEXT:    [[R:%.*]] = array.dot
// VALUE-NEXT:    func.return [[R]]
func.func private @f(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %w = array.eigh values %a : tensor<2x2xf64> -> tensor<2xf64>
  %v = array.eigh vectors %a : tensor<2x2xf64>
  %e = array.exp %w : tensor<2xf64>
  %s = array.broadcast %e {dims = [1]} : tensor<2xf64> -> tensor<2x2xf64>
  %u = array.mul %v, %s : tensor<2x2xf64>
  %r = array.dot %u, %v {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1]} : tensor<2x2xf64>, tensor<2x2xf64> -> tensor<2x2xf64>
  func.return %r : tensor<2x2xf64>
}
func.func @main(%a: tensor<2x2xf64>, %t: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %r, %m = linear.linearize %a {callee = @f, wrt = [0]} : tensor<2x2xf64> -> (tensor<2x2xf64>, !linear.map<tensor<2x2xf64>, tensor<2x2xf64>>)
  %d = linear.apply %m, %t : !linear.map<tensor<2x2xf64>, tensor<2x2xf64>>, tensor<2x2xf64> -> tensor<2x2xf64>
  func.return %d : tensor<2x2xf64>
}

// -----

// Code that nothing differentiates stays as it is.

// CHECK-LABEL: func.func @plain
// CHECK-NOT:     array.deviation
// CHECK:         func.return
func.func @plain(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %w = array.eigh values %a : tensor<2x2xf64> -> tensor<2xf64>
  %v = array.eigh vectors %a : tensor<2x2xf64>
  %e = array.exp %w : tensor<2xf64>
  %s = array.broadcast %e {dims = [1]} : tensor<2xf64> -> tensor<2x2xf64>
  %u = array.mul %v, %s : tensor<2x2xf64>
  %r = array.dot %u, %v {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1]} : tensor<2x2xf64>, tensor<2x2xf64> -> tensor<2x2xf64>
  func.return %r : tensor<2x2xf64>
}
