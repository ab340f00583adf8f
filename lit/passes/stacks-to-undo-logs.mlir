// RUN: mlirad-opt %s -p stacks-to-undo-logs --split-input-file | filecheck %s

// An iteration sets one element: it is kept as it was before, with its position, and put back by the loop that runs back.

// CHECK-LABEL: func.func @stacked(
// CHECK:         %[[V:.*]], %[[OLD:.*]] = array.scan %x, %p (%{{.*}}, %[[A:.*]]: tensor<9xf64>, %[[P:.*]]) {carries = 1, length = 4} : tensor<9xf64>, tensor<4xi64> -> (tensor<9xf64>, tensor<4xf64>) {
// CHECK-NEXT:      %[[O:.*]] = array.index %[[A]][%[[P]]]
// CHECK-NEXT:      %[[B:.*]] = array.update set %[[A]], %s ()
// CHECK:           array.yield %[[B]], %[[O]] : tensor<9xf64>, f64
// CHECK:         %[[T:.*]], %{{.*}} = array.scan %s, %[[V]], %[[OLD]], %p (%{{.*}}, %[[C:.*]]: f64, %[[D:.*]]: tensor<9xf64>, %[[E:.*]]: f64, %[[Q:.*]]) {carries = 2, length = 4, reverse}
// CHECK-NEXT:      %[[F:.*]] = array.update set %[[D]], %[[E]] ()
// CHECK-NEXT:        array.yield %[[Q]] : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[S:.*]] = array.sum %[[F]]
// CHECK-NEXT:      %[[G:.*]] = array.add %[[C]], %[[S]]
// CHECK-NEXT:      array.yield %[[G]], %[[F]]
func.func @stacked(%x: tensor<9xf64>, %p: tensor<4xi64>, %s: f64) -> f64 {
  %v, %all = array.scan %x, %p (%i, %a: tensor<9xf64>, %q) {carries = 1, length = 4} : tensor<9xf64>, tensor<4xi64> -> (tensor<9xf64>, tensor<4x9xf64>) {
    %b = array.update set %a, %s () : tensor<9xf64>, f64 -> tensor<9xf64> {
      array.yield %q : i64
    }
    array.yield %b, %a : tensor<9xf64>, tensor<9xf64>
  }
  %t = array.scan %s, %all (%i, %c: f64, %a: tensor<9xf64>) {carries = 1, length = 4, reverse} : f64, tensor<4x9xf64> -> f64 {
    %u = array.sum %a {dims = [0]} : tensor<9xf64> -> f64
    %w = array.add %c, %u : f64
    array.yield %w : f64
  }
  func.return %t : f64
}

// -----

// Entries of a tape become shorter in the same way. Of two updates the later one is undone first.

