// RUN: mlirad-opt -p eliminate-functions --split-input-file --verify-diagnostics %s | filecheck %s

// Closures, tuples and sums become arrays, branches and calls.

// Closures that a branch chooses, which capture what can be read outside of it: the branch is where they are applied.

// CHECK-LABEL: func.func @chosen(%p: i1, %x: f64, %w: f64) -> f64 {
// CHECK-NEXT: %r = array.if %p : i1 -> f64 {
// CHECK-NEXT: %r_1 = func.call @g(%x, %w) : (f64, f64) -> f64
// CHECK-NEXT: array.yield %r_1 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_1 = func.call @h(%x) : (f64) -> f64
// CHECK-NEXT: array.yield %r_1 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @g(%z: f64, %w: f64) -> f64 {
// CHECK-NEXT: %y = array.mul %z, %w : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @h(%z: f64) -> f64 {
// CHECK-NEXT: %y = array.sin %z : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @chosen(%p: i1, %x: f64, %w: f64) -> f64 {
  %f = array.if %p : i1 -> !function.closure<(f64) -> f64> {
    %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = array.mul %z, %w : f64
      array.yield %y : f64
    }
    array.yield %g : !function.closure<(f64) -> f64>
  } else {
    %h = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = array.sin %z : f64
      array.yield %y : f64
    }
    array.yield %h : !function.closure<(f64) -> f64>
  }
  %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

// -----

// A chosen closure that is captured by one that is chosen: no slot except for what only a branch knows.

// CHECK-LABEL: func.func @again(%p: i1, %q: i1, %x: f64, %w: f64) -> f64 {
// CHECK-NEXT: %f = array.if %p : i1 -> f64 {
// CHECK-NEXT: %u = array.mul %w, %w : f64
// CHECK-NEXT: array.yield %u : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %h = array.constant 0.000000e+00 : f64
// CHECK-NEXT: array.yield %h : f64
// CHECK-NEXT: }
// CHECK-NEXT: %r = array.if %q : i1 -> f64 {
// CHECK-NEXT: %r_1 = func.call @l(%x, %p, %f, %w) : (f64, i1, f64, f64) -> f64
// CHECK-NEXT: array.yield %r_1 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_1 = func.call @f(%x, %p, %f) : (f64, i1, f64) -> f64
// CHECK-NEXT: array.yield %r_1 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @l(%z: f64, %p: i1, %0: f64, %w: f64) -> f64 {
// CHECK-NEXT: %y = array.if %p : i1 -> f64 {
// CHECK-NEXT: %y_1 = func.call @g(%z, %0) : (f64, f64) -> f64
// CHECK-NEXT: array.yield %y_1 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %y_1 = func.call @h(%z) : (f64) -> f64
// CHECK-NEXT: array.yield %y_1 : f64
// CHECK-NEXT: }
// CHECK-NEXT: %t = array.mul %y, %w : f64
// CHECK-NEXT: func.return %t : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f(%0: f64, %p: i1, %1: f64) -> f64 {
// CHECK-NEXT: %2 = array.if %p : i1 -> f64 {
// CHECK-NEXT: %3 = func.call @g(%0, %1) : (f64, f64) -> f64
// CHECK-NEXT: array.yield %3 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %3 = func.call @h(%0) : (f64) -> f64
// CHECK-NEXT: array.yield %3 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %2 : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @g(%z: f64, %u: f64) -> f64 {
// CHECK-NEXT: %y = array.mul %z, %u : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @h(%z: f64) -> f64 {
// CHECK-NEXT: %y = array.sin %z : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @again(%p: i1, %q: i1, %x: f64, %w: f64) -> f64 {
  %f = array.if %p : i1 -> !function.closure<(f64) -> f64> {
    %u = array.mul %w, %w : f64
    %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = array.mul %z, %u : f64
      array.yield %y : f64
    }
    array.yield %g : !function.closure<(f64) -> f64>
  } else {
    %h = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = array.sin %z : f64
      array.yield %y : f64
    }
    array.yield %h : !function.closure<(f64) -> f64>
  }
  %k = array.if %q : i1 -> !function.closure<(f64) -> f64> {
    %l = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = function.apply %f, %z : !function.closure<(f64) -> f64>, f64 -> f64
      %t = array.mul %y, %w : f64
      array.yield %t : f64
    }
    array.yield %l : !function.closure<(f64) -> f64>
  } else {
    array.yield %f : !function.closure<(f64) -> f64>
  }
  %r = function.apply %k, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

