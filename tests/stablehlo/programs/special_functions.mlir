module @jit_special_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>, %arg1: tensor<5xf64>) -> (tensor<5xf64> {jax.result_info = "result[0]"}, tensor<5xf64> {jax.result_info = "result[1]"}, tensor<5xf64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.tanh %arg0 : tensor<5xf64>
    %cst = stablehlo.constant dense<9.000000e-01> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %2 = stablehlo.multiply %1, %0 : tensor<5xf64>
    %3 = chlo.erf %arg0 : tensor<5xf64> -> tensor<5xf64>
    %4 = chlo.erfc %arg0 : tensor<5xf64> -> tensor<5xf64>
    %5 = stablehlo.multiply %4, %arg0 : tensor<5xf64>
    %6 = stablehlo.add %3, %5 : tensor<5xf64>
    %7 = chlo.erf_inv %2 : tensor<5xf64> -> tensor<5xf64>
    %8 = stablehlo.add %6, %7 : tensor<5xf64>
    %9 = chlo.lgamma %arg1 : tensor<5xf64> -> tensor<5xf64>
    %10 = chlo.digamma %arg1 : tensor<5xf64> -> tensor<5xf64>
    %11 = stablehlo.multiply %9, %10 : tensor<5xf64>
    %12 = stablehlo.add %8, %11 : tensor<5xf64>
    %13 = chlo.asinh %arg0 : tensor<5xf64> -> tensor<5xf64>
    %14 = chlo.atanh %2 : tensor<5xf64> -> tensor<5xf64>
    %15 = stablehlo.add %13, %14 : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %17 = stablehlo.add %16, %arg1 : tensor<5xf64>
    %18 = call @arccosh(%17) : (tensor<5xf64>) -> tensor<5xf64>
    %19 = stablehlo.add %15, %18 : tensor<5xf64>
    %20 = stablehlo.cbrt %arg1 : tensor<5xf64>
    %21 = stablehlo.add %19, %20 : tensor<5xf64>
    %22 = stablehlo.log_plus_one %arg1 : tensor<5xf64>
    %23 = stablehlo.exponential_minus_one %arg0 : tensor<5xf64>
    %24 = stablehlo.multiply %22, %23 : tensor<5xf64>
    %25 = stablehlo.add %21, %24 : tensor<5xf64>
    %26 = call @hypot(%arg0, %arg1) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %27 = stablehlo.atan2 %arg0, %arg1 : tensor<5xf64>
    %28 = stablehlo.add %26, %27 : tensor<5xf64>
    %29 = stablehlo.power %arg1, %arg0 : tensor<5xf64>
    %30 = stablehlo.add %28, %29 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<3.500000e+00> : tensor<f64>
    %31 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %32 = stablehlo.power %arg1, %31 : tensor<5xf64>
    %33 = stablehlo.add %30, %32 : tensor<5xf64>
    %34 = stablehlo.multiply %arg0, %arg0 : tensor<5xf64>
    %35 = stablehlo.multiply %34, %34 : tensor<5xf64>
    %36 = stablehlo.multiply %arg0, %35 : tensor<5xf64>
    %37 = stablehlo.add %33, %36 : tensor<5xf64>
    %38 = stablehlo.maximum %arg0, %arg1 : tensor<5xf64>
    %39 = stablehlo.subtract %arg0, %arg1 : tensor<5xf64>
    %40 = stablehlo.compare NE, %39, %39, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %41 = stablehlo.add %arg0, %arg1 : tensor<5xf64>
    %42 = stablehlo.abs %39 : tensor<5xf64>
    %43 = stablehlo.negate %42 : tensor<5xf64>
    %44 = stablehlo.exponential %43 : tensor<5xf64>
    %45 = stablehlo.log_plus_one %44 : tensor<5xf64>
    %46 = stablehlo.add %38, %45 : tensor<5xf64>
    %47 = stablehlo.select %40, %41, %46 : tensor<5xi1>, tensor<5xf64>
    %48 = stablehlo.add %37, %47 : tensor<5xf64>
    return %12, %25, %48 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func private @arccosh(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %0 = chlo.acosh %arg0 : tensor<5xf64> -> tensor<5xf64>
    return %0 : tensor<5xf64>
  }
  func.func private @hypot(%arg0: tensor<5xf64>, %arg1: tensor<5xf64>) -> tensor<5xf64> {
    %0 = stablehlo.abs %arg0 : tensor<5xf64>
    %1 = stablehlo.abs %arg1 : tensor<5xf64>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %6 = stablehlo.or %3, %5 : tensor<5xi1>
    %7 = stablehlo.maximum %0, %1 : tensor<5xf64>
    %8 = stablehlo.minimum %0, %1 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %10 = stablehlo.compare EQ, %7, %9, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %12 = stablehlo.compare EQ, %7, %11, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %14 = call @_where(%12, %13, %7) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %15 = stablehlo.divide %8, %14 : tensor<5xf64>
    %16 = chlo.square %15 : tensor<5xf64> -> tensor<5xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %18 = stablehlo.add %17, %16 : tensor<5xf64>
    %19 = stablehlo.sqrt %18 : tensor<5xf64>
    %20 = stablehlo.multiply %7, %19 : tensor<5xf64>
    %21 = call @_where(%10, %7, %20) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %cst_5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %22 = call @_where_0(%6, %cst_5, %21) : (tensor<5xi1>, tensor<f64>, tensor<5xf64>) -> tensor<5xf64>
    return %22 : tensor<5xf64>
  }
  func.func private @_where(%arg0: tensor<5xi1>, %arg1: tensor<5xf64>, %arg2: tensor<5xf64>) -> tensor<5xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5xi1>, tensor<5xf64>
    return %0 : tensor<5xf64>
  }
  func.func private @_where_0(%arg0: tensor<5xi1>, %arg1: tensor<f64>, %arg2: tensor<5xf64>) -> tensor<5xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<5xi1>, tensor<5xf64>
    return %1 : tensor<5xf64>
  }
}
