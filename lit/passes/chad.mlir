// RUN: mlirad-opt --split-input-file -p 'differentiate{function=f},linearize{method=chad}' %s | filecheck %s

// Functions stay functions: @g is differentiated once for two calls. Forward, a call also returns what the sweep
// reads; backward, calls add to sums of cotangents, which come last.

// CHECK-LABEL: func.func @f_grad(%x: f64) -> (f64, f64) {
// CHECK: %0, %1, %2 = func.call @f_fwd(%x) : (f64) -> (f64, f64, f64)
// CHECK: %3 = linear.recorded %1, %2 {callee = @f_bwd, fresh = [0]} : f64, f64 -> !linear.map<tuple<f64>, tuple<f64>>
// CHECK-LABEL: func.func private @g_fwd(%x: f64) -> (f64, f64) {
// CHECK-NEXT: %y = array.sin %x : f64
// CHECK-NEXT: %0 = array.cos %x : f64
// CHECK-NEXT: func.return %y, %0 : f64, f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @g_bwd(%0: f64, %ct: f64) -> f64 {
// CHECK-NEXT: %1 = array.absorbing_mul %0, %ct : f64
// CHECK-NEXT: func.return %1 : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f_fwd(%x: f64) -> (f64, f64, f64) {
// CHECK-NEXT: %0, %1 = func.call @g_fwd(%x) : (f64) -> (f64, f64)
// CHECK-NEXT: %2, %3 = func.call @g_fwd(%0) : (f64) -> (f64, f64)
// CHECK-NEXT: func.return %2, %1, %3 : f64, f64, f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f_bwd(%0: f64, %1: f64, %ct: f64) -> f64 {
// CHECK-NEXT: %2 = func.call @g_bwd(%1, %ct) : (f64, f64) -> f64
// CHECK-NEXT: %3 = func.call @g_bwd(%0, %2) : (f64, f64) -> f64
// CHECK-NEXT: func.return %3 : f64
// CHECK-NEXT: }

