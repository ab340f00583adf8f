// RUN: mlirad-opt %s -p 'shard-rows{size=n function=f}' --split-input-file | filecheck %s

// x[1:] - x[:-1]: the chunk reads the first row of the next one.

// CHECK-LABEL: func.func @f_round0(%x: tensor<?xf64, #array.extents<[n]>>) -> (tensor<1x1xf64>, tensor<1xi64>)
// CHECK-SAME: array.combined = ["list 0 1"]
// CHECK-LABEL: func.func @f_round1
// CHECK-SAME: array.inputs = ["argument 0", "rows after the chunk of combined 0"]
// CHECK-SAME: array.split_results = ["rows 0 of residual 0 of round 1, the last 1 left out"]
// CHECK: %2 = array.concatenate %x, %1 {dim = 0}
// CHECK-NEXT: %3 = array.slice %2 {starts = [1], limits = #array.extents<[n + 1]>, strides = [1]}
// CHECK-NEXT: %4 = array.sub %3, %x : tensor<?xf64, #array.extents<[n]>>
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n - 1]>> attributes {array.sizes = ["n"]} {
  %0 = array.slice %x {starts = [1], limits = #array.extents<[n]>, strides = [1]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n - 1]>>
  %1 = array.slice %x {starts = [0], limits = #array.extents<[n - 1]>, strides = [1]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n - 1]>>
  %2 = array.sub %0, %1 : tensor<?xf64, #array.extents<[n - 1]>>
  func.return %2 : tensor<?xf64, #array.extents<[n - 1]>>
}

// -----

// sum(x[:-1]): the last row is left out, and no chunk needs rows of another one.

// CHECK-LABEL: func.func @f_round0
// CHECK-SAME: array.inputs = ["argument 0", "first row", "1 * n + -1"], array.combined = ["add 0"]
// CHECK: %8 = array.compare lt %6, %7
// CHECK-NEXT: %9 = array.select %8, %x, %3
// CHECK-NEXT: %10 = array.sum %9 {dims = [0]}
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> f64 attributes {array.sizes = ["n"]} {
  %0 = array.slice %x {starts = [0], limits = #array.extents<[n - 1]>, strides = [1]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n - 1]>>
  %1 = array.sum %0 {dims = [0]} : tensor<?xf64, #array.extents<[n - 1]>> -> f64
  func.return %1 : f64
}

// -----

// Windows of 2 rows, summed: x, and x moved by one row.

// CHECK-LABEL: func.func @f_round0
// CHECK-LABEL: func.func @f_round1
// CHECK-SAME: array.inputs = ["argument 0", "rows after the chunk of combined 0"]
// CHECK: %6 = array.stack %1, %5 {dim = 0}
// CHECK: %9 = array.sum %8 {dims = [1]}
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n - 1]>> attributes {array.sizes = ["n"]} {
  %0 = array.gather %x (%i, %j) : tensor<?xf64, #array.extents<[n]>> -> tensor<?x2xf64, #array.extents<[n - 1, 2]>> {
    %1 = array.add %i, %j : i64
    array.yield %1 : i64
  }
  %1 = array.sum %0 {dims = [1]} : tensor<?x2xf64, #array.extents<[n - 1, 2]>> -> tensor<?xf64, #array.extents<[n - 1]>>
  func.return %1 : tensor<?xf64, #array.extents<[n - 1]>>
}
