// RUN: mlirad-opt %s -p smooth-identities --split-input-file | filecheck %s

// Smooth code loses its kinks and poles, in functions that are differentiated.

// CHECK-LABEL: func.func @products(
// CHECK-NEXT:    %s = array.mul %x, %x : f64
// CHECK-NEXT:    %c = array.constant 3.000000e+00 : f64
// CHECK-NEXT:    %[[p:.*]] = array.mul %c, %x : f64
// CHECK-NEXT:    %[[q:.*]] = array.mul %[[p]], %x : f64
// CHECK-NEXT:    %m = array.mul %x, %y : f64
// CHECK-NEXT:    func.return %s, %[[q]], %m : f64, f64, f64
func.func @products(%x: f64, %y: f64) -> (f64, f64, f64) {
  %a = array.abs %x : f64
  %s = array.mul %a, %a : f64
  %c = array.constant 3.0 : f64
  %p = array.mul %c, %a : f64
  %q = array.mul %p, %a : f64
  %larger = array.max %x, %y : f64
  %smaller = array.min %y, %x : f64
  %m = array.mul %larger, %smaller : f64
  func.return %s, %q, %m : f64, f64, f64
}

func.func @main(%x: f64) -> !linear.map<f64, tuple<f64, f64, f64>> {
  %a, %b, %c, %d = linear.linearize %x, %x {callee = @products, wrt = [0]} : f64, f64 -> (f64, f64, f64, !linear.map<f64, tuple<f64, f64, f64>>)
  func.return %d : !linear.map<f64, tuple<f64, f64, f64>>
}

// -----

// The root of a sum of squares is never NaN; another one is NaN where its operand is negative.

// CHECK-LABEL: func.func @roots(
// CHECK:         %t = array.sum %{{.*}} {dims = [0]} : tensor<3xf64> -> f64
// CHECK-NEXT:    %[[z:.*]] = array.constant 0.000000e+00 : f64
// CHECK-NEXT:    %[[below:.*]] = array.compare lt %y, %[[z]] : f64, f64 -> i1
// CHECK:         %[[in:.*]] = array.select %[[below]]
// CHECK:         %[[p:.*]] = array.mul %y, %[[in]] : f64
// CHECK-NEXT:    %[[w:.*]] = array.add %[[p]], %[[z]] : f64
// CHECK-NEXT:    func.return %t, %[[w]] : f64, f64
func.func @roots(%x: tensor<3xf64>, %y: f64) -> (f64, f64) {
  %s = array.mul %x, %x : tensor<3xf64>
  %t = array.sum %s {dims = [0]} : tensor<3xf64> -> f64
  %r = array.sqrt %t : f64
  %v = array.mul %r, %r : f64
  %q = array.sqrt %y : f64
  %w = array.mul %q, %q : f64
  func.return %v, %w : f64, f64
}

func.func @main(%x: tensor<3xf64>, %y: f64) -> !linear.map<f64, tuple<f64, f64>> {
  %a, %b, %d = linear.linearize %x, %y {callee = @roots, wrt = [1]} : tensor<3xf64>, f64 -> (f64, f64, !linear.map<f64, tuple<f64, f64>>)
  func.return %d : !linear.map<f64, tuple<f64, f64>>
}

// -----

// Kinks that cancel in a sum.

// CHECK-LABEL: func.func @softplus(
// CHECK-NEXT:    %[[r:.*]] = array.softplus %x : f64
// CHECK-NEXT:    func.return %[[r]] : f64
func.func @softplus(%x: f64) -> f64 {
  %z = array.constant 0.0 : f64
  %m = array.max %x, %z : f64
  %a = array.abs %x : f64
  %n = array.neg %a : f64
  %e = array.exp %n : f64
  %l = array.log1p %e : f64
  %r = array.add %m, %l : f64
  func.return %r : f64
}