// -----

// A closure that a loop carries: a tag, and the slots of what its kinds capture.

// CHECK-LABEL: func.func @replaced(%p: i1, %x: f64, %w: f64) -> f64 {
// CHECK-NEXT: %g = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %g_1 = array.constant 0 : i64
// CHECK-NEXT: %0, %1 = array.scan %g_1, %g (%i, %2, %3: f64) {carries = 2, length = 3} : i64, f64 -> (i64, f64) {
// CHECK-NEXT: %v = array.compare gt %2, %g_1 : i64, i64 -> i1
// CHECK-NEXT: %v_1 = array.if %v : i1 -> f64 {
// CHECK-NEXT: %v_2 = func.call @k(%w, %3) : (f64, f64) -> f64
// CHECK-NEXT: array.yield %v_2 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %v_2 = func.call @f(%w) : (f64) -> f64
// CHECK-NEXT: array.yield %v_2 : f64
// CHECK-NEXT: }
// CHECK-NEXT: %k = array.constant 1 : i64
// CHECK-NEXT: array.yield %k, %v_1 : i64, f64
// CHECK-NEXT: }
// CHECK-NEXT: %r = array.compare gt %0, %g_1 : i64, i64 -> i1
// CHECK-NEXT: %r_1 = array.if %r : i1 -> f64 {
// CHECK-NEXT: %r_2 = func.call @k(%x, %1) : (f64, f64) -> f64
// CHECK-NEXT: array.yield %r_2 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %r_2 = func.call @f(%x) : (f64) -> f64
// CHECK-NEXT: array.yield %r_2 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_1 : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @k(%z: f64, %v: f64) -> f64 {
// CHECK-NEXT: %y = array.mul %z, %v : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f(%z: f64) -> f64 {
// CHECK-NEXT: %y = array.sin %z : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @replaced(%p: i1, %x: f64, %w: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %y = array.sin %z : f64
    array.yield %y : f64
  }
  %g = array.scan %f (%i, %h: !function.closure<(f64) -> f64>) {carries = 1, length = 3} : !function.closure<(f64) -> f64> -> !function.closure<(f64) -> f64> {
    %v = function.apply %h, %w : !function.closure<(f64) -> f64>, f64 -> f64
    %k = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = array.mul %z, %v : f64
      array.yield %y : f64
    }
    array.yield %k : !function.closure<(f64) -> f64>
  }
  %r = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

// -----

// A known closure is called; what it shares with others is handed over once.

// CHECK-LABEL: func.func @shared(%x: f64, %w: f64) -> f64 {
// CHECK-NEXT: %r = func.call @g(%x, %w) : (f64, f64) -> f64
// CHECK-NEXT: %s = func.call @g(%r, %w) : (f64, f64) -> f64
// CHECK-NEXT: %t = func.call @f(%s, %w) : (f64, f64) -> f64
// CHECK-NEXT: func.return %t : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @g(%z: f64, %w: f64) -> f64 {
// CHECK-NEXT: %a = func.call @f(%z, %w) : (f64, f64) -> f64
// CHECK-NEXT: %b = array.mul %a, %w : f64
// CHECK-NEXT: func.return %b : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f(%z: f64, %w: f64) -> f64 {
// CHECK-NEXT: %y = array.mul %z, %w : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @shared(%x: f64, %w: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %y = array.mul %z, %w : f64
    array.yield %y : f64
  }
  %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %a = function.apply %f, %z : !function.closure<(f64) -> f64>, f64 -> f64
    %b = array.mul %a, %w : f64
    array.yield %b : f64
  }
  %r = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %s = function.apply %g, %r : !function.closure<(f64) -> f64>, f64 -> f64
  %t = function.apply %f, %s : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %t : f64
}

// -----

// A partial application in a carry, with the tuple around it gone.

