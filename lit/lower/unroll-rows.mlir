// RUN: mlirad-opt --split-input-file -p 'unroll-rows{least-rows=8 least-kernels=1}' %s | filecheck %s

// The loops over the elements of a row are unrolled. The sum is in a register; of the concatenation each element
// is of a known part.

// CHECK-LABEL: func.func @row
// CHECK-NEXT:    %y = kernel.nest %x (%0) {space = [8], reduction = []} : tensor<8x2xf64> -> tensor<8x3xf64> {
// CHECK-NEXT:      [[ZERO:%.*]] = array.constant 0 : i64
// CHECK:           [[A:%.*]] = kernel.load %x[%0, [[ZERO]]] : tensor<8x2xf64> -> f64
// CHECK:           [[ONE:%.*]] = array.constant 1 : i64
// CHECK:           [[B:%.*]] = kernel.load %x[%0, [[ONE]]] : tensor<8x2xf64> -> f64
// CHECK:           [[S:%.*]] = array.add [[A]], [[B]] : f64
// CHECK:           array.yield [[A]], [[B]], [[S]] : f64, f64, f64
// CHECK:         func.return %y : tensor<8x3xf64>
func.func @row(%x: tensor<8x2xf64>) -> tensor<8x3xf64> {
  %s = kernel.nest %x (%i, %r) {space = [8], reduction = [2], combiners = [add]} : tensor<8x2xf64> -> tensor<8xf64> {
    %0 = kernel.load %x[%i, %r] : tensor<8x2xf64> -> f64
    array.yield %0 : f64
  }
  %y = kernel.nest %x, %s (%i, %k) {space = [8, 3], reduction = []} : tensor<8x2xf64>, tensor<8xf64> -> tensor<8x3xf64> {
    %0 = array.constant 2 : i64
    %1 = array.compare lt %k, %0 : i64, i64 -> i1
    %2 = kernel.load_if %1, %x[%i, %k] : i1, tensor<8x2xf64> -> f64
    %3 = kernel.load %s[%i] : tensor<8xf64> -> f64
    %4 = array.select %1, %2, %3 : i1, f64, f64 -> f64
    array.yield %4 : f64
  }
  func.return %y : tensor<8x3xf64>
}

// -----

// A kernel that reads the group at another row stays apart.

// CHECK-LABEL: func.func @other_row
// CHECK:         kernel.nest
// CHECK:         %y = kernel.nest %s (%i) {space = [8], reduction = []}
// CHECK:           array.sub
func.func @other_row(%x: tensor<8x2xf64>) -> tensor<8xf64> {
  %s = kernel.nest %x (%i, %r) {space = [8], reduction = [2], combiners = [add]} : tensor<8x2xf64> -> tensor<8xf64> {
    %0 = kernel.load %x[%i, %r] : tensor<8x2xf64> -> f64
    array.yield %0 : f64
  }
  %y = kernel.nest %s (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    %0 = array.constant 7 : i64
    %1 = array.sub %0, %i : i64
    %2 = kernel.load %s[%1] : tensor<8xf64> -> f64
    array.yield %2 : f64
  }
  func.return %y : tensor<8xf64>
}
