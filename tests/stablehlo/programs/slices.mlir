module @jit_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf64>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> (tensor<3x2xf64> {jax.result_info = "result[0]"}, tensor<6x2xf64> {jax.result_info = "result[1]"}, tensor<6x4xf64> {jax.result_info = "result[2]"}, tensor<6x2xf64> {jax.result_info = "result[3]"}, tensor<7x6xf64> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<[[0, 3], [1, 1], [2, 0], [3, 3], [0, 0], [2, 1]]> : tensor<6x2xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<6> : tensor<i64>
    %1 = stablehlo.add %arg1, %c_1 : tensor<i64>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.compare LT, %arg2, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<4> : tensor<i64>
    %4 = stablehlo.add %arg2, %c_3 : tensor<i64>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i64>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [3, 2] : (tensor<6x4xf64>, tensor<i64>, tensor<i64>) -> tensor<3x2xf64>
    %7 = stablehlo.slice %arg0 [0:6, 1:4:2] : (tensor<6x4xf64>) -> tensor<6x2xf64>
    %8 = stablehlo.reverse %7, dims = [0] : tensor<6x2xf64>
    %9 = call @_roll_static(%arg0) : (tensor<6x4xf64>) -> tensor<6x4xf64>
    %10 = call @take_along_axis(%arg0, %c) : (tensor<6x4xf64>, tensor<6x2xi64>) -> tensor<6x2xf64>
    %11 = call @_pad(%arg0) : (tensor<6x4xf64>) -> tensor<7x6xf64>
    return %6, %8, %9, %10, %11 : tensor<3x2xf64>, tensor<6x2xf64>, tensor<6x4xf64>, tensor<6x2xf64>, tensor<7x6xf64>
  }
  func.func private @_roll_static(%arg0: tensor<6x4xf64>) -> tensor<6x4xf64> {
    %0 = stablehlo.slice %arg0 [4:6, 0:4] : (tensor<6x4xf64>) -> tensor<2x4xf64>
    %1 = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<6x4xf64>) -> tensor<4x4xf64>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<6x4xf64>
    return %2 : tensor<6x4xf64>
  }
  func.func private @take_along_axis(%arg0: tensor<6x4xf64>, %arg1: tensor<6x2xi64>) -> tensor<6x2xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<6x2xi64>) -> tensor<6x2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %4 = stablehlo.add %0, %3 : tensor<6x2xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<6x2xi1>, tensor<6x2xi32>
    %6 = stablehlo.reshape %5 : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x2x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<6x2x1xi32>, tensor<6x2x1xi32>) -> tensor<6x2x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x2x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<6x2x1xi32>, tensor<6x2x1xi32>) -> tensor<6x2x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<6x2x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x2x1xi1>, tensor<i1>) -> tensor<6x2xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x4xf64>, tensor<6x2x1xi32>) -> tensor<6x2xf64>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6x2xf64>
    %16 = stablehlo.select %13, %14, %15 : tensor<6x2xi1>, tensor<6x2xf64>
    return %16 : tensor<6x2xf64>
  }
  func.func private @_pad(%arg0: tensor<6x4xf64>) -> tensor<7x6xf64> {
    %0 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<6x4xf64>) -> tensor<1x4xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<1x4xf64>) -> tensor<1x1x4xf64>
    %2 = stablehlo.reshape %1 : (tensor<1x1x4xf64>) -> tensor<1x4xf64>
    %3 = stablehlo.slice %arg0 [5:6, 0:4] : (tensor<6x4xf64>) -> tensor<1x4xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<1x4xf64>) -> tensor<1x0x4xf64>
    %5 = stablehlo.reshape %4 : (tensor<1x0x4xf64>) -> tensor<0x4xf64>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<1x4xf64>, tensor<6x4xf64>, tensor<0x4xf64>) -> tensor<7x4xf64>
    %7 = stablehlo.slice %6 [0:7, 0:1] : (tensor<7x4xf64>) -> tensor<7x1xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x1x0xf64>
    %9 = stablehlo.reshape %8 : (tensor<7x1x0xf64>) -> tensor<7x0xf64>
    %10 = stablehlo.slice %6 [0:7, 3:4] : (tensor<7x4xf64>) -> tensor<7x1xf64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x1x2xf64>
    %12 = stablehlo.reshape %11 : (tensor<7x1x2xf64>) -> tensor<7x2xf64>
    %13 = stablehlo.concatenate %9, %6, %12, dim = 1 : (tensor<7x0xf64>, tensor<7x4xf64>, tensor<7x2xf64>) -> tensor<7x6xf64>
    return %13 : tensor<7x6xf64>
  }
}
