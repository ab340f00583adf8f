// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Loops, branches and tapes, with any number of carries, results and captured values.

// CHECK-LABEL: func.func @scan(%z: f64, %w: tensor<2xi64>, %x: tensor<5xf64>, %y: tensor<5x3xf32>) {
// CHECK-NEXT: %c, %d, %ys = array.scan %z, %w, %x, %y (%i, %a: f64, %b: tensor<2xi64>, %e: f64, %f: tensor<3xf32>) {carries = 2, length = 5} : f64, tensor<2xi64>, tensor<5xf64>, tensor<5x3xf32> -> (f64, tensor<2xi64>, tensor<5x3xf32>) {
// CHECK-NEXT: %g = array.mul %a, %e : f64
// CHECK-NEXT: array.yield %g, %b, %f : f64, tensor<2xi64>, tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %v = array.scan (%i) {carries = 0, length = 3, reverse} : -> tensor<3xi64> {
// CHECK-NEXT: array.yield %i : i64
// CHECK-NEXT: }
// CHECK-NEXT: %u = array.scan %z (%i, %a: f64) {carries = 1, length = 0, checkpoint = store} : f64 -> f64 {
// CHECK-NEXT: %h = array.index %x[%i] : tensor<5xf64> -> f64
// CHECK-NEXT: array.yield %h : f64
// CHECK-NEXT: }
// CHECK-NEXT: %s = array.scan %z (%i, %a: f64) {carries = 1, length = 9, reverse, checkpoint = sqrt} : f64 -> f64 {
// CHECK-NEXT: %t = array.scan %a (%i_1, %a_1: f64) {carries = 1, length = 2, checkpoint = recompute} : f64 -> f64 {
// CHECK-NEXT: array.yield %z : f64
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %t : f64
// CHECK-NEXT: }
// CHECK-NEXT: array.scan (%i) {carries = 0, length = 3} {
// CHECK-NEXT: array.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @scan(%z: f64, %w: tensor<2xi64>, %x: tensor<5xf64>, %y: tensor<5x3xf32>) {
  %c, %d, %ys = array.scan %z, %w, %x, %y (%i, %a: f64, %b: tensor<2xi64>, %e: f64, %f: tensor<3xf32>) {carries = 2, length = 5} : f64, tensor<2xi64>, tensor<5xf64>, tensor<5x3xf32> -> (f64, tensor<2xi64>, tensor<5x3xf32>) {
    %g = array.mul %a, %e : f64
    array.yield %g, %b, %f : f64, tensor<2xi64>, tensor<3xf32>
  }
  %v = array.scan (%i) {carries = 0, length = 3, reverse} : -> tensor<3xi64> {
    array.yield %i : i64
  }
  %u = array.scan %z (%i, %a: f64) {carries = 1, length = 0, checkpoint = store} : f64 -> f64 {
    %h = array.index %x[%i] : tensor<5xf64> -> f64
    array.yield %h : f64
  }
  %s = array.scan %z (%i, %a: f64) {carries = 1, length = 9, reverse, checkpoint = sqrt} : f64 -> f64 {
    %t = array.scan %a (%i_1, %a_1: f64) {carries = 1, length = 2, checkpoint = recompute} : f64 -> f64 {
      array.yield %z : f64
    }
    array.yield %t : f64
  }
  array.scan (%i) {carries = 0, length = 3} {
    array.yield
  }
  func.return
}

