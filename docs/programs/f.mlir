func.func @f(%x: f64) -> f64 {
  %s = array.sin %x : f64
  %y = array.mul %s, %x : f64
  func.return %y : f64
}
