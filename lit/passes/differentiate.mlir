// RUN: mlirad-opt %s -p 'differentiate{function=f wrt=0,1}' | filecheck %s --check-prefix REVERSE
// RUN: mlirad-opt %s -p 'differentiate{function=f mode=forward}' | filecheck %s --check-prefix FORWARD
// RUN: mlirad-opt %s -p 'differentiate{function=g}' | filecheck %s --check-prefix VECTOR

// A float scalar as the only result has cotangent 1.

// REVERSE-LABEL: func.func @f_grad(%x: f64, %y: f64) -> (f64, f64, f64) {
// REVERSE-NEXT:    [[v:%.*]], [[d:%.*]] = linear.linearize %x, %y {callee = @f, wrt = [0, 1]}
// REVERSE-NEXT:    [[one:%.*]] = array.constant 1.000000e+00 : f64
// REVERSE-NEXT:    [[a:%.*]], [[b:%.*]] = linear.apply_transpose [[d]], [[one]]
// REVERSE-NEXT:    func.return [[v]], [[a]], [[b]] : f64, f64, f64

// FORWARD-LABEL: func.func @f_jvp(%x: f64, %y: f64, %d_x: f64) -> (f64, f64) {
// FORWARD-NEXT:    [[v:%.*]], [[d:%.*]] = linear.linearize %x, %y {callee = @f, wrt = [0]}
// FORWARD-NEXT:    [[dv:%.*]] = linear.apply [[d]], %d_x
// FORWARD-NEXT:    func.return [[v]], [[dv]] : f64, f64
func.func @f(%x: f64, %y: f64) -> f64 {
  %z = array.mul %x, %y : f64
  func.return %z : f64
}

// Other results take a cotangent each; integers have none.

// VECTOR-LABEL: func.func @g_grad(%x: tensor<3xf64>, %0: tensor<3xf64>) -> (tensor<3xf64>, i64, tensor<3xf64>) {
// VECTOR-NEXT:    [[v:%.*]], [[k:%.*]], [[d:%.*]] = linear.linearize %x {callee = @g, wrt = [0]} : tensor<3xf64> -> (tensor<3xf64>, i64, !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tuple<>>>)
// VECTOR-NEXT:    [[g:%.*]] = linear.apply_transpose [[d]], %0
// VECTOR-NEXT:    func.return [[v]], [[k]], [[g]]
func.func @g(%x: tensor<3xf64>) -> (tensor<3xf64>, i64) {
  %y = array.exp %x : tensor<3xf64>
  %k = array.argmax %x {dim = 0} : tensor<3xf64> -> i64
  func.return %y, %k : tensor<3xf64>, i64
}
