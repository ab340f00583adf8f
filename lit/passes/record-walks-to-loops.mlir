// RUN: mlirad-opt -p "record-walks-to-loops{depth=0}" %s | filecheck %s

// A function that calls itself on what its record holds goes down the records by a loop with a tape, and back up.

// CHECK-LABEL: func.func private @walk(%r: !array.frame<cell>, %x: f64, %s: f64) -> f64 {
// CHECK-NEXT: %0 = array.constant true
// CHECK-NEXT: %1 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %2, %3, %4, %5, %6 = array.while %0, %r, %x, %1 (%7: i1, %8: !array.frame<cell>, %9: f64, %10: f64) {record = 1} : i1, !array.frame<cell>, f64, f64 -> (i1, !array.frame<cell>, f64, f64, !array.tape<!array.frame<cell>>) {
// CHECK-NEXT: array.yield %7 : i1
// CHECK-NEXT: } do (%7: i1, %r_1: !array.frame<cell>, %x_1: f64, %8: f64) {
// CHECK-NEXT: %going, %a, %next = array.restore %r_1 : !array.frame<cell> -> (i1, f64, !array.frame<cell>)
// CHECK-NEXT: %9, %10, %11, %12 = array.if %going : i1 -> (i1, !array.frame<cell>, f64, f64) {
// CHECK-NEXT: %b = array.mul %a, %x_1 : f64
// CHECK-NEXT: array.yield %0, %next, %b, %8 : i1, !array.frame<cell>, f64, f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %w = array.cos %x_1 : f64
// CHECK-NEXT: %13 = array.constant false
// CHECK-NEXT: array.yield %13, %r_1, %x_1, %w : i1, !array.frame<cell>, f64, f64
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %9, %10, %11, %12, %r_1 : i1, !array.frame<cell>, f64, f64, !array.frame<cell>
// CHECK-NEXT: }
// CHECK-NEXT: %7 = array.replay %6, %1 (%8: !array.frame<cell>, %9: f64) {reverse} : !array.tape<!array.frame<cell>>, f64 -> f64 {
// CHECK-NEXT: %going, %a, %next = array.restore %8 : !array.frame<cell> -> (i1, f64, !array.frame<cell>)
// CHECK-NEXT: %10 = array.if %going : i1 -> f64 {
// CHECK-NEXT: %w = array.sin %9 : f64
// CHECK-NEXT: array.yield %w : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: array.yield %5 : f64
// CHECK-NEXT: }
// CHECK-NEXT: %z = array.mul %a, %s : f64
// CHECK-NEXT: %o = array.add %10, %z : f64
// CHECK-NEXT: array.yield %o : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %7 : f64
// CHECK-NEXT: }
func.func private @walk(%r: !array.frame<cell>, %x: f64, %s: f64) -> f64 {
  %going, %a, %next = array.restore %r : !array.frame<cell> -> (i1, f64, !array.frame<cell>)
  %y = array.if %going : i1 -> f64 {
    %b = array.mul %a, %x : f64
    %v = func.call @walk(%next, %b, %s) : (!array.frame<cell>, f64, f64) -> f64
    %w = array.sin %v : f64
    array.yield %w : f64
  } else {
    %w = array.cos %x : f64
    array.yield %w : f64
  }
  %z = array.mul %a, %s : f64
  %o = array.add %y, %z : f64
  func.return %o : f64
}
func.func @main(%going: i1, %x: f64, %s: f64) -> f64 {
  %none = array.no_frame : -> !array.frame<cell>
  %r = array.save %going, %x, %none : i1, f64, !array.frame<cell> -> !array.frame<cell>
  %y = func.call @walk(%r, %x, %s) : (!array.frame<cell>, f64, f64) -> f64
  func.return %y : f64
}

// Of two calls on the way stays the recursion.

// CHECK-LABEL: func.func private @twice(%r: !array.frame<cell>) -> f64 {
// CHECK: func.call @twice
// CHECK: func.call @twice
func.func private @twice(%r: !array.frame<cell>) -> f64 {
  %going, %a, %next = array.restore %r : !array.frame<cell> -> (i1, f64, !array.frame<cell>)
  %y = array.if %going : i1 -> f64 {
    %u = func.call @twice(%next) : (!array.frame<cell>) -> f64
    %v = func.call @twice(%next) : (!array.frame<cell>) -> f64
    %w = array.mul %u, %v : f64
    array.yield %w : f64
  } else {
    array.yield %a : f64
  }
  func.return %y : f64
}
