// RUN: mlirad-opt -p tail-calls-to-loops %s | filecheck %s

// Functions all of whose calls of themselves are the last thing that they do are loops.

// One branch decides, so what it decides by is the condition of the loop.

// CHECK-LABEL: func.func @power(%a: f64, %x: f64, %n: i64) -> f64 {
// CHECK-NEXT: %0, %1 = array.while %a, %n (%a_1: f64, %n_1) : f64, i64 -> (f64, i64) {
// CHECK-NEXT: %zero = array.constant 0 : i64
// CHECK-NEXT: %p = array.compare gt %n_1, %zero : i64, i64 -> i1
// CHECK-NEXT: array.yield %p : i1
// CHECK-NEXT: } do (%a_1: f64, %n_1) {
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %b = array.mul %a_1, %x : f64
// CHECK-NEXT: %m = array.sub %n_1, %one : i64
// CHECK-NEXT: array.yield %b, %m : f64, i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %0 : f64
// CHECK-NEXT: }
func.func @power(%a: f64, %x: f64, %n: i64) -> f64 {
  %zero = array.constant 0 : i64
  %p = array.compare gt %n, %zero : i64, i64 -> i1
  %r = array.if %p : i1 -> f64 {
    %one = array.constant 1 : i64
    %b = array.mul %a, %x: f64
    %m = array.sub %n, %one : i64
    %r = func.call @power(%b, %x, %m) : (f64, f64, i64) -> f64
    array.yield %r : f64
  } else {
    array.yield %a: f64
  }
  func.return %r : f64
}

// Two branches call, so the loop carries whether it goes on, and the results.

// CHECK-LABEL: func.func @collatz(%n: i64, %c: i64, %x: f64) -> (f64, i64) {
// CHECK-NEXT: %0 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %1 = array.constant 0 : i64
// CHECK-NEXT: %2 = array.constant true
// CHECK-NEXT: %3, %4, %5, %6, %7, %8 = array.while %n, %c, %x, %0, %1, %2 (%9, %10, %11: f64, %12: f64, %13, %14: i1) : i64, i64, f64, f64, i64, i1 -> (i64, i64, f64, f64, i64, i1) {
// CHECK-NEXT: array.yield %14 : i1
// CHECK-NEXT: } do (%n_1, %c_1, %x_1: f64, %9: f64, %10, %11: i1) {
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %two = array.constant 2 : i64
// CHECK-NEXT: %three = array.constant 3 : i64
// CHECK-NEXT: %p = array.compare eq %n_1, %one : i64, i64 -> i1
// CHECK-NEXT: %12, %13, %14, %15, %16, %17 = array.if %p : i1 -> (i64, i64, f64, f64, i64, i1) {
// CHECK-NEXT: %p_1 = array.constant false
// CHECK-NEXT: array.yield %n_1, %c_1, %x_1, %x_1, %c_1, %p_1 : i64, i64, f64, f64, i64, i1
// CHECK-NEXT: } else {
// CHECK-NEXT: %h = array.rem %n_1, %two : i64
// CHECK-NEXT: %d = array.add %c_1, %one : i64
// CHECK-NEXT: %s = array.sin %x_1 : f64
// CHECK-NEXT: %s_1 = array.compare gt %h, %1 : i64, i64 -> i1
// CHECK-NEXT: %18, %19 = array.if %s_1 : i1 -> (i64, f64) {
// CHECK-NEXT: %t = array.mul %n_1, %three : i64
// CHECK-NEXT: %m = array.add %t, %one : i64
// CHECK-NEXT: %y = array.cos %x_1 : f64
// CHECK-NEXT: array.yield %m, %y : i64, f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %m = array.floor_div %n_1, %two : i64
// CHECK-NEXT: array.yield %m, %s : i64, f64
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %18, %d, %19, %9, %10, %11 : i64, i64, f64, f64, i64, i1
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %12, %13, %14, %15, %16, %17 : i64, i64, f64, f64, i64, i1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %6, %7 : f64, i64
// CHECK-NEXT: }
func.func @collatz(%n: i64, %c: i64, %x: f64) -> (f64, i64) {
  %one = array.constant 1 : i64
  %two = array.constant 2 : i64
  %three = array.constant 3 : i64
  %p = array.compare eq %n, %one : i64, i64 -> i1
  %r, %k = array.if %p : i1 -> (f64, i64) {
    array.yield %x, %c : f64, i64
  } else {
    %h = array.rem %n, %two : i64
    %d = array.add %c, %one : i64
    %s = array.sin %x: f64
    %r, %k = array.switch %h : i64 -> (f64, i64) {
      %m = array.floor_div %n, %two : i64
      %r, %k = func.call @collatz(%m, %d, %s) : (i64, i64, f64) -> (f64, i64)
      array.yield %r, %k : f64, i64
    } case {
      %t = array.mul %n, %three : i64
      %m = array.add %t, %one : i64
      %y = array.cos %x: f64
      %r, %k = func.call @collatz(%m, %d, %y) : (i64, i64, f64) -> (f64, i64)
      array.yield %r, %k : f64, i64
    }
    array.yield %r, %k : f64, i64
  }
  func.return %r, %k : f64, i64
}

