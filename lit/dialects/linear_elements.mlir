// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Elements of powers and copowers, in the code of a map, and points of any type.

// CHECK-LABEL: func.func @collections(%x: f64) {
// CHECK-NEXT: %m = linear.lambda (%c: !linear.copower<f64, f64>, %w: f64) : -> !linear.map<tuple<!linear.copower<f64, f64>, tuple<f64>>, tuple<!linear.copower<f64, f64>, !linear.copower<f64, f64>>> {
// CHECK-NEXT: %single = linear.single %x : f64 -> !linear.map<f64, !linear.copower<f64, f64>>
// CHECK-NEXT: %d = linear.apply %single, %w : !linear.map<f64, !linear.copower<f64, f64>>, f64 -> !linear.copower<f64, f64>
// CHECK-NEXT: %e = linear.plus %c, %d : !linear.copower<f64, f64>
// CHECK-NEXT: %z = linear.nothing : -> !linear.copower<f64, f64>
// CHECK-NEXT: array.yield %e, %z : !linear.copower<f64, f64>, !linear.copower<f64, f64>
// CHECK-NEXT: }
func.func @collections(%x: f64) {
  %m = linear.lambda (%c : !linear.copower<f64, f64>, %w : f64) : -> !linear.map<tuple<!linear.copower<f64, f64>, tuple<f64>>, tuple<!linear.copower<f64, f64>, !linear.copower<f64, f64>>> {
    %single = linear.single %x : f64 -> !linear.map<f64, !linear.copower<f64, f64>>
    %d = linear.apply %single, %w : !linear.map<f64, !linear.copower<f64, f64>>, f64 -> !linear.copower<f64, f64>
    %e = linear.plus %c, %d : !linear.copower<f64, f64>
    %z = linear.nothing : -> !linear.copower<f64, f64>
    array.yield %e, %z : !linear.copower<f64, f64>, !linear.copower<f64, f64>
  }
  func.return
}

// CHECK-LABEL: func.func @lists() {
// CHECK-NEXT: %m = linear.lambda (%c: !linear.inductive<list>, %w: f64) : -> !linear.map<tuple<!linear.inductive<list>, f64>, !linear.inductive<list>> {
// CHECK-NEXT: %d, %r = linear.unroll %c : !linear.inductive<list> -> (f64, !linear.inductive<list>)
// CHECK-NEXT: %e = array.add %d, %w : f64
// CHECK-NEXT: %l = linear.roll %e, %r : f64, !linear.inductive<list> -> !linear.inductive<list>
// CHECK-NEXT: %s = linear.plus %l, %c : !linear.inductive<list>
// CHECK-NEXT: array.yield %s : !linear.inductive<list>
// CHECK-NEXT: }
func.func @lists() {
  %m = linear.lambda (%c : !linear.inductive<list>, %w : f64) : -> !linear.map<tuple<!linear.inductive<list>, f64>, !linear.inductive<list>> {
    %d, %r = linear.unroll %c : !linear.inductive<list> -> (f64, !linear.inductive<list>)
    %e = array.add %d, %w : f64
    %l = linear.roll %e, %r : f64, !linear.inductive<list> -> !linear.inductive<list>
    %s = linear.plus %l, %c : !linear.inductive<list>
    array.yield %s : !linear.inductive<list>
  }
  func.return
}

// CHECK-LABEL: func.func @points(%f: !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>) -> f64 {
// CHECK-NEXT: %x = array.constant 2.000000e+00 : f64
// CHECK-NEXT: %e = linear.eliminate (%g: !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>) : -> !linear.map<!linear.copower<!function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64>, f64> {
// CHECK:      %y = linear.apply %h, %x : !linear.map<f64, f64>, f64 -> f64
func.func @points(%f: !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>) -> f64 {
  %x = array.constant 2.0 : f64
  %e = linear.eliminate (%g : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>) : -> !linear.map<!linear.copower<!function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64>, f64> {
    %v, %m = function.apply %g, %x : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64 -> (f64, !linear.map<f64, f64>)
    array.yield %m : !linear.map<f64, f64>
  }
  %s = linear.single %f : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)> -> !linear.map<f64, !linear.copower<!function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64>>
  %h = linear.compose %e, %s : !linear.map<!linear.copower<!function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64>, f64>, !linear.map<f64, !linear.copower<!function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64>> -> !linear.map<f64, f64>
  %y = linear.apply %h, %x : !linear.map<f64, f64>, f64 -> f64
  func.return %y : f64
}

// CHECK-LABEL: func.func @leaves(
// CHECK-NEXT: %v0, %v1 = linear.apply %m, %x, %y : !linear.map<tuple<tuple<f64, tuple<>>, f32>, tuple<tuple<f32, f64>>>, f64, f32 -> (f32, f64)
func.func @leaves(%m: !linear.map<tuple<tuple<f64, tuple<>>, f32>, tuple<tuple<f32, f64>>>, %x: f64, %y: f32) {
  %v0, %v1 = linear.apply %m, %x, %y : !linear.map<tuple<tuple<f64, tuple<>>, f32>, tuple<tuple<f32, f64>>>, f64, f32 -> (f32, f64)
  func.return
}

// CHECK-LABEL: func.func @handed_on(%p: i1, %m: !linear.map<f64, f64>, %n: !linear.map<f64, f64>) {
// CHECK-NEXT: %k = array.if %p : i1 -> !linear.map<f64, f64> {
func.func @handed_on(%p: i1, %m: !linear.map<f64, f64>, %n: !linear.map<f64, f64>) {
  %k = array.if %p : i1 -> !linear.map<f64, f64> {
    array.yield %m : !linear.map<f64, f64>
  } else {
    array.yield %n : !linear.map<f64, f64>
  }
  func.return
}
