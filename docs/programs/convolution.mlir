func.func @f(%a: tensor<4xf64>) -> f64 {
  %last = array.constant 3 : i64
  %products = array.build (%i) : -> tensor<4xf64> {
    %x1 = array.index %a[%i] : tensor<4xf64> -> f64
    %j = array.sub %last, %i : i64
    %x2 = array.index %a[%j] : tensor<4xf64> -> f64
    %product = array.mul %x1, %x2 : f64
    array.yield %product : f64
  }
  %y = array.sum %products {dims = [0]} : tensor<4xf64> -> f64
  func.return %y : f64
}
