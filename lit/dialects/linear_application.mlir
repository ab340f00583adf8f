// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Application of maps, and the differentiation operator.

// CHECK-LABEL: func.func @apply(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<tuple<f64, tuple<>>, tuple<tensor<3xf64>, f64>>, %x: f64, %y: tensor<3xf64>) {
// CHECK-NEXT: %v0 = linear.apply %f, %x : !linear.map<f64, tensor<3xf64>>, f64 -> tensor<3xf64>
// CHECK-NEXT: %v1 = linear.apply_transpose %f, %y : !linear.map<f64, tensor<3xf64>>, tensor<3xf64> -> f64
// CHECK-NEXT: %v2, %v3 = linear.apply %g, %x : !linear.map<tuple<f64, tuple<>>, tuple<tensor<3xf64>, f64>>, f64 -> (tensor<3xf64>, f64)
// CHECK-NEXT: %v4 = linear.apply_transpose %g, %y, %x : !linear.map<tuple<f64, tuple<>>, tuple<tensor<3xf64>, f64>>, tensor<3xf64>, f64 -> f64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @apply(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<tuple<f64, tuple<>>, tuple<tensor<3xf64>, f64>>, %x: f64, %y: tensor<3xf64>) {
  %v0 = linear.apply %f, %x : !linear.map<f64, tensor<3xf64>>, f64 -> tensor<3xf64>
  %v1 = linear.apply_transpose %f, %y : !linear.map<f64, tensor<3xf64>>, tensor<3xf64> -> f64
  %v2, %v3 = linear.apply %g, %x : !linear.map<tuple<f64, tuple<>>, tuple<tensor<3xf64>, f64>>, f64 -> (tensor<3xf64>, f64)
  %v4 = linear.apply_transpose %g, %y, %x : !linear.map<tuple<f64, tuple<>>, tuple<tensor<3xf64>, f64>>, tensor<3xf64>, f64 -> f64
  func.return
}

// CHECK-LABEL: func.func @square(%x: f64, %n: i64) -> f64 {
// CHECK-NEXT: %y = array.mul %x, %x : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @square(%x: f64, %n: i64) -> f64 {
  %y = array.mul %x, %x : f64
  func.return %y : f64
}

// CHECK-LABEL: func.func @pair(%x: f64, %z: tensor<3xf64>) -> (f64, i64) {
// CHECK-NEXT: %n = array.constant 1 : i64
// CHECK-NEXT: func.return %x, %n : f64, i64
// CHECK-NEXT: }
func.func @pair(%x: f64, %z: tensor<3xf64>) -> (f64, i64) {
  %n = array.constant 1 : i64
  func.return %x, %n : f64, i64
}

// CHECK-LABEL: func.func @differentiate(%x: f64, %n: i64, %z: tensor<3xf64>) {
// CHECK-NEXT: %v0, %v1 = linear.linearize %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
// CHECK-NEXT: %v2, %v3 = linear.pullback %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
// CHECK-NEXT: %j0, %j1, %j2 = linear.jet %x, %n, %x, %x {callee = @square, wrt = [0], order = 2} : f64, i64, f64, f64 -> (f64, f64, f64)
// CHECK-NEXT: %v4, %v5, %v6 = linear.linearize %x, %z {callee = @pair, wrt = [0, 1]} : f64, tensor<3xf64> -> (f64, i64, !linear.map<tuple<f64, tensor<3xf64>>, tuple<f64, tuple<>>>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @differentiate(%x: f64, %n: i64, %z: tensor<3xf64>) {
  %v0, %v1 = linear.linearize %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  %v2, %v3 = linear.pullback %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  %j0, %j1, %j2 = linear.jet %x, %n, %x, %x {callee = @square, wrt = [0], order = 2} : f64, i64, f64, f64 -> (f64, f64, f64)
  %v4, %v5, %v6 = linear.linearize %x, %z {callee = @pair, wrt = [0, 1]} : f64, tensor<3xf64> -> (f64, i64, !linear.map<tuple<f64, tensor<3xf64>>, tuple<f64, tuple<>>>)
  func.return
}
