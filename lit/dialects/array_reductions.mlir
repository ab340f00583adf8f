// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Reductions, argument reductions and contraction.

// CHECK-LABEL: func.func @sum(%x: tensor<2x3xf64>, %s: i32) {
// CHECK-NEXT: %v0 = array.sum %x {dims = [0, 1]} : tensor<2x3xf64> -> f64
// CHECK-NEXT: %v1 = array.sum %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
// CHECK-NEXT: %v2 = array.sum %s {dims = []} : i32 -> i32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @sum(%x: tensor<2x3xf64>, %s: i32) {
  %v0 = array.sum %x {dims = [0, 1]} : tensor<2x3xf64> -> f64
  %v1 = array.sum %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
  %v2 = array.sum %s {dims = []} : i32 -> i32
  func.return
}

// CHECK-LABEL: func.func @reduce(%x: tensor<2x3xf64>, %b: tensor<4xi1>, %i: tensor<0xi64>) {
// CHECK-NEXT: %v0 = array.reduce max %x {dims = [0]} : tensor<2x3xf64> -> tensor<3xf64>
// CHECK-NEXT: %v1 = array.reduce min %x {dims = [0, 1]} : tensor<2x3xf64> -> f64
// CHECK-NEXT: %v2 = array.reduce and %b {dims = [0]} : tensor<4xi1> -> i1
// CHECK-NEXT: %v3 = array.reduce or %i {dims = [0]} : tensor<0xi64> -> i64
// CHECK-NEXT: %v4 = array.reduce prod %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @reduce(%x: tensor<2x3xf64>, %b: tensor<4xi1>, %i: tensor<0xi64>) {
  %v0 = array.reduce max %x {dims = [0]} : tensor<2x3xf64> -> tensor<3xf64>
  %v1 = array.reduce min %x {dims = [0, 1]} : tensor<2x3xf64> -> f64
  %v2 = array.reduce and %b {dims = [0]} : tensor<4xi1> -> i1
  %v3 = array.reduce or %i {dims = [0]} : tensor<0xi64> -> i64
  %v4 = array.reduce prod %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>
  func.return
}

// CHECK-LABEL: func.func @positions(%x: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.argmax %x {dim = 1} : tensor<2x3xf32> -> tensor<2xi64>
// CHECK-NEXT: %v1 = array.argmin %x {dim = 0} : tensor<2x3xf32> -> tensor<3xi64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @positions(%x: tensor<2x3xf32>) {
  %v0 = array.argmax %x {dim = 1} : tensor<2x3xf32> -> tensor<2xi64>
  %v1 = array.argmin %x {dim = 0} : tensor<2x3xf32> -> tensor<3xi64>
  func.return
}

// CHECK-LABEL: func.func @dot(%a: tensor<7x2x3xf64>, %b: tensor<3x5x7xf64>, %s: f32) {
// CHECK-NEXT: %v0 = array.dot %a, %b {lhs_batch = [0], rhs_batch = [2], lhs_contract = [2], rhs_contract = [0]} : tensor<7x2x3xf64>, tensor<3x5x7xf64> -> tensor<7x2x5xf64>
// CHECK-NEXT: %v1 = array.dot %s, %s {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : f32, f32 -> f32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @dot(%a: tensor<7x2x3xf64>, %b: tensor<3x5x7xf64>, %s: f32) {
  %v0 = array.dot %a, %b {lhs_batch = [0], rhs_batch = [2], lhs_contract = [2], rhs_contract = [0]} : tensor<7x2x3xf64>, tensor<3x5x7xf64> -> tensor<7x2x5xf64>
  %v1 = array.dot %s, %s {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : f32, f32 -> f32
  func.return
}
