// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Combinators that the verifiers reject.

func.func private @f() {
  // expected-error @below {{function.id: result has type !function.rep<f64, i64>, the op makes one of type !function.rep<f64, f64>}}
  %f = function.id : -> !function.rep<f64, i64>
  func.return
}

// -----

func.func private @f(%g: !function.rep<f64, i64>) {
  // expected-error @below {{function.compose: the inner function makes i64, the outer one takes f64}}
  %f = function.compose %g, %g : !function.rep<f64, i64>, !function.rep<f64, i64> -> !function.rep<f64, i64>
  func.return
}

// -----

func.func private @f(%x: f64) {
  // expected-error @below {{function.compose: outer operand must be a rep-function, got f64}}
  %f = function.compose %x, %x : f64, f64 -> !function.rep<f64, i64>
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.proj: domain tuple<f64> has no component 1}}
  %f = function.proj {index = 1} : -> !function.rep<tuple<f64>, f64>
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.proj: domain must be a tuple, got f64}}
  %f = function.proj {index = 0} : -> !function.rep<f64, f64>
  func.return
}

// -----

func.func private @f(%g: !function.rep<i64, f64>) {
  // expected-error @below {{function.prod: operand 0 takes i64, not f64}}
  %f = function.prod %g : !function.rep<i64, f64> -> !function.rep<f64, tuple<f64>>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<>, tuple<f64>>) {
  // expected-error @below {{function.curry: what the operand takes must be a tuple of at least 1, got tuple<>}}
  %f = function.curry %g : !function.rep<tuple<>, tuple<f64>> -> !function.rep<tuple<>, !function.closure<() -> f64>>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<i64, f64>, tuple<f64>>) {
  // expected-error @below {{function.curry: result has type !function.rep<i64, !function.closure<() -> f64>>, the op makes one of type !function.rep<i64, !function.closure<(f64) -> f64>>}}
  %f = function.curry %g : !function.rep<tuple<i64, f64>, tuple<f64>> -> !function.rep<i64, !function.closure<() -> f64>>
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.eval: domain must begin with a closure, got tuple<f64>}}
  %f = function.eval : -> !function.rep<tuple<f64>, f64>
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.primitive: last yielded value must be a linear map, got f64}}
  %f = function.primitive (%a : f64) : -> !function.rep<tuple<f64>, tuple<f64>> {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.primitive: the back-propagator must go from f64 to tuple<f64, tuple<>>, got !linear.map<f64, f64>}}
  %f = function.primitive (%a : f64, %n) : -> !function.rep<tuple<f64, i64>, tuple<f64>> {
    %m = linear.identity : -> !linear.map<f64, f64>
    array.yield %a, %m : f64, !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.named: there is no function @g}}
  %f = function.named {callee = @g} : -> !function.rep<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @g() -> !function.rep<tuple<f64>, tuple<i64>> {
  %f = function.named {callee = @g} : -> !function.rep<tuple<f64>, tuple<i64>>
  func.return %f : !function.rep<tuple<f64>, tuple<i64>>
}

func.func private @f() {
  // expected-error @below {{function.named: @g returns !function.rep<tuple<f64>, tuple<i64>> in place 0, got !function.rep<tuple<f64>, tuple<f64>>}}
  %f = function.named {callee = @g} : -> !function.rep<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<f64>, tuple<f64>>, %x: f64) {
  // expected-error @below {{function.pullback: tangents 'all' is not one of calls, environment}}
  %y, %d = function.pullback %g, %x {tangents = all} : !function.rep<tuple<f64>, tuple<f64>>, f64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<f64>, tuple<f64>>, %x: f64) {
  // expected-error @below {{function.pullback: the map must go from f64 to f64, got !linear.map<f64, f32>}}
  %y, %d = function.pullback %g, %x {tangents = calls} : !function.rep<tuple<f64>, tuple<f64>>, f64 -> (f64, !linear.map<f64, f32>)
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.injection: codomain !function.sum<f64> has no alternative 1}}
  %f = function.injection {index = 1} : -> !function.rep<f64, !function.sum<f64>>
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.rolled: codomain f64 is not an inductive type}}
  %f = function.rolled : -> !function.rep<f64, f64>
  func.return
}

// -----

func.func private @f() {
  // expected-error @below {{function.unrolled: domain f64 is not an inductive type}}
  %f = function.unrolled : -> !function.rep<f64, f64>
  func.return
}

// -----

func.func private @f() {
  %f = function.rolled : -> !function.rep<f64, !function.inductive<number>>
  // expected-error @below {{function.unrolled: a value of type !function.inductive<number> holds (i64) here and (f64) in function.rolled}}
  %g = function.unrolled : -> !function.rep<!function.inductive<number>, i64>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<f64, f64>, f64>) {
  // expected-error @below {{function.match: 1 functions for the alternatives of !function.sum<f64, i64>}}
  %f = function.match %g : !function.rep<tuple<f64, f64>, f64> -> !function.rep<tuple<f64, !function.sum<f64, i64>>, f64>
  func.return
}

// -----

func.func private @f(%g: !function.rep<f64, f64>) {
  // expected-error @below {{function.choose: 1 functions cannot be chosen from by i1}}
  %f = function.choose %g : !function.rep<f64, f64> -> !function.rep<tuple<f64, i1>, f64>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<f64>, tuple<f64>>) {
  // expected-error @below {{function.tabulate: operand of type !function.rep<tuple<f64>, tuple<f64>> makes no array of extents [3]}}
  %f = function.tabulate %g {extents = [3]} : !function.rep<tuple<f64>, tuple<f64>> -> !function.rep<f64, tuple<tensor<3xf64>>>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<f64, i64, f64>, tuple<i64>>) {
  // expected-error @below {{function.fold: an iteration takes carries (f64) and makes (i64)}}
  %f = function.fold %g {carries = 1, length = 2} : !function.rep<tuple<f64, i64, f64>, tuple<i64>> -> !function.rep<tuple<f64, f64>, tuple<f64>>
  func.return
}

// -----

func.func private @f(%g: !function.rep<tuple<f64, i64>, tuple<i64>>) {
  // expected-error @below {{function.iterate: the condition must take tuple<f64, i64> to tuple<i1>, got !function.rep<tuple<f64, i64>, tuple<i64>>}}
  %f = function.iterate %g, %g : !function.rep<tuple<f64, i64>, tuple<i64>>, !function.rep<tuple<f64, i64>, tuple<i64>> -> !function.rep<tuple<f64, i64>, tuple<i64>>
  func.return
}
