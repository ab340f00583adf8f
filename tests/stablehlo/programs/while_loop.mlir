module @jit_while_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0) : tensor<f64>, tensor<f64>
    cond {
      %cst = stablehlo.constant dense<5.000000e+01> : tensor<f64>
      %1 = stablehlo.compare LT, %iterArg, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %iterArg, %iterArg_0 : tensor<f64>
      %cst = stablehlo.constant dense<1.000000e-01> : tensor<f64>
      %2 = stablehlo.add %iterArg_0, %cst : tensor<f64>
      stablehlo.return %1, %2 : tensor<f64>, tensor<f64>
    }
    return %0#0 : tensor<f64>
  }
}
