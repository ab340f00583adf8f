// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Primitive maps, with the primal values they capture as operands.

// CHECK-LABEL: func.func @pointwise(%k: f64, %x: tensor<3xf64>, %c: i1, %d: tensor<3xi1>) {
// CHECK-NEXT: %v0 = linear.scale %k : f64 -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v1 = linear.scale %x : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v2 = linear.mask %c : i1 -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v3 = linear.mask %d : tensor<3xi1> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v4 = linear.convert : -> !linear.map<tensor<3xf64>, tensor<3xf32>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @pointwise(%k: f64, %x: tensor<3xf64>, %c: i1, %d: tensor<3xi1>) {
  %v0 = linear.scale %k : f64 -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %v1 = linear.scale %x : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %v2 = linear.mask %c : i1 -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %v3 = linear.mask %d : tensor<3xi1> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %v4 = linear.convert : -> !linear.map<tensor<3xf64>, tensor<3xf32>>
  func.return
}

// CHECK-LABEL: func.func @structural() {
// CHECK-NEXT: %v0 = linear.sum {dims = [0]} : -> !linear.map<tensor<2x3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v1 = linear.broadcast {dims = [1]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
// CHECK-NEXT: %v2 = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT: %v3 = linear.reshape : -> !linear.map<tensor<2x3xf64>, tensor<6xf64>>
// CHECK-NEXT: %v4 = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v5 = linear.slice {starts = [0], limits = [3], strides = [2]} : -> !linear.map<tensor<3xf64>, tensor<2xf64>>
// CHECK-NEXT: %v6 = linear.pad {low = [1], high = [0], interior = [1]} : -> !linear.map<tensor<3xf64>, tensor<6xf64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @structural() {
  %v0 = linear.sum {dims = [0]} : -> !linear.map<tensor<2x3xf64>, tensor<3xf64>>
  %v1 = linear.broadcast {dims = [1]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  %v2 = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<3xf64>>
  %v3 = linear.reshape : -> !linear.map<tensor<2x3xf64>, tensor<6xf64>>
  %v4 = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %v5 = linear.slice {starts = [0], limits = [3], strides = [2]} : -> !linear.map<tensor<3xf64>, tensor<2xf64>>
  %v6 = linear.pad {low = [1], high = [0], interior = [1]} : -> !linear.map<tensor<3xf64>, tensor<6xf64>>
  func.return
}

// CHECK-LABEL: func.func @pieces() {
// CHECK-NEXT: %v0 = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<2xf64>>, tensor<5xf64>>
// CHECK-NEXT: %v1 = linear.split {dim = 0} : -> !linear.map<tensor<5xf64>, tuple<tensor<3xf64>, tensor<2xf64>>>
// CHECK-NEXT: %v2 = linear.stack {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<2x3xf64>>
// CHECK-NEXT: %v3 = linear.unstack {dim = 0} : -> !linear.map<tensor<2x3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
// CHECK-NEXT: %v4 = linear.stack {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<1x3xf64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @pieces() {
  %v0 = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<2xf64>>, tensor<5xf64>>
  %v1 = linear.split {dim = 0} : -> !linear.map<tensor<5xf64>, tuple<tensor<3xf64>, tensor<2xf64>>>
  %v2 = linear.stack {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<2x3xf64>>
  %v3 = linear.unstack {dim = 0} : -> !linear.map<tensor<2x3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  %v4 = linear.stack {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<1x3xf64>>
  func.return
}

// CHECK-LABEL: func.func @positions(%i: i64, %j: i64, %p: tensor<4xi64>) {
// CHECK-NEXT: %v0 = linear.index[%i, %j] : -> !linear.map<tensor<2x3xf64>, f64>
// CHECK-NEXT: %v1 = linear.one_hot[%i] : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
// CHECK-NEXT: %v2 = linear.gather (%k) : -> !linear.map<tensor<2x3xf64>, tensor<4x3xf64>> {
// CHECK-NEXT: %e = array.index %p[%k] : tensor<4xi64> -> i64
// CHECK-NEXT: array.yield %e : i64
// CHECK-NEXT: }
// CHECK-NEXT: %v3 = linear.scatter (%k) : -> !linear.map<tensor<4x3xf64>, tensor<2x3xf64>> {
// CHECK-NEXT: %e = array.index %p[%k] : tensor<4xi64> -> i64
// CHECK-NEXT: array.yield %e : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @positions(%i: i64, %j: i64, %p: tensor<4xi64>) {
  %v0 = linear.index[%i, %j] : -> !linear.map<tensor<2x3xf64>, f64>
  %v1 = linear.one_hot[%i] : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  %v2 = linear.gather (%k) : -> !linear.map<tensor<2x3xf64>, tensor<4x3xf64>> {
    %e = array.index %p[%k] : tensor<4xi64> -> i64
    array.yield %e : i64
  }
  %v3 = linear.scatter (%k) : -> !linear.map<tensor<4x3xf64>, tensor<2x3xf64>> {
    %e = array.index %p[%k] : tensor<4xi64> -> i64
    array.yield %e : i64
  }
  func.return
}

