// RUN: mlirad-opt %s -p slice-gathers --split-input-file | filecheck %s

// Gathers at regular positions become slices.

// A shift that wraps reads two parts.

// CHECK-LABEL: func.func @shift(
// CHECK-NEXT:    %s = array.slice %y {starts = [9], limits = [10], strides = [1]} : tensor<10xf64> -> tensor<1xf64>
// CHECK-NEXT:    %s_1 = array.slice %y {starts = [0], limits = [9], strides = [1]} : tensor<10xf64> -> tensor<9xf64>
// CHECK-NEXT:    %s_2 = array.concatenate %s, %s_1 {dim = 0} : tensor<1xf64>, tensor<9xf64> -> tensor<10xf64>
// CHECK-NEXT:    func.return %s_2
func.func @shift(%y: tensor<10xf64>) -> tensor<10xf64> {
  %1 = array.constant 1 : i64
  %n = array.constant 10 : i64
  %s = array.gather %y (%i) : tensor<10xf64> -> tensor<10xf64> {
    %p = array.sub %i, %1 : i64
    %q = array.rem %p, %n : i64
    array.yield %q : i64
  }
  func.return %s : tensor<10xf64>
}

// -----

// Where a select never chooses the part that wraps, it is not read; the other operand takes its place.

// CHECK-LABEL: func.func @guarded(
// CHECK-NEXT:    %s = array.slice %y {starts = [0], limits = [9], strides = [1]} : tensor<10xf64> -> tensor<9xf64>
// CHECK-NEXT:    %r = array.broadcast %x {dims = []} : f64 -> tensor<1xf64>
// CHECK-NEXT:    %r_1 = array.concatenate %r, %s {dim = 0} : tensor<1xf64>, tensor<9xf64> -> tensor<10xf64>
// CHECK-NEXT:    func.return %r_1
func.func @guarded(%x: f64, %y: tensor<10xf64>) -> tensor<10xf64> {
  %1 = array.constant 1 : i64
  %n = array.constant 10 : i64
  %s = array.gather %y (%i) : tensor<10xf64> -> tensor<10xf64> {
    %p = array.sub %i, %1 : i64
    %q = array.rem %p, %n : i64
    array.yield %q : i64
  }
  %at = array.iota {dim = 0} : -> tensor<10xi64>
  %0 = array.constant 0 : i64
  %zeros = array.broadcast %0 {dims = []} : i64 -> tensor<10xi64>
  %first = array.compare eq %at, %zeros : tensor<10xi64>, tensor<10xi64> -> tensor<10xi1>
  %xs = array.broadcast %x {dims = []} : f64 -> tensor<10xf64>
  %r = array.select %first, %xs, %s : tensor<10xi1>, tensor<10xf64>, tensor<10xf64> -> tensor<10xf64>
  func.return %r : tensor<10xf64>
}

// -----

// A position that is clamped only where nothing is read, beside one that is clamped to itself, reads one slice.

// CHECK-LABEL: func.func @zero_outside(
// CHECK-NEXT:    %s = array.slice %y {starts = [0], limits = [9], strides = [1]} : tensor<10xf64> -> tensor<9xf64>
// CHECK:         %[[ZEROS:.*]] = array.broadcast %{{.*}} {dims = []} : f64 -> tensor<1xf64>
// CHECK-NEXT:    %[[MOVED:.*]] = array.concatenate %[[ZEROS]], %s {dim = 0} : tensor<1xf64>, tensor<9xf64> -> tensor<10xf64>
// CHECK-NEXT:    func.return %[[MOVED]]
func.func @zero_outside(%y: tensor<10xf64>) -> tensor<10xf64> {
  %1 = array.constant 1 : i64
  %s = array.gather %y (%i) : tensor<10xf64> -> tensor<10xf64> {
    %p = array.sub %i, %1 : i64
    array.yield %p : i64
  }
  %at = array.iota {dim = 0} : -> tensor<10xi64>
  %ones = array.broadcast %1 {dims = []} : i64 -> tensor<10xi64>
  %before = array.sub %at, %ones : tensor<10xi64>
  %0 = array.constant 0 : i64
  %zeros = array.broadcast %0 {dims = []} : i64 -> tensor<10xi64>
  %inside = array.compare ge %before, %zeros : tensor<10xi64>, tensor<10xi64> -> tensor<10xi1>
  %zero = array.constant 0.0 : f64
  %outside = array.broadcast %zero {dims = []} : f64 -> tensor<10xf64>
  %r = array.select %inside, %s, %outside : tensor<10xi1>, tensor<10xf64>, tensor<10xf64> -> tensor<10xf64>
  func.return %r : tensor<10xf64>
}

