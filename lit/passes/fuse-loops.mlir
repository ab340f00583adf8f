// RUN: mlirad-opt %s -p fuse-loops --split-input-file | filecheck %s

// The second loop reads what the first has stacked: they are one, and the stack is gone. Its initial values
// are computed before.

// CHECK-LABEL: func.func @forward(
// CHECK-NEXT:    %[[D:.*]] = array.neg %x : f64
// CHECK-NEXT:    %[[R:.*]], %[[T:.*]] = array.scan %x, %[[D]] (%{{.*}}, %[[A:.*]]: f64, %[[E:.*]]: f64) {carries = 2, length = 4} : f64, f64 -> (f64, f64) {
// CHECK-NEXT:      %[[C:.*]] = array.cos %[[A]] : f64
// CHECK-NEXT:      %[[S:.*]] = array.sin %[[A]] : f64
// CHECK-NEXT:      %[[M:.*]] = array.mul %[[C]], %[[E]] : f64
// CHECK-NEXT:      array.yield %[[S]], %[[M]] : f64, f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[X:.*]] = array.exp %[[R]] : f64
// CHECK-NEXT:    func.return %[[X]], %[[T]] : f64, f64
func.func @forward(%x: f64) -> (f64, f64) {
  %r, %all = array.scan %x (%i, %a: f64) {carries = 1, length = 4} : f64 -> (f64, tensor<4xf64>) {
    %c = array.cos %a : f64
    %s = array.sin %a : f64
    array.yield %s, %c : f64, f64
  }
  %v = array.exp %r : f64
  %d = array.neg %x : f64
  %t = array.scan %d, %all (%i, %e: f64, %c: f64) {carries = 1, length = 4} : f64, tensor<4xf64> -> f64 {
    %m = array.mul %c, %e : f64
    array.yield %m : f64
  }
  func.return %v, %t : f64, f64
}

// -----

// A loop in the other order needs the whole stack, and so does one that starts from the end of the first.

// CHECK-LABEL: func.func @apart(
// CHECK:         array.scan %x (
// CHECK:         array.scan %x, %all (
// CHECK:         array.scan %x (
// CHECK:         array.scan %r_1, %all_1 (
func.func @apart(%x: f64) -> (f64, f64) {
  %r, %all = array.scan %x (%i, %a: f64) {carries = 1, length = 4} : f64 -> (f64, tensor<4xf64>) {
    %s = array.sin %a : f64
    array.yield %s, %a : f64, f64
  }
  %t = array.scan %x, %all (%i, %e: f64, %c: f64) {carries = 1, length = 4, reverse} : f64, tensor<4xf64> -> f64 {
    %m = array.mul %c, %e : f64
    array.yield %m : f64
  }
  %r_1, %all_1 = array.scan %x (%i, %a: f64) {carries = 1, length = 4} : f64 -> (f64, tensor<4xf64>) {
    %s = array.cos %a : f64
    array.yield %s, %a : f64, f64
  }
  %u = array.scan %r_1, %all_1 (%i, %e: f64, %c: f64) {carries = 1, length = 4} : f64, tensor<4xf64> -> f64 {
    %m = array.mul %c, %e : f64
    array.yield %m : f64
  }
  func.return %t, %u : f64, f64
}

// -----

// A tape that one loop alone reads from the oldest entry on is not recorded.

// CHECK-LABEL: func.func @recorded(
// CHECK-NEXT:    %{{.*}}, %[[T:.*]] = array.while %x, %x (%[[A:.*]]: f64, %{{.*}}: f64) : f64, f64 -> (f64, f64) {
// CHECK:         } do (%[[A:.*]]: f64, %[[E:.*]]: f64) {
// CHECK-NEXT:      %[[C:.*]] = array.cos %[[A]] : f64
// CHECK-NEXT:      %[[S:.*]] = array.sin %[[A]] : f64
// CHECK-NEXT:      %[[M:.*]] = array.mul %[[C]], %[[E]] : f64
// CHECK-NEXT:      array.yield %[[S]], %[[M]] : f64, f64
// CHECK:         func.return %[[T]] : f64
func.func @recorded(%x: f64) -> f64 {
  %r, %tape = array.while %x (%a: f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
    %l = array.constant 0.5 : f64
    %c = array.compare lt %a, %l : f64, f64 -> i1
    array.yield %c : i1
  } do (%a: f64) {
    %c = array.cos %a : f64
    %s = array.sin %a : f64
    array.yield %s, %c : f64, f64
  }
  %t = array.replay %tape, %x (%c: f64, %e: f64) : !array.tape<f64>, f64 -> f64 {
    %m = array.mul %c, %e : f64
    array.yield %m : f64
  }
  func.return %t : f64
}
