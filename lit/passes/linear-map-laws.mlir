// RUN: mlirad-opt %s -p mlirad-canonicalize --split-input-file | filecheck %s

// 0 m = 0;  1 m = m;  m + 0 = m;  (m^T)^T = m.

// CHECK-LABEL: func.func @units
// CHECK-NEXT:    [[m:%.*]] = linear.reverse {dims = [0]}
// CHECK-NEXT:    func.return [[m]]
!m = !linear.map<tensor<2xf64>, tensor<2xf64>>
func.func @units() -> !linear.map<tensor<2xf64>, tensor<2xf64>> {
  %m = linear.reverse {dims = [0]} : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %one = linear.identity : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %zero = linear.zero : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %a = linear.compose %one, %m : !m, !m -> !m
  %b = linear.compose %zero, %a : !m, !m -> !m
  %c = linear.add %b, %a : !m
  %d = linear.transpose %c : !m -> !m
  %e = linear.transpose %d : !m -> !m
  func.return %e : !m
}

// -----

// S(1) = 1;  S(a) S(b) = S(a b) for finite factors.

// CHECK-LABEL: func.func @scales
// CHECK-NEXT:    [[k:%.*]] = array.constant 6.000000e+00 : f64
// CHECK-NEXT:    [[s:%.*]] = linear.scale [[k]]
// CHECK-NEXT:    func.return [[s]]
!s = !linear.map<f64, f64>
func.func @scales() -> !s {
  %one = array.constant 1.0 : f64
  %two = array.constant 2.0 : f64
  %three = array.constant 3.0 : f64
  %a = linear.scale %one : f64 -> !s
  %b = linear.scale %two : f64 -> !s
  %c = linear.scale %three : f64 -> !s
  %d = linear.compose %b, %a : !s, !s -> !s
  %e = linear.compose %d, %c : !s, !s -> !s
  func.return %e : !s
}

// -----

// S(a) m + S(b) m = S(a + b) m.

// CHECK-LABEL: func.func @sum_of_scales
// CHECK-NEXT:    [[p:%.*]] = linear.project {index = 0}
// CHECK-NEXT:    [[k:%.*]] = array.add %x, %y : f64
// CHECK-NEXT:    [[s:%.*]] = linear.scale [[k]]
// CHECK-NEXT:    [[c:%.*]] = linear.compose [[s]], [[p]]
// CHECK-NEXT:    func.return [[c]]
!s = !linear.map<f64, f64>
!p = !linear.map<tuple<f64, f64>, f64>
func.func @sum_of_scales(%x: f64, %y: f64) -> !p {
  %p = linear.project {index = 0} : -> !p
  %a = linear.scale %x : f64 -> !s
  %b = linear.scale %y : f64 -> !s
  %l = linear.compose %a, %p : !s, !p -> !p
  %r = linear.compose %b, %p : !s, !p -> !p
  %c = linear.add %l, %r : !p
  func.return %c : !p
}

// -----

// A projection takes its map out of a tuple of maps, an injection out of a join; eta.

// CHECK-LABEL: func.func @tuples
// CHECK-NEXT:    [[b:%.*]] = linear.scale %y
// CHECK-NEXT:    [[i:%.*]] = linear.identity : -> !linear.map<tuple<f64, f64>, tuple<f64, f64>>
// CHECK-NEXT:    func.return [[b]], [[b]], [[i]], [[i]]
!s = !linear.map<f64, f64>
!p = !linear.map<tuple<f64, f64>, f64>
!i = !linear.map<f64, tuple<f64, f64>>
!t = !linear.map<tuple<f64, f64>, tuple<f64, f64>>
func.func @tuples(%x: f64, %y: f64) -> (!s, !s, !t, !t) {
  %a = linear.scale %x : f64 -> !s
  %b = linear.scale %y : f64 -> !s
  %p0 = linear.project {index = 0} : -> !p
  %p1 = linear.project {index = 1} : -> !p
  %i0 = linear.inject {index = 0} : -> !i
  %i1 = linear.inject {index = 1} : -> !i
  %v = linear.vcat %a, %b : !s, !s -> !i
  %h = linear.hcat %a, %b : !s, !s -> !p
  %q = linear.compose %p1, %v : !p, !i -> !s
  %r = linear.compose %h, %i1 : !p, !i -> !s
  %e = linear.vcat %p0, %p1 : !p, !p -> !t
  %f = linear.hcat %i0, %i1 : !i, !i -> !t
  func.return %q, %r, %e, %f : !s, !s, !t, !t
}

// -----

// The transpose of a primitive is a primitive.

// CHECK-LABEL: func.func @transposes
// CHECK-NEXT:    linear.pad {low = [1], high = [2], interior = [1]}
// CHECK-NEXT:    linear.broadcast {dims = [1]}
// CHECK-NEXT:    linear.one_hot{{ ?}}[%i]
// CHECK-NEXT:    linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [1]}
func.func @transposes(%i: i64, %a: tensor<4x2xf64>)
    -> (!linear.map<tensor<2xf64>, tensor<6xf64>>, !linear.map<tensor<3xf64>, tensor<2x3xf64>>,
        !linear.map<f64, tensor<5xf64>>, !linear.map<tensor<2xf64>, tensor<4xf64>>) {
  %s = linear.slice {starts = [1], limits = [4], strides = [2]} : -> !linear.map<tensor<6xf64>, tensor<2xf64>>
  %b = linear.sum {dims = [0]} : -> !linear.map<tensor<2x3xf64>, tensor<3xf64>>
  %x = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
  %d = linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]}
    : tensor<4x2xf64> -> !linear.map<tensor<4xf64>, tensor<2xf64>>
  %t0 = linear.transpose %s : !linear.map<tensor<6xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<6xf64>>
  %t1 = linear.transpose %b : !linear.map<tensor<2x3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  %t2 = linear.transpose %x : !linear.map<tensor<5xf64>, f64> -> !linear.map<f64, tensor<5xf64>>
  %t3 = linear.transpose %d : !linear.map<tensor<4xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<4xf64>>
  func.return %t0, %t1, %t2, %t3 : !linear.map<tensor<2xf64>, tensor<6xf64>>, !linear.map<tensor<3xf64>, tensor<2x3xf64>>, !linear.map<f64, tensor<5xf64>>, !linear.map<tensor<2xf64>, tensor<4xf64>>
}
