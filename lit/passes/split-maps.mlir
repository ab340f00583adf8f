// RUN: mlirad-opt %s -p 'linearize,split-maps' --split-input-file | filecheck %s

// The map becomes a function of residuals. Scalings in a row are one, so one product is kept; components of the
// codomain without elements, of integer results, are dropped.

// CHECK-LABEL: func.func @main_primal(%x: tensor<4xf64>, %n: i64) -> (tensor<4xf64>, i64, tensor<4xf64>) {
// CHECK-NEXT:    %s = array.sin %x : tensor<4xf64>
// CHECK-NEXT:    [[c:%.*]] = array.cos %x : tensor<4xf64>
// CHECK-NEXT:    %y = array.exp %s : tensor<4xf64>
// CHECK-NEXT:    [[k:%.*]] = array.absorbing_mul %y, [[c]] : tensor<4xf64>
// CHECK-NEXT:    func.return %y, %n, [[k]]
// CHECK:       func.func @main_map([[r:%.*]]: tensor<4xf64>) -> !linear.map<tensor<4xf64>, tensor<4xf64>> {
// CHECK-NEXT:    [[m:%.*]] = linear.scale [[r]]
// CHECK-NEXT:    func.return [[m]]
func.func private @f(%x: tensor<4xf64>, %n: i64) -> (tensor<4xf64>, i64) {
  %s = array.sin %x : tensor<4xf64>
  %y = array.exp %s : tensor<4xf64>
  func.return %y, %n : tensor<4xf64>, i64
}
func.func @main(%x: tensor<4xf64>, %n: i64)
    -> (tensor<4xf64>, i64, !linear.map<tensor<4xf64>, tuple<tensor<4xf64>, tuple<>>>) {
  %y, %m, %d = linear.linearize %x, %n {callee = @f, wrt = [0]}
    : tensor<4xf64>, i64 -> (tensor<4xf64>, i64, !linear.map<tensor<4xf64>, tuple<tensor<4xf64>, tuple<>>>)
  func.return %y, %m, %d : tensor<4xf64>, i64, !linear.map<tensor<4xf64>, tuple<tensor<4xf64>, tuple<>>>
}

// -----

// A residual that is a parameter is not returned; a broadcast and a negation are made again.

// CHECK-LABEL: func.func @main_primal(%x: tensor<3xf64>, %s: f64) -> tensor<3xf64> {
// CHECK:         func.return %y : tensor<3xf64>
// CHECK:       func.func @main_map(%s: f64) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %k = array.neg %s : f64
// CHECK-NEXT:    [[k:%.*]] = array.broadcast %k {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:    [[m:%.*]] = linear.scale [[k]]
// CHECK-NEXT:    func.return [[m]]
func.func private @f(%x: tensor<3xf64>, %s: f64) -> tensor<3xf64> {
  %b = array.broadcast %s {dims = []} : f64 -> tensor<3xf64>
  %k = array.neg %b : tensor<3xf64>
  %y = array.mul %x, %k : tensor<3xf64>
  func.return %y : tensor<3xf64>
}
func.func @main(%x: tensor<3xf64>, %s: f64) -> (tensor<3xf64>, !linear.map<tensor<3xf64>, tensor<3xf64>>) {
  %y, %d = linear.linearize %x, %s {callee = @f, wrt = [0]}
    : tensor<3xf64>, f64 -> (tensor<3xf64>, !linear.map<tensor<3xf64>, tensor<3xf64>>)
  func.return %y, %d : tensor<3xf64>, !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// A tape leaves no program: the loop runs again where the map is applied.

// CHECK-LABEL: func.func @main_map(%x: f64) -> !linear.map<f64, f64> {
// CHECK:         array.while %x
// CHECK-SAME:      {record = 1}
// CHECK:         linear.while
func.func private @f(%x: f64) -> f64 {
  %r = array.while %x (%c : f64) : f64 -> f64 {
    %l = array.constant 100.0 : f64
    %p = array.compare lt %c, %l : f64, f64 -> i1
    array.yield %p : i1
  } do (%c : f64) {
    %q = array.mul %c, %c : f64
    array.yield %q : f64
  }
  func.return %r : f64
}
func.func @main(%x: f64) -> (f64, !linear.map<f64, f64>) {
  %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %y, %d : f64, !linear.map<f64, f64>
}
