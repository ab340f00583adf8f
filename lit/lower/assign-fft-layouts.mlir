// RUN: mlirad-opt %s -p assign-fft-layouts --split-input-file | filecheck %s

// Pairs become planes where a transform is compiled.

// CHECK-LABEL: func.func @compiled(
// CHECK-NEXT:    [[T:%.*]] = array.broadcast %z {dims = [1, 0]} : tensor<8x2xf64> -> tensor<2x8xf64>
// CHECK-NEXT:    [[U:%.*]] = array.fft forward [[T]] {dim = 0, pairs = 0} : tensor<2x8xf64>
// CHECK-NEXT:    [[Y:%.*]] = array.broadcast [[U]] {dims = [1, 0]} : tensor<2x8xf64> -> tensor<8x2xf64>
// CHECK-NEXT:    func.return [[Y]]
func.func @compiled(%z: tensor<8x2xf64>) -> tensor<8x2xf64> {
  %y = array.fft forward %z : tensor<8x2xf64>
  func.return %y : tensor<8x2xf64>
}

// -----

// Planes become pairs where it is left to the library: 31 is a prime without a butterfly.

// CHECK-LABEL: func.func @of_the_library(
// CHECK-NEXT:    [[T:%.*]] = array.broadcast %x {dims = [1, 0]} : tensor<31x3xf64> -> tensor<3x31xf64>
// CHECK-NEXT:    [[U:%.*]] = array.fft real [[T]] : tensor<3x31xf64> -> tensor<3x16x2xf64>
// CHECK-NEXT:    [[Y:%.*]] = array.broadcast [[U]] {dims = [2, 1, 0]} : tensor<3x16x2xf64> -> tensor<2x16x3xf64>
// CHECK-NEXT:    func.return [[Y]]
func.func @of_the_library(%x: tensor<31x3xf64>) -> tensor<2x16x3xf64> {
  %y = array.fft real %x {dim = 0, pairs = 0} : tensor<31x3xf64> -> tensor<2x16x3xf64>
  func.return %y : tensor<2x16x3xf64>
}
