module @jit_segment_max attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[0, 2, 1, 2, 0, 1, 2]> : tensor<7xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.convert %c : (tensor<7xi64>) -> tensor<7xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %3 = "stablehlo.scatter"(%0, %2, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %4 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      stablehlo.return %4 : tensor<f64>
    }) : (tensor<3xf64>, tensor<7x1xi32>, tensor<7xf64>) -> tensor<3xf64>
    return %3 : tensor<3xf64>
  }
}
