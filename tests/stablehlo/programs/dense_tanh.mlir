module @jit_dense_tanh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xf64>, %arg1: tensor<3x4xf64>, %arg2: tensor<4xf64>) -> (tensor<5x4xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x3xf64>, tensor<3x4xf64>) -> tensor<5x4xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf64>) -> tensor<1x4xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xf64>) -> tensor<5x4xf64>
    %3 = stablehlo.add %0, %2 : tensor<5x4xf64>
    %4 = stablehlo.tanh %3 : tensor<5x4xf64>
    return %4 : tensor<5x4xf64>
  }
}
