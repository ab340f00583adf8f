module @jit_lstm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x2x3xf64>, %arg1: tensor<3x16xf64>, %arg2: tensor<4x16xf64>, %arg3: tensor<16xf64>) -> (tensor<5x2x4xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5x2x4xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2:8 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %arg3, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %0, %iterArg_7 = %1) : tensor<5x2x3xf64>, tensor<3x16xf64>, tensor<4x16xf64>, tensor<16xf64>, tensor<i64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<5x2x4xf64>
    cond {
      %c_8 = stablehlo.constant dense<5> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<5x2x3xf64>, tensor<i64>) -> tensor<2x3xf64>
      %4:3 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_3, %iterArg_5, %iterArg_6, %3) : (tensor<3x16xf64>, tensor<4x16xf64>, tensor<16xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_7, %4#2, %iterArg_4) : (tensor<5x2x4xf64>, tensor<2x4xf64>, tensor<i64>) -> tensor<5x2x4xf64>
      %c_8 = stablehlo.constant dense<1> : tensor<i64>
      %6 = stablehlo.add %iterArg_4, %c_8 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %iterArg_3, %6, %4#0, %4#1, %5 : tensor<5x2x3xf64>, tensor<3x16xf64>, tensor<4x16xf64>, tensor<16xf64>, tensor<i64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<5x2x4xf64>
    }
    return %2#7 : tensor<5x2x4xf64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x2x3xf64>, %arg1: tensor<i64>) -> tensor<2x3xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<5x2x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x3xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf64>) -> tensor<2x3xf64>
    return %1 : tensor<2x3xf64>
  }
  func.func private @closed_call(%arg0: tensor<3x16xf64>, %arg1: tensor<4x16xf64>, %arg2: tensor<16xf64>, %arg3: tensor<2x4xf64>, %arg4: tensor<2x4xf64>, %arg5: tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf64>, tensor<3x16xf64>) -> tensor<2x16xf64>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf64>, tensor<4x16xf64>) -> tensor<2x16xf64>
    %2 = stablehlo.add %0, %1 : tensor<2x16xf64>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf64>) -> tensor<1x16xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x16xf64>) -> tensor<2x16xf64>
    %5 = stablehlo.add %2, %4 : tensor<2x16xf64>
    %6 = stablehlo.slice %5 [0:2, 0:4] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %7 = stablehlo.slice %5 [0:2, 4:8] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %8 = stablehlo.slice %5 [0:2, 8:12] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %9 = stablehlo.slice %5 [0:2, 12:16] : (tensor<2x16xf64>) -> tensor<2x4xf64>
    %10 = stablehlo.negate %7 : tensor<2x4xf64>
    %11 = stablehlo.exponential %10 : tensor<2x4xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %13 = stablehlo.add %12, %11 : tensor<2x4xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %15 = stablehlo.divide %14, %13 : tensor<2x4xf64>
    %16 = stablehlo.multiply %15, %arg4 : tensor<2x4xf64>
    %17 = stablehlo.negate %6 : tensor<2x4xf64>
    %18 = stablehlo.exponential %17 : tensor<2x4xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %20 = stablehlo.add %19, %18 : tensor<2x4xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %22 = stablehlo.divide %21, %20 : tensor<2x4xf64>
    %23 = stablehlo.tanh %8 : tensor<2x4xf64>
    %24 = stablehlo.multiply %22, %23 : tensor<2x4xf64>
    %25 = stablehlo.add %16, %24 : tensor<2x4xf64>
    %26 = stablehlo.negate %9 : tensor<2x4xf64>
    %27 = stablehlo.exponential %26 : tensor<2x4xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %28 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %29 = stablehlo.add %28, %27 : tensor<2x4xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<2x4xf64>
    %31 = stablehlo.divide %30, %29 : tensor<2x4xf64>
    %32 = stablehlo.tanh %25 : tensor<2x4xf64>
    %33 = stablehlo.multiply %31, %32 : tensor<2x4xf64>
    return %33, %25, %33 : tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x2x4xf64>, %arg1: tensor<2x4xf64>, %arg2: tensor<i64>) -> tensor<5x2x4xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x4xf64>) -> tensor<1x2x4xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<5x2x4xf64>, tensor<1x2x4xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<5x2x4xf64>
    return %1 : tensor<5x2x4xf64>
  }
}
