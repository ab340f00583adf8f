module @jit_stopped_and_rematerialised attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>) -> (tensor<4xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.sine %arg0 : tensor<4xf64>
    %1 = stablehlo.cosine %arg0 : tensor<4xf64>
    %2 = stablehlo.exponential %1 : tensor<4xf64>
    %3 = stablehlo.multiply %0, %2 : tensor<4xf64>
    return %3 : tensor<4xf64>
  }
}
