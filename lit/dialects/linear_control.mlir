// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Maps of loops and branches: their regions make maps from primal values.

// CHECK-LABEL: func.func @scan(%r: tensor<5xf64>, %k: f64) {
// CHECK-NEXT: %m = linear.scan %r (%i, %a: f64) {carries = 1, inputs = 1, captured = 1, length = 5, reverse, checkpoint = recompute} : tensor<5xf64> -> !linear.map<tuple<f64, tensor<5xf64>, f64>, tuple<f64, tensor<5xf64>>> {
// CHECK-NEXT: %c = linear.project {index = 0} : -> !linear.map<tuple<f64, f64, f64>, f64>
// CHECK-NEXT: %x = linear.project {index = 1} : -> !linear.map<tuple<f64, f64, f64>, f64>
// CHECK-NEXT: %s = linear.scale %a : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: %d = linear.compose %s, %c : !linear.map<f64, f64>, !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, f64>
// CHECK-NEXT: %y = linear.vcat %d, %x : !linear.map<tuple<f64, f64, f64>, f64>, !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, tuple<f64, f64>>
// CHECK-NEXT: array.yield %y : !linear.map<tuple<f64, f64, f64>, tuple<f64, f64>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @scan(%r: tensor<5xf64>, %k: f64) {
  %m = linear.scan %r (%i, %a : f64) {carries = 1, inputs = 1, captured = 1, length = 5, reverse, checkpoint = recompute} : tensor<5xf64> -> !linear.map<tuple<f64, tensor<5xf64>, f64>, tuple<f64, tensor<5xf64>>> {
    %c = linear.project {index = 0} : -> !linear.map<tuple<f64, f64, f64>, f64>
    %x = linear.project {index = 1} : -> !linear.map<tuple<f64, f64, f64>, f64>
    %s = linear.scale %a : f64 -> !linear.map<f64, f64>
    %d = linear.compose %s, %c : !linear.map<f64, f64>, !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, f64>
    %y = linear.vcat %d, %x : !linear.map<tuple<f64, f64, f64>, f64>, !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, tuple<f64, f64>>
    array.yield %y : !linear.map<tuple<f64, f64, f64>, tuple<f64, f64>>
  }
  func.return
}

// CHECK-LABEL: func.func @while(%n: i64, %x: f64) {
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %k, %t = array.while %n (%a) {record = 1} : i64 -> (i64, !array.tape<f64>) {
// CHECK-NEXT: %more = array.compare gt %a, %one : i64, i64 -> i1
// CHECK-NEXT: array.yield %more : i1
// CHECK-NEXT: } do (%a) {
// CHECK-NEXT: %b = array.sub %a, %one : i64
// CHECK-NEXT: array.yield %b, %x : i64, f64
// CHECK-NEXT: }
// CHECK-NEXT: %m = linear.while %t (%e: f64) {carries = 1} : !array.tape<f64> -> !linear.map<tuple<f64>, tuple<f64>> {
// CHECK-NEXT: %p = linear.project {index = 0} : -> !linear.map<tuple<f64>, f64>
// CHECK-NEXT: %s = linear.scale %e : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: %d = linear.compose %s, %p : !linear.map<f64, f64>, !linear.map<tuple<f64>, f64> -> !linear.map<tuple<f64>, f64>
// CHECK-NEXT: %y = linear.vcat %d : !linear.map<tuple<f64>, f64> -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: array.yield %y : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @while(%n: i64, %x: f64) {
  %one = array.constant 1 : i64
  %k, %t = array.while %n (%a) {record = 1} : i64 -> (i64, !array.tape<f64>) {
    %more = array.compare gt %a, %one : i64, i64 -> i1
    array.yield %more : i1
  } do (%a) {
    %b = array.sub %a, %one : i64
    array.yield %b, %x : i64, f64
  }
  %m = linear.while %t (%e : f64) {carries = 1} : !array.tape<f64> -> !linear.map<tuple<f64>, tuple<f64>> {
    %p = linear.project {index = 0} : -> !linear.map<tuple<f64>, f64>
    %s = linear.scale %e : f64 -> !linear.map<f64, f64>
    %d = linear.compose %s, %p : !linear.map<f64, f64>, !linear.map<tuple<f64>, f64> -> !linear.map<tuple<f64>, f64>
    %y = linear.vcat %d : !linear.map<tuple<f64>, f64> -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %y : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}

// CHECK-LABEL: func.func @branches(%p: i1, %k: i64) {
// CHECK-NEXT: %z = linear.zero : -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: %m = linear.if %p : i1 -> !linear.map<tuple<f64>, tuple<f64>> {
// CHECK-NEXT: array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %z : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: }
// CHECK-NEXT: %n = linear.switch %k : i64 -> !linear.map<tuple<f64>, tuple<f64>> {
// CHECK-NEXT: array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: } case {
// CHECK-NEXT: array.yield %z : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: } case {
// CHECK-NEXT: array.yield %m : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: }
// CHECK-NEXT: %c = linear.checkpoint : -> !linear.map<tuple<f64>, tuple<f64>> {
// CHECK-NEXT: array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @branches(%p: i1, %k: i64) {
  %z = linear.zero : -> !linear.map<tuple<f64>, tuple<f64>>
  %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
  %m = linear.if %p : i1 -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  } else {
    array.yield %z : !linear.map<tuple<f64>, tuple<f64>>
  }
  %n = linear.switch %k : i64 -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  } case {
    array.yield %z : !linear.map<tuple<f64>, tuple<f64>>
  } case {
    array.yield %m : !linear.map<tuple<f64>, tuple<f64>>
  }
  %c = linear.checkpoint : -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}
