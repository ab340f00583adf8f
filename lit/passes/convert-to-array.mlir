// RUN: mlirad-opt -p convert-to-array --split-input-file %s | filecheck %s

// A named op has no body in MLIR's own syntax; what it adds to is zeros here.
func.func @matmul(%x: tensor<2x3x4xf64>, %y: tensor<2x4x5xf64>) -> tensor<2x3x5xf64> {
  %z = arith.constant dense<0.0> : tensor<2x3x5xf64>
  %r = linalg.batch_matmul ins(%x, %y : tensor<2x3x4xf64>, tensor<2x4x5xf64>) outs(%z : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  func.return %r : tensor<2x3x5xf64>
}
// CHECK-LABEL: func.func @matmul
// CHECK-NEXT: array.dot %x, %y {lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], rhs_contract = [1]}
// CHECK-NEXT: func.return

// -----

// A reduction starts from its output.
func.func @reduce(%x: tensor<3x4xf64>, %z: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4xf64>) outs(%z : tensor<3xf64>) dimensions = [1]
  func.return %r : tensor<3xf64>
}
// CHECK-LABEL: func.func @reduce
// CHECK-NEXT: %[[R:.*]] = array.reduce max %x {dims = [1]}
// CHECK-NEXT: array.max %z, %[[R]]

// -----

// A body that is not elementwise is a build.
func.func @build(%x: tensor<5xf64>, %p: tensor<3xindex>) -> tensor<3xf64> {
  %e = tensor.empty() : tensor<3xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%p : tensor<3xindex>) outs(%e : tensor<3xf64>) {
  ^bb0(%at: index, %o: f64):
    %a = tensor.extract %x[%at] : tensor<5xf64>
    linalg.yield %a : f64
  } -> tensor<3xf64>
  func.return %r : tensor<3xf64>
}
// CHECK-LABEL: func.func @build(%x: tensor<5xf64>, %p: tensor<3xi64>)
// CHECK-NEXT: array.build (%[[I:.*]]) : -> tensor<3xf64>
// CHECK-NEXT: array.index %p[%[[I]]]
// CHECK-NEXT: array.index %x

// -----

// Gathers and scatters address slices by rows of coordinates.
func.func @gather(%x: tensor<5x3xf64>, %y: tensor<2x1x3xf64>, %p: tensor<2x1xindex>) -> (tensor<2x1x3xf64>, tensor<5x3xf64>) {
  %a = tensor.gather %x[%p] gather_dims([0]) : (tensor<5x3xf64>, tensor<2x1xindex>) -> tensor<2x1x3xf64>
  %b = tensor.scatter %y into %x[%p] scatter_dims([0]) unique : (tensor<2x1x3xf64>, tensor<5x3xf64>, tensor<2x1xindex>) -> tensor<5x3xf64>
  func.return %a, %b : tensor<2x1x3xf64>, tensor<5x3xf64>
}
// CHECK-LABEL: func.func @gather
// CHECK: array.gather %x
// CHECK: array.update set %x

// -----

// A slice that a loop writes is an update of its carry.
func.func @loop(%x: tensor<4x2xf64>, %y: tensor<2xf64>) -> tensor<4x2xf64> {
  %lo = arith.constant 0 : index
  %hi = arith.constant 4 : index
  %step = arith.constant 2 : index
  %r = scf.for %i = %lo to %hi step %step iter_args(%o = %x) -> (tensor<4x2xf64>) {
    %p = tensor.insert_slice %y into %o[%i, 0] [1, 2] [1, 1] : tensor<2xf64> into tensor<4x2xf64>
    scf.yield %p : tensor<4x2xf64>
  }
  func.return %r : tensor<4x2xf64>
}
// CHECK-LABEL: func.func @loop
// CHECK: array.scan %x
// CHECK-SAME: {carries = 1, length = 2}
// CHECK: array.update set
