module @jit_logistic_regression attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<6xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf64>, tensor<3xf64>) -> tensor<6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<6xf64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %4 = stablehlo.subtract %3, %0 : tensor<6xf64>
    %5 = stablehlo.compare NE, %4, %4, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %7 = stablehlo.add %6, %0 : tensor<6xf64>
    %8 = stablehlo.abs %4 : tensor<6xf64>
    %9 = stablehlo.negate %8 : tensor<6xf64>
    %10 = stablehlo.exponential %9 : tensor<6xf64>
    %11 = stablehlo.log_plus_one %10 : tensor<6xf64>
    %12 = stablehlo.add %2, %11 : tensor<6xf64>
    %13 = stablehlo.select %5, %7, %12 : tensor<6xi1>, tensor<6xf64>
    %14 = stablehlo.multiply %arg2, %0 : tensor<6xf64>
    %15 = stablehlo.subtract %13, %14 : tensor<6xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.reduce(%15 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %17 = stablehlo.divide %16, %cst_1 : tensor<f64>
    %18 = stablehlo.multiply %arg1, %arg1 : tensor<3xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.reduce(%18 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %20 = stablehlo.multiply %cst_3, %19 : tensor<f64>
    %21 = stablehlo.add %17, %20 : tensor<f64>
    return %21 : tensor<f64>
  }
}
