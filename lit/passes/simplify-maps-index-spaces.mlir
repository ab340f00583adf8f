// RUN: mlirad-opt %s -p simplify-maps --split-input-file | filecheck %s

// Maps at every position become one map of arrays.

// zero at every position: 𝓑(i. 0) = 0, 𝓑′(i. 0) = 0.

// CHECK-LABEL: func.func @zero_at_every_position(
// CHECK-NEXT:  %m = linear.zero : -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:}
func.func @zero_at_every_position() -> !linear.map<f64, tensor<3xf64>> {
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<f64, tensor<3xf64>> {
    %z = linear.zero : -> !linear.map<f64, f64>
    array.yield %z : !linear.map<f64, f64>
  }
  func.return %m : !linear.map<f64, tensor<3xf64>>
}

// -----

// the same map at every position: 𝓑(i. m) = broadcast ∘ m.

// CHECK-LABEL: func.func @the_same_map_at_every_position(
// CHECK-NEXT:  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = linear.broadcast {dims = [1]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
// CHECK-NEXT:  %m_1 = linear.compose %m, %s : !linear.map<tensor<3xf64>, tensor<2x3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<3xf64>, tensor<2x3xf64>>
// CHECK-NEXT:}
func.func @the_same_map_at_every_position(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, tensor<2x3xf64>> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %m = linear.build (%i) {extents = [2]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>> {
    array.yield %s : !linear.map<tensor<3xf64>, tensor<3xf64>>
  }
  func.return %m : !linear.map<tensor<3xf64>, tensor<2x3xf64>>
}

// -----

// the sum of one map: 𝓑′(i. m) = m ∘ sum.

// CHECK-LABEL: func.func @the_sum_of_one_map(
// CHECK-NEXT:  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = linear.sum {dims = [0]} : -> !linear.map<tensor<2x3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_1 = linear.compose %s, %m : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<2x3xf64>, tensor<3xf64>> -> !linear.map<tensor<2x3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<2x3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @the_sum_of_one_map(%a: tensor<3xf64>) -> !linear.map<tensor<2x3xf64>, tensor<3xf64>> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %m = linear.build_transpose (%i) {extents = [2]} : -> !linear.map<tensor<2x3xf64>, tensor<3xf64>> {
    array.yield %s : !linear.map<tensor<3xf64>, tensor<3xf64>>
  }
  func.return %m : !linear.map<tensor<2x3xf64>, tensor<3xf64>>
}

// -----

// build after a map: 𝓑(i. mᵢ ∘ n) = 𝓑(i. mᵢ) ∘ n.

// CHECK-LABEL: func.func @build_after_a_map(
// CHECK-NEXT:  %s = linear.scale %a : tensor<5xf64> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
// CHECK-NEXT:  %m = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = linear.compose %m, %s : !linear.map<tensor<5xf64>, tensor<3xf64>>, !linear.map<tensor<5xf64>, tensor<5xf64>> -> !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @build_after_a_map(%a: tensor<5xf64>, %k: tensor<3xi64>) -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
  %s = linear.scale %a : tensor<5xf64> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.index [%j] : -> !linear.map<tensor<5xf64>, f64>
    %c = linear.compose %e, %s : !linear.map<tensor<5xf64>, f64>, !linear.map<tensor<5xf64>, tensor<5xf64>> -> !linear.map<tensor<5xf64>, f64>
    array.yield %c : !linear.map<tensor<5xf64>, f64>
  }
  func.return %m : !linear.map<tensor<5xf64>, tensor<3xf64>>
}

// -----

// map after a sum: 𝓑′(i. n ∘ mᵢ) = n ∘ 𝓑′(i. mᵢ).

// CHECK-LABEL: func.func @map_after_a_sum(
// CHECK-NEXT:  %s = linear.scale %a : tensor<5xf64> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
// CHECK-NEXT:  %m = linear.scatter (%0) : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = linear.compose %s, %m : !linear.map<tensor<5xf64>, tensor<5xf64>>, !linear.map<tensor<3xf64>, tensor<5xf64>> -> !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @map_after_a_sum(%a: tensor<5xf64>, %k: tensor<3xi64>) -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
  %s = linear.scale %a : tensor<5xf64> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
  %m = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> !linear.map<f64, tensor<5xf64>>
    %c = linear.compose %s, %e : !linear.map<tensor<5xf64>, tensor<5xf64>>, !linear.map<f64, tensor<5xf64>> -> !linear.map<f64, tensor<5xf64>>
    array.yield %c : !linear.map<f64, tensor<5xf64>>
  }
  func.return %m : !linear.map<tensor<3xf64>, tensor<5xf64>>
}

