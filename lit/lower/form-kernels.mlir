// RUN: mlirad-opt %s -p form-kernels --split-input-file | filecheck %s

// A chain of whole-array ops with a reduction at its end is one nest.

// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    [[r:%.*]] = kernel.nest %x, %y (%0) {space = [], reduction = [8], combiners = [add]}
// CHECK-NEXT:      [[a:%.*]] = kernel.load %x[%0]
// CHECK-NEXT:      [[b:%.*]] = kernel.load %y[%0]
// CHECK-NEXT:      [[p:%.*]] = array.mul [[a]], [[b]] : f64
// CHECK-NEXT:      [[s:%.*]] = array.sin [[p]] : f64
// CHECK-NEXT:      array.yield [[s]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return [[r]] : f64
func.func @chain(%x: tensor<8xf64>, %y: tensor<8xf64>) -> f64 {
  %p = array.mul %x, %y : tensor<8xf64>
  %s = array.sin %p : tensor<8xf64>
  %r = array.sum %s {dims = [0]} : tensor<8xf64> -> f64
  func.return %r : f64
}

// -----

// A contraction multiplies the elements it pairs; a broadcast operand is read at fewer positions.

// CHECK-LABEL: func.func @contract
// CHECK:         kernel.nest %x, %y ([[i:%.*]], [[j:%.*]], [[k:%.*]]) {space = [2, 4], reduction = [3], combiners = [add]}
// CHECK-NEXT:      [[a:%.*]] = kernel.load %x[[[i]], [[k]]]
// CHECK-NEXT:      [[b:%.*]] = kernel.load %y[[[k]], [[j]]]
// CHECK-NEXT:      [[p:%.*]] = array.mul [[a]], [[b]] : f64
func.func @contract(%x: tensor<2x3xf64>, %y: tensor<3x4xf64>) -> tensor<2x4xf64> {
  %r = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<2x3xf64>, tensor<3x4xf64> -> tensor<2x4xf64>
  func.return %r : tensor<2x4xf64>
}

// -----

// A position that a guard proves inside is loaded under that guard, unclamped and affine.

// CHECK-LABEL: func.func @guarded
// CHECK:         [[c:%.*]] = array.compare ge
// CHECK:         [[p:%.*]] = array.sub
// CHECK-NOT:     array.max
// CHECK:         kernel.load_if [[c]], %x[[[p]]]
func.func @guarded(%x: tensor<5xf64>) -> tensor<5xf64> {
  %i = array.iota {dim = 0} : -> tensor<5xi64>
  %one = array.constant 1 : i64
  %ones = array.broadcast %one {dims = []} : i64 -> tensor<5xi64>
  %c = array.compare ge %i, %ones : tensor<5xi64>, tensor<5xi64> -> tensor<5xi1>
  %g = array.gather %x (%k) : tensor<5xf64> -> tensor<5xf64> {
    %o = array.constant 1 : i64
    %p = array.sub %k, %o : i64
    array.yield %p : i64
  }
  %z = array.constant 0.0 : f64
  %zs = array.broadcast %z {dims = []} : f64 -> tensor<5xf64>
  %r = array.select %c, %g, %zs : tensor<5xi1>, tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
  func.return %r : tensor<5xf64>
}

// -----

// A position that nothing proves inside is clamped.

// CHECK-LABEL: func.func @clamped
// CHECK:         array.max
// CHECK:         array.min
// CHECK:         kernel.load %x[
func.func @clamped(%x: tensor<5xf64>, %i: i64) -> f64 {
  %r = array.index %x[%i] : tensor<5xf64> -> f64
  func.return %r : f64
}

// -----

// A scatter along a reversal collides nowhere: it is read at the inverse position.

// CHECK-LABEL: func.func @inverted
// CHECK-NOT:     kernel.scatter
// CHECK:         kernel.nest %x
func.func @inverted(%x: tensor<5xf64>) -> tensor<5xf64> {
  %r = array.scatter %x (%k) : tensor<5xf64> -> tensor<5xf64> {
    %c = array.constant 4 : i64
    %p = array.sub %c, %k : i64
    array.yield %p : i64
  }
  func.return %r : tensor<5xf64>
}

// -----

// Colliding positions need a sequential scatter; adding zero outside a guard is not adding.

