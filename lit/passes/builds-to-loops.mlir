// RUN: mlirad-opt %s -p builds-to-loops --split-input-file | filecheck %s
// RUN: mlirad-opt %s -p 'builds-to-loops{chunk=4}' --split-input-file | filecheck %s --check-prefix BLOCKS

// A loop per index; what depends on the outer one alone stands in front of the inner one.

// CHECK-LABEL: func.func @outer(
// CHECK-NEXT:      %r = array.scan (%i) {carries = 0, length = 2, checkpoint = recompute, kept} : -> tensor<2x4xf64> {
// CHECK:             array.scan (%j) {carries = 0, length = 4, checkpoint = recompute, kept} : -> tensor<4xf64> {
// CHECK-NEXT:          %a = array.index %x[%i] : tensor<2xf64> -> f64
// CHECK-NEXT:          %b = array.index %y[%j] : tensor<4xf64> -> f64
// CHECK-NEXT:          %p = array.mul %a, %b : f64
// CHECK-NEXT:          array.yield %p : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        array.yield %{{.*}} : tensor<4xf64>

// The last index fits; the other one is a loop.

// BLOCKS-LABEL: func.func @outer(
// BLOCKS-NEXT:     %r = array.scan (%i) {carries = 0, length = 2, checkpoint = recompute, kept} : -> tensor<2x4xf64> {
// BLOCKS-NEXT:       %{{.*}} = array.build (%j) : -> tensor<4xf64> {
func.func @outer(%x: tensor<2xf64>, %y: tensor<4xf64>) -> tensor<2x4xf64> {
  %r = array.build (%i, %j) : -> tensor<2x4xf64> {
    %a = array.index %x[%i] : tensor<2xf64> -> f64
    %b = array.index %y[%j] : tensor<4xf64> -> f64
    %p = array.mul %a, %b : f64
    array.yield %p : f64
  }
  func.return %r : tensor<2x4xf64>
}

// -----

// Blocks of 4 positions, and the 2 that are left.

// BLOCKS-LABEL: func.func @rest(
// BLOCKS-NEXT:     %0 = array.scan (%1) {carries = 0, length = 2, checkpoint = recompute, kept} : -> tensor<2x4xf64> {
// BLOCKS:            %{{.*}} = array.build (%{{.*}}) : -> tensor<4xf64> {
// BLOCKS:          array.reshape %{{.*}} : tensor<2x4xf64> -> tensor<8xf64>
// BLOCKS:          array.build (%{{.*}}) : -> tensor<3xf64> {
// BLOCKS:          %r = array.concatenate %{{.*}} {dim = 0} : tensor<8xf64>, tensor<3xf64> -> tensor<11xf64>
func.func @rest(%x: tensor<11xf64>) -> tensor<11xf64> {
  %r = array.build (%i) : -> tensor<11xf64> {
    %a = array.index %x[%i] : tensor<11xf64> -> f64
    %e = array.exp %a : f64
    array.yield %e : f64
  }
  func.return %r : tensor<11xf64>
}

// -----

// Builds inside branches, and inside each other.

// CHECK-LABEL: func.func @inside(
// CHECK-NEXT:      %r = array.if %p : i1 -> tensor<3xf64> {
// CHECK-NEXT:        %b = array.scan (%i) {carries = 0, length = 3, checkpoint = recompute, kept} : -> tensor<3xf64> {
// CHECK-NEXT:          %c = array.scan (%j) {carries = 0, length = 2, checkpoint = recompute, kept} : -> tensor<2xf64> {
func.func @inside(%p: i1, %x: tensor<3x2xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.if %p : i1 -> tensor<3xf64> {
    %b = array.build (%i) : -> tensor<3xf64> {
      %c = array.build (%j) : -> tensor<2xf64> {
        %a = array.index %x[%i, %j] : tensor<3x2xf64> -> f64
        %s = array.sin %a : f64
        array.yield %s : f64
      }
      %t = array.sum %c {dims = [0]} : tensor<2xf64> -> f64
      array.yield %t : f64
    }
    array.yield %b : tensor<3xf64>
  } else {
    array.yield %y : tensor<3xf64>
  }
  func.return %r : tensor<3xf64>
}

// -----

// Positions of gathers are index code, which has no derivatives.

// CHECK-LABEL: func.func @positions(
// CHECK-NEXT:      %g = array.gather %x (%i) : tensor<3xf64> -> tensor<3xf64> {
func.func @positions(%x: tensor<3xf64>) -> tensor<3xf64> {
  %g = array.gather %x (%i) : tensor<3xf64> -> tensor<3xf64> {
    %one = array.constant 1 : i64
    %j = array.add %i, %one : i64
    array.yield %j : i64
  }
  func.return %g : tensor<3xf64>
}
