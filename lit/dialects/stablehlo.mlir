// RUN: mlirad-opt %s | filecheck %s
// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// StableHLO in the forms in which its own printer writes it.

// CHECK-LABEL: func.func @elementwise(
// CHECK-NEXT: %0 = stablehlo.add %x, %x : tensor<3xf64>
// CHECK-NEXT: %1 = stablehlo.convert %x : (tensor<3xf64>) -> tensor<3xf32>
// CHECK-NEXT: %2 = stablehlo.compare LT, %0, %x, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
// CHECK-NEXT: %3 = stablehlo.select %2, %0, %x : tensor<3xi1>, tensor<3xf64>
// CHECK-NEXT: %4 = stablehlo.clamp %a, %3, %a : (tensor<f64>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
// CHECK-NEXT: %5 = chlo.erf %4 : tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT: %6 = stablehlo.reduce_precision %x, format = e8m23 : tensor<3xf64>
// CHECK-NEXT: %7 = stablehlo.shift_right_logical %n, %n : tensor<ui32>
func.func @elementwise(%x: tensor<3xf64>, %a: tensor<f64>, %n: tensor<ui32>) {
  %0 = stablehlo.add %x, %x : tensor<3xf64>
  %1 = stablehlo.convert %x : (tensor<3xf64>) -> tensor<3xf32>
  %2 = stablehlo.compare LT, %0, %x, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  %3 = stablehlo.select %2, %0, %x : tensor<3xi1>, tensor<3xf64>
  %4 = stablehlo.clamp %a, %3, %a : (tensor<f64>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %5 = chlo.erf %4 : tensor<3xf64> -> tensor<3xf64>
  %6 = stablehlo.reduce_precision %x, format = e8m23 : tensor<3xf64>
  %7 = stablehlo.shift_right_logical %n, %n : tensor<ui32>
  return
}

// CHECK-LABEL: func.func @structure(
// CHECK-NEXT: %0 = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
// CHECK-NEXT: %1 = stablehlo.iota dim = 0 : tensor<4xi32>
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf64>) -> tensor<2x3xf64>
// CHECK-NEXT: %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:3:2, 1:2] : (tensor<3x2xf64>) -> tensor<2x1xf64>
// CHECK-NEXT: %5 = stablehlo.pad %x, %a, low = [1], high = [-1], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
// CHECK-NEXT: %6 = stablehlo.concatenate %x, %5, dim = 0 : (tensor<3xf64>, tensor<3xf64>) -> tensor<6xf64>
// CHECK-NEXT: %7 = stablehlo.reverse %x, dims = [0] : tensor<3xf64>
// CHECK-NEXT: %8 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<3xf64>, tensor<i64>) -> tensor<2xf64>
// CHECK-NEXT: %9 = stablehlo.dynamic_update_slice %x, %8, %i : (tensor<3xf64>, tensor<2xf64>, tensor<i64>) -> tensor<3xf64>
// CHECK-NEXT: %10 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
// CHECK-NEXT: %11, %12 = chlo.top_k(%x, k = 2) : tensor<3xf64> -> (tensor<2xf64>, tensor<2xi32>)
// CHECK-NEXT: %13 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf64>, tensor<4x1xi32>) -> tensor<4xf64>
func.func @structure(%x: tensor<3xf64>, %a: tensor<f64>, %i: tensor<i64>, %j: tensor<4x1xi32>) {
  %0 = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %1 = stablehlo.iota dim = 0 : tensor<4xi32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf64>) -> tensor<2x3xf64>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %4 = stablehlo.slice %3 [0:3:2, 1:2] : (tensor<3x2xf64>) -> tensor<2x1xf64>
  %5 = stablehlo.pad %x, %a, low = [1], high = [-1], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %6 = stablehlo.concatenate %x, %5, dim = 0 : (tensor<3xf64>, tensor<3xf64>) -> tensor<6xf64>
  %7 = stablehlo.reverse %x, dims = [0] : tensor<3xf64>
  %8 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<3xf64>, tensor<i64>) -> tensor<2xf64>
  %9 = stablehlo.dynamic_update_slice %x, %8, %i : (tensor<3xf64>, tensor<2xf64>, tensor<i64>) -> tensor<3xf64>
  %10 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  %11, %12 = chlo.top_k(%x, k = 2) : tensor<3xf64> -> (tensor<2xf64>, tensor<2xi32>)
  %13 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf64>, tensor<4x1xi32>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func.func @control(
// CHECK:      %1 = stablehlo.reduce(%x init: %a) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT: %2 = stablehlo.reduce(%x init: %a) across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT: reducer(%p: tensor<f64>, %q: tensor<f64>) {
// CHECK-NEXT:   %3 = stablehlo.multiply %p, %p : tensor<f64>
// CHECK:      %5, %6 = stablehlo.while(%k = %0, %c = %a) : tensor<i64>, tensor<f64>
// CHECK-NEXT: cond {
// CHECK-NEXT:   %more = stablehlo.compare LT, %k, %0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT:   stablehlo.return %more : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT:   stablehlo.return %k, %c : tensor<i64>, tensor<f64>
// CHECK-NEXT: }
// CHECK-NEXT: %7 = stablehlo.custom_call @target(%x) {has_side_effect = true} : (tensor<3xf64>) -> tensor<3xf64>
// CHECK-NEXT: %8 = stablehlo.composite "some.name" %a {decomposition = @inner} : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT: %9, %10 = stablehlo.optimization_barrier %x, %a : tensor<3xf64>, tensor<f64>
func.func @control(%x: tensor<3xf64>, %a: tensor<f64>) {
  %0 = stablehlo.constant dense<5> : tensor<i64>
  %1 = stablehlo.reduce(%x init: %a) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %2 = stablehlo.reduce(%x init: %a) across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
   reducer(%p: tensor<f64>, %q: tensor<f64>)  {
    %3 = stablehlo.multiply %p, %p : tensor<f64>
    %4 = stablehlo.add %3, %q : tensor<f64>
    stablehlo.return %4 : tensor<f64>
  }
  %3:2 = stablehlo.while(%k = %0, %c = %a) : tensor<i64>, tensor<f64>
  cond {
    %more = stablehlo.compare LT, %k, %0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    stablehlo.return %k, %c : tensor<i64>, tensor<f64>
  }
  %4 = stablehlo.custom_call @target(%x) {has_side_effect = true} : (tensor<3xf64>) -> tensor<3xf64>
  %5 = stablehlo.composite "some.name" %a {decomposition = @inner} : (tensor<f64>) -> tensor<f64>
  %6:2 = stablehlo.optimization_barrier %x, %a : tensor<3xf64>, tensor<f64>
  return
}

func.func private @inner(%a: tensor<f64>) -> tensor<f64> {
  return %a : tensor<f64>
}
