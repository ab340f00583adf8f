// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Functions as combinators.

// CHECK-LABEL: func.func private @core() -> !function.rep<tuple<f64, f64>, tuple<f64>> {
// CHECK-NEXT: %id = function.id : -> !function.rep<tuple<f64, f64>, tuple<f64, f64>>
// CHECK-NEXT: %a = function.proj {index = 0} : -> !function.rep<tuple<f64, f64>, f64>
// CHECK-NEXT: %b = function.proj {index = 1} : -> !function.rep<tuple<f64, f64>, f64>
// CHECK-NEXT: %mul = function.primitive (%x: f64, %y: f64) : -> !function.rep<tuple<f64, f64>, tuple<f64>> {
// CHECK-NEXT: %z = array.mul %x, %y : f64
// CHECK-NEXT: %sx = linear.scale %x : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: %sy = linear.scale %y : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: %m = linear.vcat %sy, %sx : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, tuple<f64, f64>>
// CHECK-NEXT: array.yield %z, %m : f64, !linear.map<f64, tuple<f64, f64>>
// CHECK-NEXT: }
// CHECK-NEXT: %f = function.curry %mul : !function.rep<tuple<f64, f64>, tuple<f64>> -> !function.rep<f64, !function.closure<(f64) -> f64>>
// CHECK-NEXT: %g = function.compose %f, %a : !function.rep<f64, !function.closure<(f64) -> f64>>, !function.rep<tuple<f64, f64>, f64> -> !function.rep<tuple<f64, f64>, !function.closure<(f64) -> f64>>
// CHECK-NEXT: %both = function.prod %g, %b : !function.rep<tuple<f64, f64>, !function.closure<(f64) -> f64>>, !function.rep<tuple<f64, f64>, f64> -> !function.rep<tuple<f64, f64>, tuple<!function.closure<(f64) -> f64>, f64>>
// CHECK-NEXT: %eval = function.eval : -> !function.rep<tuple<!function.closure<(f64) -> f64>, f64>, tuple<f64>>
// CHECK-NEXT: %h = function.compose %eval, %both : !function.rep<tuple<!function.closure<(f64) -> f64>, f64>, tuple<f64>>, !function.rep<tuple<f64, f64>, tuple<!function.closure<(f64) -> f64>, f64>> -> !function.rep<tuple<f64, f64>, tuple<f64>>
// CHECK-NEXT: func.return %h : !function.rep<tuple<f64, f64>, tuple<f64>>
// CHECK-NEXT: }
func.func private @core() -> !function.rep<tuple<f64, f64>, tuple<f64>> {
  %id = function.id : -> !function.rep<tuple<f64, f64>, tuple<f64, f64>>
  %a = function.proj {index = 0} : -> !function.rep<tuple<f64, f64>, f64>
  %b = function.proj {index = 1} : -> !function.rep<tuple<f64, f64>, f64>
  %mul = function.primitive (%x : f64, %y : f64) : -> !function.rep<tuple<f64, f64>, tuple<f64>> {
    %z = array.mul %x, %y : f64
    %sx = linear.scale %x : f64 -> !linear.map<f64, f64>
    %sy = linear.scale %y : f64 -> !linear.map<f64, f64>
    %m = linear.vcat %sy, %sx : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, tuple<f64, f64>>
    array.yield %z, %m : f64, !linear.map<f64, tuple<f64, f64>>
  }
  %f = function.curry %mul : !function.rep<tuple<f64, f64>, tuple<f64>> -> !function.rep<f64, !function.closure<(f64) -> f64>>
  %g = function.compose %f, %a : !function.rep<f64, !function.closure<(f64) -> f64>>, !function.rep<tuple<f64, f64>, f64> -> !function.rep<tuple<f64, f64>, !function.closure<(f64) -> f64>>
  %both = function.prod %g, %b : !function.rep<tuple<f64, f64>, !function.closure<(f64) -> f64>>, !function.rep<tuple<f64, f64>, f64> -> !function.rep<tuple<f64, f64>, tuple<!function.closure<(f64) -> f64>, f64>>
  %eval = function.eval : -> !function.rep<tuple<!function.closure<(f64) -> f64>, f64>, tuple<f64>>
  %h = function.compose %eval, %both : !function.rep<tuple<!function.closure<(f64) -> f64>, f64>, tuple<f64>>, !function.rep<tuple<f64, f64>, tuple<!function.closure<(f64) -> f64>, f64>> -> !function.rep<tuple<f64, f64>, tuple<f64>>
  func.return %h : !function.rep<tuple<f64, f64>, tuple<f64>>
}