func.func private @g(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @f(%x: f64) -> f64 {
  %a = func.call @g(%x) : (f64) -> f64
  %b = func.call @g(%a) : (f64) -> f64
  func.return %b : f64
}

// -----

// Of an iteration what the step back reads is stacked. Back, the cotangent of the carry and the sum of that of %w are
// carried.

// CHECK-LABEL: func.func private @f_fwd(%w: f64, %xs: tensor<5xf64>) -> (f64, tensor<5xf64>, tensor<5xf64>) {
// CHECK-NEXT: %0 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %r, %1, %2 = array.scan %0, %xs (%3, %4: f64, %5: f64) {carries = 1, length = 5} : f64, tensor<5xf64> -> (f64, tensor<5xf64>, tensor<5xf64>) {
// CHECK-NEXT: %s = array.mul %w, %4 : f64
// CHECK-NEXT: %t = array.tanh %s : f64
// CHECK-NEXT: %6 = array.tanh_slope %s, %t : f64
// CHECK-NEXT: %u = array.add %t, %5 : f64
// CHECK-NEXT: array.yield %u, %4, %6 : f64, f64, f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r, %2, %1 : f64, tensor<5xf64>, tensor<5xf64>
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f_bwd(%w: f64, %0: tensor<5xf64>, %1: tensor<5xf64>, %ct: f64) -> f64 {
// CHECK-NEXT: %2 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %3, %4 = array.scan %ct, %2, %1, %0 (%5, %6: f64, %7: f64, %8: f64, %9: f64) {carries = 2, length = 5, reverse} : f64, f64, tensor<5xf64>, tensor<5xf64> -> (f64, f64) {
// CHECK-NEXT: %10 = array.absorbing_mul %9, %6 : f64
// CHECK-NEXT: %11 = array.absorbing_mul %8, %10 : f64
// CHECK-NEXT: %12 = array.add %7, %11 : f64
// CHECK-NEXT: %13 = array.absorbing_mul %w, %10 : f64
// CHECK-NEXT: array.yield %13, %12 : f64, f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %4 : f64
// CHECK-NEXT: }

func.func @f(%w: f64, %xs: tensor<5xf64>) -> f64 {
  %0 = array.constant 0.0 : f64
  %r = array.scan %0, %xs (%i, %c : f64, %x : f64) {carries = 1, length = 5} : f64, tensor<5xf64> -> f64 {
    %s = array.mul %w, %c : f64
    %t = array.tanh %s : f64
    %u = array.add %t, %x : f64
    array.yield %u : f64
  }
  func.return %r : f64
}

// -----

// The sum of cotangents goes through the branch that ran.

// CHECK-LABEL: func.func private @f_fwd(%x: f64, %a: tensor<5xf64>, %p: i1, %k: i64) -> (f64, f64, f64) {
// CHECK-NEXT: %0, %1 = array.if %p : i1 -> (f64, f64) {
// CHECK-NEXT: %e = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT: %s = array.sin %e : f64
// CHECK-NEXT: %s_1 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: array.yield %s, %s_1 : f64, f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %t = array.exp %x : f64
// CHECK-NEXT: array.yield %t, %t : f64, f64
// CHECK-NEXT: }
// CHECK-NEXT: %y = array.mul %0, %x : f64
// CHECK-NEXT: func.return %y, %1, %0 : f64, f64, f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f_bwd(%0: f64, %p: i1, %1: f64, %x: f64, %ct: f64) -> f64 {
// CHECK-NEXT: %2 = array.absorbing_mul %x, %ct : f64
// CHECK-NEXT: %3 = array.absorbing_mul %1, %ct : f64
// CHECK-NEXT: %4 = array.if %p : i1 -> f64 {
// CHECK-NEXT: array.yield %3 : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: %5 = array.absorbing_mul %0, %2 : f64
// CHECK-NEXT: %6 = array.add %3, %5 : f64
// CHECK-NEXT: array.yield %6 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %4 : f64
// CHECK-NEXT: }

func.func @f(%x: f64, %a: tensor<5xf64>, %p: i1, %k: i64) -> f64 {
  %r = array.if %p : i1 -> f64 {
    %e = array.index %a[%k] : tensor<5xf64> -> f64
    %s = array.sin %e : f64
    array.yield %s : f64
  } else {
    %t = array.exp %x : f64
    array.yield %t : f64
  }
  %y = array.mul %r, %x : f64
  func.return %y : f64
}

// -----

// Cells of an array that is also read whole: the whole comes first, and the parts are added to it in place.

// CHECK-LABEL: func.func private @f_fwd(%a: tensor<8xf64>, %i: i64) -> (f64, tensor<8xf64>, f64, f64) {
// CHECK-NEXT: %x = array.index %a[%i] : tensor<8xf64> -> f64
// CHECK-NEXT: %e = array.exp %a : tensor<8xf64>
// CHECK-NEXT: %s = array.sum %e {dims = [0]} : tensor<8xf64> -> f64
// CHECK-NEXT: %y = array.mul %x, %s : f64
// CHECK-NEXT: func.return %y, %e, %x, %s : f64, tensor<8xf64>, f64, f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @f_bwd(%i: i64, %e: tensor<8xf64>, %x: f64, %s: f64, %ct: f64) -> tensor<8xf64> {
// CHECK-NEXT: %0 = array.absorbing_mul %s, %ct : f64
// CHECK-NEXT: %1 = array.absorbing_mul %x, %ct : f64
// CHECK-NEXT: %2 = array.broadcast %1 {dims = []} : f64 -> tensor<8xf64>
// CHECK-NEXT: %3 = array.absorbing_mul %e, %2 : tensor<8xf64>
// CHECK-NEXT: %4 = array.update add %3, %0 () : tensor<8xf64>, f64 -> tensor<8xf64> {
// CHECK-NEXT: array.yield %i : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %4 : tensor<8xf64>
// CHECK-NEXT: }

func.func @f(%a: tensor<8xf64>, %i: i64) -> f64 {
  %x = array.index %a[%i] : tensor<8xf64> -> f64
  %e = array.exp %a : tensor<8xf64>
  %s = array.sum %e {dims = [0]} : tensor<8xf64> -> f64
  %y = array.mul %x, %s : f64
  func.return %y : f64
}
