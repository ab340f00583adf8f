func.func @f(%x: f64, %w: f64) -> f64 {
  %g = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {
    %y = array.mul %w, %z : f64
    array.yield %y : f64
  }
  %a = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %b = function.apply %g, %a : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %b : f64
}
