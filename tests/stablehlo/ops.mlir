// One op of each kind that is not elementwise: what `op_mutants.py` changes.

// chlo.top_k
func.func @main(%a: tensor<2x5xf64>) {
  %0:2 = chlo.top_k(%a, k = 3) : tensor<2x5xf64> -> (tensor<2x3xf64>, tensor<2x3xi32>)
  func.return
}

// stablehlo.bitcast_convert
func.func @main(%a: tensor<2xf64>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf64>) -> tensor<2x2xi32>
  func.return
}

// stablehlo.broadcast_in_dim
func.func @main(%a: tensor<1x3xf64>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<1x3xf64>) -> tensor<2x4x3xf64>
  func.return
}

// stablehlo.case
func.func @main(%k: tensor<i32>, %a: tensor<2xf64>) {
  %0 = "stablehlo.case"(%k) ({
    stablehlo.return %a : tensor<2xf64>
  }, {
    %n = stablehlo.negate %a : tensor<2xf64>
    stablehlo.return %n : tensor<2xf64>
  }) : (tensor<i32>) -> tensor<2xf64>
  func.return
}

// stablehlo.cholesky
func.func @main(%a: tensor<2x3x3xf64>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf64>
  func.return
}

// stablehlo.clamp
func.func @main(%l: tensor<f64>, %a: tensor<2x3xf64>, %h: tensor<2x3xf64>) {
  %0 = stablehlo.clamp %l, %a, %h : (tensor<f64>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  func.return
}

// stablehlo.compare
func.func @main(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xi1>
  func.return
}

// stablehlo.complex
func.func @main(%a: tensor<2xf64>, %b: tensor<2xf64>) {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  func.return
}

// stablehlo.composite
func.func @main(%a: tensor<2xf64>) {
  %0 = stablehlo.composite "chlo.twice" %a {decomposition = @twice} : (tensor<2xf64>) -> tensor<2xf64>
  func.return
}
func.func private @twice(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = stablehlo.add %x, %x : tensor<2xf64>
  func.return %0 : tensor<2xf64>
}

// stablehlo.concatenate
func.func @main(%a: tensor<2x3xf64>, %b: tensor<2x1xf64>) {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  func.return
}

// stablehlo.constant
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  func.return
}

// stablehlo.convert
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.convert %a : (tensor<2x3xf64>) -> tensor<2x3xi32>
  func.return
}

// stablehlo.convolution
func.func @main(%a: tensor<2x4x7x8xf64>, %k: tensor<6x2x3x2xf64>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 0], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x7x8xf64>, tensor<6x2x3x2xf64>) -> tensor<2x6x2x16xf64>
  func.return
}

// stablehlo.custom_call
func.func @main(%a: tensor<2xf64>) {
  %0 = stablehlo.custom_call @Sharding(%a) : (tensor<2xf64>) -> tensor<2xf64>
  func.return
}

// stablehlo.dot_general
func.func @main(%a: tensor<2x3x4xf64>, %b: tensor<2x4x5xf64>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf64>, tensor<2x4x5xf64>) -> tensor<2x3x5xf64>
  func.return
}

// stablehlo.dynamic_slice
func.func @main(%a: tensor<3x4xf64>, %i: tensor<i64>, %j: tensor<i64>) {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 3] : (tensor<3x4xf64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf64>
  func.return
}

// stablehlo.dynamic_update_slice
func.func @main(%a: tensor<3x4xf64>, %u: tensor<2x3xf64>, %i: tensor<i64>, %j: tensor<i64>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<3x4xf64>, tensor<2x3xf64>, tensor<i64>, tensor<i64>) -> tensor<3x4xf64>
  func.return
}

// stablehlo.gather
func.func @main(%a: tensor<5x4x6x7xf64>, %i: tensor<5x7x2xi64>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0, 3], start_indices_batching_dims = [0, 1], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 1>, indices_are_sorted = false}> : (tensor<5x4x6x7xf64>, tensor<5x7x2xi64>) -> tensor<5x7x2xf64>
  func.return
}

// stablehlo.if
func.func @main(%k: tensor<i1>, %a: tensor<2xf64>) {
  %0 = "stablehlo.if"(%k) ({
    stablehlo.return %a : tensor<2xf64>
  }, {
    %n = stablehlo.negate %a : tensor<2xf64>
    stablehlo.return %n : tensor<2xf64>
  }) : (tensor<i1>) -> tensor<2xf64>
  func.return
}

// stablehlo.imag
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.imag %a : tensor<2x3xf64>
  func.return
}

// stablehlo.iota
func.func @main() {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi64>
  func.return
}

// stablehlo.is_finite
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.is_finite %a : (tensor<2x3xf64>) -> tensor<2x3xi1>
  func.return
}

// stablehlo.map
func.func @main(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<f64>, %q: tensor<f64>):
      %s = stablehlo.add %p, %q : tensor<f64>
      stablehlo.return %s : tensor<f64>
  }) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  func.return
}