func.func @main(%x: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x {callee = @softplus, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}

// -----

// A kink takes the side of a choice. Code that is not differentiated stays.

// CHECK-LABEL: func.func @choice(
// CHECK-NOT:     array.abs
// CHECK-LABEL: func.func @plain(
// CHECK:         array.abs
func.func @choice(%x: f64) -> f64 {
  %z = array.constant 0.0 : f64
  %c = array.compare ge %x, %z : f64, f64 -> i1
  %a = array.abs %x : f64
  %n = array.neg %a : f64
  %e = array.exp %n : f64
  %r = array.select %c, %a, %e : i1, f64, f64 -> f64
  func.return %r : f64
}

func.func @plain(%x: f64) -> f64 {
  %a = array.abs %x : f64
  %s = array.mul %a, %a : f64
  func.return %s : f64
}

func.func @main(%x: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x {callee = @choice, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}

// -----

// A number that comes with its square: the code of that stands for the product.

// CHECK-LABEL: func.func @norm(
// CHECK-NEXT:    %b = array.mul %x, %x : f64
// CHECK-NEXT:    func.return %b : f64
func.func @norm(%x: f64) -> f64 {
  %y, %s = array.custom %x (%a : f64) {results, squared} : f64 -> (f64, f64) {
    %n = array.abs %a : f64
    %b = array.mul %a, %a : f64
    array.yield %n, %b : f64, f64
  } derivative (%a : f64, %n : f64, %b : f64, %da : f64) {
    %i = array.sign %a : f64
    %d = array.mul %i, %da : f64
    %c = array.mul %a, %da : f64
    %t = array.add %c, %c : f64
    array.yield %d, %t : f64, f64
  }
  %r = array.mul %y, %y : f64
  func.return %r : f64
}

func.func @main(%x: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x {callee = @norm, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}


// -----

// Logarithms of what saturates: values stay, and the derivative is that of the logit.

// CHECK-LABEL: func.func @loss(
// CHECK:         %p = array.logistic %z : f64
// CHECK-NEXT:    array.custom %p, %z
// CHECK:         array.log
// CHECK:         derivative
// CHECK:         %[[n:.*]] = array.neg
// CHECK-NEXT:    array.logistic %[[n]]
func.func @loss(%z: f64) -> f64 {
  %p = array.logistic %z : f64
  %l = array.log %p : f64
  func.return %l : f64
}

func.func @main(%z: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %z {callee = @loss, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}

// -----

// The square of an angle has no pole where the angle has one.

// CHECK-LABEL: func.func @squared(
// CHECK:         array.custom %x
// CHECK:         array.acos
// CHECK:         derivative
// CHECK-NOT:     array.rsqrt
func.func @squared(%x: f64) -> f64 {
  %a = array.acos %x : f64
  %s = array.mul %a, %a : f64
  func.return %s : f64
}

func.func @main(%x: f64) -> !linear.map<f64, f64> {
  %y, %d = linear.linearize %x {callee = @squared, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %d : !linear.map<f64, f64>
}

// -----

// The largest and the smallest of two elements are those of two numbers, whose product is that of the numbers.

// CHECK-LABEL: func.func @range(
// CHECK-NEXT:    %[[first:.*]] = array.slice %x {starts = [0, 0], limits = [3, 1], strides = [1, 1]}
// CHECK-NEXT:    %[[x:.*]] = array.reshape %[[first]] : tensor<3x1xf64> -> tensor<3xf64>
// CHECK-NEXT:    %[[second:.*]] = array.slice %x {starts = [0, 1], limits = [3, 2], strides = [1, 1]}
// CHECK-NEXT:    %[[y:.*]] = array.reshape %[[second]] : tensor<3x1xf64> -> tensor<3xf64>
// CHECK-NEXT:    %p = array.mul %[[x]], %[[y]] : tensor<3xf64>
// CHECK-NEXT:    func.return %p : tensor<3xf64>
func.func @range(%x: tensor<3x2xf64>) -> tensor<3xf64> {
  %l = array.reduce max %x {dims = [1]} : tensor<3x2xf64> -> tensor<3xf64>
  %s = array.reduce min %x {dims = [1]} : tensor<3x2xf64> -> tensor<3xf64>
  %p = array.mul %l, %s : tensor<3xf64>
  func.return %p : tensor<3xf64>
}

func.func @main(%x: tensor<3x2xf64>) -> !linear.map<tensor<3x2xf64>, tensor<3xf64>> {
  %y, %d = linear.linearize %x {callee = @range, wrt = [0]} : tensor<3x2xf64> -> (tensor<3xf64>, !linear.map<tensor<3x2xf64>, tensor<3xf64>>)
  func.return %d : !linear.map<tensor<3x2xf64>, tensor<3xf64>>
}
