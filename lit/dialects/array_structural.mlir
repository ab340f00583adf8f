// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Constants and ops that place elements by a pattern in the program text.

// CHECK-LABEL: func.func @constant() {
// CHECK-NEXT: %v0 = array.constant 2.500000e+00 : f64
// CHECK-NEXT: %v1 = array.constant -1.250000e-01 : f32
// CHECK-NEXT: %v2 = array.constant 7 : i64
// CHECK-NEXT: %v3 = array.constant -3 : i32
// CHECK-NEXT: %v4 = array.constant true
// CHECK-NEXT: %v5 = array.constant dense<[1, -2, 3]> : tensor<3xi64>
// CHECK-NEXT: %v6 = array.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT: %v7 = array.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT: %v8 = array.constant dense<> : tensor<0xf64>
// CHECK-NEXT: %v9 = array.constant 0x7ff8000000000000 : f64
// CHECK-NEXT: %v10 = array.constant 0x7ff0000000000000 : f64
// CHECK-NEXT: %v11 = array.constant -0.000000e+00 : f64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @constant() {
  %v0 = array.constant 2.500000e+00 : f64
  %v1 = array.constant -1.250000e-01 : f32
  %v2 = array.constant 7 : i64
  %v3 = array.constant -3 : i32
  %v4 = array.constant true
  %v5 = array.constant dense<[1, -2, 3]> : tensor<3xi64>
  %v6 = array.constant dense<1.000000e+00> : tensor<2x3xf32>
  %v7 = array.constant dense<[true, false]> : tensor<2xi1>
  %v8 = array.constant dense<> : tensor<0xf64>
  %v9 = array.constant 0x7ff8000000000000 : f64
  %v10 = array.constant 0x7ff0000000000000 : f64
  %v11 = array.constant -0.000000e+00 : f64
  func.return
}

// CHECK-LABEL: func.func @iota() {
// CHECK-NEXT: %v0 = array.iota {dim = 0} : -> tensor<4xi64>
// CHECK-NEXT: %v1 = array.iota {dim = 1} : -> tensor<2x0xi64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @iota() {
  %v0 = array.iota {dim = 0} : -> tensor<4xi64>
  %v1 = array.iota {dim = 1} : -> tensor<2x0xi64>
  func.return
}

// CHECK-LABEL: func.func @broadcast(%x: tensor<2x3xf64>, %s: i1) {
// CHECK-NEXT: %v0 = array.broadcast %x {dims = [0, 2]} : tensor<2x3xf64> -> tensor<2x4x3xf64>
// CHECK-NEXT: %v1 = array.broadcast %x {dims = [1, 0]} : tensor<2x3xf64> -> tensor<3x2xf64>
// CHECK-NEXT: %v2 = array.broadcast %s {dims = []} : i1 -> tensor<5xi1>
// CHECK-NEXT: %v3 = array.broadcast %s {dims = []} : i1 -> i1
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @broadcast(%x: tensor<2x3xf64>, %s: i1) {
  %v0 = array.broadcast %x {dims = [0, 2]} : tensor<2x3xf64> -> tensor<2x4x3xf64>
  %v1 = array.broadcast %x {dims = [1, 0]} : tensor<2x3xf64> -> tensor<3x2xf64>
  %v2 = array.broadcast %s {dims = []} : i1 -> tensor<5xi1>
  %v3 = array.broadcast %s {dims = []} : i1 -> i1
  func.return
}

// CHECK-LABEL: func.func @transpose(%x: tensor<2x3xf64>, %s: f32) {
// CHECK-NEXT: %v0 = array.transpose %x {permutation = [1, 0]} : tensor<2x3xf64> -> tensor<3x2xf64>
// CHECK-NEXT: %v1 = array.transpose %s {permutation = []} : f32 -> f32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @transpose(%x: tensor<2x3xf64>, %s: f32) {
  %v0 = array.transpose %x {permutation = [1, 0]} : tensor<2x3xf64> -> tensor<3x2xf64>
  %v1 = array.transpose %s {permutation = []} : f32 -> f32
  func.return
}

