// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Functions as values, tuples and sums.

// CHECK-LABEL: func.func @lambda(%w: f64, %x: f64) -> f64 {
// CHECK-NEXT: %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
// CHECK-NEXT: %y = array.mul %z, %w : f64
// CHECK-NEXT: array.yield %y : f64
// CHECK-NEXT: }
// CHECK-NEXT: %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
// CHECK-NEXT: func.return %r : f64
// CHECK-NEXT: }
func.func @lambda(%w: f64, %x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %y = array.mul %z, %w : f64
    array.yield %y : f64
  }
  %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

// CHECK-LABEL: func.func @nothing_and_more() -> (f64, i64) {
// CHECK-NEXT: %f = function.lambda () : -> !function.closure<() -> (f64, i64)> {
// CHECK-NEXT: %a = array.constant 1.000000e+00 : f64
// CHECK-NEXT: %b = array.constant 2 : i64
// CHECK-NEXT: array.yield %a, %b : f64, i64
// CHECK-NEXT: }
// CHECK-NEXT: %r, %s = function.apply %f : !function.closure<() -> (f64, i64)> -> (f64, i64)
// CHECK-NEXT: func.return %r, %s : f64, i64
// CHECK-NEXT: }
func.func @nothing_and_more() -> (f64, i64) {
  %f = function.lambda () : -> !function.closure<() -> (f64, i64)> {
    %a = array.constant 1.0 : f64
    %b = array.constant 2 : i64
    array.yield %a, %b : f64, i64
  }
  %r, %s = function.apply %f : !function.closure<() -> (f64, i64)> -> (f64, i64)
  func.return %r, %s : f64, i64
}

