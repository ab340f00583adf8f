// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Derivatives of functions that are called, and the frames of calls.

// CHECK-LABEL: func.func private @f(%x: f64, %n: i64, %w: tensor<3xf64>) -> (f64, i64) {
// CHECK-NEXT: func.return %x, %n : f64, i64
// CHECK-NEXT: }
func.func private @f(%x: f64, %n: i64, %w: tensor<3xf64>) -> (f64, i64) {
  func.return %x, %n : f64, i64
}

// CHECK-LABEL: func.func private @back(%h: i64, %ct: f64, %sum: f64) -> f64 {
// CHECK-NEXT: %s = array.add %ct, %sum : f64
// CHECK-NEXT: func.return %s : f64
// CHECK-NEXT: }
func.func private @back(%h: i64, %ct: f64, %sum: f64) -> f64 {
  %s = array.add %ct, %sum : f64
  func.return %s : f64
}

// CHECK-LABEL: func.func @derivatives(%x: f64, %n: i64, %w: tensor<3xf64>, %dx: f64, %dw: tensor<3xf64>, %h: i64) {
// CHECK-NEXT: %dy = linear.push %x, %n, %w, %dx, %dw {callee = @f, along = [[0, 2]], results = [1]} : f64, i64, tensor<3xf64>, f64, tensor<3xf64> -> f64
// CHECK-NEXT: %cx, %cw = linear.pull %x, %n, %w, %dx, %dx, %dx, %dw {callee = @f, along = [[0]], wrt = [3, 2], results = [1]} : f64, i64, tensor<3xf64>, f64, f64, f64, tensor<3xf64> -> (f64, tensor<3xf64>)
// CHECK-NEXT: %d = linear.derivative %x, %n, %w {callee = @f, wrt = [0], results = [0]} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: %t = linear.derivative %x, %n, %w {callee = @f, wrt = [2], results = [0], transposed} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
// CHECK-NEXT: %k = linear.curvature %x, %n, %w, %dx {callee = @f, by = [0], wrt = [2], results = [0]} : f64, i64, tensor<3xf64>, f64 -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
// CHECK-NEXT: %r = linear.recorded %h {callee = @back} : i64 -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @derivatives(%x: f64, %n: i64, %w: tensor<3xf64>, %dx: f64, %dw: tensor<3xf64>, %h: i64) {
  %dy = linear.push %x, %n, %w, %dx, %dw {callee = @f, along = [[0, 2]], results = [1]} : f64, i64, tensor<3xf64>, f64, tensor<3xf64> -> f64
  %cx, %cw = linear.pull %x, %n, %w, %dx, %dx, %dx, %dw {callee = @f, along = [[0]], wrt = [3, 2], results = [1]} : f64, i64, tensor<3xf64>, f64, f64, f64, tensor<3xf64> -> (f64, tensor<3xf64>)
  %d = linear.derivative %x, %n, %w {callee = @f, wrt = [0], results = [0]} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<f64>>
  %t = linear.derivative %x, %n, %w {callee = @f, wrt = [2], results = [0], transposed} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
  %k = linear.curvature %x, %n, %w, %dx {callee = @f, by = [0], wrt = [2], results = [0]} : f64, i64, tensor<3xf64>, f64 -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
  %r = linear.recorded %h {callee = @back} : i64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// CHECK-LABEL: func.func @frames(%x: f64, %w: tensor<3xf64>) -> (f64, tensor<3xf64>) {
// CHECK-NEXT: %h = array.save %x, %w : f64, tensor<3xf64> -> i64
// CHECK-NEXT: %a, %b = array.restore %h : i64 -> (f64, tensor<3xf64>)
// CHECK-NEXT: %e = array.save : -> i64
// CHECK-NEXT: func.return %a, %b : f64, tensor<3xf64>
// CHECK-NEXT: }
func.func @frames(%x: f64, %w: tensor<3xf64>) -> (f64, tensor<3xf64>) {
  %h = array.save %x, %w : f64, tensor<3xf64> -> i64
  %a, %b = array.restore %h : i64 -> (f64, tensor<3xf64>)
  %e = array.save : -> i64
  func.return %a, %b : f64, tensor<3xf64>
}