// CHECK-LABEL: func.func @collide
// CHECK:         kernel.scatter add %n, %x ([[k:%.*]]) {space = [6], from_zero}
// CHECK:           array.yield {{.*}} : f64, i64, i1
func.func @collide(%x: tensor<6xf64>, %n: i64) -> tensor<3xf64> {
  %i = array.iota {dim = 0} : -> tensor<6xi64>
  %ns = array.broadcast %n {dims = []} : i64 -> tensor<6xi64>
  %c = array.compare lt %i, %ns : tensor<6xi64>, tensor<6xi64> -> tensor<6xi1>
  %z = array.constant 0.0 : f64
  %zs = array.broadcast %z {dims = []} : f64 -> tensor<6xf64>
  %v = array.select %c, %x, %zs : tensor<6xi1>, tensor<6xf64>, tensor<6xf64> -> tensor<6xf64>
  %r = array.scatter %v (%k) : tensor<6xf64> -> tensor<3xf64> {
    %two = array.constant 2 : i64
    %p = array.div %k, %two : i64
    array.yield %p : i64
  }
  func.return %r : tensor<3xf64>
}

// -----

// Only where the minimum is attained is a term not 0: these are looked for, and their weights are not stored. The
// sum of j + 9 over the positions j where it is attained tells whether that is one.

// CHECK-LABEL: func.func @attained
// CHECK-NEXT:    %m = kernel.nest %x
// CHECK:         [[SUMS:%.*]] = kernel.nest %x, %m {{.*}} {space = [5], reduction = [9], combiners = [add]}
// CHECK:           [[NINE:%.*]] = array.constant 9 : i64
// CHECK:           array.add {{%.*}}, [[NINE]] : i64
// CHECK:         kernel.scatter add %x, %m, %y, [[SUMS]] ([[i:%.*]], [[j:%.*]]) {space = [5, 9], from_zero, masked}
// CHECK:           [[C:%.*]] = array.compare eq
// CHECK:           [[P:%.*]] = array.absorbing_mul
// CHECK:           [[SUM:%.*]] = kernel.load [[SUMS]][[[i]]]
// CHECK:           [[SOLE:%.*]] = array.sub [[SUM]]
// CHECK-NEXT:      array.yield [[P]], [[j]], [[C]], [[SOLE]] : f64, i64, i1, i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @attained(%x: tensor<5x9xf64>, %y: tensor<5x9xf64>) -> tensor<9xf64> {
  %m = array.reduce min %x {dims = [1]} : tensor<5x9xf64> -> tensor<5xf64>
  %s = array.broadcast %m {dims = [0]} : tensor<5xf64> -> tensor<5x9xf64>
  %c = array.compare eq %x, %s : tensor<5x9xf64>, tensor<5x9xf64> -> tensor<5x9xi1>
  %z = array.constant 0.0 : f64
  %zs = array.broadcast %z {dims = []} : f64 -> tensor<5x9xf64>
  %e = array.exp %x : tensor<5x9xf64>
  %w = array.select %c, %e, %zs : tensor<5x9xi1>, tensor<5x9xf64>, tensor<5x9xf64> -> tensor<5x9xf64>
  %p = array.absorbing_mul %y, %w : tensor<5x9xf64>
  %r = array.sum %p {dims = [0]} : tensor<5x9xf64> -> tensor<9xf64>
  func.return %r : tensor<9xf64>
}

// -----

// Windows are read where they lie, however often: a convolution stores none.
// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: kernel.nest %x, %k (%0, %1, %2) {space = [62, 16], reduction = [3], combiners = [add]}
// CHECK-NEXT: %w = array.add %0, %2 : i64
// CHECK-NEXT: kernel.load %x[%w]
func.func @convolution(%x: tensor<64xf64>, %k: tensor<3x16xf64>) -> tensor<62x16xf64> {
  %w = array.gather %x (%i, %j) : tensor<64xf64> -> tensor<62x3xf64> {
    %p = array.add %i, %j : i64
    array.yield %p : i64
  }
  %c = array.dot %w, %k {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
      : tensor<62x3xf64>, tensor<3x16xf64> -> tensor<62x16xf64>
  func.return %c : tensor<62x16xf64>
}

// -----

// Positions in a constant lie inside if all of its elements do: nothing is clamped.
// CHECK-LABEL: func.func @mesh
// CHECK: kernel.nest %t, %x (%0) {space = [3], reduction = []}
// CHECK-NEXT: %t_1 = kernel.load %t[%0]
// CHECK-NEXT: kernel.load %x[%t_1]
func.func @mesh(%x: tensor<5xf64>) -> tensor<3xf64> {
  %t = array.constant dense<[4, 0, 2]> : tensor<3xi64>
  %y = array.gather %x (%i) : tensor<5xf64> -> tensor<3xf64> {
    %p = array.index %t[%i] : tensor<3xi64> -> i64
    array.yield %p : i64
  }
  func.return %y : tensor<3xf64>
}