// CHECK-LABEL: func.func private @power(%x: f64, %n: i64) -> f64 {
// CHECK-NEXT: %zero = array.constant 0 : i64
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %more = array.compare gt %n, %zero : i64, i64 -> i1
// CHECK-NEXT: %y = array.if %more : i1 -> f64 {
// CHECK-NEXT: %m = array.sub %n, %one : i64
// CHECK-NEXT: %g = function.partial %m {callee = @power} : i64 -> !function.closure<(f64) -> f64>
// CHECK-NEXT: %p = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
// CHECK-NEXT: %q = array.mul %p, %x : f64
// CHECK-NEXT: array.yield %q : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %x : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func private @power(%x: f64, %n: i64) -> f64 {
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %more = array.compare gt %n, %zero : i64, i64 -> i1
  %y = array.if %more : i1 -> f64 {
    %m = array.sub %n, %one : i64
    %g = function.partial %m {callee = @power} : i64 -> !function.closure<(f64) -> f64>
    %p = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
    %q = array.mul %p, %x : f64
    array.yield %q : f64
  } else {
    array.yield %x : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func private @partial() -> !function.closure<(f64, i64) -> f64> {
// CHECK-NEXT: %f = function.partial {callee = @power} : -> !function.closure<(f64, i64) -> f64>
// CHECK-NEXT: func.return %f : !function.closure<(f64, i64) -> f64>
// CHECK-NEXT: }
func.func private @partial() -> !function.closure<(f64, i64) -> f64> {
  %f = function.partial {callee = @power} : -> !function.closure<(f64, i64) -> f64>
  func.return %f : !function.closure<(f64, i64) -> f64>
}

// CHECK-LABEL: func.func @tuple(%x: f64, %n: i64) -> f64 {
// CHECK-NEXT: %t = function.tuple %x, %n : f64, i64 -> tuple<f64, i64>
// CHECK-NEXT: %u = function.tuple : -> tuple<>
// CHECK-NEXT: %y = function.get %t {index = 0} : tuple<f64, i64> -> f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @tuple(%x: f64, %n: i64) -> f64 {
  %t = function.tuple %x, %n : f64, i64 -> tuple<f64, i64>
  %u = function.tuple : -> tuple<>
  %y = function.get %t {index = 0} : tuple<f64, i64> -> f64
  func.return %y : f64
}

// CHECK-LABEL: func.func @sum(%p: i1, %x: f64, %v: tensor<3xf64>) -> f64 {
// CHECK-NEXT: %s = array.if %p : i1 -> !function.sum<tensor<3xf64>, f64> {
// CHECK-NEXT: %a = function.inject %x {index = 1} : f64 -> !function.sum<tensor<3xf64>, f64>
// CHECK-NEXT: array.yield %a : !function.sum<tensor<3xf64>, f64>
// CHECK-NEXT: } else {
// CHECK-NEXT: %b = function.inject %v {index = 0} : tensor<3xf64> -> !function.sum<tensor<3xf64>, f64>
// CHECK-NEXT: array.yield %b : !function.sum<tensor<3xf64>, f64>
// CHECK-NEXT: }
// CHECK-NEXT: %y = function.case %s (%w: tensor<3xf64>) : !function.sum<tensor<3xf64>, f64> -> f64 {
// CHECK-NEXT: %t = array.sum %w {dims = [0]} : tensor<3xf64> -> f64
// CHECK-NEXT: array.yield %t : f64
// CHECK-NEXT: } case (%z: f64) {
// CHECK-NEXT: array.yield %z : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @sum(%p: i1, %x: f64, %v: tensor<3xf64>) -> f64 {
  %s = array.if %p : i1 -> !function.sum<tensor<3xf64>, f64> {
    %a = function.inject %x {index = 1} : f64 -> !function.sum<tensor<3xf64>, f64>
    array.yield %a : !function.sum<tensor<3xf64>, f64>
  } else {
    %b = function.inject %v {index = 0} : tensor<3xf64> -> !function.sum<tensor<3xf64>, f64>
    array.yield %b : !function.sum<tensor<3xf64>, f64>
  }
  %y = function.case %s (%w: tensor<3xf64>) : !function.sum<tensor<3xf64>, f64> -> f64 {
    %t = array.sum %w {dims = [0]} : tensor<3xf64> -> f64
    array.yield %t : f64
  } case (%z: f64) {
    array.yield %z : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func @carried(%x: f64) -> f64 {
// CHECK-NEXT: %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
// CHECK-NEXT: array.yield %z : f64
// CHECK-NEXT: }
// CHECK-NEXT: %n = array.constant 0 : i64
// CHECK-NEXT: %g = array.scan %f (%i, %h: !function.closure<(f64) -> f64>) {carries = 1, length = 3} : !function.closure<(f64) -> f64> -> !function.closure<(f64) -> f64> {
// CHECK-NEXT: array.yield %h : !function.closure<(f64) -> f64>
// CHECK-NEXT: }
// CHECK-NEXT: %m, %k = array.while %n, %g (%i, %h: !function.closure<(f64) -> f64>) : i64, !function.closure<(f64) -> f64> -> (i64, !function.closure<(f64) -> f64>) {
// CHECK-NEXT: %three = array.constant 3 : i64
// CHECK-NEXT: %more = array.compare lt %i, %three : i64, i64 -> i1
// CHECK-NEXT: array.yield %more : i1
// CHECK-NEXT: } do (%i, %h: !function.closure<(f64) -> f64>) {
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %next = array.add %i, %one : i64
// CHECK-NEXT: array.yield %next, %h : i64, !function.closure<(f64) -> f64>
// CHECK-NEXT: }
// CHECK-NEXT: %c = array.checkpoint : -> !function.closure<(f64) -> f64> {
// CHECK-NEXT: array.yield %k : !function.closure<(f64) -> f64>
// CHECK-NEXT: }
// CHECK-NEXT: %y = function.apply %c, %x : !function.closure<(f64) -> f64>, f64 -> f64
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @carried(%x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    array.yield %z : f64
  }
  %n = array.constant 0 : i64
  %g = array.scan %f (%i, %h: !function.closure<(f64) -> f64>) {carries = 1, length = 3} : !function.closure<(f64) -> f64> -> !function.closure<(f64) -> f64> {
    array.yield %h : !function.closure<(f64) -> f64>
  }
  %m, %k = array.while %n, %g (%i, %h: !function.closure<(f64) -> f64>) : i64, !function.closure<(f64) -> f64> -> (i64, !function.closure<(f64) -> f64>) {
    %three = array.constant 3 : i64
    %more = array.compare lt %i, %three : i64, i64 -> i1
    array.yield %more : i1
  } do (%i, %h: !function.closure<(f64) -> f64>) {
    %one = array.constant 1 : i64
    %next = array.add %i, %one : i64
    array.yield %next, %h : i64, !function.closure<(f64) -> f64>
  }
  %c = array.checkpoint : -> !function.closure<(f64) -> f64> {
    array.yield %k : !function.closure<(f64) -> f64>
  }
  %y = function.apply %c, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %y : f64
}

// CHECK-LABEL: func.func private @higher(%f: !function.closure<(tuple<f64, i64>, !function.closure<(f64) -> f64>) -> !function.closure<(f64) -> f64>>, %s: !function.sum<!function.closure<(f64) -> f64>>) -> !function.closure<() -> ()> {
// CHECK-NEXT: %e = function.lambda () : -> !function.closure<() -> ()> {
// CHECK-NEXT: array.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %e : !function.closure<() -> ()>
// CHECK-NEXT: }
func.func private @higher(%f: !function.closure<(tuple<f64, i64>, !function.closure<(f64) -> f64>) -> !function.closure<(f64) -> f64>>, %s: !function.sum<!function.closure<(f64) -> f64>>) -> !function.closure<() -> ()> {
  %e = function.lambda () : -> !function.closure<() -> ()> {
    array.yield
  }
  func.return %e : !function.closure<() -> ()>
}

// A type that contains itself is a name: nothing, or a number and a list.

// CHECK-LABEL: func.func private @length(%l: !function.inductive<list>) -> i64 {
// CHECK-NEXT: %c = function.unroll %l : !function.inductive<list> -> !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
// CHECK-NEXT: %n = function.case %c (%e: tuple<>) : !function.sum<tuple<>, tuple<f64, !function.inductive<list>>> -> i64 {
// CHECK-NEXT: %zero = array.constant 0 : i64
// CHECK-NEXT: array.yield %zero : i64
// CHECK-NEXT: } case (%p: tuple<f64, !function.inductive<list>>) {
// CHECK-NEXT: %t = function.get %p {index = 1} : tuple<f64, !function.inductive<list>> -> !function.inductive<list>
// CHECK-NEXT: %k = func.call @length(%t) : (!function.inductive<list>) -> i64
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %m = array.add %k, %one : i64
// CHECK-NEXT: array.yield %m : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %n : i64
// CHECK-NEXT: }
!list = !function.inductive<list>
!cell = !function.sum<tuple<>, tuple<f64, !list>>
func.func private @length(%l: !list) -> i64 {
  %c = function.unroll %l : !list -> !cell
  %n = function.case %c (%e: tuple<>) : !cell -> i64 {
    %zero = array.constant 0 : i64
    array.yield %zero : i64
  } case (%p: tuple<f64, !list>) {
    %t = function.get %p {index = 1} : tuple<f64, !list> -> !list
    %k = func.call @length(%t) : (!list) -> i64
    %one = array.constant 1 : i64
    %m = array.add %k, %one : i64
    array.yield %m : i64
  }
  func.return %n : i64
}

// CHECK-LABEL: func.func private @single(%x: f64) -> !function.inductive<list> {
// CHECK-NEXT: %e = function.tuple : -> tuple<>
// CHECK-NEXT: %i = function.inject %e {index = 0} : tuple<> -> !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
// CHECK-NEXT: %l = function.roll %i : !function.sum<tuple<>, tuple<f64, !function.inductive<list>>> -> !function.inductive<list>
// CHECK-NEXT: %p = function.tuple %x, %l : f64, !function.inductive<list> -> tuple<f64, !function.inductive<list>>
// CHECK-NEXT: %j = function.inject %p {index = 1} : tuple<f64, !function.inductive<list>> -> !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
// CHECK-NEXT: %m = function.roll %j : !function.sum<tuple<>, tuple<f64, !function.inductive<list>>> -> !function.inductive<list>
// CHECK-NEXT: func.return %m : !function.inductive<list>
// CHECK-NEXT: }
func.func private @single(%x: f64) -> !list {
  %e = function.tuple : -> tuple<>
  %i = function.inject %e {index = 0} : tuple<> -> !cell
  %l = function.roll %i : !cell -> !list
  %p = function.tuple %x, %l : f64, !list -> tuple<f64, !list>
  %j = function.inject %p {index = 1} : tuple<f64, !list> -> !cell
  %m = function.roll %j : !cell -> !list
  func.return %m : !list
}

// CHECK-LABEL: func.func private @quoted(%l: !function.inductive<"a list">) -> f64 {
// CHECK-NEXT: %x = function.unroll %l : !function.inductive<"a list"> -> f64
// CHECK-NEXT: func.return %x : f64
// CHECK-NEXT: }
func.func private @quoted(%l: !function.inductive<"a list">) -> f64 {
  %x = function.unroll %l : !function.inductive<"a list"> -> f64
  func.return %x : f64
}
