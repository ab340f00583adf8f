// Scalar functions of their first argument, whose gradients are compared.

#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @perceptron(%w: tensor<4x5xf64>, %x: tensor<3x4xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x5xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<3x5xf64>) -> tensor<3x5xf64>
  %p = linalg.matmul ins(%x, %w : tensor<3x4xf64>, tensor<4x5xf64>) outs(%z : tensor<3x5xf64>) -> tensor<3x5xf64>
  %t = linalg.map { math.tanh } ins(%p : tensor<3x5xf64>) outs(%e : tensor<3x5xf64>)
  %i = tensor.from_elements %zero : tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%t : tensor<3x5xf64>) outs(%i : tensor<f64>) dimensions = [0, 1]
  %v = tensor.extract %r[] : tensor<f64>
  return %v : f64
}

func.func @convolution(%k: tensor<3x3x2x4xf64>, %x: tensor<1x7x7x2xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %z = arith.constant dense<0.0> : tensor<1x4x4x4xf64>
  %low = arith.constant dense<0xFFF0000000000000> : tensor<1x2x2x4xf64>
  %w = tensor.empty() : tensor<2x2xf64>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f64
  } : tensor<1x7x7x2xf64> to tensor<1x9x9x2xf64>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %k : tensor<1x9x9x2xf64>, tensor<3x3x2x4xf64>) outs(%z : tensor<1x4x4x4xf64>) -> tensor<1x4x4x4xf64>
  %m = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%y, %w : tensor<1x4x4x4xf64>, tensor<2x2xf64>) outs(%low : tensor<1x2x2x4xf64>) -> tensor<1x2x2x4xf64>
  %f = tensor.collapse_shape %m [[0, 1, 2, 3]] : tensor<1x2x2x4xf64> into tensor<16xf64>
  %i = tensor.from_elements %zero : tensor<f64>
  %d = linalg.dot ins(%f, %f : tensor<16xf64>, tensor<16xf64>) outs(%i : tensor<f64>) -> tensor<f64>
  %v = tensor.extract %d[] : tensor<f64>
  return %v : f64
}

func.func @recurrent(%u: tensor<3x3xf64>, %x: tensor<5x3xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3xf64>
  %start = linalg.fill ins(%zero : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %h = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %start) -> (tensor<3xf64>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1] : tensor<5x3xf64> to tensor<3xf64>
    %m = linalg.matvec ins(%u, %s : tensor<3x3xf64>, tensor<3xf64>) outs(%row : tensor<3xf64>) -> tensor<3xf64>
    %n = linalg.tanh ins(%m : tensor<3xf64>) outs(%e : tensor<3xf64>) -> tensor<3xf64>
    scf.yield %n : tensor<3xf64>
  }
  %t = tensor.from_elements %zero : tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%h : tensor<3xf64>) outs(%t : tensor<f64>) dimensions = [0]
  %v = tensor.extract %r[] : tensor<f64>
  return %v : f64
}

func.func @cross_entropy(%x: tensor<3x5xf64>, %labels: tensor<3xi64>) -> f64 {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<3xf64>
  %zeros = arith.constant dense<0.0> : tensor<3xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %five = arith.constant 5 : i64
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<3x5xf64>) outs(%low : tensor<3xf64>) dimensions = [1]
  %s = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<3x5xf64>, tensor<3xf64>) outs(%zeros : tensor<3xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %0 = arith.subf %a, %b : f64
    %1 = math.exp %0 : f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<3xf64>
  %l = linalg.generic {indexing_maps = [#id1, #id1, #id1, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%s, %m, %labels : tensor<3xf64>, tensor<3xf64>, tensor<3xi64>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %k: i64, %o: f64):
    %i = linalg.index 0 : index
    %c = arith.remui %k, %five : i64
    %j = arith.index_cast %c : i64 to index
    %t = tensor.extract %x[%i, %j] : tensor<3x5xf64>
    %0 = math.log %a : f64
    %1 = arith.addf %0, %b : f64
    %2 = arith.subf %1, %t : f64
    %3 = arith.addf %o, %2 : f64
    linalg.yield %3 : f64
  } -> tensor<f64>
  %v = tensor.extract %l[] : tensor<f64>
  return %v : f64
}

func.func @branches_and_slices(%x: tensor<6x4xf64>, %s: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<2x4xf64>
  %a = tensor.extract_slice %x[1, 0] [2, 4] [2, 1] : tensor<6x4xf64> to tensor<2x4xf64>
  %p = arith.cmpf ogt, %s, %zero : f64
  %b = scf.if %p -> (tensor<2x4xf64>) {
    %y = linalg.exp ins(%a : tensor<2x4xf64>) outs(%e : tensor<2x4xf64>) -> tensor<2x4xf64>
    scf.yield %y : tensor<2x4xf64>
  } else {
    %y = linalg.square ins(%a : tensor<2x4xf64>) outs(%e : tensor<2x4xf64>) -> tensor<2x4xf64>
    scf.yield %y : tensor<2x4xf64>
  }
  %c = tensor.insert_slice %b into %x[%one, 0] [2, 4] [1, 1] : tensor<2x4xf64> into tensor<6x4xf64>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<6x4xf64>) outs(%x : tensor<6x4xf64>) {
  ^bb0(%v: f64, %o: f64):
    %0 = math.sin %v : f64
    %1 = arith.mulf %0, %o : f64
    linalg.yield %1 : f64
  } -> tensor<6x4xf64>
  %i = tensor.from_elements %zero : tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%d : tensor<6x4xf64>) outs(%i : tensor<f64>) dimensions = [0, 1]
  %v = tensor.extract %r[] : tensor<f64>
  return %v : f64
}
