module @jit_gradient_descent attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf64>, %arg1: tensor<4xf64>, %arg2: tensor<3xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %c, %iterArg_2 = %arg2) : tensor<4x3xf64>, tensor<4xf64>, tensor<i64>, tensor<3xf64>
    cond {
      %c_3 = stablehlo.constant dense<5> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg, %iterArg_0, %iterArg_2) : (tensor<4x3xf64>, tensor<4xf64>, tensor<3xf64>) -> tensor<3xf64>
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_1, %c_3 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_0, %2, %1 : tensor<4x3xf64>, tensor<4xf64>, tensor<i64>, tensor<3xf64>
    }
    return %0#3 : tensor<3xf64>
  }
  func.func private @closed_call(%arg0: tensor<4x3xf64>, %arg1: tensor<4xf64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4xf64>
    %1 = stablehlo.subtract %0, %arg1 : tensor<4xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<4xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %4 = stablehlo.divide %cst_0, %cst_1 : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %6 = stablehlo.multiply %5, %3 : tensor<4xf64>
    %7 = stablehlo.dot_general %6, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4xf64>, tensor<4x3xf64>) -> tensor<3xf64>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %9 = stablehlo.multiply %8, %7 : tensor<3xf64>
    %10 = stablehlo.subtract %arg2, %9 : tensor<3xf64>
    return %10 : tensor<3xf64>
  }
}
