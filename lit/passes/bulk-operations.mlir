// RUN: mlirad-opt %s -p bulk-operations --split-input-file | filecheck %s

// Builds become operations on whole arrays, rule by rule.

// The index itself is an iota; what does not depend on it is computed once and broadcast.

// CHECK-LABEL: func.func @leaves(
// CHECK-NEXT:    %i = array.iota {dim = 0} : -> tensor<4xi64>
// CHECK-NEXT:    %y = array.exp %x : f64
// CHECK-NEXT:    %0 = array.broadcast %y {dims = []} : f64 -> tensor<4xf64>
// CHECK-NEXT:    func.return %i, %0 : tensor<4xi64>, tensor<4xf64>
func.func @leaves(%x: f64) -> (tensor<4xi64>, tensor<4xf64>) {
  %i = array.build (%i) : -> tensor<4xi64> {
    array.yield %i : i64
  }
  %e = array.build (%j) : -> tensor<4xf64> {
    %y = array.exp %x : f64
    array.yield %y : f64
  }
  func.return %i, %e : tensor<4xi64>, tensor<4xf64>
}

// -----

// Elementwise ops act on the arrays of their operands; reading all of %a is %a.

// CHECK-LABEL: func.func @add_one(
// CHECK-NEXT:    %one = array.constant 1.000000e+00 : f64
// CHECK-NEXT:    %0 = array.broadcast %one {dims = []} : f64 -> tensor<7xf64>
// CHECK-NEXT:    %y = array.add %a, %0 : tensor<7xf64>
// CHECK-NEXT:    func.return %y : tensor<7xf64>
func.func @add_one(%a: tensor<7xf64>) -> tensor<7xf64> {
  %r = array.build (%i) : -> tensor<7xf64> {
    %x = array.index %a[%i] : tensor<7xf64> -> f64
    %one = array.constant 1.0 : f64
    %y = array.add %x, %one : f64
    array.yield %y : f64
  }
  func.return %r : tensor<7xf64>
}

// -----

// A value is computed over the indices it depends on, and broadcast where it meets others.

// CHECK-LABEL: func.func @outer(
// CHECK-NEXT:    %f = array.exp %a : tensor<3xf64>
// CHECK-NEXT:    %g = array.sin %b : tensor<5xf64>
// CHECK-NEXT:    %0 = array.broadcast %f {dims = [0]} : tensor<3xf64> -> tensor<3x5xf64>
// CHECK-NEXT:    %1 = array.broadcast %g {dims = [1]} : tensor<5xf64> -> tensor<3x5xf64>
// CHECK-NEXT:    %p = array.mul %0, %1 : tensor<3x5xf64>
// CHECK-NEXT:    func.return %p : tensor<3x5xf64>
func.func @outer(%a: tensor<3xf64>, %b: tensor<5xf64>) -> tensor<3x5xf64> {
  %r = array.build (%i, %j) : -> tensor<3x5xf64> {
    %x = array.index %a[%i] : tensor<3xf64> -> f64
    %f = array.exp %x : f64
    %y = array.index %b[%j] : tensor<5xf64> -> f64
    %g = array.sin %y : f64
    %p = array.mul %f, %g : f64
    array.yield %p : f64
  }
  func.return %r : tensor<3x5xf64>
}

// -----