// -----

// build of reads: 𝓑(i. index[e i]) = gather e.

// CHECK-LABEL: func.func @build_of_reads(
// CHECK-NEXT:  %m = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %m : !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @build_of_reads(%k: tensor<3xi64>) -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.index [%j] : -> !linear.map<tensor<5xf64>, f64>
    array.yield %e : !linear.map<tensor<5xf64>, f64>
  }
  func.return %m : !linear.map<tensor<5xf64>, tensor<3xf64>>
}

// -----

// sum of one-hots: 𝓑′(i. one_hot[e i]) = scatter e.

// CHECK-LABEL: func.func @sum_of_one_hots(
// CHECK-NEXT:  %m = linear.scatter (%0) : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %m : !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @sum_of_one_hots(%k: tensor<3xi64>) -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
  %m = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> !linear.map<f64, tensor<5xf64>>
    array.yield %e : !linear.map<f64, tensor<5xf64>>
  }
  func.return %m : !linear.map<tensor<3xf64>, tensor<5xf64>>
}

// -----

// one position of a build: 𝓑(i. mask (i = e)) = one_hot[e] ∘ mask (0 ≤ e < n).

// CHECK-LABEL: func.func @one_position_of_a_build(
// CHECK-NEXT:  %m = array.constant 0 : i64
// CHECK-NEXT:  %m_1 = array.compare ge %e, %m : i64, i64 -> i1
// CHECK-NEXT:  %m_2 = array.constant 3 : i64
// CHECK-NEXT:  %m_3 = array.compare lt %e, %m_2 : i64, i64 -> i1
// CHECK-NEXT:  %m_4 = array.and %m_1, %m_3 : i1
// CHECK-NEXT:  %m_5 = linear.mask %m_4 : i1 -> !linear.map<tensor<2xf64>, tensor<2xf64>>
// CHECK-NEXT:  %m_6 = linear.one_hot[%e] : -> !linear.map<tensor<2xf64>, tensor<3x2xf64>>
// CHECK-NEXT:  %m_7 = linear.compose %m_6, %m_5 : !linear.map<tensor<2xf64>, tensor<3x2xf64>>, !linear.map<tensor<2xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<3x2xf64>>
// CHECK-NEXT:  func.return %m_7 : !linear.map<tensor<2xf64>, tensor<3x2xf64>>
// CHECK-NEXT:}
func.func @one_position_of_a_build(%e: i64) -> !linear.map<tensor<2xf64>, tensor<3x2xf64>> {
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<tensor<2xf64>, tensor<3x2xf64>> {
    %p = array.compare eq %i, %e : i64, i64 -> i1
    %c = linear.mask %p : i1 -> !linear.map<tensor<2xf64>, tensor<2xf64>>
    array.yield %c : !linear.map<tensor<2xf64>, tensor<2xf64>>
  }
  func.return %m : !linear.map<tensor<2xf64>, tensor<3x2xf64>>
}

// -----

// one position of a sum: 𝓑′(i. mask (i = e)) = mask (0 ≤ e < n) ∘ index[e].

// CHECK-LABEL: func.func @one_position_of_a_sum(
// CHECK-NEXT:  %m = array.constant 0 : i64
// CHECK-NEXT:  %m_1 = array.compare ge %e, %m : i64, i64 -> i1
// CHECK-NEXT:  %m_2 = array.constant 3 : i64
// CHECK-NEXT:  %m_3 = array.compare lt %e, %m_2 : i64, i64 -> i1
// CHECK-NEXT:  %m_4 = array.and %m_1, %m_3 : i1
// CHECK-NEXT:  %m_5 = linear.mask %m_4 : i1 -> !linear.map<f64, f64>
// CHECK-NEXT:  %m_6 = linear.index[%e] : -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  %m_7 = linear.compose %m_5, %m_6 : !linear.map<f64, f64>, !linear.map<tensor<3xf64>, f64> -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  func.return %m_7 : !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:}
func.func @one_position_of_a_sum(%e: i64) -> !linear.map<tensor<3xf64>, f64> {
  %m = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tensor<3xf64>, f64> {
    %p = array.compare eq %e, %i : i64, i64 -> i1
    %c = linear.mask %p : i1 -> !linear.map<f64, f64>
    array.yield %c : !linear.map<f64, f64>
  }
  func.return %m : !linear.map<tensor<3xf64>, f64>
}

// -----

// build of scales: 𝓑(i. S(kᵢ) ∘ mᵢ) = S(build k) ∘ 𝓑(i. mᵢ); mask likewise.

