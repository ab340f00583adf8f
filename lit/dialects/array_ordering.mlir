// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Sorting and prefix reductions.

// CHECK-LABEL: func.func @sort(%x: tensor<2x3xf64>, %p: tensor<0xi1>) {
// CHECK-NEXT: %v0 = array.sort %x {dim = 1} : tensor<2x3xf64>
// CHECK-NEXT: %v1 = array.sort %p {dim = 0} : tensor<0xi1>
// CHECK-NEXT: %v2 = array.argsort %x {dim = 0} : tensor<2x3xf64> -> tensor<2x3xi64>
// CHECK-NEXT: %v3 = array.argsort %p {dim = 0} : tensor<0xi1> -> tensor<0xi64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @sort(%x: tensor<2x3xf64>, %p: tensor<0xi1>) {
  %v0 = array.sort %x {dim = 1} : tensor<2x3xf64>
  %v1 = array.sort %p {dim = 0} : tensor<0xi1>
  %v2 = array.argsort %x {dim = 0} : tensor<2x3xf64> -> tensor<2x3xi64>
  %v3 = array.argsort %p {dim = 0} : tensor<0xi1> -> tensor<0xi64>
  func.return
}

// CHECK-LABEL: func.func @cumulative(%x: tensor<2x3xf32>, %n: tensor<4xi64>) {
// CHECK-NEXT: %v0 = array.cumulative sum %x {dim = 1} : tensor<2x3xf32>
// CHECK-NEXT: %v1 = array.cumulative prod %n {dim = 0, reverse} : tensor<4xi64>
// CHECK-NEXT: %v2 = array.cumulative max %n {dim = 0} : tensor<4xi64>
// CHECK-NEXT: %v3 = array.cumulative min %x {dim = 0, reverse} : tensor<2x3xf32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @cumulative(%x: tensor<2x3xf32>, %n: tensor<4xi64>) {
  %v0 = array.cumulative sum %x {dim = 1} : tensor<2x3xf32>
  %v1 = array.cumulative prod %n {dim = 0, reverse} : tensor<4xi64>
  %v2 = array.cumulative max %n {dim = 0} : tensor<4xi64>
  %v3 = array.cumulative min %x {dim = 0, reverse} : tensor<2x3xf32>
  func.return
}