// A condition becomes a mask, both sides are computed. Positions are clamped by gather.

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %ten = array.constant 10 : i64
// CHECK-NEXT:    %x = array.gather %a (%i) : tensor<10xf64> -> tensor<20xf64> {
// CHECK-NEXT:      array.yield %i : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = array.gather %a (%i) : tensor<10xf64> -> tensor<20xf64> {
// CHECK-NEXT:      %k = array.sub %i, %ten : i64
// CHECK-NEXT:      array.yield %k : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %i = array.iota {dim = 0} : -> tensor<20xi64>
// CHECK-NEXT:    %0 = array.broadcast %ten {dims = []} : i64 -> tensor<20xi64>
// CHECK-NEXT:    %c = array.compare lt %i, %0 : tensor<20xi64>, tensor<20xi64> -> tensor<20xi1>
// CHECK-NEXT:    %z = array.select %c, %x, %y : tensor<20xi1>, tensor<20xf64>, tensor<20xf64> -> tensor<20xf64>
// CHECK-NEXT:    func.return %z : tensor<20xf64>
func.func @twice(%a: tensor<10xf64>) -> tensor<20xf64> {
  %r = array.build (%i) : -> tensor<20xf64> {
    %ten = array.constant 10 : i64
    %c = array.compare lt %i, %ten : i64, i64 -> i1
    %k = array.sub %i, %ten : i64
    %x = array.index %a[%i] : tensor<10xf64> -> f64
    %y = array.index %a[%k] : tensor<10xf64> -> f64
    %z = array.select %c, %x, %y : i1, f64, f64 -> f64
    array.yield %z : f64
  }
  func.return %r : tensor<20xf64>
}

// -----

// An element of the self-convolution: the paper's example of the whole road.

// CHECK-LABEL: func.func @self_convolution(
// CHECK-NEXT:    %last = array.constant 9 : i64
// CHECK-NEXT:    %x2 = array.gather %a (%i) : tensor<10xf64> -> tensor<10xf64> {
// CHECK-NEXT:      %k = array.sub %last, %i : i64
// CHECK-NEXT:      array.yield %k : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = array.mul %a, %x2 : tensor<10xf64>
// CHECK-NEXT:    %s = array.sum %y {dims = [0]} : tensor<10xf64> -> f64
// CHECK-NEXT:    func.return %s : f64
func.func @self_convolution(%a: tensor<10xf64>) -> f64 {
  %c = array.build (%i) : -> tensor<10xf64> {
    %last = array.constant 9 : i64
    %k = array.sub %last, %i : i64
    %x1 = array.index %a[%i] : tensor<10xf64> -> f64
    %x2 = array.index %a[%k] : tensor<10xf64> -> f64
    %y = array.mul %x1, %x2 : f64
    array.yield %y : f64
  }
  %s = array.sum %c {dims = [0]} : tensor<10xf64> -> f64
  func.return %s : f64
}

// -----

// Nested builds: a matrix product written by element. Reductions move behind the indices.

// CHECK-LABEL: func.func @matmat(
// CHECK-NEXT:    %0 = array.broadcast %a {dims = [0, 2]} : tensor<3x4xf64> -> tensor<3x5x4xf64>
// CHECK-NEXT:    %1 = array.broadcast %b {dims = [2, 1]} : tensor<4x5xf64> -> tensor<3x5x4xf64>
// CHECK-NEXT:    %z = array.mul %0, %1 : tensor<3x5x4xf64>
// CHECK-NEXT:    %s = array.sum %z {dims = [2]} : tensor<3x5x4xf64> -> tensor<3x5xf64>
// CHECK-NEXT:    func.return %s : tensor<3x5xf64>
func.func @matmat(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>) -> tensor<3x5xf64> {
  %c = array.build (%i, %j) : -> tensor<3x5xf64> {
    %p = array.build (%k) : -> tensor<4xf64> {
      %x = array.index %a[%i, %k] : tensor<3x4xf64> -> f64
      %y = array.index %b[%k, %j] : tensor<4x5xf64> -> f64
      %z = array.mul %x, %y : f64
      array.yield %z : f64
    }
    %s = array.sum %p {dims = [0]} : tensor<4xf64> -> f64
    array.yield %s : f64
  }
  func.return %c : tensor<3x5xf64>
}

// -----

// A gather from an array without the index reads that array; the index is among its positions only.

// CHECK-LABEL: func.func @windows(
// CHECK-NEXT:    %w = array.gather %a (%i, %j) : tensor<100xf64> -> tensor<9x3xf64> {
// CHECK-NEXT:      %k = array.add %i, %j : i64
// CHECK-NEXT:      array.yield %k : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %w : tensor<9x3xf64>
func.func @windows(%a: tensor<100xf64>) -> tensor<9x3xf64> {
  %r = array.build (%i) : -> tensor<9x3xf64> {
    %w = array.gather %a (%j) : tensor<100xf64> -> tensor<3xf64> {
      %k = array.add %i, %j : i64
      array.yield %k : i64
    }
    array.yield %w : tensor<3xf64>
  }
  func.return %r : tensor<9x3xf64>
}