// CHECK-LABEL: func.func @derivative(%x: f64, %y: f64) -> (f64, f64, f64) {
// CHECK-NEXT: %f = function.named {callee = @core} : -> !function.rep<tuple<f64, f64>, tuple<f64>>
// CHECK-NEXT: %z, %d = function.pullback %f, %x, %y {tangents = environment} : !function.rep<tuple<f64, f64>, tuple<f64>>, f64, f64 -> (f64, !linear.map<f64, tuple<f64, f64>>)
// CHECK-NEXT: %ct_x, %ct_y = linear.apply %d, %z : !linear.map<f64, tuple<f64, f64>>, f64 -> (f64, f64)
// CHECK-NEXT: func.return %z, %ct_x, %ct_y : f64, f64, f64
// CHECK-NEXT: }
func.func @derivative(%x: f64, %y: f64) -> (f64, f64, f64) {
  %f = function.named {callee = @core} : -> !function.rep<tuple<f64, f64>, tuple<f64>>
  %z, %d = function.pullback %f, %x, %y {tangents = environment} : !function.rep<tuple<f64, f64>, tuple<f64>>, f64, f64 -> (f64, !linear.map<f64, tuple<f64, f64>>)
  %ct_x, %ct_y = linear.apply %d, %z : !linear.map<f64, tuple<f64, f64>>, f64 -> (f64, f64)
  func.return %z, %ct_x, %ct_y : f64, f64, f64
}

// CHECK-LABEL: func.func private @control(%iteration: !function.rep<tuple<f64, i64, f64, f64>, tuple<f64, f64>>, %more: !function.rep<tuple<f64, f64>, tuple<i1>>, %next: !function.rep<tuple<f64, f64>, tuple<f64>>, %element: !function.rep<tuple<f64, i64>, tuple<f64>>, %one: !function.rep<f64, f64>) {
// CHECK-NEXT: %i = function.injection {index = 1} : -> !function.rep<f64, !function.sum<i64, f64>>
// CHECK-NEXT: %roll = function.rolled : -> !function.rep<!function.sum<i64, f64>, !function.inductive<number>>
// CHECK-NEXT: %unroll = function.unrolled : -> !function.rep<!function.inductive<number>, !function.sum<i64, f64>>
// CHECK-NEXT: %match = function.match %element, %next : !function.rep<tuple<f64, i64>, tuple<f64>>, !function.rep<tuple<f64, f64>, tuple<f64>> -> !function.rep<tuple<f64, !function.sum<i64, f64>>, tuple<f64>>
// CHECK-NEXT: %choose = function.choose %one, %one : !function.rep<f64, f64>, !function.rep<f64, f64> -> !function.rep<tuple<f64, i1>, f64>
// CHECK-NEXT: %table = function.tabulate %element {extents = [3]} : !function.rep<tuple<f64, i64>, tuple<f64>> -> !function.rep<f64, tuple<tensor<3xf64>>>
// CHECK-NEXT: %fold = function.fold %iteration {carries = 1, length = 5, reverse} : !function.rep<tuple<f64, i64, f64, f64>, tuple<f64, f64>> -> !function.rep<tuple<f64, f64, tensor<5xf64>>, tuple<f64, tensor<5xf64>>>
// CHECK-NEXT: %iterate = function.iterate %more, %next : !function.rep<tuple<f64, f64>, tuple<i1>>, !function.rep<tuple<f64, f64>, tuple<f64>> -> !function.rep<tuple<f64, f64>, tuple<f64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func private @control(%iteration: !function.rep<tuple<f64, i64, f64, f64>, tuple<f64, f64>>, %more: !function.rep<tuple<f64, f64>, tuple<i1>>, %next: !function.rep<tuple<f64, f64>, tuple<f64>>, %element: !function.rep<tuple<f64, i64>, tuple<f64>>, %one: !function.rep<f64, f64>) {
  %i = function.injection {index = 1} : -> !function.rep<f64, !function.sum<i64, f64>>
  %roll = function.rolled : -> !function.rep<!function.sum<i64, f64>, !function.inductive<number>>
  %unroll = function.unrolled : -> !function.rep<!function.inductive<number>, !function.sum<i64, f64>>
  %match = function.match %element, %next : !function.rep<tuple<f64, i64>, tuple<f64>>, !function.rep<tuple<f64, f64>, tuple<f64>> -> !function.rep<tuple<f64, !function.sum<i64, f64>>, tuple<f64>>
  %choose = function.choose %one, %one : !function.rep<f64, f64>, !function.rep<f64, f64> -> !function.rep<tuple<f64, i1>, f64>
  %table = function.tabulate %element {extents = [3]} : !function.rep<tuple<f64, i64>, tuple<f64>> -> !function.rep<f64, tuple<tensor<3xf64>>>
  %fold = function.fold %iteration {carries = 1, length = 5, reverse} : !function.rep<tuple<f64, i64, f64, f64>, tuple<f64, f64>> -> !function.rep<tuple<f64, f64, tensor<5xf64>>, tuple<f64, tensor<5xf64>>>
  %iterate = function.iterate %more, %next : !function.rep<tuple<f64, f64>, tuple<i1>>, !function.rep<tuple<f64, f64>, tuple<f64>> -> !function.rep<tuple<f64, f64>, tuple<f64>>
  func.return
}
