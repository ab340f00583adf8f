func.func @loss(%w: tensor<4x5xf64>, %x: tensor<3x4xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x5xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<3x5xf64>) -> tensor<3x5xf64>
  %p = linalg.matmul ins(%x, %w : tensor<3x4xf64>, tensor<4x5xf64>) outs(%z : tensor<3x5xf64>) -> tensor<3x5xf64>
  %t = linalg.map { math.tanh } ins(%p : tensor<3x5xf64>) outs(%e : tensor<3x5xf64>)
  %i = tensor.from_elements %zero : tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%t : tensor<3x5xf64>) outs(%i : tensor<f64>) dimensions = [0, 1]
  %v = tensor.extract %r[] : tensor<f64>
  func.return %v : f64
}
