// RUN: mlirad-opt --split-input-file -p 'join-contractions{always=true}' %s | filecheck %s

// The contractions of all iterations are one, over the iterations as well: of slices as they are, and of what is stacked.

// CHECK-LABEL: func.func @gradient
// CHECK:         [[R:%.*]], [[YS:%.*]] = array.scan %c, %ys (%i, [[C:%.*]]: tensor<3xf64>, [[Y:%.*]]: tensor<3xf64>) {carries = 1, length = 9, reverse}
// CHECK-NEXT:      [[V:%.*]] = array.mul [[C]], [[Y]] : tensor<3xf64>
// CHECK-NEXT:      array.yield [[V]], [[V]] : tensor<3xf64>, tensor<3xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    [[D:%.*]] = array.dot %xs, [[YS]] {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<9x2xf64>, tensor<9x3xf64> -> tensor<2x3xf64>
// CHECK-NEXT:    [[S:%.*]] = array.add %g, [[D]] : tensor<2x3xf64>
// CHECK-NEXT:    func.return [[R]], [[S]]
func.func @gradient(%c: tensor<3xf64>, %g: tensor<2x3xf64>, %xs: tensor<9x2xf64>, %ys: tensor<9x3xf64>) -> (tensor<3xf64>, tensor<2x3xf64>) {
  %r, %s = array.scan %c, %g, %xs, %ys (%i, %a: tensor<3xf64>, %b: tensor<2x3xf64>, %x: tensor<2xf64>, %y: tensor<3xf64>)
      {carries = 2, length = 9, reverse}
      : tensor<3xf64>, tensor<2x3xf64>, tensor<9x2xf64>, tensor<9x3xf64> -> (tensor<3xf64>, tensor<2x3xf64>) {
    %v = array.mul %a, %y : tensor<3xf64>
    %d = array.dot %x, %v {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []}
        : tensor<2xf64>, tensor<3xf64> -> tensor<2x3xf64>
    %n = array.add %b, %d : tensor<2x3xf64>
    array.yield %v, %n : tensor<3xf64>, tensor<2x3xf64>
  }
  func.return %r, %s : tensor<3xf64>, tensor<2x3xf64>
}

// -----

// Batch dimensions stay, and dimensions move by one.

// CHECK-LABEL: func.func @batch
// CHECK:         array.dot %xs, %ys {lhs_batch = [1], rhs_batch = [2], lhs_contract = [0, 2], rhs_contract = [0, 1]} : tensor<5x4x3x2xf64>, tensor<5x3x4xf64> -> tensor<4x2xf64>
func.func @batch(%c: f64, %g: tensor<4x2xf64>, %xs: tensor<5x4x3x2xf64>, %ys: tensor<5x3x4xf64>) -> (f64, tensor<4x2xf64>) {
  %r, %s = array.scan %c, %g, %xs, %ys (%i, %a: f64, %b: tensor<4x2xf64>, %x: tensor<4x3x2xf64>, %y: tensor<3x4xf64>)
      {carries = 2, length = 5}
      : f64, tensor<4x2xf64>, tensor<5x4x3x2xf64>, tensor<5x3x4xf64> -> (f64, tensor<4x2xf64>) {
    %d = array.dot %x, %y {lhs_batch = [0], rhs_batch = [1], lhs_contract = [1], rhs_contract = [0]}
        : tensor<4x3x2xf64>, tensor<3x4xf64> -> tensor<4x2xf64>
    %n = array.add %d, %b : tensor<4x2xf64>
    %v = array.sin %a : f64
    array.yield %v, %n : f64, tensor<4x2xf64>
  }
  func.return %r, %s : f64, tensor<4x2xf64>
}

// -----

// A sum that other code reads in the loop stays there.

// CHECK-LABEL: func.func @read
// CHECK:         array.scan %c, %g, %xs
// CHECK:           array.dot
// CHECK:           array.add
// CHECK:         func.return
func.func @read(%c: f64, %g: tensor<2x2xf64>, %xs: tensor<9x2xf64>) -> (f64, tensor<2x2xf64>) {
  %r, %s = array.scan %c, %g, %xs (%i, %a: f64, %b: tensor<2x2xf64>, %x: tensor<2xf64>) {carries = 2, length = 9}
      : f64, tensor<2x2xf64>, tensor<9x2xf64> -> (f64, tensor<2x2xf64>) {
    %d = array.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []}
        : tensor<2xf64>, tensor<2xf64> -> tensor<2x2xf64>
    %n = array.add %b, %d : tensor<2x2xf64>
    %t = array.sum %b {dims = [0, 1]} : tensor<2x2xf64> -> f64
    %v = array.add %a, %t : f64
    array.yield %v, %n : f64, tensor<2x2xf64>
  }
  func.return %r, %s : f64, tensor<2x2xf64>
}
