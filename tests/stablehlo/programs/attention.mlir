module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x6xf64>, %arg1: tensor<6x6xf64>, %arg2: tensor<6x6xf64>, %arg3: tensor<6x6xf64>, %arg4: tensor<6x6xf64>) -> (tensor<2x5x6xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf64>, tensor<6x6xf64>) -> tensor<2x5x6xf64>
    %1 = stablehlo.reshape %0 : (tensor<2x5x6xf64>) -> tensor<2x5x2x3xf64>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1, 3] : (tensor<2x5x2x3xf64>) -> tensor<2x2x5x3xf64>
    %3 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf64>, tensor<6x6xf64>) -> tensor<2x5x6xf64>
    %4 = stablehlo.reshape %3 : (tensor<2x5x6xf64>) -> tensor<2x5x2x3xf64>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1, 3] : (tensor<2x5x2x3xf64>) -> tensor<2x2x5x3xf64>
    %6 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf64>, tensor<6x6xf64>) -> tensor<2x5x6xf64>
    %7 = stablehlo.reshape %6 : (tensor<2x5x6xf64>) -> tensor<2x5x2x3xf64>
    %8 = stablehlo.transpose %7, dims = [0, 2, 1, 3] : (tensor<2x5x2x3xf64>) -> tensor<2x2x5x3xf64>
    %9 = stablehlo.dot_general %2, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>) -> tensor<2x2x5x5xf64>
    %cst = stablehlo.constant dense<1.7320508075688772> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x2x5x5xf64>
    %11 = stablehlo.divide %9, %10 : tensor<2x2x5x5xf64>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %13 = call @tril(%12) : (tensor<5x5xi1>) -> tensor<5x5xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f64>
    %14 = call @_where(%13, %11, %cst_0) : (tensor<5x5xi1>, tensor<2x2x5x5xf64>, tensor<f64>) -> tensor<2x2x5x5xf64>
    %cst_1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x5x5xf64>, tensor<f64>) -> tensor<2x2x5xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2x2x5xf64>
    %17 = stablehlo.maximum %16, %15 : tensor<2x2x5xf64>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x2x5xf64>) -> tensor<2x2x5x1xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf64>) -> tensor<2x2x5x5xf64>
    %20 = stablehlo.subtract %14, %19 : tensor<2x2x5x5xf64>
    %21 = stablehlo.exponential %20 : tensor<2x2x5x5xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %22 = stablehlo.reduce(%21 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x5xf64>, tensor<f64>) -> tensor<2x2x5xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x2x5xf64>) -> tensor<2x2x5x1xf64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf64>) -> tensor<2x2x5x5xf64>
    %25 = stablehlo.divide %21, %24 : tensor<2x2x5x5xf64>
    %26 = stablehlo.dot_general %25, %8, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x5xf64>, tensor<2x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %27 = stablehlo.transpose %26, dims = [0, 2, 1, 3] : (tensor<2x2x5x3xf64>) -> tensor<2x5x2x3xf64>
    %28 = stablehlo.reshape %27 : (tensor<2x5x2x3xf64>) -> tensor<2x5x6xf64>
    %29 = stablehlo.dot_general %28, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf64>, tensor<6x6xf64>) -> tensor<2x5x6xf64>
    return %29 : tensor<2x5x6xf64>
  }
  func.func private @tril(%arg0: tensor<5x5xi1>) -> tensor<5x5xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x5xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x5xi64>
    %2 = stablehlo.add %0, %1 : tensor<5x5xi64>
    %3 = stablehlo.iota dim = 1 : tensor<5x5xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x5xi64>, tensor<5x5xi64>) -> tensor<5x5xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x5xi1>, tensor<5x5xi1>
    return %6 : tensor<5x5xi1>
  }
  func.func private @_where(%arg0: tensor<5x5xi1>, %arg1: tensor<2x2x5x5xf64>, %arg2: tensor<f64>) -> tensor<2x2x5x5xf64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<5x5xi1>) -> tensor<2x2x5x5xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2x2x5x5xf64>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xf64>
    return %3 : tensor<2x2x5x5xf64>
  }
}