// -----

// Values computed of the shift first are computed of zeros there.

// CHECK-LABEL: func.func @computed(
// CHECK:         %[[ZERO:.*]] = array.broadcast %{{.*}} {dims = []} : f64 -> tensor<1xf64>
// CHECK:         array.concatenate %[[ZERO]], %{{.*}} {dim = 0}
// CHECK:         array.select
func.func @computed(%y: tensor<10xf64>) -> tensor<10xf64> {
  %1 = array.constant 1 : i64
  %n = array.constant 10 : i64
  %s = array.gather %y (%i) : tensor<10xf64> -> tensor<10xf64> {
    %p = array.sub %i, %1 : i64
    %q = array.rem %p, %n : i64
    array.yield %q : i64
  }
  %t = array.mul %s, %y : tensor<10xf64>
  %at = array.iota {dim = 0} : -> tensor<10xi64>
  %ones = array.broadcast %1 {dims = []} : i64 -> tensor<10xi64>
  %later = array.compare ge %at, %ones : tensor<10xi64>, tensor<10xi64> -> tensor<10xi1>
  %r = array.select %later, %t, %y : tensor<10xi1>, tensor<10xf64>, tensor<10xf64> -> tensor<10xf64>
  func.return %r : tensor<10xf64>
}

// -----

// Positions of two arguments, in another order, one backwards and clamped.

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     array.gather
// CHECK:         array.slice %a {starts = [1, 0], limits = [3, 4], strides = [1, 1]}
// CHECK:         array.reverse
// CHECK:         array.broadcast %{{.*}} {dims = [1, 0]} : tensor<2x5xf64> -> tensor<5x2xf64>
func.func @transposed(%a: tensor<3x4xf64>) -> tensor<5x2xf64> {
  %1 = array.constant 1 : i64
  %4 = array.constant 4 : i64
  %s = array.gather %a (%i, %j) : tensor<3x4xf64> -> tensor<5x2xf64> {
    %p = array.add %j, %1 : i64
    %q = array.sub %4, %i : i64
    array.yield %p, %q : i64, i64
  }
  func.return %s : tensor<5x2xf64>
}

// -----

// Positions that an array holds, and two of one argument, are not regular.

// CHECK-LABEL: func.func @irregular(
// CHECK-COUNT-2: array.gather
func.func @irregular(%a: tensor<4x4xf64>, %p: tensor<4xi64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %s = array.gather %a (%i) : tensor<4x4xf64> -> tensor<4xf64> {
    array.yield %i, %i : i64, i64
  }
  %t = array.gather %a (%i) : tensor<4x4xf64> -> tensor<4x4xf64> {
    %q = array.index %p[%i] : tensor<4xi64> -> i64
    array.yield %q : i64
  }
  func.return %s, %t : tensor<4xf64>, tensor<4x4xf64>
}

// -----

// Padding is not gathered: where a table says that it is read, a select has it instead.

// CHECK-LABEL: func.func @padded(
// CHECK-NOT:     array.concatenate
// CHECK:         %[[TABLE:.*]] = array.constant dense<[2, 2, 0, 2]> : tensor<4xi64>
// CHECK:         %[[READ:.*]] = array.gather %x
// CHECK:           array.index %[[TABLE]]
// CHECK:         %[[INSIDE:.*]] = array.constant dense<[true, false, true, false]> : tensor<4xi1>
// CHECK:         array.select %[[INSIDE]], %[[READ]], %{{.*}} : tensor<4xi1>
func.func @padded(%x: tensor<3xf64>) -> tensor<4xf64> {
  %0 = array.constant 0.0 : f64
  %z = array.broadcast %0 {dims = []} : f64 -> tensor<1xf64>
  %p = array.concatenate %x, %z {dim = 0} : tensor<3xf64>, tensor<1xf64> -> tensor<4xf64>
  %t = array.constant dense<[2, 3, 0, 9]> : tensor<4xi64>
  %r = array.gather %p (%i) : tensor<4xf64> -> tensor<4xf64> {
    %q = array.index %t[%i] : tensor<4xi64> -> i64
    array.yield %q : i64
  }
  func.return %r : tensor<4xf64>
}
