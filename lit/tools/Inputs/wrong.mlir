func.func @f(%x: f64, %z: f32) {
  %y = array.add %x, %z : f64, f32 -> f64
  func.return
}
