// RUN: mlirad-opt %s | filecheck %s
// RUN: mlirad-opt --allow-unregistered-dialect %s | filecheck %s

// Values of enclosing regions are visible inside, calls may go forward, functions may have any arity.

// CHECK-LABEL: func.func @captures(%x: f64, %n: i64) -> tensor<3xf64> {
func.func @captures(%x: f64, %n: i64) -> tensor<3xf64> {
  %y = array.exp %x : f64
  // CHECK: %v = array.build (%i) : -> tensor<3xf64> {
  %v = array.build (%i) : -> tensor<3xf64> {
    // CHECK-NEXT: %w = array.build (%j) : -> tensor<2xf64> {
    %w = array.build (%j) : -> tensor<2xf64> {
      %k = array.add %i, %j : i64
      %f = array.convert %k : i64 -> f64
      %p = array.mul %f, %y : f64
      array.yield %p : f64
    }
    %e = array.index %w[%n] : tensor<2xf64> -> f64
    array.yield %e : f64
  }
  // CHECK: func.call @later(%x) : (f64) -> ()
  func.call @later(%x) : (f64) -> ()
  func.return %v : tensor<3xf64>
}

// CHECK-LABEL: func.func @later(%x: f64) {
func.func @later(%x: f64) {
  func.return
}

// CHECK-LABEL: func.func private @unused() -> i1 {
func.func private @unused() -> i1 {
  %t = array.constant true
  func.return %t : i1
}

// CHECK-LABEL: func.func @recursive(%x: f64, %n: i64) -> f64 {
func.func @recursive(%x: f64, %n: i64) -> f64 {
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %p = array.compare le %n, %zero : i64, i64 -> i1
  %y = array.if %p : i1 -> f64 {
    array.yield %x : f64
  } else {
    %m = array.sub %n, %one : i64
    // CHECK: func.call @recursive(%x, %m) : (f64, i64) -> f64
    %z = func.call @recursive(%x, %m) : (f64, i64) -> f64
    %xz = array.mul %x, %z : f64
    array.yield %xz : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func @derivative_of_a_recursive_function(%x: f64, %n: i64) -> f64 {
func.func @derivative_of_a_recursive_function(%x: f64, %n: i64) -> f64 {
  %y, %d = linear.linearize %x, %n {callee = @recursive, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}
