// RUN: mlirad-opt %s -p 'shard-rows{size=n function=f}' | filecheck %s
// RUN: mlirad-opt %s -p 'shard-rows{size=n function=f residuals=keep}' | filecheck --check-prefix=KEEP %s
// RUN: not mlirad-opt %s -p 'shard-rows{size=m function=f}' 2>&1 | filecheck --check-prefix=UNKNOWN %s
// RUN: not mlirad-opt %s -p 'shard-rows{size=n function=f residuals=no}' 2>&1 | filecheck --check-prefix=POLICY %s

// CHECK-LABEL: func.func @f_round0(%x: tensor<?xf64, #array.extents<[n]>>, %w: f64) -> f64 attributes {array.sizes = ["n"], array.inputs = ["argument 0", "argument 1"], array.combined = ["add 0"]} {
// CHECK: %2 = array.sum %1 {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> f64
// CHECK-NEXT: func.return %2 : f64
// CHECK-LABEL: func.func @f_round1(%x: tensor<?xf64, #array.extents<[n]>>, %w: f64, %0: i64, %1: f64) -> f64 attributes {array.sizes = ["n"], array.inputs = ["argument 0", "argument 1", "1 * n + 0", "combined 0"], array.combined = ["add 1"]} {
// CHECK-LABEL: func.func @f_results(%0: f64) -> f64 attributes {array.inputs = ["combined 1"], array.split_results = ["whole 0"]} {
// KEEP-LABEL: func.func @f_round1(%0: i64, %1: tensor<?xf64, #array.extents<[n]>>, %2: f64) -> f64
// KEEP-SAME: array.inputs = ["1 * n + 0", "residual 0 of round 0", "combined 0"]
// UNKNOWN: error: @f states no size m; it states: n
// POLICY: error: residuals 'no' is not one of cost, keep, again
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>, %w: f64) -> f64 attributes {array.sizes = ["n"]} {
  %0 = array.broadcast %w {dims = []} : f64 -> tensor<?xf64, #array.extents<[n]>>
  %1 = array.mul %x, %0 : tensor<?xf64, #array.extents<[n]>>
  %2 = array.sum %1 {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> f64
  %3 = array.size {extent = #array.extent<n>} : -> i64
  %4 = array.convert %3 : i64 -> f64
  %5 = array.div %2, %4 : f64
  %6 = array.broadcast %5 {dims = []} : f64 -> tensor<?xf64, #array.extents<[n]>>
  %7 = array.sub %1, %6 : tensor<?xf64, #array.extents<[n]>>
  %8 = array.tanh %7 : tensor<?xf64, #array.extents<[n]>>
  %9 = array.sum %8 {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> f64
  func.return %9 : f64
}
