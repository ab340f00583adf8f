module @jit_transformer_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>, %arg1: tensor<6x18xf64>, %arg2: tensor<6x6xf64>, %arg3: tensor<6x8xf64>, %arg4: tensor<8x6xf64>, %arg5: tensor<6xf64>) -> (tensor<4x6xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf64>, tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %3 = stablehlo.divide %1, %2 : tensor<4x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x6xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x6xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %6 = call @_var(%arg0, %c) : (tensor<4x6xf64>, tensor<i64>) -> tensor<4x1xf64>
    %cst_1 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %8 = stablehlo.add %6, %7 : tensor<4x1xf64>
    %9 = stablehlo.sqrt %8 : tensor<4x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x6xf64>
    %11 = stablehlo.divide %5, %10 : tensor<4x6xf64>
    %12 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<6xf64>) -> tensor<1x6xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x6xf64>) -> tensor<4x6xf64>
    %14 = stablehlo.multiply %11, %13 : tensor<4x6xf64>
    %15 = stablehlo.dot_general %14, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf64>, tensor<6x18xf64>) -> tensor<4x18xf64>
    %16 = stablehlo.slice %15 [0:4, 0:6] : (tensor<4x18xf64>) -> tensor<4x6xf64>
    %17 = stablehlo.slice %15 [0:4, 6:12] : (tensor<4x18xf64>) -> tensor<4x6xf64>
    %18 = stablehlo.slice %15 [0:4, 12:18] : (tensor<4x18xf64>) -> tensor<4x6xf64>
    %19 = stablehlo.transpose %17, dims = [1, 0] : (tensor<4x6xf64>) -> tensor<6x4xf64>
    %20 = stablehlo.dot_general %16, %19, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf64>, tensor<6x4xf64>) -> tensor<4x4xf64>
    %cst_2 = stablehlo.constant dense<2.4494897427831779> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %22 = stablehlo.divide %20, %21 : tensor<4x4xf64>
    %cst_3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %23 = stablehlo.reduce(%22 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
    %cst_4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %25 = stablehlo.maximum %24, %23 : tensor<4xf64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x4xf64>
    %28 = stablehlo.subtract %22, %27 : tensor<4x4xf64>
    %29 = stablehlo.exponential %28 : tensor<4x4xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %30 = stablehlo.reduce(%29 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x4xf64>
    %33 = stablehlo.divide %29, %32 : tensor<4x4xf64>
    %34 = stablehlo.dot_general %33, %18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
    %35 = stablehlo.dot_general %34, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf64>, tensor<6x6xf64>) -> tensor<4x6xf64>
    %36 = stablehlo.add %arg0, %35 : tensor<4x6xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %37 = stablehlo.reduce(%36 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf64>, tensor<f64>) -> tensor<4xf64>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %cst_7 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %40 = stablehlo.divide %38, %39 : tensor<4x1xf64>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x6xf64>
    %42 = stablehlo.subtract %36, %41 : tensor<4x6xf64>
    %c_8 = stablehlo.constant dense<0> : tensor<i64>
    %43 = call @_var(%36, %c_8) : (tensor<4x6xf64>, tensor<i64>) -> tensor<4x1xf64>
    %cst_9 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %45 = stablehlo.add %43, %44 : tensor<4x1xf64>
    %46 = stablehlo.sqrt %45 : tensor<4x1xf64>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x6xf64>
    %48 = stablehlo.divide %42, %47 : tensor<4x6xf64>
    %49 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<6xf64>) -> tensor<1x6xf64>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<1x6xf64>) -> tensor<4x6xf64>
    %51 = stablehlo.multiply %48, %50 : tensor<4x6xf64>
    %52 = stablehlo.dot_general %51, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf64>, tensor<6x8xf64>) -> tensor<4x8xf64>
    %53 = call @silu(%52) : (tensor<4x8xf64>) -> tensor<4x8xf64>
    %54 = stablehlo.dot_general %53, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
    %55 = stablehlo.add %36, %54 : tensor<4x6xf64>
    return %55 : tensor<4x6xf64>
  }
  func.func private @_var(%arg0: tensor<4x6xf64>, %arg1: tensor<i64>) -> tensor<4x1xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf64>, tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %3 = stablehlo.divide %1, %2 : tensor<4x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x6xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x6xf64>
    %6 = chlo.square %5 : tensor<4x6xf64> -> tensor<4x6xf64>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf64>, tensor<f64>) -> tensor<4xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %12 = stablehlo.divide %10, %11 : tensor<4x1xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<4x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    return %14 : tensor<4x1xf64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x1xf64>, %arg2: tensor<f64>) -> tensor<4x1xf64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x1xf64>
    return %2 : tensor<4x1xf64>
  }
  func.func private @silu(%arg0: tensor<4x8xf64>) -> tensor<4x8xf64> {
    %0 = stablehlo.negate %arg0 : tensor<4x8xf64>
    %1 = stablehlo.exponential %0 : tensor<4x8xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x8xf64>
    %3 = stablehlo.add %2, %1 : tensor<4x8xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4x8xf64>
    %5 = stablehlo.divide %4, %3 : tensor<4x8xf64>
    %6 = stablehlo.multiply %arg0, %5 : tensor<4x8xf64>
    return %6 : tensor<4x8xf64>
  }
}