// CHECK-LABEL: func.func private @scaled(%z: f64, %k: f64) -> f64 {
// CHECK-NEXT: %y = array.mul %z, %k : f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func @carried(%x: f64, %v: tensor<3xf64>) -> f64 {
// CHECK-NEXT: %one = array.constant 1.000000e+00 : f64
// CHECK-NEXT: %y, %0 = array.scan %x, %one, %v (%i, %a: f64, %1: f64, %e: f64) {carries = 2, length = 3} : f64, f64, tensor<3xf64> -> (f64, f64) {
// CHECK-NEXT: %b = func.call @scaled(%a, %1) : (f64, f64) -> f64
// CHECK-NEXT: array.yield %b, %e : f64, f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func private @scaled(%z: f64, %k: f64) -> f64 {
  %y = array.mul %z, %k : f64
  func.return %y : f64
}
func.func @carried(%x: f64, %v: tensor<3xf64>) -> f64 {
  %one = array.constant 1.0 : f64
  %f = function.partial %one {callee = @scaled} : f64 -> !function.closure<(f64) -> f64>
  %s = function.tuple %x, %f : f64, !function.closure<(f64) -> f64> -> tuple<f64, !function.closure<(f64) -> f64>>
  %t = array.scan %s, %v (%i, %c: tuple<f64, !function.closure<(f64) -> f64>>, %e: f64) {carries = 1, length = 3} : tuple<f64, !function.closure<(f64) -> f64>>, tensor<3xf64> -> tuple<f64, !function.closure<(f64) -> f64>> {
    %a = function.get %c {index = 0} : tuple<f64, !function.closure<(f64) -> f64>> -> f64
    %g = function.get %c {index = 1} : tuple<f64, !function.closure<(f64) -> f64>> -> !function.closure<(f64) -> f64>
    %b = function.apply %g, %a : !function.closure<(f64) -> f64>, f64 -> f64
    %h = function.partial %e {callee = @scaled} : f64 -> !function.closure<(f64) -> f64>
    %n = function.tuple %b, %h : f64, !function.closure<(f64) -> f64> -> tuple<f64, !function.closure<(f64) -> f64>>
    array.yield %n : tuple<f64, !function.closure<(f64) -> f64>>
  }
  %y = function.get %t {index = 0} : tuple<f64, !function.closure<(f64) -> f64>> -> f64
  func.return %y : f64
}

// -----

// A sum: a tag, and slots that can hold each alternative.

// CHECK-LABEL: func.func private @area(%0: i64, %a: f64, %b: f64) -> f64 {
// CHECK-NEXT: %y = array.constant 0 : i64
// CHECK-NEXT: %y_1 = array.compare gt %0, %y : i64, i64 -> i1
// CHECK-NEXT: %y_2 = array.if %y_1 : i1 -> f64 {
// CHECK-NEXT: %c = array.mul %a, %b : f64
// CHECK-NEXT: array.yield %c : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %a_1 = array.mul %a, %a : f64
// CHECK-NEXT: array.yield %a_1 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y_2 : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func @sum(%x: f64, %w: f64) -> (f64, f64) {
// CHECK-NEXT: %c = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %c_1 = array.constant 0 : i64
// CHECK-NEXT: %b = array.constant 1 : i64
// CHECK-NEXT: %y = func.call @area(%c_1, %x, %c) : (i64, f64, f64) -> f64
// CHECK-NEXT: %z = func.call @area(%b, %x, %w) : (i64, f64, f64) -> f64
// CHECK-NEXT: func.return %y, %z : f64, f64
// CHECK-NEXT: }
func.func private @area(%s: !function.sum<f64, tuple<f64, f64>>) -> f64 {
  %y = function.case %s (%r: f64) : !function.sum<f64, tuple<f64, f64>> -> f64 {
    %a = array.mul %r, %r : f64
    array.yield %a : f64
  } case (%t: tuple<f64, f64>) {
    %a = function.get %t {index = 0} : tuple<f64, f64> -> f64
    %b = function.get %t {index = 1} : tuple<f64, f64> -> f64
    %c = array.mul %a, %b : f64
    array.yield %c : f64
  }
  func.return %y : f64
}
func.func @sum(%x: f64, %w: f64) -> (f64, f64) {
  %c = function.inject %x {index = 0} : f64 -> !function.sum<f64, tuple<f64, f64>>
  %t = function.tuple %x, %w : f64, f64 -> tuple<f64, f64>
  %b = function.inject %t {index = 1} : tuple<f64, f64> -> !function.sum<f64, tuple<f64, f64>>
  %y = func.call @area(%c) : (!function.sum<f64, tuple<f64, f64>>) -> f64
  %z = func.call @area(%b) : (!function.sum<f64, tuple<f64, f64>>) -> f64
  func.return %y, %z : f64, f64
}

// -----

