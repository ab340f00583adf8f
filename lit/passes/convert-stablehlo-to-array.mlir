// RUN: mlirad-opt %s -p convert-stablehlo-to-array --split-input-file --verify-diagnostics | filecheck %s

// A tensor of rank 0 is a scalar, and a reduction that an op is the step of is that reduction.

// CHECK-LABEL: func.func @norm(%x: tensor<3xf64>) -> f64 {
// CHECK-NEXT:    %[[S:.*]] = array.mul %x, %x : tensor<3xf64>
// CHECK-NEXT:    %[[R:.*]] = array.sum %[[S]] {dims = [0]} : tensor<3xf64> -> f64
// CHECK-NEXT:    func.return %[[R]] : f64
func.func @norm(%x: tensor<3xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = chlo.square %x : tensor<3xf64> -> tensor<3xf64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

// -----

// A loop that counts is a scan, and rows that it writes are stacked. Short functions are written out.

// CHECK-LABEL: func.func @loop(%x: f64) -> (f64, tensor<4xf64>) {
// CHECK-NEXT:    %[[A:.*]], %[[Y:.*]] = array.scan %x (%{{.*}}, %[[C:.*]]: f64) {carries = 1, length = 4} : f64 -> (f64, tensor<4xf64>) {
// CHECK-NEXT:      %[[T:.*]] = array.tanh %[[C]] : f64
// CHECK-NEXT:      array.yield %[[T]], %[[C]] : f64, f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[A]], %[[Y]] : f64, tensor<4xf64>
func.func @loop(%x: tensor<f64>) -> (tensor<f64>, tensor<4xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %none = stablehlo.constant dense<0.0> : tensor<4xf64>
  %r:3 = stablehlo.while(%i = %zero, %c = %x, %ys = %none) : tensor<i64>, tensor<f64>, tensor<4xf64>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i64>
    %more = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %t = func.call @step(%c) : (tensor<f64>) -> tensor<f64>
    %row = stablehlo.reshape %c : (tensor<f64>) -> tensor<1xf64>
    %new = stablehlo.dynamic_update_slice %ys, %row, %i : (tensor<4xf64>, tensor<1xf64>, tensor<i64>) -> tensor<4xf64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next, %t, %new : tensor<i64>, tensor<f64>, tensor<4xf64>
  }
  return %r#1, %r#2 : tensor<f64>, tensor<4xf64>
}

func.func private @step(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.tanh %x : tensor<f64>
  return %0 : tensor<f64>
}

// -----

// Rows at positions are a gather; a sort by another array is a gather in its order; a prefix sum is one.

// CHECK-LABEL: func.func @positions(
// CHECK:         array.gather %x (%[[I:.*]]) : tensor<5x2xf64> -> tensor<3x2xf64> {
// CHECK:         array.argsort
// CHECK:         array.cumulative sum %y {dim = 0} : tensor<4xf64>
func.func @positions(%x: tensor<5x2xf64>, %p: tensor<3x1xi32>, %y: tensor<4xf64>, %n: tensor<4xi64>) -> (tensor<3x2xf64>, tensor<4xi64>, tensor<4xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = "stablehlo.gather"(%x, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<5x2xf64>, tensor<3x1xi32>) -> tensor<3x2xf64>
  %1:2 = "stablehlo.sort"(%y, %n) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<i64>, %d: tensor<i64>):
    %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xf64>, tensor<4xi64>) -> (tensor<4xf64>, tensor<4xi64>)
  %2 = "stablehlo.reduce_window"(%y, %zero) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %0, %1#1, %2 : tensor<3x2xf64>, tensor<4xi64>, tensor<4xf64>
}

// -----

func.func @shapes(%x: tensor<3xf64>) -> tensor<4xf64> {
  // expected-error @below {{stablehlo.tanh: the result is tensor<4xf64>, and must be tensor<3xf64>}}
  %0 = stablehlo.tanh %x : (tensor<3xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @target(%x: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @below {{stablehlo.custom_call: calls @secret, which is code outside of the program}}
  %0 = stablehlo.custom_call @secret(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

func.func @comparison(%x: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @below {{stablehlo.sort: its comparison does not compare its operands by LT or GT}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    %less = stablehlo.compare LT, %s, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

// expected-error @below {{@half: the language has no floats of type bf16: compute in f32 or f64}}
func.func @half(%x: tensor<3xbf16>) -> tensor<3xbf16> {
  %0 = stablehlo.tanh %x : tensor<3xbf16>
  return %0 : tensor<3xbf16>
}
