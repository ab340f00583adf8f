// RUN: mlirad-opt %s -p 'shard-rows{size=n function=f}' --split-input-file | filecheck %s

// CHECK-LABEL: func.func @f_round0(%x: tensor<?xf64, #array.extents<[n]>>, %0: i64) -> (f64, i64)
// CHECK-SAME: array.inputs = ["argument 0", "first row"], array.combined = ["argmax 0 1"]
// CHECK-NEXT: %1 = array.reduce max %x {dims = [0]}
// CHECK-NEXT: %2 = array.argmax %x {dim = 0}
// CHECK-NEXT: %3 = array.add %2, %0 : i64
// CHECK-NEXT: func.return %1, %3 : f64, i64
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> i64 attributes {array.sizes = ["n"]} {
  %0 = array.argmax %x {dim = 0} : tensor<?xf64, #array.extents<[n]>> -> i64
  func.return %0 : i64
}

// -----

// CHECK-LABEL: func.func @f_round0(%x: tensor<?xf64, #array.extents<[n]>>, %i: i64, %0: i64, %1: i64) -> f64
// CHECK-SAME: array.inputs = ["argument 0", "argument 1", "1 * n + -1", "first row"], array.combined = ["row 0"]
// CHECK: %5 = array.sub %4, %1 : i64
// CHECK-NEXT: %6 = array.size {extent = #array.extent<n>} : -> i64
// CHECK: %10 = array.index %x[%5] : tensor<?xf64, #array.extents<[n]>> -> f64
// CHECK: %12 = array.select %9, %10, %11 : i1, f64, f64 -> f64
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>, %i: i64) -> f64 attributes {array.sizes = ["n"]} {
  %0 = array.index %x[%i] : tensor<?xf64, #array.extents<[n]>> -> f64
  func.return %0 : f64
}

// -----

// CHECK-LABEL: func.func @f_round0(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<1xf64>
// CHECK-SAME: array.combined = ["list 0"]
// CHECK-LABEL: func.func @f_round1
// CHECK-SAME: array.inputs = ["argument 0", "sum before of combined 0"]
// CHECK: array.cumulative sum
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> attributes {array.sizes = ["n"]} {
  %0 = array.cumulative sum %x {dim = 0} : tensor<?xf64, #array.extents<[n]>>
  func.return %0 : tensor<?xf64, #array.extents<[n]>>
}

// -----

// CHECK-LABEL: func.func @f_round0(%x: tensor<?xf64, #array.extents<[n]>>, %0: tensor<16xf64>) -> (tensor<16xi64>, tensor<16xf64>, tensor<16xf64>, i64)
// CHECK-SAME: array.inputs = ["argument 0", "combined -1"], array.combined = ["ranks 0 1 2 3"]
// CHECK-LABEL: func.func @f_results(%0: tensor<1xf64>) -> f64
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>, %i: i64) -> f64 attributes {array.sizes = ["n"]} {
  %0 = array.sort %x {dim = 0} : tensor<?xf64, #array.extents<[n]>>
  %1 = array.index %0[%i] : tensor<?xf64, #array.extents<[n]>> -> f64
  func.return %1 : f64
}
