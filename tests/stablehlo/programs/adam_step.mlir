module @jit_adam_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>, %arg3: tensor<4xf64>) -> (tensor<4xf64> {jax.result_info = "result[0]"}, tensor<4xf64> {jax.result_info = "result[1]"}, tensor<4xf64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<9.000000e-01> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.multiply %0, %arg2 : tensor<4xf64>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.multiply %2, %arg1 : tensor<4xf64>
    %4 = stablehlo.add %1, %3 : tensor<4xf64>
    %cst_1 = stablehlo.constant dense<0.99899999999999999> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %6 = stablehlo.multiply %5, %arg3 : tensor<4xf64>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %8 = stablehlo.multiply %7, %arg1 : tensor<4xf64>
    %9 = stablehlo.multiply %8, %arg1 : tensor<4xf64>
    %10 = stablehlo.add %6, %9 : tensor<4xf64>
    %cst_3 = stablehlo.constant dense<0.27099999999999991> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %12 = stablehlo.divide %4, %11 : tensor<4xf64>
    %cst_4 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %14 = stablehlo.multiply %13, %12 : tensor<4xf64>
    %cst_5 = stablehlo.constant dense<0.0029970009999999991> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %16 = stablehlo.divide %10, %15 : tensor<4xf64>
    %17 = stablehlo.sqrt %16 : tensor<4xf64>
    %cst_6 = stablehlo.constant dense<1.000000e-08> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %19 = stablehlo.add %17, %18 : tensor<4xf64>
    %20 = stablehlo.divide %14, %19 : tensor<4xf64>
    %21 = stablehlo.subtract %arg0, %20 : tensor<4xf64>
    return %21, %4, %10 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  }
}
