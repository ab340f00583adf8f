// RUN: mlirad-opt -p 'schedule-kernels' %s | filecheck %s
// RUN: mlirad-opt -p 'schedule-kernels{vector-bytes=32}' %s | filecheck %s --check-prefix=AVX2

// Lanes along the contiguous output, several rows at a time share the loads of %y.
// CHECK-LABEL: func.func @contraction
// CHECK: kernel.nest %x, %y (%i, %j, %k) {space = [100, 80], reduction = [64], combiners = [add], lane = 1, width = 16, tile_dim = 0, tile = {{([2-9]|[1-9][0-9]+)}}, order = [1, 0, 2]}
// AVX2-LABEL: func.func @contraction
// AVX2: lane = 1, width = {{4|8}}, tile_dim = 0
func.func @contraction(%x: tensor<100x64xf64>, %y: tensor<64x80xf64>) -> tensor<100x80xf64> {
  %z = kernel.nest %x, %y (%i, %j, %k) {space = [100, 80], reduction = [64], combiners = [add]}
      : tensor<100x64xf64>, tensor<64x80xf64> -> tensor<100x80xf64> {
    %a = kernel.load %x[%i, %k] : tensor<100x64xf64> -> f64
    %b = kernel.load %y[%k, %j] : tensor<64x80xf64> -> f64
    %p = array.mul %a, %b : f64
    array.yield %p : f64
  }
  func.return %z : tensor<100x80xf64>
}

// Sums in memory, one row after the other.
// CHECK-LABEL: func.func @column_sums
// CHECK: kernel.nest %x (%j, %i) {space = [100], reduction = [1000], combiners = [add], lane = 0, width = 32, order = [1, 0], reduction_outer}
func.func @column_sums(%x: tensor<1000x100xf64>) -> tensor<100xf64> {
  %z = kernel.nest %x (%j, %i) {space = [100], reduction = [1000], combiners = [add]}
      : tensor<1000x100xf64> -> tensor<100xf64> {
    %a = kernel.load %x[%i, %j] : tensor<1000x100xf64> -> f64
    array.yield %a : f64
  }
  func.return %z : tensor<100xf64>
}

// %x is copied into lane order; the intermediate %c is stored in the lane order of what reads it.
// CHECK-LABEL: func.func @distances
// CHECK-NEXT: %x_packed = kernel.nest %x ({{.*}}) {space = [1000, 10], reduction = [], {{.*}}layouts = {{\[\[}}1, 0]]}
// CHECK: kernel.nest %m, %x_packed (%n, %k, %d) {{.*}}lane = 0{{.*}}layouts = {{\[\[}}1, 2, 0]], parallel = 7}
// CHECK: kernel.nest %c (%n, %k, %d) {space = [1000, 25], reduction = [10], combiners = [add], lane = 0
func.func @distances(%x: tensor<1000x10xf64>, %m: tensor<25x10xf64>) -> tensor<1000x25xf64> {
  %c = kernel.nest %x, %m (%n, %k, %d) {space = [1000, 25, 10], reduction = []}
      : tensor<1000x10xf64>, tensor<25x10xf64> -> tensor<1000x25x10xf64> {
    %a = kernel.load %x[%n, %d] : tensor<1000x10xf64> -> f64
    %b = kernel.load %m[%k, %d] : tensor<25x10xf64> -> f64
    %s = array.sub %a, %b : f64
    array.yield %s : f64
  }
  %y = kernel.nest %c (%n, %k, %d) {space = [1000, 25], reduction = [10], combiners = [add]}
      : tensor<1000x25x10xf64> -> tensor<1000x25xf64> {
    %a = kernel.load %c[%n, %k, %d] : tensor<1000x25x10xf64> -> f64
    %p = array.exp %a : f64
    array.yield %p : f64
  }
  func.return %y : tensor<1000x25xf64>
}

// CHECK-LABEL: func.func @tiny
// CHECK: kernel.nest %x (%i) {space = [4], reduction = []} :
func.func @tiny(%x: tensor<4xf64>) -> tensor<4xf64> {
  %z = kernel.nest %x (%i) {space = [4], reduction = []} : tensor<4xf64> -> tensor<4xf64> {
    %a = kernel.load %x[%i] : tensor<4xf64> -> f64
    %b = array.neg %a : f64
    array.yield %b : f64
  }
  func.return %z : tensor<4xf64>
}