// -----

// Scatters get the index in front on both sides.

// CHECK-LABEL: func.func @histograms(
// CHECK-NEXT:    %h = array.scatter %x (%i, %j) : tensor<4x6xf64> -> tensor<4x3xf64> {
// CHECK-NEXT:      %k = array.index %bins[%i, %j] : tensor<4x6xi64> -> i64
// CHECK-NEXT:      array.yield %i, %k : i64, i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %h : tensor<4x3xf64>
func.func @histograms(%x: tensor<4x6xf64>, %bins: tensor<4x6xi64>) -> tensor<4x3xf64> {
  %r = array.build (%i) : -> tensor<4x3xf64> {
    %row = array.index %x[%i] : tensor<4x6xf64> -> tensor<6xf64>
    %h = array.scatter %row (%j) : tensor<6xf64> -> tensor<3xf64> {
      %k = array.index %bins[%i, %j] : tensor<4x6xi64> -> i64
      array.yield %k : i64
    }
    array.yield %h : tensor<3xf64>
  }
  func.return %r : tensor<4x3xf64>
}

// -----

// A contraction with an array without the index is one contraction, not a batch of them.

// CHECK-LABEL: func.func @project(
// CHECK-NEXT:    %y = array.dot %xs, %m {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1]} : tensor<8x4xf64>, tensor<3x4xf64> -> tensor<8x3xf64>
// CHECK-NEXT:    func.return %y : tensor<8x3xf64>
func.func @project(%m: tensor<3x4xf64>, %xs: tensor<8x4xf64>) -> tensor<8x3xf64> {
  %r = array.build (%i) : -> tensor<8x3xf64> {
    %x = array.index %xs[%i] : tensor<8x4xf64> -> tensor<4xf64>
    %y = array.dot %m, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x4xf64>, tensor<4xf64> -> tensor<3xf64>
    array.yield %y : tensor<3xf64>
  }
  func.return %r : tensor<8x3xf64>
}

// -----

// Structural ops keep their dimensions behind the index.

// CHECK-LABEL: func.func @structure(
// CHECK-NEXT:    %b = array.reverse %x {dims = [2]} : tensor<5x2x3xf64> -> tensor<5x2x3xf64>
// CHECK-NEXT:    %c = array.concatenate %x, %b {dim = 1} : tensor<5x2x3xf64>, tensor<5x2x3xf64> -> tensor<5x4x3xf64>
// CHECK-NEXT:    %d = array.reshape %c : tensor<5x4x3xf64> -> tensor<5x12xf64>
// CHECK-NEXT:    func.return %d : tensor<5x12xf64>
func.func @structure(%x: tensor<5x2x3xf64>) -> tensor<5x12xf64> {
  %r = array.build (%i) : -> tensor<5x12xf64> {
    %m = array.index %x[%i] : tensor<5x2x3xf64> -> tensor<2x3xf64>
    %b = array.reverse %m {dims = [1]} : tensor<2x3xf64> -> tensor<2x3xf64>
    %c = array.concatenate %m, %b {dim = 0} : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<4x3xf64>
    %d = array.reshape %c : tensor<4x3xf64> -> tensor<12xf64>
    array.yield %d : tensor<12xf64>
  }
  func.return %r : tensor<5x12xf64>
}

// -----

// An index is pushed into what computes the array, if nothing else reads it: one row is summed.

// CHECK-LABEL: func.func @one_row(
// CHECK-NEXT:    %r = array.index %x[%p] : tensor<6x4xf64> -> tensor<4xf64>
// CHECK-NEXT:    %r_1 = array.exp %r : tensor<4xf64>
// CHECK-NEXT:    %r_2 = array.sum %r_1 {dims = [0]} : tensor<4xf64> -> f64
// CHECK-NEXT:    func.return %r_2 : f64
func.func @one_row(%x: tensor<6x4xf64>, %p: i64) -> f64 {
  %e = array.exp %x : tensor<6x4xf64>
  %s = array.sum %e {dims = [1]} : tensor<6x4xf64> -> tensor<6xf64>
  %r = array.index %s[%p] : tensor<6xf64> -> f64
  func.return %r : f64
}

