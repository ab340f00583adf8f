// RUN: mlirad-opt %s -p lower-deviations --split-input-file | filecheck %s

// A deviation is 0, and so is what is multiplied with it: only the other summand is left.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    func.return %y
func.func @f(%a: tensor<2x2xf64>, %v: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %d = array.deviation %a : tensor<2x2xf64>
  %e = array.dot %v, %d {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<2x2xf64>, tensor<2x2xf64> -> tensor<2x2xf64>
  %z = array.add %y, %e : tensor<2x2xf64>
  func.return %z : tensor<2x2xf64>
}

// -----

// Constants around deviations need no stop_gradient any more.

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    [[R:%.*]] = array.exp %x : f64
// CHECK-NEXT:    func.return [[R]]
func.func @constant(%x: f64) -> f64 {
  %s = array.stop_gradient %x : f64
  %e = array.exp %s : f64
  %d = array.deviation %x : f64
  %z = array.add %e, %d : f64
  func.return %z : f64
}

// -----

// A function without deviations stays as it is.

// CHECK-LABEL: func.func @without
// CHECK-NEXT:    [[S:%.*]] = array.stop_gradient %x : f64
// CHECK-NEXT:    func.return [[S]]
func.func @without(%x: f64) -> f64 {
  %s = array.stop_gradient %x : f64
  func.return %s : f64
}