// CHECK-LABEL: func.func @while(%x: f64, %one: f64, %v: tensor<2xf64>) {
// CHECK-NEXT: %n = array.while %x (%a: f64) : f64 -> f64 {
// CHECK-NEXT: %more = array.compare gt %a, %one : f64, f64 -> i1
// CHECK-NEXT: array.yield %more : i1
// CHECK-NEXT: } do (%a: f64) {
// CHECK-NEXT: %b = array.sub %a, %one : f64
// CHECK-NEXT: array.yield %b : f64
// CHECK-NEXT: }
// CHECK-NEXT: %m, %w, %t = array.while %x, %v (%a: f64, %b: tensor<2xf64>) {record = 2} : f64, tensor<2xf64> -> (f64, tensor<2xf64>, !array.tape<tensor<2xf64>, f64>) {
// CHECK-NEXT: %more = array.compare gt %a, %one : f64, f64 -> i1
// CHECK-NEXT: array.yield %more : i1
// CHECK-NEXT: } do (%a: f64, %b: tensor<2xf64>) {
// CHECK-NEXT: %c = array.sub %a, %one : f64
// CHECK-NEXT: array.yield %c, %b, %b, %a : f64, tensor<2xf64>, tensor<2xf64>, f64
// CHECK-NEXT: }
// CHECK-NEXT: %r = array.replay %t, %x (%p: tensor<2xf64>, %q: f64, %c: f64) {reverse} : !array.tape<tensor<2xf64>, f64>, f64 -> f64 {
// CHECK-NEXT: %d = array.add %c, %q : f64
// CHECK-NEXT: array.yield %d : f64
// CHECK-NEXT: }
// CHECK-NEXT: %u = array.while () {record = 0} : -> !array.tape<> {
// CHECK-NEXT: %f = array.constant false
// CHECK-NEXT: array.yield %f : i1
// CHECK-NEXT: } do () {
// CHECK-NEXT: array.yield
// CHECK-NEXT: }
// CHECK-NEXT: array.replay %u () : !array.tape<> {
// CHECK-NEXT: array.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @while(%x: f64, %one: f64, %v: tensor<2xf64>) {
  %n = array.while %x (%a: f64) : f64 -> f64 {
    %more = array.compare gt %a, %one : f64, f64 -> i1
    array.yield %more : i1
  } do (%a: f64) {
    %b = array.sub %a, %one : f64
    array.yield %b : f64
  }
  %m, %w, %t = array.while %x, %v (%a: f64, %b: tensor<2xf64>) {record = 2} : f64, tensor<2xf64> -> (f64, tensor<2xf64>, !array.tape<tensor<2xf64>, f64>) {
    %more = array.compare gt %a, %one : f64, f64 -> i1
    array.yield %more : i1
  } do (%a: f64, %b: tensor<2xf64>) {
    %c = array.sub %a, %one : f64
    array.yield %c, %b, %b, %a : f64, tensor<2xf64>, tensor<2xf64>, f64
  }
  %r = array.replay %t, %x (%p: tensor<2xf64>, %q: f64, %c: f64) {reverse} : !array.tape<tensor<2xf64>, f64>, f64 -> f64 {
    %d = array.add %c, %q : f64
    array.yield %d : f64
  }
  %u = array.while () {record = 0} : -> !array.tape<> {
    %f = array.constant false
    array.yield %f : i1
  } do () {
    array.yield
  }
  array.replay %u () : !array.tape<> {
    array.yield
  }
  func.return
}

// CHECK-LABEL: func.func @if(%p: i1, %x: f64, %v: tensor<3xi1>) {
// CHECK-NEXT: %y = array.if %p : i1 -> f64 {
// CHECK-NEXT: %z = array.exp %x : f64
// CHECK-NEXT: array.yield %z : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %x : f64
// CHECK-NEXT: }
// CHECK-NEXT: %a, %b = array.if %p : i1 -> (f64, tensor<3xi1>) {
// CHECK-NEXT: array.yield %x, %v : f64, tensor<3xi1>
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %y, %v : f64, tensor<3xi1>
// CHECK-NEXT: }
// CHECK-NEXT: array.if %p : i1 {
// CHECK-NEXT: array.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @if(%p: i1, %x: f64, %v: tensor<3xi1>) {
  %y = array.if %p : i1 -> f64 {
    %z = array.exp %x : f64
    array.yield %z : f64
  } else {
    array.yield %x : f64
  }
  %a, %b = array.if %p : i1 -> (f64, tensor<3xi1>) {
    array.yield %x, %v : f64, tensor<3xi1>
  } else {
    array.yield %y, %v : f64, tensor<3xi1>
  }
  array.if %p : i1 {
    array.yield
  } else {
    array.yield
  }
  func.return
}

// CHECK-LABEL: func.func @switch(%k: i64, %x: f64) {
// CHECK-NEXT: %y = array.switch %k : i64 -> f64 {
// CHECK-NEXT: array.yield %x : f64
// CHECK-NEXT: }
// CHECK-NEXT: %a, %b = array.switch %k : i64 -> (f64, i64) {
// CHECK-NEXT: array.yield %x, %k : f64, i64
// CHECK-NEXT: } case {
// CHECK-NEXT: array.yield %y, %k : f64, i64
// CHECK-NEXT: } case {
// CHECK-NEXT: %z = array.neg %x : f64
// CHECK-NEXT: array.yield %z, %k : f64, i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @switch(%k: i64, %x: f64) {
  %y = array.switch %k : i64 -> f64 {
    array.yield %x : f64
  }
  %a, %b = array.switch %k : i64 -> (f64, i64) {
    array.yield %x, %k : f64, i64
  } case {
    array.yield %y, %k : f64, i64
  } case {
    %z = array.neg %x : f64
    array.yield %z, %k : f64, i64
  }
  func.return
}
