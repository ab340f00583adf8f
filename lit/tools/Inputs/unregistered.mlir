func.func @f(%x: f64) -> f64 {
  %y = "other.op"(%x) {note = 1 : i64} : (f64) -> f64
  func.return %y : f64
}
