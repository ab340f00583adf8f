module @jit_mapped_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4xf64>) -> (tensor<3x4xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3xf64>
    %1 = stablehlo.sine %0 : tensor<3xf64>
    %2 = stablehlo.cosine %0 : tensor<3xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %4 = stablehlo.multiply %3, %1 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %6 = stablehlo.multiply %5, %4 : tensor<3xf64>
    %7 = stablehlo.multiply %6, %2 : tensor<3xf64>
    %8 = stablehlo.dot_general %7, %arg0, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<3xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
    return %8 : tensor<3x4xf64>
  }
}
