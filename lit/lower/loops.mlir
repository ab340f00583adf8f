// RUN: mlirad-opt %s -p form-kernels --split-input-file | filecheck %s --check-prefix=FORM
// RUN: mlirad-opt %s -p form-kernels,fuse-kernels,plan-memory --split-input-file | filecheck %s --check-prefix=PLAN

// The body of a loop holds kernels; what is yielded without being computed is copied by a kernel of its own.

// FORM-LABEL: func.func @fibonacci
// FORM-NEXT:    array.scan %a, %b (%i, %p: f64, %q: f64) {carries = 2, length = 10}
// FORM-NEXT:      [[COPY:%.*]] = kernel.nest %q () {space = [], reduction = []}
// FORM:           [[SUM:%.*]] = kernel.nest %p, %q () {space = [], reduction = []}
// FORM:           array.yield [[COPY]], [[SUM]] : f64, f64

// Fused it is one kernel. Scalar carries are copied at the end of an iteration.

// PLAN-LABEL: func.func @fibonacci
// PLAN-SAME:    kernel.arena_bytes = 128
// PLAN-NEXT:    array.scan
// PLAN-SAME:      kernel.places = array<i64: -1, -2>, kernel.carries = array<i64: -2, -2>
// PLAN-NEXT:      kernel.nest
// PLAN-NOT:       kernel.nest
// PLAN:           func.return
func.func @fibonacci(%a: f64, %b: f64) -> (f64, f64) {
  %x, %y = array.scan %a, %b (%i, %p: f64, %q: f64) {carries = 2, length = 10} : f64, f64 -> (f64, f64) {
    %n = array.add %p, %q : f64
    array.yield %q, %n : f64, f64
  }
  func.return %x, %y : f64, f64
}

// -----

// Invariant code stands before the loop. The carry is updated where it lies, which is the result of the
// function, and the stacked value is written to its slice.

// FORM-LABEL: func.func @invariant
// FORM-NEXT:    [[E:%.*]] = kernel.nest %x
// FORM:           array.exp
// FORM:         array.scan
// FORM-NEXT:      kernel.nest [[P:%.*]], [[E]]

// PLAN-LABEL: func.func @invariant
// PLAN:         array.scan
// PLAN-SAME:      kernel.places = array<i64: -1, -2>, kernel.carries = array<i64: -1>
// PLAN:           kernel.nest
// PLAN-SAME:      places = [-1, -2]
func.func @invariant(%a: tensor<4xf64>, %x: tensor<4xf64>) -> (tensor<4xf64>, tensor<5x4xf64>) {
  %c, %s = array.scan %a (%i, %p: tensor<4xf64>) {carries = 1, length = 5} : tensor<4xf64> -> (tensor<4xf64>, tensor<5x4xf64>) {
    %e = array.exp %x : tensor<4xf64>
    %m = array.mul %p, %e : tensor<4xf64>
    %t = array.sin %m : tensor<4xf64>
    array.yield %m, %t : tensor<4xf64>, tensor<4xf64>
  }
  func.return %c, %s : tensor<4xf64>, tensor<5x4xf64>
}

// -----

// An accumulator that one element is added to stays where it is.

// PLAN-LABEL: func.func @accumulate
// PLAN-SAME:    kernel.arena_bytes = 0
// PLAN:         kernel.carries = array<i64: -1>
// PLAN:         kernel.scatter add
// PLAN-SAME:      in_place, places = [-1]
func.func @accumulate(%a: tensor<4xf64>, %x: tensor<9xf64>) -> tensor<4xf64> {
  %c = array.scan %a, %x (%i, %p: tensor<4xf64>, %v: f64) {carries = 1, length = 9} : tensor<4xf64>, tensor<9xf64> -> tensor<4xf64> {
    %n = array.update add %p, %v () : tensor<4xf64>, f64 -> tensor<4xf64> {
      array.yield %i : i64
    }
    array.yield %n : tensor<4xf64>
  }
  func.return %c : tensor<4xf64>
}

// -----

// A carry that is read at other positions than the one written has spare memory, and so has nothing else: the
// condition and the branches hand their values over where they are wanted.

// PLAN-LABEL: func.func @turns
// PLAN-SAME:    kernel.arena_bytes = 64
// PLAN:         array.while
// PLAN-SAME:      kernel.places = array<i64: -1>, kernel.carries = array<i64: 0>
// PLAN:           places = [-1]
// PLAN:         } do
// PLAN:           array.if
// PLAN-SAME:        kernel.places = array<i64: -1>
// PLAN:             places = [-1]
// PLAN:           } else {
// PLAN:             places = [-1]
func.func @turns(%a: tensor<4xf64>, %b: i1) -> tensor<4xf64> {
  %c = array.while %a (%p: tensor<4xf64>) : tensor<4xf64> -> tensor<4xf64> {
    %z = array.constant 0 : i64
    %v = array.index %p[%z] : tensor<4xf64> -> f64
    %h = array.constant 9.0 : f64
    %m = array.compare lt %v, %h : f64, f64 -> i1
    array.yield %m : i1
  } do (%p: tensor<4xf64>) {
    %w = array.if %b : i1 -> tensor<4xf64> {
      %r = array.reverse %p {dims = [0]} : tensor<4xf64> -> tensor<4xf64>
      %s = array.add %p, %r : tensor<4xf64>
      array.yield %s : tensor<4xf64>
    } else {
      %e = array.exp %p : tensor<4xf64>
      array.yield %e : tensor<4xf64>
    }
    array.yield %w : tensor<4xf64>
  }
  func.return %c : tensor<4xf64>
}