// CHECK-LABEL: func.func @contractions(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) {
// CHECK-NEXT: %v0 = linear.dot_left %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x4xf64> -> !linear.map<tensor<2x3xf64>, tensor<2x4xf64>>
// CHECK-NEXT: %v1 = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<2x3xf64> -> !linear.map<tensor<3x4xf64>, tensor<2x4xf64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @contractions(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) {
  %v0 = linear.dot_left %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x4xf64> -> !linear.map<tensor<2x3xf64>, tensor<2x4xf64>>
  %v1 = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<2x3xf64> -> !linear.map<tensor<3x4xf64>, tensor<2x4xf64>>
  func.return
}

// CHECK-LABEL: func.func @updates_and_recurrences(%i: i64, %a: tensor<4x3xf64>) {
// CHECK-NEXT: %v0 = linear.update set () : -> !linear.map<tuple<tensor<4x3xf64>, tensor<3xf64>>, tensor<4x3xf64>> {
// CHECK-NEXT: array.yield %i : i64
// CHECK-NEXT: }
// CHECK-NEXT: %v1 = linear.update add (%j) : -> !linear.map<tuple<tensor<4x3xf64>, tensor<2x3xf64>>, tensor<4x3xf64>> {
// CHECK-NEXT: array.yield %j : i64
// CHECK-NEXT: }
// CHECK-NEXT: %v2 = linear.cumulative_sum {dim = 1} : -> !linear.map<tensor<4x3xf64>, tensor<4x3xf64>>
// CHECK-NEXT: %v3 = linear.recurrence %a {dim = 0, reverse} : tensor<4x3xf64> -> !linear.map<tensor<4x3xf64>, tensor<4x3xf64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @updates_and_recurrences(%i: i64, %a: tensor<4x3xf64>) {
  %v0 = linear.update set () : -> !linear.map<tuple<tensor<4x3xf64>, tensor<3xf64>>, tensor<4x3xf64>> {
    array.yield %i : i64
  }
  %v1 = linear.update add (%j) : -> !linear.map<tuple<tensor<4x3xf64>, tensor<2x3xf64>>, tensor<4x3xf64>> {
    array.yield %j : i64
  }
  %v2 = linear.cumulative_sum {dim = 1} : -> !linear.map<tensor<4x3xf64>, tensor<4x3xf64>>
  %v3 = linear.recurrence %a {dim = 0, reverse} : tensor<4x3xf64> -> !linear.map<tensor<4x3xf64>, tensor<4x3xf64>>
  func.return
}

// CHECK-LABEL: func.func @systems(%t: tensor<2x3x3xf64>) {
// CHECK-NEXT: %v0 = linear.triangular_solve %t {upper, unit} : tensor<2x3x3xf64> -> !linear.map<tensor<2x3x4xf64>, tensor<2x3x4xf64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @systems(%t: tensor<2x3x3xf64>) {
  %v0 = linear.triangular_solve %t {upper, unit} : tensor<2x3x3xf64> -> !linear.map<tensor<2x3x4xf64>, tensor<2x3x4xf64>>
  func.return
}
