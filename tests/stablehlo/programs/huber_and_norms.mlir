module @jit_huber_and_norms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>, %arg1: tensor<5xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<f64> {jax.result_info = "result[1]"}, tensor<5xf64> {jax.result_info = "result[2]"}, tensor<5xf64> {jax.result_info = "result[3]"}, tensor<5xf64> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<5xf64>
    %1 = stablehlo.abs %0 : tensor<5xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.compare LT, %1, %2, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %5 = stablehlo.multiply %4, %1 : tensor<5xf64>
    %6 = stablehlo.multiply %5, %1 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %8 = stablehlo.subtract %1, %7 : tensor<5xf64>
    %9 = call @_where(%3, %6, %8) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %11 = call @norm(%arg0) : (tensor<5xf64>) -> tensor<f64>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f64>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %12 = call @clip(%arg0, %cst_3, %cst_4) : (tensor<5xf64>, tensor<f64>, tensor<f64>) -> tensor<5xf64>
    %13 = stablehlo.maximum %arg0, %arg1 : tensor<5xf64>
    %14 = call @softplus(%arg0) : (tensor<5xf64>) -> tensor<5xf64>
    return %10, %11, %12, %13, %14 : tensor<f64>, tensor<f64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func private @_where(%arg0: tensor<5xi1>, %arg1: tensor<5xf64>, %arg2: tensor<5xf64>) -> tensor<5xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5xi1>, tensor<5xf64>
    return %0 : tensor<5xf64>
  }
  func.func private @norm(%arg0: tensor<5xf64>) -> tensor<f64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<5xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %2 = stablehlo.sqrt %1 : tensor<f64>
    return %2 : tensor<f64>
  }
  func.func private @clip(%arg0: tensor<5xf64>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<5xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %2 = stablehlo.maximum %1, %arg0 : tensor<5xf64>
    %3 = stablehlo.convert %arg2 : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %5 = stablehlo.minimum %4, %2 : tensor<5xf64>
    return %5 : tensor<5xf64>
  }
  func.func private @softplus(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<5xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<5xf64>
    %7 = stablehlo.abs %3 : tensor<5xf64>
    %8 = stablehlo.negate %7 : tensor<5xf64>
    %9 = stablehlo.exponential %8 : tensor<5xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<5xf64>
    %11 = stablehlo.add %1, %10 : tensor<5xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<5xi1>, tensor<5xf64>
    return %12 : tensor<5xf64>
  }
}
