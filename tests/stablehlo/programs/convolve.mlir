module @jit_convolve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf64>, %arg1: tensor<4xf64>) -> (tensor<12xf64> {jax.result_info = "result"}) {
    %0 = call @convolve(%arg0, %arg1) : (tensor<9xf64>, tensor<4xf64>) -> tensor<12xf64>
    return %0 : tensor<12xf64>
  }
  func.func private @convolve(%arg0: tensor<9xf64>, %arg1: tensor<4xf64>) -> tensor<12xf64> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<9xf64>, tensor<4xf64>) -> tensor<12xf64>
    return %0 : tensor<12xf64>
  }
  func.func private @_conv(%arg0: tensor<9xf64>, %arg1: tensor<4xf64>) -> tensor<12xf64> {
    %0 = call @_flip(%arg1) : (tensor<4xf64>) -> tensor<4xf64>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<9xf64>) -> tensor<1x1x9xf64>
    %2 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<4xf64>) -> tensor<1x1x4xf64>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[3, 3]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x9xf64>, tensor<1x1x4xf64>) -> tensor<1x1x12xf64>
    %4 = stablehlo.reshape %3 : (tensor<1x1x12xf64>) -> tensor<12xf64>
    return %4 : tensor<12xf64>
  }
  func.func private @_flip(%arg0: tensor<4xf64>) -> tensor<4xf64> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<4xf64>
    return %0 : tensor<4xf64>
  }
}
