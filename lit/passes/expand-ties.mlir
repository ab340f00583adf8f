// RUN: mlirad-opt %s -p expand-ties --split-input-file | filecheck %s

// exp(-|x|) has x x / 2 more at 0, in what is differentiated twice.

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %a = array.abs %x : f64
// CHECK-NEXT:    %n = array.neg %a : f64
// CHECK-NEXT:    %e = array.exp %n : f64
// CHECK-NEXT:    %[[zero:.*]] = array.constant 0.000000e+00 : f64
// CHECK:         %[[tie:.*]] = array.compare eq %a, %[[zero]] : f64, f64 -> i1
// CHECK-NEXT:    %[[none:.*]] = array.constant -0.000000e+00 : f64
// CHECK-NEXT:    %[[share:.*]] = array.constant 5.000000e-01 : f64
// CHECK-NEXT:    %[[square:.*]] = array.mul %x, %x : f64
// CHECK-NEXT:    %[[half:.*]] = array.mul %[[share]], %[[square]] : f64
// CHECK-NEXT:    %[[term:.*]] = array.select %[[tie]], %[[half]], %[[none]] : i1, f64, f64 -> f64
// CHECK-NEXT:    %[[r:.*]] = array.add %e, %[[term]] : f64
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

// A value that is linear in a kink, or differentiated once, stays.

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

// Kinks that are multiples of one another are one, and what moves their elements moves their squares.

// CHECK-LABEL: func.func @product(
// CHECK:         %p = array.mul %a, %m : f64
// CHECK:         %[[square:.*]] = array.mul %x, %x : f64
// CHECK:         %[[twice:.*]] = array.mul %{{.*}}, %[[square]] : f64
// CHECK:         %[[term:.*]] = array.select %{{.*}}, %[[twice]], %{{.*}} : i1, f64, f64 -> f64
// CHECK-NEXT:    %[[r:.*]] = array.add %p, %[[term]] : f64
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
// CHECK:         %[[squares:.*]] = array.mul %x, %x : tensor<3xf64>
// CHECK-NEXT:    array.reverse %[[squares]] {dims = [0]} : tensor<3xf64> -> tensor<3xf64>
// CHECK:         %[[there:.*]] = array.reverse %[[tie]] {dims = [0]} : tensor<3xi1> -> tensor<3xi1>
// CHECK:         %[[term:.*]] = array.select %[[there]], %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xf64>
// CHECK-NEXT:    array.add %c, %[[term]] : tensor<3xf64>
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

// An even function is made smooth at once, and nothing behind it; a loop whose state depends on a kink that
// is one number has its term on a branch.

// CHECK-LABEL: func.func @even(
// CHECK:         %c = array.cos %a : f64
// CHECK:         %[[s:.*]] = array.add %c, %{{.*}} : f64
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
// CHECK-NEXT:      array.yield %{{.*}} : f64
// CHECK:         %[[f:.*]] = array.add %y, %[[r]] : f64
// CHECK-NEXT:    func.return %[[f]] : f64
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

// -----

// Behind what mixes elements, each element of a kink that is 0 has a term of its own, of the code along a unit
// vector.

// CHECK-LABEL: func.func @sum(
// CHECK:         %e = array.exp %s : f64
// CHECK:         %[[ties:.*]] = array.compare eq %a, %{{.*}} : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK-NEXT:    %[[any:.*]] = array.reduce or %[[ties]] {dims = [0]} : tensor<3xi1> -> i1
// CHECK-NEXT:    %[[terms:.*]] = array.if %[[any]] : i1 -> f64 {
// CHECK-NEXT:      %[[squares:.*]] = array.mul %x, %x : tensor<3xf64>
// CHECK:           array.scan %{{.*}} (%[[k:.*]], %[[before:.*]]: f64) {carries = 1, length = 3} : f64 -> f64 {
// CHECK-NEXT:        %[[tie:.*]] = array.index %[[ties]][%[[k]]] : tensor<3xi1> -> i1
// CHECK-NEXT:        array.if %[[tie]] : i1 -> f64 {
// CHECK-NEXT:          %[[square:.*]] = array.index %[[squares]][%[[k]]] : tensor<3xf64> -> f64
// CHECK:               %[[unit:.*]] = array.convert %{{.*}} : tensor<3xi1> -> tensor<3xf64>
// CHECK-NEXT:          array.sum %[[unit]] {dims = [0]} : tensor<3xf64> -> f64
// CHECK:               %[[term:.*]] = array.absorbing_mul %{{.*}}, %[[square]] : f64
// CHECK-NEXT:          array.add %[[before]], %[[term]] : f64
// CHECK:         array.add %e, %[[terms]] : f64
func.func @sum(%x: tensor<3xf64>) -> f64 {
  %a = array.abs %x : tensor<3xf64>
  %s = array.sum %a {dims = [0]} : tensor<3xf64> -> f64
  %e = array.exp %s : f64
  func.return %e : f64
}

