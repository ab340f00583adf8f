module @jit_updates attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xf64>, %arg1: tensor<2x3xf64>, %arg2: tensor<i64>) -> (tensor<5x3xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[0, 4]> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %1 = stablehlo.compare LT, %c, %0, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_1 = stablehlo.constant dense<5> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %3 = stablehlo.add %c, %2 : tensor<2xi64>
    %4 = stablehlo.select %1, %3, %c : tensor<2xi1>, tensor<2xi64>
    %5 = stablehlo.convert %4 : (tensor<2xi64>) -> tensor<2xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %7 = "stablehlo.scatter"(%arg0, %6, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %41 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %41 : tensor<f64>
    }) : (tensor<5x3xf64>, tensor<2x1xi32>, tensor<2x3xf64>) -> tensor<5x3xf64>
    %8 = stablehlo.slice %arg1 [0:1, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %9 = stablehlo.reshape %8 : (tensor<1x3xf64>) -> tensor<3xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %11 = stablehlo.multiply %9, %10 : tensor<3xf64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.compare LT, %arg2, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<5> : tensor<i64>
    %13 = stablehlo.add %arg2, %c_3 : tensor<i64>
    %14 = stablehlo.select %12, %13, %arg2 : tensor<i1>, tensor<i64>
    %15 = stablehlo.convert %14 : (tensor<i64>) -> tensor<i32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %17 = "stablehlo.scatter"(%7, %16, %11) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<5x3xf64>, tensor<1xi32>, tensor<3xf64>) -> tensor<5x3xf64>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = stablehlo.concatenate %18, %19, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst_6 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %21 = "stablehlo.scatter"(%17, %20, %cst_6) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %41 = stablehlo.multiply %arg3, %arg4 : tensor<f64>
      stablehlo.return %41 : tensor<f64>
    }) : (tensor<5x3xf64>, tensor<2xi32>, tensor<f64>) -> tensor<5x3xf64>
    %22 = stablehlo.slice %arg1 [0:2, 0:2] : (tensor<2x3xf64>) -> tensor<2x2xf64>
    %c_7 = stablehlo.constant dense<2> : tensor<i64>
    %23 = stablehlo.subtract %arg2, %c_7 : tensor<i64>
    %c_8 = stablehlo.constant dense<0> : tensor<i64>
    %24 = stablehlo.compare LT, %23, %c_8, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<5> : tensor<i64>
    %25 = stablehlo.add %23, %c_9 : tensor<i64>
    %26 = stablehlo.select %24, %25, %23 : tensor<i1>, tensor<i64>
    %c_10 = stablehlo.constant dense<1> : tensor<i64>
    %27 = stablehlo.dynamic_update_slice %21, %22, %26, %c_10 : (tensor<5x3xf64>, tensor<2x2xf64>, tensor<i64>, tensor<i64>) -> tensor<5x3xf64>
    %c_11 = stablehlo.constant dense<7> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_12 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %30 = stablehlo.compare GE, %28, %29, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %31 = stablehlo.compare LE, %28, %c_12, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %32 = stablehlo.and %30, %31 : tensor<1xi1>
    %c_14 = stablehlo.constant dense<true> : tensor<i1>
    %33 = stablehlo.reduce(%32 init: %c_14) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %34 = "stablehlo.gather"(%21, %28) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf64>, tensor<1xi32>) -> tensor<3xf64>
    %35 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %cst_15 = stablehlo.constant dense<1.500000e+00> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %37 = stablehlo.select %35, %34, %36 : tensor<3xi1>, tensor<3xf64>
    %38 = stablehlo.broadcast_in_dim %37, dims = [1] : (tensor<3xf64>) -> tensor<1x3xf64>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<1x3xf64>) -> tensor<5x3xf64>
    %40 = stablehlo.multiply %27, %39 : tensor<5x3xf64>
    return %40 : tensor<5x3xf64>
  }
}
