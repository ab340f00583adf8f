// RUN: mlirad-opt %s -p stop-shift-gradients --split-input-file | filecheck %s

// Extrema that cancel get no derivative, in programs that differentiate something.

// The logarithm of a sum of exponentials is the same for every shift.

// CHECK-LABEL: func.func @log_sum_exp(
// CHECK-NEXT:    %m = array.reduce max %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
// CHECK-NEXT:    %m_1 = array.stop_gradient %m : tensor<2xf64>
// CHECK-NEXT:    %w = array.broadcast %m_1 {dims = [0]} : tensor<2xf64> -> tensor<2x3xf64>
// CHECK:         %r = array.add %m_1, %l : tensor<2xf64>
func.func @log_sum_exp(%x: tensor<2x3xf64>) -> tensor<2xf64> {
  %m = array.reduce max %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
  %w = array.broadcast %m {dims = [0]} : tensor<2xf64> -> tensor<2x3xf64>
  %d = array.sub %x, %w : tensor<2x3xf64>
  %e = array.exp %d : tensor<2x3xf64>
  %s = array.sum %e {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
  %l = array.log %s : tensor<2xf64>
  %r = array.add %m, %l : tensor<2xf64>
  func.return %r : tensor<2xf64>
}

func.func @main(%x: tensor<2x3xf64>) -> !linear.map<tensor<2x3xf64>, tensor<2xf64>> {
  %y, %d = linear.linearize %x {callee = @log_sum_exp, wrt = [0]} : tensor<2x3xf64> -> (tensor<2xf64>, !linear.map<tensor<2x3xf64>, tensor<2xf64>>)
  func.return %d : !linear.map<tensor<2x3xf64>, tensor<2xf64>>
}

// -----

// Here the sum is over a dimension along which the shifts differ, so they do not cancel.

// CHECK-LABEL: func.func @other_dimension(
// CHECK-NOT:     array.stop_gradient
func.func @other_dimension(%x: tensor<2x3xf64>) -> tensor<3xf64> {
  %m = array.reduce max %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
  %w = array.broadcast %m {dims = [0]} : tensor<2xf64> -> tensor<2x3xf64>
  %d = array.sub %x, %w : tensor<2x3xf64>
  %e = array.exp %d : tensor<2x3xf64>
  %s = array.sum %e {dims = [0]} : tensor<2x3xf64> -> tensor<3xf64>
  %l = array.log %s : tensor<3xf64>
  func.return %l : tensor<3xf64>
}

func.func @main(%x: tensor<2x3xf64>) -> !linear.map<tensor<2x3xf64>, tensor<3xf64>> {
  %y, %d = linear.linearize %x {callee = @other_dimension, wrt = [0]} : tensor<2x3xf64> -> (tensor<3xf64>, !linear.map<tensor<2x3xf64>, tensor<3xf64>>)
  func.return %d : !linear.map<tensor<2x3xf64>, tensor<3xf64>>
}

// -----

// The maximum is a result as well, so it keeps its derivative.

// CHECK-LABEL: func.func @returned(
// CHECK-NOT:     array.stop_gradient
func.func @returned(%x: f64, %y: f64) -> (f64, f64) {
  %m = array.max %x, %y : f64
  %a = array.sub %x, %m : f64
  %b = array.sub %y, %m : f64
  %r = array.sub %a, %b : f64
  func.return %r, %m : f64, f64
}

func.func @main(%x: f64, %y: f64) -> !linear.map<f64, tuple<f64, f64>> {
  %r, %m, %d = linear.linearize %x, %y {callee = @returned, wrt = [0]} : f64, f64 -> (f64, f64, !linear.map<f64, tuple<f64, f64>>)
  func.return %d : !linear.map<f64, tuple<f64, f64>>
}
