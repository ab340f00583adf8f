// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Fourier transforms.

// CHECK-LABEL: func.func @transforms(%z: tensor<3x4x2xf64>, %x: tensor<5xf32>, %s: tensor<3x2xf32>) {
// CHECK-NEXT: %v0 = array.fft forward %z : tensor<3x4x2xf64>
// CHECK-NEXT: %v1 = array.fft backward %z : tensor<3x4x2xf64>
// CHECK-NEXT: %v2 = array.fft real %x : tensor<5xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %v3 = array.fft half %s : tensor<3x2xf32> -> tensor<4xf32>
// CHECK-NEXT: %v4 = linear.fft real : -> !linear.map<tensor<5xf32>, tensor<3x2xf32>>
// CHECK-NEXT: func.return
func.func @transforms(%z: tensor<3x4x2xf64>, %x: tensor<5xf32>, %s: tensor<3x2xf32>) {
  %v0 = array.fft forward %z : tensor<3x4x2xf64>
  %v1 = array.fft backward %z : tensor<3x4x2xf64>
  %v2 = array.fft real %x : tensor<5xf32> -> tensor<3x2xf32>
  %v3 = array.fft half %s : tensor<3x2xf32> -> tensor<4xf32>
  %v4 = linear.fft real : -> !linear.map<tensor<5xf32>, tensor<3x2xf32>>
  func.return
}

// CHECK-LABEL: func.func @along_any_dimension(%z: tensor<2x4x3xf64>, %x: tensor<8x3xf32>, %s: tensor<5x2x3xf32>) {
// CHECK-NEXT: %v0 = array.fft backward %z {dim = 0, pairs = 0} : tensor<2x4x3xf64>
// CHECK-NEXT: %v1 = array.fft real %x {dim = 0, pairs = 1} : tensor<8x3xf32> -> tensor<5x2x3xf32>
// CHECK-NEXT: %v2 = array.fft half %s {dim = 0, pairs = 1} : tensor<5x2x3xf32> -> tensor<8x3xf32>
// CHECK-NEXT: %v3 = linear.fft real {dim = 0, pairs = 0} : -> !linear.map<tensor<8x3xf32>, tensor<2x5x3xf32>>
// CHECK-NEXT: %v4 = kernel.fft backward %z {dim = 0, pairs = 0, parallel = 4} : tensor<2x4x3xf64> -> tensor<2x4x3xf64>
func.func @along_any_dimension(%z: tensor<2x4x3xf64>, %x: tensor<8x3xf32>, %s: tensor<5x2x3xf32>) {
  %v0 = array.fft backward %z {dim = 0, pairs = 0} : tensor<2x4x3xf64>
  %v1 = array.fft real %x {dim = 0, pairs = 1} : tensor<8x3xf32> -> tensor<5x2x3xf32>
  %v2 = array.fft half %s {dim = 0, pairs = 1} : tensor<5x2x3xf32> -> tensor<8x3xf32>
  %v3 = linear.fft real {dim = 0, pairs = 0} : -> !linear.map<tensor<8x3xf32>, tensor<2x5x3xf32>>
  %v4 = kernel.fft backward %z {dim = 0, pairs = 0, parallel = 4} : tensor<2x4x3xf64> -> tensor<2x4x3xf64>
  func.return
}

// CHECK-LABEL: func.func @kernels(%x: tensor<5xf32>) {
// CHECK-NEXT: %v0 = kernel.fft real %x {places = [0]} : tensor<5xf32> -> tensor<3x2xf32>
func.func @kernels(%x: tensor<5xf32>) {
  %v0 = kernel.fft real %x {places = [0]} : tensor<5xf32> -> tensor<3x2xf32>
  func.return
}