// CHECK-LABEL: func.func @build_of_scales(
// CHECK-NEXT:  %m = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = array.build (%0) : -> tensor<3xf64> {
// CHECK-NEXT:    %b = array.index %a[%0] : tensor<3xf64> -> f64
// CHECK-NEXT:    array.yield %b : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_2 = linear.scale %m_1 : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_3 = linear.compose %m_2, %m : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<5xf64>, tensor<3xf64>> -> !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_3 : !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @build_of_scales(%a: tensor<3xf64>, %k: tensor<3xi64>) -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.index [%j] : -> !linear.map<tensor<5xf64>, f64>
    %b = array.index %a[%i] : tensor<3xf64> -> f64
    %s = linear.scale %b : f64 -> !linear.map<f64, f64>
    %c = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
    array.yield %c : !linear.map<tensor<5xf64>, f64>
  }
  func.return %m : !linear.map<tensor<5xf64>, tensor<3xf64>>
}

// -----

// sum of scales at positions: 𝓑′(i. mᵢ ∘ S(kᵢ)) = 𝓑′(i. mᵢ) ∘ S(build k).

// CHECK-LABEL: func.func @sum_of_scales_at_positions(
// CHECK-NEXT:  %m = linear.scatter (%0) : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = array.build (%0) : -> tensor<3xf64> {
// CHECK-NEXT:    %b = array.index %a[%0] : tensor<3xf64> -> f64
// CHECK-NEXT:    array.yield %b : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_2 = linear.scale %m_1 : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_3 = linear.compose %m, %m_2 : !linear.map<tensor<3xf64>, tensor<5xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:  func.return %m_3 : !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @sum_of_scales_at_positions(%a: tensor<3xf64>, %k: tensor<3xi64>) -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
  %m = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> !linear.map<f64, tensor<5xf64>>
    %b = array.index %a[%i] : tensor<3xf64> -> f64
    %s = linear.scale %b : f64 -> !linear.map<f64, f64>
    %c = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
    array.yield %c : !linear.map<f64, tensor<5xf64>>
  }
  func.return %m : !linear.map<tensor<3xf64>, tensor<5xf64>>
}

// -----

// build of pairs: 𝓑(i. mᵢ × nᵢ) = 𝓑(i. mᵢ) × 𝓑(i. nᵢ), where both become smaller.

// CHECK-LABEL: func.func @build_of_pairs(
// CHECK-NEXT:  %n = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %n_1 = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    array.yield %0 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %n_2 = linear.vcat %n, %n_1 : !linear.map<tensor<5xf64>, tensor<3xf64>>, !linear.map<tensor<5xf64>, tensor<3xf64>> -> !linear.map<tensor<5xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
// CHECK-NEXT:  %s = linear.stack {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<2x3xf64>>
// CHECK-NEXT:  %m = linear.compose %s, %n_2 : !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<2x3xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<3xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<2x3xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<5xf64>, tensor<2x3xf64>>
// CHECK-NEXT:}
func.func @build_of_pairs(%k: tensor<3xi64>) -> !linear.map<tensor<5xf64>, tensor<2x3xf64>> {
  %n = linear.build (%i) {extents = [3]} : -> !linear.map<tensor<5xf64>, tuple<tensor<3xf64>, tensor<3xf64>>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.index [%j] : -> !linear.map<tensor<5xf64>, f64>
    %h = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    %c = linear.vcat %e, %h : !linear.map<tensor<5xf64>, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, tuple<f64, f64>>
    array.yield %c : !linear.map<tensor<5xf64>, tuple<f64, f64>>
  }
  %s = linear.stack {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<2x3xf64>>
  %m = linear.compose %s, %n : !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<2x3xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<3xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<2x3xf64>>
  func.return %m : !linear.map<tensor<5xf64>, tensor<2x3xf64>>
}

// -----

// sum of joins: 𝓑′(i. mᵢ ⋈ nᵢ) = 𝓑′(i. mᵢ) ⋈ 𝓑′(i. nᵢ), where both become smaller.