// The value that the branch decides by is needed by the branch and is not a scalar, so it is not computed
// twice.

// CHECK-LABEL: func.func @costly(%x: tensor<9xf64>) -> tensor<9xf64> {
// CHECK-NEXT: %0 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %1 = array.broadcast %0 {dims = []} : f64 -> tensor<9xf64>
// CHECK-NEXT: %2 = array.constant true
// CHECK-NEXT: %3, %4, %5 = array.while %x, %1, %2 (%6: tensor<9xf64>, %7: tensor<9xf64>, %8: i1) : tensor<9xf64>, tensor<9xf64>, i1 -> (tensor<9xf64>, tensor<9xf64>, i1) {
// CHECK-NEXT: array.yield %8 : i1
// CHECK-NEXT: } do (%x_1: tensor<9xf64>, %6: tensor<9xf64>, %7: i1) {
// CHECK-NEXT: %one = array.constant 1.000000e+00 : f64
// CHECK-NEXT: %y = array.sin %x_1 : tensor<9xf64>
// CHECK-NEXT: %s = array.sum %y {dims = [0]} : tensor<9xf64> -> f64
// CHECK-NEXT: %p = array.compare lt %s, %one : f64, f64 -> i1
// CHECK-NEXT: %8, %9, %10 = array.if %p : i1 -> (tensor<9xf64>, tensor<9xf64>, i1) {
// CHECK-NEXT: %p_1 = array.constant false
// CHECK-NEXT: array.yield %x_1, %y, %p_1 : tensor<9xf64>, tensor<9xf64>, i1
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %y, %6, %7 : tensor<9xf64>, tensor<9xf64>, i1
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %8, %9, %10 : tensor<9xf64>, tensor<9xf64>, i1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %4 : tensor<9xf64>
// CHECK-NEXT: }
func.func @costly(%x: tensor<9xf64>) -> tensor<9xf64> {
  %one = array.constant 1.0 : f64
  %y = array.sin %x : tensor<9xf64>
  %s = array.sum %y {dims = [0]} : tensor<9xf64> -> f64
  %p = array.compare lt %s, %one : f64, f64 -> i1
  %r = array.if %p : i1 -> tensor<9xf64> {
    array.yield %y : tensor<9xf64>
  } else {
    %r = func.call @costly(%y) : (tensor<9xf64>) -> tensor<9xf64>
    array.yield %r : tensor<9xf64>
  }
  func.return %r : tensor<9xf64>
}

// A function that does something with what its call returns stays as it is.

// CHECK-LABEL: func.func @fibonacci(%n: i64) -> i64 {
// CHECK-NEXT: %one = array.constant 1 : i64
// CHECK-NEXT: %two = array.constant 2 : i64
// CHECK-NEXT: %p = array.compare le %n, %one : i64, i64 -> i1
// CHECK-NEXT: %r = array.if %p : i1 -> i64 {
// CHECK-NEXT: array.yield %n : i64
// CHECK-NEXT: } else {
// CHECK-NEXT: %a = array.sub %n, %one : i64
// CHECK-NEXT: %b = array.sub %n, %two : i64
// CHECK-NEXT: %y = func.call @fibonacci(%a) : (i64) -> i64
// CHECK-NEXT: %z = func.call @fibonacci(%b) : (i64) -> i64
// CHECK-NEXT: %s = array.add %y, %z : i64
// CHECK-NEXT: array.yield %s : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i64
// CHECK-NEXT: }
func.func @fibonacci(%n: i64) -> i64 {
  %one = array.constant 1 : i64
  %two = array.constant 2 : i64
  %p = array.compare le %n, %one : i64, i64 -> i1
  %r = array.if %p : i1 -> i64 {
    array.yield %n : i64
  } else {
    %a = array.sub %n, %one : i64
    %b = array.sub %n, %two : i64
    %y = func.call @fibonacci(%a) : (i64) -> i64
    %z = func.call @fibonacci(%b) : (i64) -> i64
    %s = array.add %y, %z : i64
    array.yield %s : i64
  }
  func.return %r : i64
}
