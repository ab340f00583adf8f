// RUN: mlirad-opt %s -p expand-ties --split-input-file | filecheck %s

// exp(-|x|) at 0 is 1 - |x| + x x / 2, in what is differentiated twice.

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %a = array.abs %x : f64
// CHECK-NEXT:    %n = array.neg %a : f64
// CHECK-NEXT:    %e = array.exp %n : f64
// CHECK-NEXT:    %[[zero:.*]] = array.constant 0.000000e+00 : f64
// CHECK:         %[[tie:.*]] = array.compare eq %a, %[[zero]] : f64, f64 -> i1
// CHECK:         %[[one:.*]] = array.constant 1.000000e+00 : f64
// CHECK:         %[[line:.*]] = array.sub %[[one]], %a : f64
// CHECK:         %[[square:.*]] = array.mul %x, %x : f64
// CHECK:         %[[half:.*]] = array.mul %{{.*}}, %[[square]] : f64
// CHECK:         %[[f:.*]] = array.add %[[line]], %[[half]] : f64
// CHECK:         %[[r:.*]] = array.select %[[tie]], %[[f]], %e : i1, f64, f64 -> f64
// CHECK-NEXT:    func.return %[[r]] : f64
func.func @twice(%x: f64) -> f64 {
  %a = array.abs %x : f64
  %n = array.neg %a : f64
  %e = array.exp %n : f64
  func.return %e : f64
}

func.func @slope(%x: f64) -> f64 {
  %y, %d = linear.linearize %x {callee = @twice, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %o = array.constant 1.0 : f64
  %r = linear.apply %d, %o : !linear.map<f64, f64>, f64 -> f64
  func.return %r : f64
}

func.func @main(%x: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x {callee = @slope, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}

// -----

// What is linear in a kink, and what is differentiated once, stays.

// CHECK-LABEL: func.func @linear(
// CHECK-NEXT:    %a = array.abs %x : f64
// CHECK-NEXT:    %p = array.mul %a, %x : f64
// CHECK-NEXT:    func.return %p : f64
// CHECK-LABEL: func.func @once(
// CHECK-NOT:     array.select
func.func @linear(%x: f64) -> f64 {
  %a = array.abs %x : f64
  %p = array.mul %a, %x : f64
  func.return %p : f64
}

func.func @once(%x: f64) -> f64 {
  %a = array.abs %x : f64
  %e = array.exp %a : f64
  func.return %e : f64
}

func.func @slope(%x: f64) -> f64 {
  %y, %d = linear.linearize %x {callee = @linear, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %o = array.constant 1.0 : f64
  %r = linear.apply %d, %o : !linear.map<f64, f64>, f64 -> f64
  func.return %r : f64
}

func.func @main(%x: f64) -> (!linear.map<f64, f64>, !linear.map<f64, f64>) {
  %y, %d = linear.linearize %x {callee = @slope, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %z, %e = linear.linearize %x {callee = @once, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d, %e : !linear.map<f64, f64>, !linear.map<f64, f64>
}

// -----

// Kinks that are multiples of one another are one, and what moves their elements moves the polynomial.

// CHECK-LABEL: func.func @product(
// CHECK:         %p = array.mul %a, %m : f64
// CHECK:         %[[square:.*]] = array.mul %x, %x : f64
// CHECK:         %[[twice:.*]] = array.mul %{{.*}}, %[[square]] : f64
// CHECK:         %[[f:.*]] = array.add %{{.*}}, %[[twice]] : f64
// CHECK:         %[[r:.*]] = array.select %{{.*}}, %[[f]], %p : i1, f64, f64 -> f64
// CHECK-NEXT:    func.return %[[r]] : f64
func.func @product(%x: f64) -> f64 {
  %two = array.constant -2.0 : f64
  %y = array.mul %two, %x : f64
  %a = array.abs %x : f64
  %m = array.abs %y : f64
  %p = array.mul %a, %m : f64
  func.return %p : f64
}

// CHECK-LABEL: func.func @reversed(
// CHECK:         %[[tie:.*]] = array.compare eq %a, %{{.*}} : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK:         %[[there:.*]] = array.reverse %[[tie]] {dims = [0]} : tensor<3xi1> -> tensor<3xi1>
// CHECK:         array.select %[[there]], %{{.*}}, %c : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>
func.func @reversed(%x: tensor<3xf64>) -> tensor<3xf64> {
  %a = array.abs %x : tensor<3xf64>
  %b = array.reverse %a {dims = [0]} : tensor<3xf64> -> tensor<3xf64>
  %c = array.cos %b : tensor<3xf64>
  func.return %c : tensor<3xf64>
}

func.func @both(%x: f64, %v: tensor<3xf64>) -> (f64, tensor<3xf64>) {
  %y = func.call @product(%x) : (f64) -> f64
  %w = func.call @reversed(%v) : (tensor<3xf64>) -> tensor<3xf64>
  func.return %y, %w : f64, tensor<3xf64>
}

func.func @slope(%x: f64, %v: tensor<3xf64>) -> f64 {
  %y, %w, %d = linear.linearize %x, %v {callee = @both, wrt = [0]} : f64, tensor<3xf64> -> (f64, tensor<3xf64>, !linear.map<f64, tuple<f64, tensor<3xf64>>>)
  func.return %y : f64
}

func.func @main(%x: f64, %v: tensor<3xf64>) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x, %v {callee = @slope, wrt = [0]} : f64, tensor<3xf64> -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}

// -----

// What is even is made smooth at once, and nothing behind it; a loop whose state depends on a kink that is one
// number has its polynomial on a branch.

// CHECK-LABEL: func.func @even(
// CHECK:         %c = array.cos %a : f64
// CHECK:         %[[s:.*]] = array.select %{{.*}}, %{{.*}}, %c : i1, f64, f64 -> f64
// CHECK-NEXT:    %e = array.exp %[[s]] : f64
// CHECK-NEXT:    func.return %e : f64
func.func @even(%x: f64) -> f64 {
  %a = array.abs %x : f64
  %c = array.cos %a : f64
  %e = array.exp %c : f64
  func.return %e : f64
}

// CHECK-LABEL: func.func @loop(
// CHECK:         %y = array.scan %a
// CHECK:         %[[tie:.*]] = array.compare eq %a, %{{.*}} : f64, f64 -> i1
// CHECK:         %[[r:.*]] = array.if %[[tie]] : i1 -> f64 {
// CHECK:           array.scan %{{.*}}, %{{.*}}, %{{.*}} {{.*}} {carries = 3, length = 3}
// CHECK:         } else {
// CHECK-NEXT:      array.yield %y : f64
// CHECK:         func.return %[[r]] : f64
func.func @loop(%x: f64) -> f64 {
  %a = array.abs %x : f64
  %y = array.scan %a (%i, %s: f64) {carries = 1, length = 3} : f64 -> f64 {
    %p = array.mul %s, %s : f64
    %t = array.add %p, %a : f64
    array.yield %t : f64
  }
  func.return %y : f64
}

func.func @both(%x: f64) -> (f64, f64) {
  %y = func.call @even(%x) : (f64) -> f64
  %z = func.call @loop(%x) : (f64) -> f64
  func.return %y, %z : f64, f64
}

func.func @slope(%x: f64) -> f64 {
  %y, %z, %d = linear.linearize %x {callee = @both, wrt = [0]} : f64 -> (f64, f64, !linear.map<f64, tuple<f64, f64>>)
  func.return %y : f64
}

func.func @main(%x: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x {callee = @slope, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}