// stablehlo.optimization_barrier
func.func @main(%a: tensor<2xf64>, %b: tensor<3xi64>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<2xf64>, tensor<3xi64>
  func.return
}

// stablehlo.pad
func.func @main(%a: tensor<3x4xf64>, %v: tensor<f64>) {
  %0 = stablehlo.pad %a, %v, low = [1, -1], high = [0, 2], interior = [2, 0] : (tensor<3x4xf64>, tensor<f64>) -> tensor<8x5xf64>
  func.return
}

// stablehlo.real
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.real %a : tensor<2x3xf64>
  func.return
}

// stablehlo.reduce
func.func @main(%a: tensor<2x3x4xf64>, %v: tensor<f64>) {
  %0 = "stablehlo.reduce"(%a, %v) <{dimensions = array<i64: 0, 2>}> ({
    ^bb0(%p: tensor<f64>, %q: tensor<f64>):
      %s = stablehlo.add %p, %q : tensor<f64>
      stablehlo.return %s : tensor<f64>
  }) : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<3xf64>
  func.return
}

// stablehlo.reduce_precision
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.reduce_precision %a, format = e8m7 : tensor<2x3xf64>
  func.return
}

// stablehlo.reduce_window
func.func @main(%a: tensor<7x8xf64>, %v: tensor<f64>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f64>, %q: tensor<f64>):
      %s = stablehlo.add %p, %q : tensor<f64>
      stablehlo.return %s : tensor<f64>
  }) : (tensor<7x8xf64>, tensor<f64>) -> tensor<2x16xf64>
  func.return
}

// stablehlo.reshape
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.reshape %a : (tensor<2x3xf64>) -> tensor<6xf64>
  func.return
}

// stablehlo.return
func.func @main(%a: tensor<2xf64>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f64>):
    stablehlo.return %p : tensor<f64>
  }) : (tensor<2xf64>) -> tensor<2xf64>
  func.return
}

// stablehlo.reverse
func.func @main(%a: tensor<2x3xf64>) {
  %0 = stablehlo.reverse %a, dims = [1, 0] : tensor<2x3xf64>
  func.return
}

// stablehlo.scatter
func.func @main(%a: tensor<5x4x6x7xf64>, %i: tensor<5x7x2xi64>, %u: tensor<5x7x2xf64>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0, 3], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({
    ^bb0(%p: tensor<f64>, %q: tensor<f64>):
      %s = stablehlo.add %p, %q : tensor<f64>
      stablehlo.return %s : tensor<f64>
  }) : (tensor<5x4x6x7xf64>, tensor<5x7x2xi64>, tensor<5x7x2xf64>) -> tensor<5x4x6x7xf64>
  func.return
}

// stablehlo.select
func.func @main(%p: tensor<2x3xi1>, %a: tensor<2x3xf64>, %b: tensor<2x3xf64>) {
  %0 = stablehlo.select %p, %a, %b : tensor<2x3xi1>, tensor<2x3xf64>
  func.return
}

// stablehlo.select_and_scatter
func.func @main(%a: tensor<7x8xf64>, %w: tensor<3x7xf64>, %v: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%a, %w, %v) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %c = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
    ^bb0(%t: tensor<f64>, %u: tensor<f64>):
      %s = stablehlo.add %t, %u : tensor<f64>
      stablehlo.return %s : tensor<f64>
  }) : (tensor<7x8xf64>, tensor<3x7xf64>, tensor<f64>) -> tensor<7x8xf64>
  func.return
}

// stablehlo.slice
func.func @main(%a: tensor<5x4xf64>) {
  %0 = stablehlo.slice %a [1:5:2, 0:3] : (tensor<5x4xf64>) -> tensor<2x3xf64>
  func.return
}

// stablehlo.sort
func.func @main(%a: tensor<2x3xf64>, %b: tensor<2x3xi32>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>, %r: tensor<i32>, %s: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2x3xf64>, tensor<2x3xi32>) -> (tensor<2x3xf64>, tensor<2x3xi32>)
  func.return
}

// stablehlo.transpose
func.func @main(%a: tensor<2x3x4xf64>) {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  func.return
}

// stablehlo.triangular_solve
func.func @main(%a: tensor<2x3x3xf64>, %b: tensor<2x3x4xf64>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  func.return
}

// stablehlo.while
func.func @main(%a: tensor<2xf64>, %n: tensor<i64>) {
  %0:2 = "stablehlo.while"(%a, %n) ({
  ^bb0(%p: tensor<2xf64>, %q: tensor<i64>):
    %c = stablehlo.compare LT, %q, %q, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<2xf64>, %q: tensor<i64>):
    stablehlo.return %p, %q : tensor<2xf64>, tensor<i64>
  }) : (tensor<2xf64>, tensor<i64>) -> (tensor<2xf64>, tensor<i64>)
  func.return
}
