// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Ops that read or write at computed positions, and construction by position.

// CHECK-LABEL: func.func @index(%x: tensor<2x3xf64>, %i: i64, %j: i64, %s: f64) {
// CHECK-NEXT: %v0 = array.index %x[%i, %j] : tensor<2x3xf64> -> f64
// CHECK-NEXT: %v1 = array.index %x[%i] : tensor<2x3xf64> -> tensor<3xf64>
// CHECK-NEXT: %v2 = array.index %x : tensor<2x3xf64> -> tensor<2x3xf64>
// CHECK-NEXT: %v3 = array.index %s : f64 -> f64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @index(%x: tensor<2x3xf64>, %i: i64, %j: i64, %s: f64) {
  %v0 = array.index %x[%i, %j] : tensor<2x3xf64> -> f64
  %v1 = array.index %x[%i] : tensor<2x3xf64> -> tensor<3xf64>
  %v2 = array.index %x : tensor<2x3xf64> -> tensor<2x3xf64>
  %v3 = array.index %s : f64 -> f64
  func.return
}

// CHECK-LABEL: func.func @gather(%x: tensor<5x3xf64>, %k: i64) {
// CHECK-NEXT: %v0 = array.gather %x (%i, %j) : tensor<5x3xf64> -> tensor<4x2x3xf64> {
// CHECK-NEXT: %e = array.add %i, %j : i64
// CHECK-NEXT: array.yield %e : i64
// CHECK-NEXT: }
// CHECK-NEXT: %v1 = array.gather %x () : tensor<5x3xf64> -> tensor<3xf64> {
// CHECK-NEXT: array.yield %k : i64
// CHECK-NEXT: }
// CHECK-NEXT: %v2 = array.gather %x (%i) : tensor<5x3xf64> -> tensor<7xf64> {
// CHECK-NEXT: array.yield %i, %k : i64, i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @gather(%x: tensor<5x3xf64>, %k: i64) {
  %v0 = array.gather %x (%i, %j) : tensor<5x3xf64> -> tensor<4x2x3xf64> {
    %e = array.add %i, %j : i64
    array.yield %e : i64
  }
  %v1 = array.gather %x () : tensor<5x3xf64> -> tensor<3xf64> {
    array.yield %k : i64
  }
  %v2 = array.gather %x (%i) : tensor<5x3xf64> -> tensor<7xf64> {
    array.yield %i, %k : i64, i64
  }
  func.return
}

// CHECK-LABEL: func.func @scatter(%x: tensor<4x3xf64>, %p: tensor<4xi64>) {
// CHECK-NEXT: %v0 = array.scatter %x (%i) : tensor<4x3xf64> -> tensor<5x3xf64> {
// CHECK-NEXT: %e = array.index %p[%i] : tensor<4xi64> -> i64
// CHECK-NEXT: array.yield %e : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @scatter(%x: tensor<4x3xf64>, %p: tensor<4xi64>) {
  %v0 = array.scatter %x (%i) : tensor<4x3xf64> -> tensor<5x3xf64> {
    %e = array.index %p[%i] : tensor<4xi64> -> i64
    array.yield %e : i64
  }
  func.return
}

// CHECK-LABEL: func.func @update(%b: tensor<5x3xf64>, %x: tensor<4x3xf64>, %c: tensor<5xi1>, %y: i1, %k: i64) {
// CHECK-NEXT: %v0 = array.update add %b, %x (%i) : tensor<5x3xf64>, tensor<4x3xf64> -> tensor<5x3xf64> {
// CHECK-NEXT: array.yield %i : i64
// CHECK-NEXT: }
// CHECK-NEXT: %v1 = array.update set %c, %y () : tensor<5xi1>, i1 -> tensor<5xi1> {
// CHECK-NEXT: array.yield %k : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @update(%b: tensor<5x3xf64>, %x: tensor<4x3xf64>, %c: tensor<5xi1>, %y: i1, %k: i64) {
  %v0 = array.update add %b, %x (%i) : tensor<5x3xf64>, tensor<4x3xf64> -> tensor<5x3xf64> {
    array.yield %i : i64
  }
  %v1 = array.update set %c, %y () : tensor<5xi1>, i1 -> tensor<5xi1> {
    array.yield %k : i64
  }
  func.return
}

// CHECK-LABEL: func.func @build(%x: tensor<3xf64>) {
// CHECK-NEXT: %v0 = array.build (%i, %j) : -> tensor<2x3xf64> {
// CHECK-NEXT: %e = array.index %x[%j] : tensor<3xf64> -> f64
// CHECK-NEXT: array.yield %e : f64
// CHECK-NEXT: }
// CHECK-NEXT: %v1 = array.build (%i) : -> tensor<2x3xf64> {
// CHECK-NEXT: array.yield %x : tensor<3xf64>
// CHECK-NEXT: }
// CHECK-NEXT: %v2 = array.build (%i) : -> tensor<2x2xi64> {
// CHECK-NEXT: %w = array.build (%j) : -> tensor<2xi64> {
// CHECK-NEXT: %e = array.add %i, %j : i64
// CHECK-NEXT: array.yield %e : i64
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %w : tensor<2xi64>
// CHECK-NEXT: }
// CHECK-NEXT: %v3 = array.build () : -> tensor<3xf64> {
// CHECK-NEXT: array.yield %x : tensor<3xf64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @build(%x: tensor<3xf64>) {
  %v0 = array.build (%i, %j) : -> tensor<2x3xf64> {
    %e = array.index %x[%j] : tensor<3xf64> -> f64
    array.yield %e : f64
  }
  %v1 = array.build (%i) : -> tensor<2x3xf64> {
    array.yield %x : tensor<3xf64>
  }
  %v2 = array.build (%i) : -> tensor<2x2xi64> {
    %w = array.build (%j) : -> tensor<2xi64> {
      %e = array.add %i, %j : i64
      array.yield %e : i64
    }
    array.yield %w : tensor<2xi64>
  }
  %v3 = array.build () : -> tensor<3xf64> {
    array.yield %x : tensor<3xf64>
  }
  func.return
}