// CHECK-LABEL: func.func @recorded(
// CHECK:         %[[V:.*]], %{{.*}}, %[[TAPE:.*]] = array.while
// CHECK:         } do (%[[A:.*]]: tensor<3x8xf64>, %[[K:.*]]) {
// CHECK:           %[[O:.*]] = array.index %[[A]][%[[K]], %[[K]]]
// CHECK:           %[[B:.*]] = array.update add %[[A]]
// CHECK:           %[[R:.*]] = array.index %[[B]][%{{.*}}, %{{.*}}]
// CHECK:           array.yield %{{.*}}, %{{.*}}, %[[O]], %[[K]], %[[K]], %[[R]], %{{.*}}, %{{.*}} : tensor<3x8xf64>, i64, f64, i64, i64, f64, i64, i64
// CHECK:         array.replay %[[TAPE]], %s, %[[V]]
// CHECK-NEXT:      %[[U:.*]] = array.update set
// CHECK:           %[[W:.*]] = array.update set %[[U]]
// CHECK:           array.sum %[[W]]
func.func @recorded(%x: tensor<3x8xf64>, %n: i64, %s: f64) -> f64 {
  %0 = array.constant 0 : i64
  %v, %k, %tape = array.while %x, %0 (%a: tensor<3x8xf64>, %i) {record = 1} : tensor<3x8xf64>, i64 -> (tensor<3x8xf64>, i64, !array.tape<tensor<3x8xf64>>) {
    %more = array.compare lt %i, %n : i64, i64 -> i1
    array.yield %more : i1
  } do (%a: tensor<3x8xf64>, %i) {
    %1 = array.constant 1 : i64
    %j = array.add %i, %1 : i64
    %b = array.update add %a, %s () : tensor<3x8xf64>, f64 -> tensor<3x8xf64> {
      array.yield %i, %i : i64, i64
    }
    %c = array.update set %b, %s () : tensor<3x8xf64>, f64 -> tensor<3x8xf64> {
      array.yield %1, %j : i64, i64
    }
    array.yield %c, %j, %a : tensor<3x8xf64>, i64, tensor<3x8xf64>
  }
  %t = array.replay %tape, %s (%a: tensor<3x8xf64>, %c: f64) {reverse} : !array.tape<tensor<3x8xf64>>, f64 -> f64 {
    %u = array.sum %a {dims = [0, 1]} : tensor<3x8xf64> -> f64
    %w = array.add %c, %u : f64
    array.yield %w : f64
  }
  func.return %t : f64
}

// -----

// Kept as they are: an array read by a loop that runs forward, one that changes altogether, and a small one.

// CHECK-LABEL: func.func @others(
// CHECK:         array.scan
// CHECK-SAME:      -> (tensor<9xf64>, tensor<9xf64>, tensor<3xf64>, tensor<4x9xf64>, tensor<4x9xf64>, tensor<4x3xf64>)
func.func @others(%x: tensor<9xf64>, %y: tensor<3xf64>, %p: tensor<4xi64>, %s: f64) -> (f64, f64) {
  %v, %w, %z, %vs, %ws, %zs = array.scan %x, %x, %y, %p (%i, %a: tensor<9xf64>, %b: tensor<9xf64>, %c: tensor<3xf64>, %q) {carries = 3, length = 4} : tensor<9xf64>, tensor<9xf64>, tensor<3xf64>, tensor<4xi64> -> (tensor<9xf64>, tensor<9xf64>, tensor<3xf64>, tensor<4x9xf64>, tensor<4x9xf64>, tensor<4x3xf64>) {
    %d = array.update set %a, %s () : tensor<9xf64>, f64 -> tensor<9xf64> {
      array.yield %q : i64
    }
    %e = array.sin %b : tensor<9xf64>
    %f = array.update set %c, %s () : tensor<3xf64>, f64 -> tensor<3xf64> {
      array.yield %q : i64
    }
    array.yield %d, %e, %f, %a, %b, %c : tensor<9xf64>, tensor<9xf64>, tensor<3xf64>, tensor<9xf64>, tensor<9xf64>, tensor<3xf64>
  }
  %t = array.scan %s, %vs (%i, %g: f64, %a: tensor<9xf64>) {carries = 1, length = 4} : f64, tensor<4x9xf64> -> f64 {
    %h = array.sum %a {dims = [0]} : tensor<9xf64> -> f64
    %j = array.mul %g, %h : f64
    array.yield %j : f64
  }
  %u = array.scan %s, %ws, %zs (%i, %g: f64, %b: tensor<9xf64>, %c: tensor<3xf64>) {carries = 1, length = 4, reverse} : f64, tensor<4x9xf64>, tensor<4x3xf64> -> f64 {
    %h = array.sum %b {dims = [0]} : tensor<9xf64> -> f64
    %k = array.sum %c {dims = [0]} : tensor<3xf64> -> f64
    %l = array.mul %h, %k : f64
    %j = array.mul %g, %l : f64
    array.yield %j : f64
  }
  func.return %t, %u : f64, f64
}
