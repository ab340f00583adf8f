module @jit_branches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<i64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.clamp %c, %0, %c_0 : tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %7 = stablehlo.sine %arg0 : tensor<3xf64>
      stablehlo.return %7 : tensor<3xf64>
    }, {
      %7 = stablehlo.exponential %arg0 : tensor<3xf64>
      stablehlo.return %7 : tensor<3xf64>
    }, {
      %7 = stablehlo.multiply %arg0, %arg0 : tensor<3xf64>
      stablehlo.return %7 : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<1.000000e+02> : tensor<f64>
    %4 = stablehlo.compare GT, %3, %cst_1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %5 = stablehlo.convert %4 : (tensor<i1>) -> tensor<i32>
    %6 = "stablehlo.case"(%5) ({
      %7 = stablehlo.multiply %arg0, %2 : tensor<3xf64>
      stablehlo.return %7 : tensor<3xf64>
    }, {
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %8 = stablehlo.multiply %arg0, %7 : tensor<3xf64>
      stablehlo.return %8 : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    return %6 : tensor<3xf64>
  }
}