// CHECK-LABEL: func.func @sum_of_joins(
// CHECK-NEXT:  %n = linear.scatter (%0) : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %n_1 = linear.scatter (%0) : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
// CHECK-NEXT:    array.yield %0 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %n_2 = linear.hcat %n, %n_1 : !linear.map<tensor<3xf64>, tensor<5xf64>>, !linear.map<tensor<3xf64>, tensor<5xf64>> -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<5xf64>>
// CHECK-NEXT:  %s = linear.unstack {dim = 0} : -> !linear.map<tensor<2x3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
// CHECK-NEXT:  %m = linear.compose %n_2, %s : !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<5xf64>>, !linear.map<tensor<2x3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>> -> !linear.map<tensor<2x3xf64>, tensor<5xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2x3xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @sum_of_joins(%k: tensor<3xi64>) -> !linear.map<tensor<2x3xf64>, tensor<5xf64>> {
  %n = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> !linear.map<f64, tensor<5xf64>>
    %h = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
    %c = linear.hcat %e, %h : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, tensor<5xf64>> -> !linear.map<tuple<f64, f64>, tensor<5xf64>>
    array.yield %c : !linear.map<tuple<f64, f64>, tensor<5xf64>>
  }
  %s = linear.unstack {dim = 0} : -> !linear.map<tensor<2x3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  %m = linear.compose %n, %s : !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<5xf64>>, !linear.map<tensor<2x3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>> -> !linear.map<tensor<2x3xf64>, tensor<5xf64>>
  func.return %m : !linear.map<tensor<2x3xf64>, tensor<5xf64>>
}

// -----

// build of sums: 𝓑(i. mᵢ + nᵢ) = 𝓑(i. mᵢ) + 𝓑(i. nᵢ), where both become smaller.

// CHECK-LABEL: func.func @build_of_sums(
// CHECK-NEXT:  %m = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    array.yield %0 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_2 = linear.add %m, %m_1 : !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_2 : !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @build_of_sums(%k: tensor<3xi64>) -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.index [%j] : -> !linear.map<tensor<5xf64>, f64>
    %h = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    %c = linear.add %e, %h : !linear.map<tensor<5xf64>, f64>
    array.yield %c : !linear.map<tensor<5xf64>, f64>
  }
  func.return %m : !linear.map<tensor<5xf64>, tensor<3xf64>>
}

// -----

// sum of compositions: 𝓑′(i. mᵢ) ∘ 𝓑(i. nᵢ) = Σᵢ mᵢ∘nᵢ, which is 𝓑′(i. mᵢ∘nᵢ) ∘ broadcast.

// CHECK-LABEL: func.func @sum_of_compositions(
// CHECK-NEXT:  %m = linear.build_transpose (%0) {extents = [3]} : -> !linear.map<tensor<3x4xf64>, f64> {
// CHECK-NEXT:    %e = linear.index[%0] : -> !linear.map<tensor<4xf64>, f64>
// CHECK-NEXT:    %r = array.index %w[%0] : tensor<3x4xf64> -> tensor<4xf64>
// CHECK-NEXT:    %d = linear.recurrence %r {dim = 0} : tensor<4xf64> -> !linear.map<tensor<4xf64>, tensor<4xf64>>
// CHECK-NEXT:    %d_1 = linear.compose %e, %d : !linear.map<tensor<4xf64>, f64>, !linear.map<tensor<4xf64>, tensor<4xf64>> -> !linear.map<tensor<4xf64>, f64>
// CHECK-NEXT:    array.yield %d_1 : !linear.map<tensor<4xf64>, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<3x4xf64>>
// CHECK-NEXT:  %m_2 = linear.compose %m, %m_1 : !linear.map<tensor<3x4xf64>, f64>, !linear.map<f64, tensor<3x4xf64>> -> !linear.map<f64, f64>
// CHECK-NEXT:  func.return %m_2 : !linear.map<f64, f64>
// CHECK-NEXT:}
func.func @sum_of_compositions(%a: tensor<3xf64>, %w: tensor<3x4xf64>) -> !linear.map<f64, f64> {
  %g = linear.build (%i) {extents = [3]} : -> !linear.map<f64, tensor<3x4xf64>> {
    %r = array.index %w[%i] : tensor<3x4xf64> -> tensor<4xf64>
    %b = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<4xf64>>
    %p = linear.pad {low = [0], high = [0], interior = [0]} : -> !linear.map<tensor<4xf64>, tensor<4xf64>>
    %d = linear.recurrence %r {dim = 0} : tensor<4xf64> -> !linear.map<tensor<4xf64>, tensor<4xf64>>
    %c = linear.compose %d, %b : !linear.map<tensor<4xf64>, tensor<4xf64>>, !linear.map<f64, tensor<4xf64>> -> !linear.map<f64, tensor<4xf64>>
    array.yield %c : !linear.map<f64, tensor<4xf64>>
  }
  %f = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tensor<3x4xf64>, f64> {
    %e = linear.index [%i] : -> !linear.map<tensor<4xf64>, f64>
    array.yield %e : !linear.map<tensor<4xf64>, f64>
  }
  %m = linear.compose %f, %g : !linear.map<tensor<3x4xf64>, f64>, !linear.map<f64, tensor<3x4xf64>> -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}
