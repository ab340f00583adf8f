module @jit_mlp_gelu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>, %arg1: tensor<6x5xf64>, %arg2: tensor<5x3xf64>) -> (tensor<4x3xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf64>, tensor<6x5xf64>) -> tensor<4x5xf64>
    %1 = stablehlo.multiply %0, %0 : tensor<4x5xf64>
    %2 = stablehlo.multiply %1, %0 : tensor<4x5xf64>
    %cst = stablehlo.constant dense<4.471500e-02> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %4 = stablehlo.multiply %3, %2 : tensor<4x5xf64>
    %5 = stablehlo.add %0, %4 : tensor<4x5xf64>
    %cst_0 = stablehlo.constant dense<0.79788456080286541> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %7 = stablehlo.multiply %6, %5 : tensor<4x5xf64>
    %8 = stablehlo.tanh %7 : tensor<4x5xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %10 = stablehlo.add %9, %8 : tensor<4x5xf64>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %12 = stablehlo.multiply %11, %10 : tensor<4x5xf64>
    %13 = stablehlo.multiply %0, %12 : tensor<4x5xf64>
    %14 = stablehlo.dot_general %13, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x5xf64>, tensor<5x3xf64>) -> tensor<4x3xf64>
    return %14 : tensor<4x3xf64>
  }
}