func.func @slope(%x: tensor<3xf64>) -> f64 {
  %y, %d = linear.linearize %x {callee = @sum, wrt = [0]} : tensor<3xf64> -> (f64, !linear.map<tensor<3xf64>, f64>)
  func.return %y : f64
}

func.func @main(%x: tensor<3xf64>) -> !linear.map<tensor<3xf64>, f64> {
  %y, %d = linear.linearize %x {callee = @slope, wrt = [0]} : tensor<3xf64> -> (f64, !linear.map<tensor<3xf64>, f64>)
  func.return %d : !linear.map<tensor<3xf64>, f64>
}

// -----

// A kink of what a branch reads is made in front of it, so the square outside is smooth.

// CHECK-LABEL: func.func @branch(
// CHECK-NEXT:    %a = array.abs %x : f64
// CHECK-NEXT:    %r = array.if %c : i1 -> f64 {
// CHECK-NEXT:      array.yield %a : f64
// CHECK:         %e = array.cos %r : f64
// CHECK:         array.compare eq %a
func.func @branch(%x: f64, %c: i1) -> f64 {
  %r = array.if %c : i1 -> f64 {
    %a = array.abs %x : f64
    array.yield %a : f64
  } else {
    array.yield %x : f64
  }
  %e = array.cos %r : f64
  func.return %e : f64
}

// A kink of constants divided by %l is 0 where these are, and has no derivative there.

// CHECK-LABEL: func.func @at_rest(
// CHECK-NOT:     array.select
// CHECK:         func.return
func.func @at_rest(%l: f64, %c: tensor<3xf64>) -> f64 {
  %ls = array.broadcast %l {dims = []} : f64 -> tensor<3xf64>
  %d = array.div %c, %ls : tensor<3xf64>
  %a = array.abs %d : tensor<3xf64>
  %s = array.sum %a {dims = [0]} : tensor<3xf64> -> f64
  %e = array.exp %s : f64
  func.return %e : f64
}

// Magnitudes of multiples of one number are multiples of its magnitude, which is one kink.

// CHECK-LABEL: func.func @multiples(
// CHECK:         [[A:%.*]] = array.abs %x : f64
// CHECK:         [[C:%.*]] = array.abs %c : tensor<3xf64>
// CHECK:         array.compare eq [[A]]
// CHECK-NOT:     array.scan
// CHECK:         func.return
func.func @multiples(%x: f64, %c: tensor<3xf64>) -> f64 {
  %xs = array.broadcast %x {dims = []} : f64 -> tensor<3xf64>
  %d = array.mul %c, %xs : tensor<3xf64>
  %a = array.abs %d : tensor<3xf64>
  %s = array.sum %a {dims = [0]} : tensor<3xf64> -> f64
  %e = array.cos %s : f64
  func.return %e : f64
}

func.func @slopes(%x: f64, %l: f64, %b: i1, %c: tensor<3xf64>) -> f64 {
  %y, %d = linear.linearize %x, %b {callee = @branch, wrt = [0]} : f64, i1 -> (f64, !linear.map<f64, f64>)
  %z, %e = linear.linearize %l, %c {callee = @at_rest, wrt = [0]} : f64, tensor<3xf64> -> (f64, !linear.map<f64, f64>)
  %u, %f = linear.linearize %x, %c {callee = @multiples, wrt = [0]} : f64, tensor<3xf64> -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}

func.func @main(%x: f64, %l: f64, %b: i1, %c: tensor<3xf64>) -> !linear.map<tuple<f64, f64>, f64> {
  %y, %d = linear.linearize %x, %l, %b, %c {callee = @slopes, wrt = [0, 1]} : f64, f64, i1, tensor<3xf64> -> (f64, !linear.map<tuple<f64, f64>, f64>)
  func.return %d : !linear.map<tuple<f64, f64>, f64>
}
