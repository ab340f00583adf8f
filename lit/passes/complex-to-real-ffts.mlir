// RUN: mlirad-opt %s -p complex-to-real-ffts --split-input-file | filecheck %s

// Of a transform along two dimensions only the real parts are read: one goes along half of the numbers, and one
// makes real numbers of them.

// CHECK-LABEL: func.func @real_parts(
// CHECK-NOT:     array.fft
// CHECK:         [[S:%.*]] = array.stack {{.*}} {dim = 0} : tensor<6x5xf64>, tensor<6x5xf64> -> tensor<2x6x5xf64>
// CHECK-NEXT:    [[T:%.*]] = array.fft backward [[S]] {dim = 0, pairs = 0} : tensor<2x6x5xf64>
// CHECK-NEXT:    [[Y:%.*]] = array.fft half [[T]] {dim = 1, pairs = 0} : tensor<2x6x5xf64> -> tensor<6x8xf64>
// CHECK-NEXT:    func.return [[Y]] : tensor<6x8xf64>
func.func @real_parts(%z: tensor<2x6x8xf64>) -> tensor<6x8xf64> {
  %0 = array.constant 0 : i64
  %1 = array.fft backward %z {dim = 1, pairs = 0} : tensor<2x6x8xf64>
  %2 = array.fft backward %1 {dim = 0, pairs = 0} : tensor<2x6x8xf64>
  %3 = array.index %2[%0] : tensor<2x6x8xf64> -> tensor<6x8xf64>
  func.return %3 : tensor<6x8xf64>
}

// -----

// A transform stays if imaginary parts are read as well, and if its length is odd.

// CHECK-LABEL: func.func @both(
// CHECK:         array.fft forward %z {dim = 0, pairs = 0} : tensor<2x8xf64>
// CHECK:         array.fft forward %w {dim = 0, pairs = 0} : tensor<2x7xf64>
func.func @both(%z: tensor<2x8xf64>, %w: tensor<2x7xf64>) -> (tensor<8xf64>, tensor<8xf64>, tensor<7xf64>) {
  %0 = array.constant 0 : i64
  %1 = array.constant 1 : i64
  %2 = array.fft forward %z {dim = 0, pairs = 0} : tensor<2x8xf64>
  %3 = array.index %2[%0] : tensor<2x8xf64> -> tensor<8xf64>
  %4 = array.index %2[%1] : tensor<2x8xf64> -> tensor<8xf64>
  %5 = array.fft forward %w {dim = 0, pairs = 0} : tensor<2x7xf64>
  %6 = array.index %5[%0] : tensor<2x7xf64> -> tensor<7xf64>
  func.return %3, %4, %6 : tensor<8xf64>, tensor<8xf64>, tensor<7xf64>
}