// -----

// With another reader the array is computed anyway, and read.

// CHECK-LABEL: func.func @shared(
// CHECK-NEXT:    %e = array.exp %x : tensor<6xf64>
// CHECK-NEXT:    %r = array.index %e[%p] : tensor<6xf64> -> f64
// CHECK-NEXT:    func.return %r, %e : f64, tensor<6xf64>
func.func @shared(%x: tensor<6xf64>, %p: i64) -> (f64, tensor<6xf64>) {
  %e = array.exp %x : tensor<6xf64>
  %r = array.index %e[%p] : tensor<6xf64> -> f64
  func.return %r, %e : f64, tensor<6xf64>
}

// -----

// Reading what only places elements computes the position: a dropped or computed position is clamped.

// CHECK-LABEL: func.func @placed(
// CHECK-NEXT:    %r = array.constant 0 : i64
// CHECK-NEXT:    %r_1 = array.max %p, %r : i64
// CHECK-NEXT:    %r_2 = array.constant 5 : i64
// CHECK-NEXT:    %r_3 = array.min %r_1, %r_2 : i64
// CHECK-NEXT:    %r_4 = array.sub %r_2, %r_3 : i64
// CHECK-NEXT:    %r_5 = array.index %x[%r_4] : tensor<6xf64> -> f64
// CHECK-NEXT:    func.return %r_5, %r_3 : f64, i64
func.func @placed(%x: tensor<6xf64>, %p: i64) -> (f64, i64) {
  %m = array.reverse %x {dims = [0]} : tensor<6xf64> -> tensor<6xf64>
  %r = array.index %m[%p] : tensor<6xf64> -> f64
  %i = array.iota {dim = 0} : -> tensor<6xi64>
  %k = array.index %i[%p] : tensor<6xi64> -> i64
  func.return %r, %k : f64, i64
}

// -----

// A build that is only indexed is its body at the clamped position.

// CHECK-LABEL: func.func @beta(
// CHECK-NEXT:    %r = array.constant 0 : i64
// CHECK-NEXT:    %r_1 = array.max %p, %r : i64
// CHECK-NEXT:    %r_2 = array.constant 5 : i64
// CHECK-NEXT:    %r_3 = array.min %r_1, %r_2 : i64
// CHECK-NEXT:    %y = array.index %x[%r_3] : tensor<6xf64> -> f64
// CHECK-NEXT:    %e = array.exp %y : f64
// CHECK-NEXT:    func.return %e : f64
func.func @beta(%x: tensor<6xf64>, %p: i64) -> f64 {
  %b = array.build (%i) : -> tensor<6xf64> {
    %y = array.index %x[%i] : tensor<6xf64> -> f64
    %e = array.exp %y : f64
    array.yield %e : f64
  }
  %r = array.index %b[%p] : tensor<6xf64> -> f64
  func.return %r : f64
}

// -----

// Builds with calls (or derivatives) inside wait until these are expanded.

// CHECK-LABEL: func.func @waits(
// CHECK-NEXT:    %r = array.build (%i) : -> tensor<3xf64> {
// CHECK-NEXT:      %y = array.index %x[%i] : tensor<3xf64> -> f64
// CHECK-NEXT:      %z = func.call @g(%y) : (f64) -> f64
// CHECK-NEXT:      array.yield %z : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<3xf64>
// CHECK-NEXT:  }
// CHECK-LABEL: func.func @g(
// CHECK-NEXT:    func.return %x : f64
func.func @waits(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %y = array.index %x[%i] : tensor<3xf64> -> f64
    %z = func.call @g(%y) : (f64) -> f64
    array.yield %z : f64
  }
  func.return %r : tensor<3xf64>
}
func.func @g(%x: f64) -> f64 {
  func.return %x : f64
}
