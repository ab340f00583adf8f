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
