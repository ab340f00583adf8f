// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Derivatives of functions that are called, and the frames of calls.

// CHECK-LABEL: func.func private @f(%x: f64, %n: i64, %w: tensor<3xf64>) -> (f64, i64) {
// CHECK-NEXT: func.return %x, %n : f64, i64
// CHECK-NEXT: }
func.func private @f(%x: f64, %n: i64, %w: tensor<3xf64>) -> (f64, i64) {
  func.return %x, %n : f64, i64
}

// CHECK-LABEL: func.func private @back(%h: !array.frame<f_record>, %ct: f64, %sum: f64) -> f64 {
// CHECK-NEXT: %s = array.add %ct, %sum : f64
// CHECK-NEXT: func.return %s : f64
// CHECK-NEXT: }
func.func private @back(%h: !array.frame<f_record>, %ct: f64, %sum: f64) -> f64 {
  %s = array.add %ct, %sum : f64
  func.return %s : f64
}

// CHECK-LABEL: func.func private @derivatives(%x: f64, %n: i64, %w: tensor<3xf64>, %dx: f64, %dw: tensor<3xf64>, %h: !array.frame<f_record>) {
// CHECK-NEXT: %dy = linear.push %x, %n, %w, %dx, %dw {callee = @f, along = [[0, 2]], results = [1]} : f64, i64, tensor<3xf64>, f64, tensor<3xf64> -> f64
// CHECK-NEXT: %cx, %cw = linear.pull %x, %n, %w, %dx, %dx, %dx, %dw {callee = @f, along = [[0]], wrt = [3, 2], results = [1]} : f64, i64, tensor<3xf64>, f64, f64, f64, tensor<3xf64> -> (f64, tensor<3xf64>)
// CHECK-NEXT: %d = linear.derivative %x, %n, %w {callee = @f, wrt = [0], results = [0]} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: %t = linear.derivative %x, %n, %w {callee = @f, wrt = [2], results = [0], transposed} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
// CHECK-NEXT: %k = linear.curvature %x, %n, %w, %dx {callee = @f, by = [0], wrt = [2], results = [0]} : f64, i64, tensor<3xf64>, f64 -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
// CHECK-NEXT: %r = linear.recorded %h {callee = @back} : !array.frame<f_record> -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func private @derivatives(%x: f64, %n: i64, %w: tensor<3xf64>, %dx: f64, %dw: tensor<3xf64>, %h: !array.frame<f_record>) {
  %dy = linear.push %x, %n, %w, %dx, %dw {callee = @f, along = [[0, 2]], results = [1]} : f64, i64, tensor<3xf64>, f64, tensor<3xf64> -> f64
  %cx, %cw = linear.pull %x, %n, %w, %dx, %dx, %dx, %dw {callee = @f, along = [[0]], wrt = [3, 2], results = [1]} : f64, i64, tensor<3xf64>, f64, f64, f64, tensor<3xf64> -> (f64, tensor<3xf64>)
  %d = linear.derivative %x, %n, %w {callee = @f, wrt = [0], results = [0]} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<f64>>
  %t = linear.derivative %x, %n, %w {callee = @f, wrt = [2], results = [0], transposed} : f64, i64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
  %k = linear.curvature %x, %n, %w, %dx {callee = @f, by = [0], wrt = [2], results = [0]} : f64, i64, tensor<3xf64>, f64 -> !linear.map<tuple<f64>, tuple<tensor<3xf64>>>
  %r = linear.recorded %h {callee = @back} : !array.frame<f_record> -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// Frames: values of a type with a name, which is quoted unless it is an identifier; loops stack them.
// CHECK-LABEL: func.func @frames(%x: f64, %w: tensor<3xf64>) -> (f64, tensor<3xf64>) {
// CHECK-NEXT: %h = array.save %x, %w : f64, tensor<3xf64> -> !array.frame<f_record>
// CHECK-NEXT: %a, %b = array.restore %h : !array.frame<f_record> -> (f64, tensor<3xf64>)
// CHECK-NEXT: %e = array.save : -> !array.frame<"of two words">
// CHECK-NEXT: %n = array.no_frame : -> !array.frame<f_record>
// CHECK-NEXT: %s = array.stack %h, %n {dim = 0} : !array.frame<f_record>, !array.frame<f_record> -> tensor<2x!array.frame<f_record>>
// CHECK-NEXT: func.return %a, %b : f64, tensor<3xf64>
// CHECK-NEXT: }
func.func @frames(%x: f64, %w: tensor<3xf64>) -> (f64, tensor<3xf64>) {
  %h = array.save %x, %w : f64, tensor<3xf64> -> !array.frame<f_record>
  %a, %b = array.restore %h : !array.frame<f_record> -> (f64, tensor<3xf64>)
  %e = array.save : -> !array.frame<"of two words">
  %n = array.no_frame : -> !array.frame<"f_record">
  %s = array.stack %h, %n {dim = 0} : !array.frame<f_record>, !array.frame<f_record> -> tensor<2x!array.frame<f_record>>
  func.return %a, %b : f64, tensor<3xf64>
}

// The number of the next row for a record.
// CHECK-LABEL: func.func @rows(%count: i64) -> i64 {
// CHECK-NEXT: %r = array.next_row %count {record = 0, room = 64} : i64 -> i64
// CHECK-NEXT: func.return %r : i64
// CHECK-NEXT: }
func.func @rows(%count: i64) -> i64 {
  %r = array.next_row %count {record = 0, room = 64} : i64 -> i64
  func.return %r : i64
}

// A function that takes no sum for a component returns its cotangent.
// CHECK-LABEL: func.func private @fresh(%h: !array.frame<f_record>) {
// CHECK-NEXT: %r = linear.recorded %h {callee = @handed_on, fresh = [0]} : !array.frame<f_record> -> !linear.map<tuple<f64>, tuple<f64>>
func.func private @handed_on(%h: !array.frame<f_record>, %ct: f64) -> f64 {
  func.return %ct : f64
}
func.func private @fresh(%h: !array.frame<f_record>) {
  %r = linear.recorded %h {callee = @handed_on, fresh = [0]} : !array.frame<f_record> -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// Residuals may be any values, and a function may apply the map forward.
// CHECK-LABEL: func.func private @both(%x: f64, %r: tensor<3xf64>) {
// CHECK-NEXT: %m = linear.recorded %x, %r {callee = @backward, forward = @forward, primals = 1} : f64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<f64>>
func.func private @backward(%r: tensor<3xf64>, %ct: f64, %sum: f64) -> f64 {
  func.return %sum : f64
}
func.func private @forward(%x: f64, %dx: f64) -> f64 {
  func.return %dx : f64
}
func.func private @both(%x: f64, %r: tensor<3xf64>) {
  %m = linear.recorded %x, %r {callee = @backward, forward = @forward, primals = 1} : f64, tensor<3xf64> -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}
