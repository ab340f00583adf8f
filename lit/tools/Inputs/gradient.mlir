func.func @f(%x: tensor<3xf64>) -> f64 {
  %y = array.sin %x : tensor<3xf64>
  %z = array.mul %y, %x : tensor<3xf64>
  %s = array.sum %z {dims = [0]} : tensor<3xf64> -> f64
  func.return %s : f64
}
