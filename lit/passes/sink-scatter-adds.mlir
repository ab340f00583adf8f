// RUN: mlirad-opt %s -p sink-scatter-adds --split-input-file | filecheck %s

// The rows of a gradient: their sum is carried, and added where it belongs after the loop.

// CHECK-LABEL: func.func @row
// CHECK:         [[SUM:%.*]] = array.scan {{.*}} (%i, [[A:%.*]]: tensor<6xf64>, %x: tensor<6xf64>) {carries = 1, length = 9}
// CHECK-NEXT:      [[V:%.*]] = array.sin %x
// CHECK-NEXT:      [[T:%.*]] = array.add [[A]], [[V]] : tensor<6xf64>
// CHECK-NEXT:      array.yield [[T]] : tensor<6xf64>
// CHECK-NEXT:    }
// CHECK:         array.update add %g, [[SUM]] () : tensor<4x6xf64>, tensor<6xf64> -> tensor<4x6xf64> {
func.func @row(%g: tensor<4x6xf64>, %xs: tensor<9x6xf64>) -> tensor<4x6xf64> {
  %two = array.constant 2 : i64
  %r = array.scan %g, %xs (%i, %a : tensor<4x6xf64>, %x : tensor<6xf64>) {carries = 1, length = 9}
      : tensor<4x6xf64>, tensor<9x6xf64> -> tensor<4x6xf64> {
    %v = array.sin %x : tensor<6xf64>
    %b = array.update add %a, %v () : tensor<4x6xf64>, tensor<6xf64> -> tensor<4x6xf64> {
      array.yield %two : i64
    }
    array.yield %b : tensor<4x6xf64>
  }
  func.return %r : tensor<4x6xf64>
}

// -----

// Every iteration has a row of its own: nothing can wait.

// CHECK-LABEL: func.func @rows
// CHECK:         array.scan
// CHECK:           array.update add %a
func.func @rows(%g: tensor<9x6xf64>, %xs: tensor<9x6xf64>) -> tensor<9x6xf64> {
  %r = array.scan %g, %xs (%i, %a : tensor<9x6xf64>, %x : tensor<6xf64>) {carries = 1, length = 9}
      : tensor<9x6xf64>, tensor<9x6xf64> -> tensor<9x6xf64> {
    %v = array.sin %x : tensor<6xf64>
    %b = array.update add %a, %v () : tensor<9x6xf64>, tensor<6xf64> -> tensor<9x6xf64> {
      array.yield %i : i64
    }
    array.yield %b : tensor<9x6xf64>
  }
  func.return %r : tensor<9x6xf64>
}