// The derivative of a function that takes a closure, which captures what is differentiated by.

// CHECK-LABEL: func.func private @h(%0: f64, %1: f64, %x: f64) -> f64 {
// CHECK-NEXT: %y = func.call @f(%x, %0, %1) : (f64, f64, f64) -> f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func @inside(%x: f64, %w: f64, %v: f64) -> f64 {
// CHECK-NEXT: %y, %d = linear.linearize %w, %v, %x {callee = @h, wrt = [2]} : f64, f64, f64 -> (f64, !linear.map<f64, f64>)
// CHECK-NEXT: %one = array.constant 1.000000e+00 : f64
// CHECK-NEXT: %g = linear.apply %d, %one : !linear.map<f64, f64>, f64 -> f64
// CHECK-NEXT: func.return %g : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f(%z: f64, %w: f64, %v: f64) -> f64 {
// CHECK-NEXT: %a = array.mul %z, %w : f64
// CHECK-NEXT: %b = array.add %a, %v : f64
// CHECK-NEXT: func.return %b : f64
// CHECK-NEXT: }
func.func private @h(%f: !function.closure<(f64) -> f64>, %x: f64) -> f64 {
  %y = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %y : f64
}
func.func @inside(%x: f64, %w: f64, %v: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %a = array.mul %z, %w : f64
    %b = array.add %a, %v : f64
    array.yield %b : f64
  }
  %y, %d = linear.linearize %f, %x {callee = @h, wrt = [1]} : !function.closure<(f64) -> f64>, f64 -> (f64, !linear.map<f64, f64>)
  %one = array.constant 1.0 : f64
  %g = linear.apply %d, %one : !linear.map<f64, f64>, f64 -> f64
  func.return %g : f64
}

// -----

// Closures that hold closures of their own kind are records, of a tag and slots, which a function applies.

// CHECK-LABEL: func.func @growing(%x: f64, %s: f64) -> f64 {
// CHECK-NEXT: %g = array.no_frame : -> !array.frame<f_closure>
// CHECK-NEXT: %g_1 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %g_2 = array.constant 0 : i64
// CHECK-NEXT: %g_3 = array.save %g_2, %g, %g_1 : i64, !array.frame<f_closure>, f64 -> !array.frame<f_closure>
// CHECK-NEXT: %g_4 = array.scan %g_3 (%i, %0: !array.frame<f_closure>) {carries = 1, length = 3} : !array.frame<f_closure> -> !array.frame<f_closure> {
// CHECK-NEXT: %k = array.constant 1 : i64
// CHECK-NEXT: %k_1 = array.save %k, %0, %s : i64, !array.frame<f_closure>, f64 -> !array.frame<f_closure>
// CHECK-NEXT: array.yield %k_1 : !array.frame<f_closure>
// CHECK-NEXT: }
// CHECK-NEXT: %y = func.call @apply_f(%g_4, %x) : (!array.frame<f_closure>, f64) -> f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @apply_f(%0: !array.frame<f_closure>, %z: f64) -> f64 {
// CHECK-NEXT: %1, %2, %3 = array.restore %0 : !array.frame<f_closure> -> (i64, !array.frame<f_closure>, f64)
// CHECK: array.if
// CHECK-NEXT: %a = func.call @apply_f(%2, %z) : (!array.frame<f_closure>, f64) -> f64
// CHECK-NEXT: %b = array.mul %a, %3 : f64
func.func @growing(%x: f64, %s: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    array.yield %z : f64
  }
  %g = array.scan %f (%i, %h: !function.closure<(f64) -> f64>) {carries = 1, length = 3} : !function.closure<(f64) -> f64> -> !function.closure<(f64) -> f64> {
    %k = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %a = function.apply %h, %z : !function.closure<(f64) -> f64>, f64 -> f64
      %b = array.mul %a, %s : f64
      array.yield %b : f64
    }
    array.yield %k : !function.closure<(f64) -> f64>
  }
  %y = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %y : f64
}

// -----

// A linear map in what a closure that is chosen captures.

