// RUN: mlirad-opt %s -p simplify-maps --split-input-file | filecheck %s

// Transposes are pushed inwards.

// transpose of a composition: (m ∘ n)ᵀ = nᵀ ∘ mᵀ.

// CHECK-LABEL: func.func @transpose_of_a_composition(
// CHECK-NEXT:  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:  %m_1 = linear.compose %s, %m : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<f64, tensor<3xf64>> -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:}
func.func @transpose_of_a_composition(%a: tensor<3xf64>) -> !linear.map<f64, tensor<3xf64>> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %r = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
  %n = linear.compose %r, %s : !linear.map<tensor<3xf64>, f64>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, f64>
  %m = linear.transpose %n : !linear.map<tensor<3xf64>, f64> -> !linear.map<f64, tensor<3xf64>>
  func.return %m : !linear.map<f64, tensor<3xf64>>
}

// -----

// transpose of a sum: (m + n)ᵀ = mᵀ + nᵀ.

// CHECK-LABEL: func.func @transpose_of_a_sum(
// CHECK-NEXT:  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = linear.cumulative_sum {dim = 0, reverse} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_1 = linear.add %s, %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @transpose_of_a_sum(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %r = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %n = linear.add %s, %r : !linear.map<tensor<3xf64>, tensor<3xf64>>
  %m = linear.transpose %n : !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// transpose of pairs and joins: (m × n)ᵀ = mᵀ ⋈ nᵀ, (m ⋈ n)ᵀ = mᵀ × nᵀ.

// CHECK-LABEL: func.func @transpose_of_pairs_and_joins(
// CHECK-NEXT:  %r = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  func.return %r : !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:}
func.func @transpose_of_pairs_and_joins(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, f64> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %r = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
  %q = linear.transpose %r : !linear.map<tensor<3xf64>, f64> -> !linear.map<f64, tensor<3xf64>>
  %v = linear.vcat %s, %r : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, f64> -> !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, f64>>
  %t = linear.transpose %v : !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, f64>> -> !linear.map<tuple<tensor<3xf64>, f64>, tensor<3xf64>>
  %i = linear.inject {index = 1} : -> !linear.map<f64, tuple<tensor<3xf64>, f64>>
  %n = linear.compose %t, %i : !linear.map<tuple<tensor<3xf64>, f64>, tensor<3xf64>>, !linear.map<f64, tuple<tensor<3xf64>, f64>> -> !linear.map<f64, tensor<3xf64>>
  %m = linear.transpose %n : !linear.map<f64, tensor<3xf64>> -> !linear.map<tensor<3xf64>, f64>
  func.return %m : !linear.map<tensor<3xf64>, f64>
}

// -----

// transpose of a primitive map: a primitive map's transpose is one, by its table.

// CHECK-LABEL: func.func @transpose_of_a_primitive_map(
// CHECK-NEXT:  %m = linear.pad {low = [1], high = [2], interior = [1]} : -> !linear.map<tensor<2xf64>, tensor<6xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2xf64>, tensor<6xf64>>
// CHECK-NEXT:}
func.func @transpose_of_a_primitive_map() -> !linear.map<tensor<2xf64>, tensor<6xf64>> {
  %n = linear.slice {starts = [1], limits = [4], strides = [2]} : -> !linear.map<tensor<6xf64>, tensor<2xf64>>
  %m = linear.transpose %n : !linear.map<tensor<6xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<6xf64>>
  func.return %m : !linear.map<tensor<2xf64>, tensor<6xf64>>
}

// -----

// transpose under regions: 𝓑(i. m)ᵀ = 𝓑′(i. mᵀ), 𝓛(a. m)ᵀ = eliminate(a. mᵀ) and back; (if p m n)ᵀ = if p mᵀ nᵀ.

// CHECK-LABEL: func.func @transpose_under_regions(
// CHECK-NEXT:  %m = linear.build_transpose (%0) {extents = [3]} : -> !linear.map<tensor<3xf64>, f64> {
// CHECK-NEXT:    %c = array.index %a[%0] : tensor<3xf64> -> f64
// CHECK-NEXT:    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:    %r = linear.reshape : -> !linear.map<f64, f64>
// CHECK-NEXT:    %t = linear.compose %s, %r : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
// CHECK-NEXT:    array.yield %t : !linear.map<f64, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %m : !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:}
func.func @transpose_under_regions(%a: tensor<3xf64>, %p: i1) -> !linear.map<tensor<3xf64>, f64> {
  %n = linear.build (%i) {extents = [3]} : -> !linear.map<f64, tensor<3xf64>> {
    %c = array.index %a[%i] : tensor<3xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %r = linear.reshape : -> !linear.map<f64, f64>
    %t = linear.compose %r, %s : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
    array.yield %t : !linear.map<f64, f64>
  }
  %m = linear.transpose %n : !linear.map<f64, tensor<3xf64>> -> !linear.map<tensor<3xf64>, f64>
  func.return %m : !linear.map<tensor<3xf64>, f64>
}