// CHECK-LABEL: func.func @reshape(%x: tensor<2x3xf64>, %s: f32) {
// CHECK-NEXT: %v0 = array.reshape %x : tensor<2x3xf64> -> tensor<6xf64>
// CHECK-NEXT: %v1 = array.reshape %s : f32 -> tensor<1x1xf32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @reshape(%x: tensor<2x3xf64>, %s: f32) {
  %v0 = array.reshape %x : tensor<2x3xf64> -> tensor<6xf64>
  %v1 = array.reshape %s : f32 -> tensor<1x1xf32>
  func.return
}

// CHECK-LABEL: func.func @slice(%x: tensor<2x3xf64>, %s: f32) {
// CHECK-NEXT: %v0 = array.slice %x {starts = [0, 0], limits = [2, 3], strides = [1, 2]} : tensor<2x3xf64> -> tensor<2x2xf64>
// CHECK-NEXT: %v1 = array.slice %x {starts = [1, 0], limits = [1, 3], strides = [1, 1]} : tensor<2x3xf64> -> tensor<0x3xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @slice(%x: tensor<2x3xf64>, %s: f32) {
  %v0 = array.slice %x {starts = [0, 0], limits = [2, 3], strides = [1, 2]} : tensor<2x3xf64> -> tensor<2x2xf64>
  %v1 = array.slice %x {starts = [1, 0], limits = [1, 3], strides = [1, 1]} : tensor<2x3xf64> -> tensor<0x3xf64>
  func.return
}

// CHECK-LABEL: func.func @pad(%x: tensor<2x3xf64>, %s: f64) {
// CHECK-NEXT: %v0 = array.pad %x, %s {low = [1, 0], high = [0, 2], interior = [0, 1]} : tensor<2x3xf64>, f64 -> tensor<3x7xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @pad(%x: tensor<2x3xf64>, %s: f64) {
  %v0 = array.pad %x, %s {low = [1, 0], high = [0, 2], interior = [0, 1]} : tensor<2x3xf64>, f64 -> tensor<3x7xf64>
  func.return
}

// CHECK-LABEL: func.func @concatenate(%x: tensor<2x3xf64>, %y: tensor<2x0xf64>) {
// CHECK-NEXT: %v0 = array.concatenate %x, %y, %x {dim = 1} : tensor<2x3xf64>, tensor<2x0xf64>, tensor<2x3xf64> -> tensor<2x6xf64>
// CHECK-NEXT: %v1 = array.concatenate %x {dim = 0} : tensor<2x3xf64> -> tensor<2x3xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @concatenate(%x: tensor<2x3xf64>, %y: tensor<2x0xf64>) {
  %v0 = array.concatenate %x, %y, %x {dim = 1} : tensor<2x3xf64>, tensor<2x0xf64>, tensor<2x3xf64> -> tensor<2x6xf64>
  %v1 = array.concatenate %x {dim = 0} : tensor<2x3xf64> -> tensor<2x3xf64>
  func.return
}

// CHECK-LABEL: func.func @reverse(%x: tensor<2x3xf64>) {
// CHECK-NEXT: %v0 = array.reverse %x {dims = [0]} : tensor<2x3xf64> -> tensor<2x3xf64>
// CHECK-NEXT: %v1 = array.reverse %x {dims = [0, 1]} : tensor<2x3xf64> -> tensor<2x3xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @reverse(%x: tensor<2x3xf64>) {
  %v0 = array.reverse %x {dims = [0]} : tensor<2x3xf64> -> tensor<2x3xf64>
  %v1 = array.reverse %x {dims = [0, 1]} : tensor<2x3xf64> -> tensor<2x3xf64>
  func.return
}

// CHECK-LABEL: func.func @stack(%x: tensor<3xf64>, %s: f64) {
// CHECK-NEXT: %v0 = array.stack %x, %x {dim = 1} : tensor<3xf64>, tensor<3xf64> -> tensor<3x2xf64>
// CHECK-NEXT: %v1 = array.stack %s, %s {dim = 0} : f64, f64 -> tensor<2xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @stack(%x: tensor<3xf64>, %s: f64) {
  %v0 = array.stack %x, %x {dim = 1} : tensor<3xf64>, tensor<3xf64> -> tensor<3x2xf64>
  %v1 = array.stack %s, %s {dim = 0} : f64, f64 -> tensor<2xf64>
  func.return
}
