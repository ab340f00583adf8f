func.func private @df(%x: f64) -> (f64, !linear.map<f64, f64>) {
  %y = array.sin %x : f64
  %c = array.cos %x : f64
  %n = linear.scale %c : f64 -> !linear.map<f64, f64>
  func.return %y, %n : f64, !linear.map<f64, f64>
}
func.func @twice(%x: f64, %ct: f64) -> f64 {
  %y, %m = func.call @df(%x) : (f64) -> (f64, !linear.map<f64, f64>)
  %z, %n = func.call @df(%y) : (f64) -> (f64, !linear.map<f64, f64>)
  %d = linear.compose %n, %m : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
  %cx = linear.apply_transpose %d, %ct : !linear.map<f64, f64>, f64 -> f64
  func.return %cx : f64
}
