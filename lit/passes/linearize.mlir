// RUN: mlirad-opt %s -p 'linearize{method=dual-arrays}' --split-input-file | filecheck %s

// Every float value has a tangent map out of the space of inputs, made by the derivative table; discrete
// values have none, and the primal code reads no map.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %d_x = linear.project {index = 0}
// CHECK-NEXT:    %d_w = linear.project {index = 1}
// CHECK-NEXT:    %s = array.sin %x : tensor<3xf64>
// CHECK-NEXT:    [[c:%.*]] = array.cos %x : tensor<3xf64>
// CHECK-NEXT:    [[k:%.*]] = linear.scale [[c]]
// CHECK-NEXT:    %d_s = linear.compose [[k]], %d_x
// CHECK-NEXT:    %b = array.broadcast %w
// CHECK-NEXT:    [[b:%.*]] = linear.broadcast {dims = []}
// CHECK-NEXT:    %d_b = linear.compose [[b]], %d_w
// CHECK-NEXT:    %p = array.mul %s, %b : tensor<3xf64>
// CHECK-NEXT:    [[kb:%.*]] = linear.scale %b
// CHECK-NEXT:    [[l:%.*]] = linear.compose [[kb]], %d_s
// CHECK-NEXT:    [[ks:%.*]] = linear.scale %s
// CHECK-NEXT:    [[r:%.*]] = linear.compose [[ks]], %d_b
// CHECK-NEXT:    %d_p = linear.add [[l]], [[r]]
// CHECK-NEXT:    %k = array.argmax %p {dim = 0}
// CHECK-NEXT:    %y = array.index %p[%k]
// CHECK-NEXT:    [[i:%.*]] = linear.index{{ ?}}[%k]
// CHECK-NEXT:    %d_y = linear.compose [[i]], %d_p
// CHECK-NEXT:    [[a:%.*]] = linear.apply %d_y, %x, %w
// CHECK-NEXT:    func.return %y, [[a]]
func.func @main(%x: tensor<3xf64>, %w: f64) -> (f64, f64) {
  %y, %d = linear.linearize %x, %w {callee = @f, wrt = [0, 1]}
    : tensor<3xf64>, f64 -> (f64, !linear.map<tuple<tensor<3xf64>, f64>, f64>)
  %dy = linear.apply %d, %x, %w : !linear.map<tuple<tensor<3xf64>, f64>, f64>, tensor<3xf64>, f64 -> f64
  func.return %y, %dy : f64, f64
}
func.func @f(%x: tensor<3xf64>, %w: f64) -> f64 {
  %s = array.sin %x : tensor<3xf64>
  %b = array.broadcast %w {dims = []} : f64 -> tensor<3xf64>
  %p = array.mul %s, %b : tensor<3xf64>
  %k = array.argmax %p {dim = 0} : tensor<3xf64> -> i64
  %y = array.index %p[%k] : tensor<3xf64> -> f64
  func.return %y : f64
}

// -----

// A value that does not depend on the inputs has the map 0, and costs nothing.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %d_x = linear.identity
// CHECK-NEXT:    [[c:%.*]] = array.exp %c : f64
// CHECK-NEXT:    [[y:%.*]] = array.mul %x, [[c]] : f64
// CHECK-NEXT:    [[d:%.*]] = linear.scale [[c]]
// CHECK-NEXT:    [[z:%.*]] = linear.zero
// CHECK-NEXT:    [[v:%.*]] = linear.vcat [[d]], [[z]]
// CHECK-NEXT:    linear.apply [[v]], %x
func.func @main(%x: f64, %c: f64) -> (f64, f64) {
  %y, %e, %d = linear.linearize %x, %c {callee = @f, wrt = [0]}
    : f64, f64 -> (f64, f64, !linear.map<f64, tuple<f64, f64>>)
  %dy, %de = linear.apply %d, %x : !linear.map<f64, tuple<f64, f64>>, f64 -> (f64, f64)
  func.return %dy, %de : f64, f64
}
func.func @f(%x: f64, %c: f64) -> (f64, f64) {
  %e = array.exp %c : f64
  %y = array.mul %x, %e : f64
  func.return %y, %e : f64, f64
}
