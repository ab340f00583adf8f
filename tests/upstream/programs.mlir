// Programs over upstream dialects, one function each, in the manner of MLIR's own tests of these ops.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#none2 = affine_map<(i, j) -> ()>

func.func @matmul(%x: tensor<3x4xf64>, %y: tensor<4x5xf64>) -> tensor<3x5xf64> {
  %c = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x5xf64>
  %z = linalg.fill ins(%c : f64) outs(%e : tensor<3x5xf64>) -> tensor<3x5xf64>
  %r = linalg.matmul ins(%x, %y : tensor<3x4xf64>, tensor<4x5xf64>) outs(%z : tensor<3x5xf64>) -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}

func.func @matmul_accumulates(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>, %z: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<3x4xf32>, tensor<4x5xf32>) outs(%z : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func @integer_matmul(%x: tensor<3x4xi32>, %y: tensor<4x5xi32>, %z: tensor<3x5xi64>) -> tensor<3x5xi64> {
  %r = linalg.matmul ins(%x, %y : tensor<3x4xi32>, tensor<4x5xi32>) outs(%z : tensor<3x5xi64>) -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @batch_matmul(%x: tensor<2x3x4xf64>, %y: tensor<2x4x5xf64>, %z: tensor<2x3x5xf64>) -> tensor<2x3x5xf64> {
  %r = linalg.batch_matmul ins(%x, %y : tensor<2x3x4xf64>, tensor<2x4x5xf64>) outs(%z : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}

func.func @vectors(%x: tensor<3x4xf64>, %v: tensor<4xf64>, %w: tensor<3xf64>) -> (tensor<3xf64>, tensor<4xf64>, tensor<f64>) {
  %c = arith.constant dense<0.0> : tensor<f64>
  %a = linalg.matvec ins(%x, %v : tensor<3x4xf64>, tensor<4xf64>) outs(%w : tensor<3xf64>) -> tensor<3xf64>
  %b = linalg.vecmat ins(%w, %x : tensor<3xf64>, tensor<3x4xf64>) outs(%v : tensor<4xf64>) -> tensor<4xf64>
  %d = linalg.dot ins(%a, %w : tensor<3xf64>, tensor<3xf64>) outs(%c : tensor<f64>) -> tensor<f64>
  return %a, %b, %d : tensor<3xf64>, tensor<4xf64>, tensor<f64>
}

func.func @elementwise_named(%x: tensor<3x4xf64>, %y: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
  %e = tensor.empty() : tensor<3x4xf64>
  %a = linalg.add ins(%x, %y : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %b = linalg.mul ins(%a, %y : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %c = linalg.sub ins(%b, %x : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %d = linalg.exp ins(%c : tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %f = linalg.div ins(%d, %y : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %g = linalg.max ins(%f, %x : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %h = linalg.copy ins(%g : tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %i = linalg.map { arith.subf } ins(%x, %y : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>)
  return %h, %i : tensor<3x4xf64>, tensor<3x4xf64>
}

func.func @elementwise_generic(%x: tensor<3x4xf64>, %v: tensor<4xf64>, %s: f64) -> tensor<4x3xf64> {
  %e = tensor.empty() : tensor<4x3xf64>
  %c = arith.constant 0.5 : f64
  %r = linalg.generic {indexing_maps = [#id2, #column, #none2, #swap], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v, %s : tensor<3x4xf64>, tensor<4xf64>, f64) outs(%e : tensor<4x3xf64>) {
  ^bb0(%a: f64, %b: f64, %t: f64, %o: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = math.tanh %0 : f64
    %2 = math.fma %1, %t, %c : f64
    %3 = arith.cmpf ogt, %2, %c : f64
    %4 = arith.select %3, %2, %b : f64
    linalg.yield %4 : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}

func.func @transpose_broadcast(%x: tensor<2x3x4xf64>, %v: tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<2x3x4xf64>) {
  %e = tensor.empty() : tensor<4x2x3xf64>
  %f = tensor.empty() : tensor<2x3x4xf64>
  %a = linalg.transpose ins(%x : tensor<2x3x4xf64>) outs(%e : tensor<4x2x3xf64>) permutation = [2, 0, 1]
  %b = linalg.broadcast ins(%v : tensor<3xf64>) outs(%f : tensor<2x3x4xf64>) dimensions = [0, 2]
  return %a, %b : tensor<4x2x3xf64>, tensor<2x3x4xf64>
}

func.func @reductions(%x: tensor<3x4xf64>, %v: tensor<3xf64>, %w: tensor<4xf64>) -> (tensor<3xf64>, tensor<4xf64>, tensor<3xf64>) {
  %a = linalg.reduce { arith.addf } ins(%x : tensor<3x4xf64>) outs(%v : tensor<3xf64>) dimensions = [1]
  %b = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4xf64>) outs(%w : tensor<4xf64>) dimensions = [0]
  %c = linalg.reduce { arith.mulf } ins(%x : tensor<3x4xf64>) outs(%v : tensor<3xf64>) dimensions = [1]
  return %a, %b, %c : tensor<3xf64>, tensor<4xf64>, tensor<3xf64>
}

func.func @reduction_to_unit_dimension(%x: tensor<3x4xf64>, %v: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %r = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf64>) outs(%v : tensor<3x1xf64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = math.exp %a : f64
    %1 = arith.subf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3x1xf64>
  return %r : tensor<3x1xf64>
}

func.func @argmax(%x: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<3xf64>
  %zero = arith.constant dense<0> : tensor<3xi64>
  %r:2 = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf64>) outs(%low, %zero : tensor<3xf64>, tensor<3xi64>) {
  ^bb0(%a: f64, %best: f64, %at: i64):
    %j = linalg.index 1 : index
    %p = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %a, %best : f64
    %0 = arith.select %more, %a, %best : f64
    %1 = arith.select %more, %p, %at : i64
    linalg.yield %0, %1 : f64, i64
  } -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
}

func.func @recurrence(%x: tensor<5xf64>, %s: tensor<f64>) -> tensor<f64> {
  %r = linalg.generic {indexing_maps = [#id1, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<5xf64>) outs(%s : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = math.sin %o : f64
    %1 = arith.addf %0, %a : f64
    linalg.yield %1 : f64
  } -> tensor<f64>
  return %r : tensor<f64>
}

func.func @two_results(%x: tensor<3x4xf64>, %v: tensor<3xf64>) -> (tensor<3x4xf64>, tensor<3xf64>) {
  %e = tensor.empty() : tensor<3x4xf64>
  %r:2 = linalg.generic {indexing_maps = [#id2, #id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf64>) outs(%e, %v : tensor<3x4xf64>, tensor<3xf64>) {
  ^bb0(%a: f64, %o: f64, %t: f64):
    %0 = math.cos %a : f64
    %1 = arith.addf %0, %t : f64
    linalg.yield %0, %1 : f64, f64
  } -> (tensor<3x4xf64>, tensor<3xf64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3xf64>
}

func.func @convolution(%x: tensor<9xf64>, %k: tensor<3xf64>) -> tensor<4xf64> {
  %z = arith.constant dense<0.0> : tensor<4xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<9xf64>, tensor<3xf64>) outs(%z : tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func @convolution_2d(%x: tensor<1x7x7x2xf64>, %k: tensor<3x3x2x4xf64>, %z: tensor<1x3x3x4xf64>) -> tensor<1x3x3x4xf64> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<1x7x7x2xf64>, tensor<3x3x2x4xf64>) outs(%z : tensor<1x3x3x4xf64>) -> tensor<1x3x3x4xf64>
  return %r : tensor<1x3x3x4xf64>
}

func.func @depthwise(%x: tensor<1x6x3xf64>, %k: tensor<2x3xf64>, %z: tensor<1x4x3xf64>) -> tensor<1x4x3xf64> {
  %r = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>}
      ins(%x, %k : tensor<1x6x3xf64>, tensor<2x3xf64>) outs(%z : tensor<1x4x3xf64>) -> tensor<1x4x3xf64>
  return %r : tensor<1x4x3xf64>
}

func.func @pooling(%x: tensor<1x6x6x2xf64>) -> (tensor<1x3x3x2xf64>, tensor<1x5x5x2xf64>) {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<1x3x3x2xf64>
  %zero = arith.constant dense<0.0> : tensor<1x5x5x2xf64>
  %w = tensor.empty() : tensor<2x2xf64>
  %a = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x6x6x2xf64>, tensor<2x2xf64>) outs(%low : tensor<1x3x3x2xf64>) -> tensor<1x3x3x2xf64>
  %b = linalg.pooling_nhwc_sum {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x6x6x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<1x5x5x2xf64>) -> tensor<1x5x5x2xf64>
  return %a, %b : tensor<1x3x3x2xf64>, tensor<1x5x5x2xf64>
}

func.func @gather_in_body(%x: tensor<5x3xf64>, %p: tensor<4xi64>) -> tensor<4x3xf64> {
  %e = tensor.empty() : tensor<4x3xf64>
  %r = linalg.generic {indexing_maps = [#row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4xi64>) outs(%e : tensor<4x3xf64>) {
  ^bb0(%at: i64, %o: f64):
    %five = arith.constant 5 : i64
    %0 = arith.remui %at, %five : i64
    %i = arith.index_cast %0 : i64 to index
    %j = linalg.index 1 : index
    %a = tensor.extract %x[%i, %j] : tensor<5x3xf64>
    linalg.yield %a : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}

func.func @branch_in_body(%x: tensor<6xf64>) -> tensor<6xf64> {
  %e = tensor.empty() : tensor<6xf64>
  %c = arith.constant 0.0 : f64
  %r = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf64>) outs(%e : tensor<6xf64>) {
  ^bb0(%a: f64, %o: f64):
    %p = arith.cmpf ogt, %a, %c : f64
    %0 = scf.if %p -> (f64) {
      %1 = math.sqrt %a : f64
      scf.yield %1 : f64
    } else {
      %1 = arith.mulf %a, %a : f64
      scf.yield %1 : f64
    }
    linalg.yield %0 : f64
  } -> tensor<6xf64>
  return %r : tensor<6xf64>
}

func.func @slices(%x: tensor<6x4xf64>, %y: tensor<2x4xf64>, %i: i64) -> (tensor<2x2xf64>, tensor<4xf64>, tensor<6x4xf64>, tensor<6x4xf64>) {
  %c3 = arith.constant 3 : i64
  %m = arith.remui %i, %c3 : i64
  %at = arith.index_cast %m : i64 to index
  %a = tensor.extract_slice %x[1, 0] [2, 2] [2, 3] : tensor<6x4xf64> to tensor<2x2xf64>
  %b = tensor.extract_slice %x[%at, 0] [1, 4] [1, 1] : tensor<6x4xf64> to tensor<4xf64>
  %c = tensor.insert_slice %y into %x[%at, 0] [2, 4] [1, 1] : tensor<2x4xf64> into tensor<6x4xf64>
  %d = tensor.insert_slice %a into %x[%at, 1] [2, 2] [2, 2] : tensor<2x2xf64> into tensor<6x4xf64>
  return %a, %b, %c, %d : tensor<2x2xf64>, tensor<4xf64>, tensor<6x4xf64>, tensor<6x4xf64>
}

func.func @elements(%x: tensor<3x4xf64>, %s: f64) -> (f64, tensor<3x4xf64>, tensor<3xf64>, tensor<2x2xf64>) {
  %i = arith.constant 2 : index
  %j = arith.constant 1 : index
  %a = tensor.extract %x[%i, %j] : tensor<3x4xf64>
  %b = tensor.insert %s into %x[%j, %i] : tensor<3x4xf64>
  %c = tensor.from_elements %a, %s, %a : tensor<3xf64>
  %d = tensor.splat %s : tensor<2x2xf64>
  return %a, %b, %c, %d : f64, tensor<3x4xf64>, tensor<3xf64>, tensor<2x2xf64>
}

func.func @shapes(%x: tensor<2x3x4xf64>) -> (tensor<6x4xf64>, tensor<2x1x3x4xf64>, tensor<3x8xf64>, index) {
  %c1 = arith.constant 1 : index
  %shape = arith.constant dense<[3, 8]> : tensor<2xi64>
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf64> into tensor<6x4xf64>
  %b = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [2, 1, 3, 4] : tensor<2x3x4xf64> into tensor<2x1x3x4xf64>
  %c = tensor.reshape %x(%shape) : (tensor<2x3x4xf64>, tensor<2xi64>) -> tensor<3x8xf64>
  %d = tensor.dim %x, %c1 : tensor<2x3x4xf64>
  return %a, %b, %c, %d : tensor<6x4xf64>, tensor<2x1x3x4xf64>, tensor<3x8xf64>, index
}

func.func @padding(%x: tensor<2x3xf64>, %s: f64) -> (tensor<4x4xf64>, tensor<3x5xf64>) {
  %a = tensor.pad %x low[1, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %s : f64
  } : tensor<2x3xf64> to tensor<4x4xf64>
  %b = tensor.pad %x low[0, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    %0 = arith.addi %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f64
    tensor.yield %2 : f64
  } : tensor<2x3xf64> to tensor<3x5xf64>
  return %a, %b : tensor<4x4xf64>, tensor<3x5xf64>
}

func.func @generate(%x: tensor<4xf64>) -> tensor<4x3xf64> {
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %a = tensor.extract %x[%i] : tensor<4xf64>
    %0 = arith.index_cast %j : index to i64
    %1 = arith.sitofp %0 : i64 to f64
    %2 = arith.mulf %a, %1 : f64
    tensor.yield %2 : f64
  } : tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}

func.func @power(%x: f64, %n: i64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : i64
  %one = arith.constant 1.0 : f64
  %m = arith.remui %n, %c4 : i64
  %iterations = arith.index_cast %m : i64 to index
  %r = scf.for %i = %c0 to %iterations step %c1 iter_args(%p = %one) -> (f64) {
    %q = arith.mulf %p, %x : f64
    scf.yield %q : f64
  }
  return %r : f64
}

func.func @prefix_sums(%x: tensor<6xf64>) -> tensor<6xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<6xf64>
  %r:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%s = %zero, %o = %e) -> (f64, tensor<6xf64>) {
    %a = tensor.extract %x[%i] : tensor<6xf64>
    %t = arith.addf %s, %a : f64
    %p = tensor.insert %t into %o[%i] : tensor<6xf64>
    scf.yield %t, %p : f64, tensor<6xf64>
  }
  return %r#1 : tensor<6xf64>
}

func.func @rows_written_by_a_loop(%x: tensor<6x4xf64>) -> tensor<6x4xf64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<1x4xf64>
  %r = scf.for %i = %c0 to %c6 step %c2 iter_args(%o = %x) -> (tensor<6x4xf64>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 4] [1, 1] : tensor<6x4xf64> to tensor<1x4xf64>
    %s = linalg.exp ins(%row : tensor<1x4xf64>) outs(%e : tensor<1x4xf64>) -> tensor<1x4xf64>
    %p = tensor.insert_slice %s into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf64> into tensor<6x4xf64>
    scf.yield %p : tensor<6x4xf64>
  }
  return %r : tensor<6x4xf64>
}

func.func @halving(%x: f64) -> (f64, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %small = arith.constant 0.01 : f64
  %half = arith.constant 0.5 : f64
  %a = math.absf %x : f64
  %r:2 = scf.while (%v = %a, %n = %zero) : (f64, i32) -> (f64, i32) {
    %p = arith.cmpf ogt, %v, %small : f64
    scf.condition(%p) %v, %n : f64, i32
  } do {
  ^bb0(%v: f64, %n: i32):
    %w = arith.mulf %v, %half : f64
    %m = arith.addi %n, %one : i32
    scf.yield %w, %m : f64, i32
  }
  return %r#0, %r#1 : f64, i32
}

func.func @branches(%x: tensor<4xf64>, %s: f64, %k: i64) -> (tensor<4xf64>, f64) {
  %zero = arith.constant 0.0 : f64
  %c3 = arith.constant 3 : i64
  %e = tensor.empty() : tensor<4xf64>
  %p = arith.cmpf olt, %s, %zero : f64
  %a = scf.if %p -> (tensor<4xf64>) {
    %y = linalg.exp ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    scf.yield %y : tensor<4xf64>
  } else {
    %y = linalg.abs ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    scf.yield %y : tensor<4xf64>
  }
  %m = arith.remui %k, %c3 : i64
  %i = arith.index_cast %m : i64 to index
  %b = scf.index_switch %i -> f64
  case 0 {
    %y = math.sin %s : f64
    scf.yield %y : f64
  }
  case 2 {
    %y = math.atan %s : f64
    scf.yield %y : f64
  }
  default {
    scf.yield %s : f64
  }
  return %a, %b : tensor<4xf64>, f64
}

func.func @forall(%x: tensor<4x6xf64>, %y: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %e = tensor.empty() : tensor<2x3xf64>
  %r = scf.forall (%i, %j) = (0, 0) to (4, 6) step (2, 3) shared_outs(%o = %y) -> (tensor<4x6xf64>) {
    %a = tensor.extract_slice %x[%i, %j] [2, 3] [1, 1] : tensor<4x6xf64> to tensor<2x3xf64>
    %b = linalg.square ins(%a : tensor<2x3xf64>) outs(%e : tensor<2x3xf64>) -> tensor<2x3xf64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf64> into tensor<4x6xf64>
    }
  }
  return %r : tensor<4x6xf64>
}

func.func private @half_of(%x: f64) -> f64 {
  %c = arith.constant 0.5 : f64
  %r = arith.mulf %x, %c : f64
  return %r : f64
}

func.func @calls(%x: f64) -> f64 {
  %a = func.call @half_of(%x) : (f64) -> f64
  %b = func.call @half_of(%a) : (f64) -> f64
  return %b : f64
}

func.func @integers(%x: i64, %y: i64, %z: i32) -> (i64, i64, i64, i64, i64, i64, i1, i32, i64, i64) {
  %three = arith.constant 3 : i64
  %mask = arith.constant 7 : i64
  %n = arith.andi %y, %mask : i64
  %d = arith.addi %n, %three : i64
  %a = arith.divsi %x, %d : i64
  %b = arith.divui %x, %d : i64
  %c = arith.remui %x, %d : i64
  %e = arith.floordivsi %x, %d : i64
  %f = arith.ceildivsi %x, %d : i64
  %g = arith.shrui %x, %n : i64
  %h = arith.cmpi ult, %x, %y : i64
  %i = arith.maxui %z, %z : i32
  %j = arith.extui %z : i32 to i64
  %k = arith.remsi %x, %d : i64
  return %a, %b, %c, %e, %f, %g, %h, %i, %j, %k : i64, i64, i64, i64, i64, i64, i1, i32, i64, i64
}

func.func @functions(%x: tensor<7xf64>) -> tensor<7xf64> {
  %e = tensor.empty() : tensor<7xf64>
  %r = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf64>) outs(%e : tensor<7xf64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = math.absf %a : f64
    %1 = math.log1p %0 : f64
    %2 = math.sqrt %1 : f64
    %3 = math.erf %2 : f64
    %4 = math.atan2 %3, %a : f64
    %5 = math.round %4 : f64
    %6 = math.powf %0, %3 : f64
    %7 = math.copysign %6, %5 : f64
    %8 = math.log10 %0 : f64
    %9 = arith.minimumf %7, %8 : f64
    %10 = math.ceil %9 : f64
    %11 = arith.addf %10, %4 : f64
    linalg.yield %11 : f64
  } -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @softmax(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<3xf64>
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %e = tensor.empty() : tensor<3x5xf64>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<3x5xf64>) outs(%low : tensor<3xf64>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<3x5xf64>, tensor<3xf64>) outs(%e : tensor<3x5xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %0 = arith.subf %a, %b : f64
    %1 = math.exp %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3x5xf64>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<3x5xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<3x5xf64>, tensor<3xf64>) outs(%e : tensor<3x5xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %0 = arith.divf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}