func.func private @sine(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @mapped(%p: i1, %x: f64) -> f64 {
  %f = array.if %p : i1 -> !function.closure<(f64) -> f64> {
    %v, %d = linear.linearize %x {callee = @sine, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
    // expected-error @below {{the function %g captures a linear map, and a branch chooses it, a loop carries it, a sum holds it, or a recursive function takes it: which map it is has to be known}}
    %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      %y = linear.apply %d, %z : !linear.map<f64, f64>, f64 -> f64
      array.yield %y : f64
    }
    array.yield %g : !function.closure<(f64) -> f64>
  } else {
    %h = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
      array.yield %z : f64
    }
    array.yield %h : !function.closure<(f64) -> f64>
  }
  %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

// -----

// A value of an inductive type is a record of what stands for the value that was rolled: of the tag and the slots.

// CHECK-LABEL: func.func private @total(%0: !array.frame<list>) -> f64 {
// CHECK-NEXT: %1, %x, %2 = array.restore %0 : !array.frame<list> -> (i64, f64, !array.frame<list>)
// CHECK-NEXT: %r = array.constant 0 : i64
// CHECK-NEXT: %r_1 = array.compare gt %1, %r : i64, i64 -> i1
// CHECK-NEXT: %r_2 = array.if %r_1 : i1 -> f64 {
// CHECK-NEXT: %s = func.call @total(%2) : (!array.frame<list>) -> f64
// CHECK-NEXT: %q = array.add %x, %s : f64
// CHECK-NEXT: array.yield %q : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %z = array.constant 0.000000e+00 : f64
// CHECK-NEXT: array.yield %z : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_2 : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func @sum(%v: tensor<5xf64>) -> f64 {
// CHECK-NEXT: %i = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %i_1 = array.no_frame : -> !array.frame<list>
// CHECK-NEXT: %i_2 = array.constant 0 : i64
// CHECK-NEXT: %l = array.save %i_2, %i, %i_1 : i64, f64, !array.frame<list> -> !array.frame<list>
// CHECK-NEXT: %m = array.scan %l, %v (%k, %0: !array.frame<list>, %x: f64) {carries = 1, length = 5} : !array.frame<list>, tensor<5xf64> -> !array.frame<list> {
// CHECK-NEXT: %c = array.constant 1 : i64
// CHECK-NEXT: %h = array.save %c, %x, %0 : i64, f64, !array.frame<list> -> !array.frame<list>
// CHECK-NEXT: array.yield %h : !array.frame<list>
// CHECK-NEXT: }
// CHECK-NEXT: %r = func.call @total(%m) : (!array.frame<list>) -> f64
// CHECK-NEXT: func.return %r : f64
// CHECK-NEXT: }
func.func private @total(%l: !function.inductive<list>) -> f64 {
  %c = function.unroll %l : !function.inductive<list> -> !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
  %r = function.case %c (%e: tuple<>) : !function.sum<tuple<>, tuple<f64, !function.inductive<list>>> -> f64 {
    %z = array.constant 0.0 : f64
    array.yield %z : f64
  } case (%p: tuple<f64, !function.inductive<list>>) {
    %x = function.get %p {index = 0} : tuple<f64, !function.inductive<list>> -> f64
    %t = function.get %p {index = 1} : tuple<f64, !function.inductive<list>> -> !function.inductive<list>
    %s = func.call @total(%t) : (!function.inductive<list>) -> f64
    %q = array.add %x, %s : f64
    array.yield %q : f64
  }
  func.return %r : f64
}
func.func @sum(%v: tensor<5xf64>) -> f64 {
  %e = function.tuple : -> tuple<>
  %i = function.inject %e {index = 0} : tuple<> -> !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
  %l = function.roll %i : !function.sum<tuple<>, tuple<f64, !function.inductive<list>>> -> !function.inductive<list>
  %m = array.scan %l, %v (%k, %t: !function.inductive<list>, %x: f64) {carries = 1, length = 5} : !function.inductive<list>, tensor<5xf64> -> !function.inductive<list> {
    %p = function.tuple %x, %t : f64, !function.inductive<list> -> tuple<f64, !function.inductive<list>>
    %c = function.inject %p {index = 1} : tuple<f64, !function.inductive<list>> -> !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
    %h = function.roll %c : !function.sum<tuple<>, tuple<f64, !function.inductive<list>>> -> !function.inductive<list>
    array.yield %h : !function.inductive<list>
  }
  %r = func.call @total(%m) : (!function.inductive<list>) -> f64
  func.return %r : f64
}

// -----

// Functions are for the inside of a program.

// expected-error @below {{@f takes or returns functions, tuples or sums, and nothing calls it}}
func.func @f(%g: !function.closure<(f64) -> f64>) {
  func.return
}
