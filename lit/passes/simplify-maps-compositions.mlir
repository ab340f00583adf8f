// RUN: mlirad-opt %s -p simplify-maps --split-input-file | filecheck %s

// Compositions and sums become smaller.

// sum of scaled maps: d + S(b)∘d = S(1 + b)∘d.

// CHECK-LABEL: func.func @sum_of_scaled_maps(
// CHECK-NEXT:  %d = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = array.constant 1.000000e+00 : f64
// CHECK-NEXT:  %m_1 = array.broadcast %m {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:  %m_2 = array.add %m_1, %b : tensor<3xf64>
// CHECK-NEXT:  %m_3 = linear.scale %m_2 : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_4 = linear.compose %m_3, %d : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_4 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @sum_of_scaled_maps(%b: tensor<3xf64>) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %d = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %s = linear.scale %b : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %f = linear.compose %s, %d : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %m = linear.add %d, %f : !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// common outer map: m∘a + m∘b = m∘(a + b).

// CHECK-LABEL: func.func @common_outer_map(
// CHECK-NEXT:  %d = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %r = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = linear.add %s, %r : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_1 = linear.compose %d, %m : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @common_outer_map(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %d = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %r = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %f = linear.compose %d, %s : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %g = linear.compose %d, %r : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %m = linear.add %f, %g : !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// known branch: if true m n = m.

// CHECK-LABEL: func.func @known_branch(
// CHECK-NEXT:  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<3xf64>, tuple<f64, f64, f64>>
// CHECK-NEXT:  %q = linear.project {index = 1} : -> !linear.map<tuple<f64, f64, f64>, f64>
// CHECK-NEXT:  %t = linear.vcat %q : !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, tuple<f64>>
// CHECK-NEXT:  %o = linear.project {index = 0} : -> !linear.map<tuple<f64>, f64>
// CHECK-NEXT:  %w = linear.compose %t, %v : !linear.map<tuple<f64, f64, f64>, tuple<f64>>, !linear.map<tensor<3xf64>, tuple<f64, f64, f64>> -> !linear.map<tensor<3xf64>, tuple<f64>>
// CHECK-NEXT:  %m = linear.compose %o, %w : !linear.map<tuple<f64>, f64>, !linear.map<tensor<3xf64>, tuple<f64>> -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:}
func.func @known_branch(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, f64> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %r = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
  %p = array.constant 1 : i1
  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<3xf64>, tuple<f64, f64, f64>>
  %n = linear.if %p : i1 -> !linear.map<tuple<f64, f64, f64>, tuple<f64>> {
    %q = linear.project {index = 1} : -> !linear.map<tuple<f64, f64, f64>, f64>
    %t = linear.vcat %q : !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, tuple<f64>>
    array.yield %t : !linear.map<tuple<f64, f64, f64>, tuple<f64>>
  } else {
    %q = linear.project {index = 0} : -> !linear.map<tuple<f64, f64, f64>, f64>
    %t = linear.vcat %q : !linear.map<tuple<f64, f64, f64>, f64> -> !linear.map<tuple<f64, f64, f64>, tuple<f64>>
    array.yield %t : !linear.map<tuple<f64, f64, f64>, tuple<f64>>
  }
  %o = linear.project {index = 0} : -> !linear.map<tuple<f64>, f64>
  %w = linear.compose %n, %v : !linear.map<tuple<f64, f64, f64>, tuple<f64>>, !linear.map<tensor<3xf64>, tuple<f64, f64, f64>> -> !linear.map<tensor<3xf64>, tuple<f64>>
  %m = linear.compose %o, %w : !linear.map<tuple<f64>, f64>, !linear.map<tensor<3xf64>, tuple<f64>> -> !linear.map<tensor<3xf64>, f64>
  func.return %m : !linear.map<tensor<3xf64>, f64>
}

// -----

// same branches: if p m m = m.

// CHECK-LABEL: func.func @same_branches(
// CHECK-NEXT:  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<2xf64>, tuple<f64, f64>>
// CHECK-NEXT:  %o = linear.project {index = 1} : -> !linear.map<tuple<f64, f64>, f64>
// CHECK-NEXT:  %t = linear.vcat %o : !linear.map<tuple<f64, f64>, f64> -> !linear.map<tuple<f64, f64>, tuple<f64>>
// CHECK-NEXT:  %q = linear.project {index = 0} : -> !linear.map<tuple<f64>, f64>
// CHECK-NEXT:  %w = linear.compose %t, %v : !linear.map<tuple<f64, f64>, tuple<f64>>, !linear.map<tensor<2xf64>, tuple<f64, f64>> -> !linear.map<tensor<2xf64>, tuple<f64>>
// CHECK-NEXT:  %m = linear.compose %q, %w : !linear.map<tuple<f64>, f64>, !linear.map<tensor<2xf64>, tuple<f64>> -> !linear.map<tensor<2xf64>, f64>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2xf64>, f64>
// CHECK-NEXT:}
func.func @same_branches(%a: tensor<2xf64>, %p: i1) -> !linear.map<tensor<2xf64>, f64> {
  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<2xf64>, tuple<f64, f64>>
  %o = linear.project {index = 1} : -> !linear.map<tuple<f64, f64>, f64>
  %t = linear.vcat %o : !linear.map<tuple<f64, f64>, f64> -> !linear.map<tuple<f64, f64>, tuple<f64>>
  %n = linear.if %p : i1 -> !linear.map<tuple<f64, f64>, tuple<f64>> {
    array.yield %t : !linear.map<tuple<f64, f64>, tuple<f64>>
  } else {
    array.yield %t : !linear.map<tuple<f64, f64>, tuple<f64>>
  }
  %q = linear.project {index = 0} : -> !linear.map<tuple<f64>, f64>
  %w = linear.compose %n, %v : !linear.map<tuple<f64, f64>, tuple<f64>>, !linear.map<tensor<2xf64>, tuple<f64, f64>> -> !linear.map<tensor<2xf64>, tuple<f64>>
  %m = linear.compose %q, %w : !linear.map<tuple<f64>, f64>, !linear.map<tensor<2xf64>, tuple<f64>> -> !linear.map<tensor<2xf64>, f64>
  func.return %m : !linear.map<tensor<2xf64>, f64>
}

// -----

// join of a pair: (m₁ ⋈ m₂) ∘ (n₁ × n₂) = m₁∘n₁ + m₂∘n₂.

// CHECK-LABEL: func.func @join_of_a_pair(
// CHECK-NEXT:  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %r = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %u = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m = linear.compose %u, %s : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_1 = linear.compose %s, %r : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_2 = linear.add %m, %m_1 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_2 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @join_of_a_pair(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %s = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %r = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %u = linear.cumulative_sum {dim = 0} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %g = linear.vcat %s, %r : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  %f = linear.hcat %u, %s : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<3xf64>>
  %m = linear.compose %f, %g : !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// distribution over a join: m ∘ (n₁ ⋈ n₂) = (m∘n₁) ⋈ (m∘n₂), where each m∘nᵢ is one map.

// CHECK-LABEL: func.func @distribution_over_a_join(
// CHECK-NEXT:  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<2xf64>, tuple<f64, f64>>
// CHECK-NEXT:  %n = linear.identity : -> !linear.map<f64, f64>
// CHECK-NEXT:  %n_1 = linear.hcat %n, %n : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<tuple<f64, f64>, f64>
// CHECK-NEXT:  %m = linear.compose %n_1, %v : !linear.map<tuple<f64, f64>, f64>, !linear.map<tensor<2xf64>, tuple<f64, f64>> -> !linear.map<tensor<2xf64>, f64>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2xf64>, f64>
// CHECK-NEXT:}
func.func @distribution_over_a_join(%i: i64, %k: i64) -> !linear.map<tensor<2xf64>, f64> {
  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<2xf64>, tuple<f64, f64>>
  %h = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
  %l = linear.one_hot [%k] : -> !linear.map<f64, tensor<5xf64>>
  %g = linear.hcat %h, %h : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, tensor<5xf64>> -> !linear.map<tuple<f64, f64>, tensor<5xf64>>
  %f = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
  %n = linear.compose %f, %g : !linear.map<tensor<5xf64>, f64>, !linear.map<tuple<f64, f64>, tensor<5xf64>> -> !linear.map<tuple<f64, f64>, f64>
  %m = linear.compose %n, %v : !linear.map<tuple<f64, f64>, f64>, !linear.map<tensor<2xf64>, tuple<f64, f64>> -> !linear.map<tensor<2xf64>, f64>
  func.return %m : !linear.map<tensor<2xf64>, f64>
}

// -----

// broadcasts compose: broadcast d ∘ broadcast e = broadcast (d ∘ e); permutations are such.

// CHECK-LABEL: func.func @broadcasts_compose(
// CHECK-NEXT:  %m = linear.broadcast {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3x2xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<3xf64>, tensor<3x2xf64>>
// CHECK-NEXT:}
func.func @broadcasts_compose() -> !linear.map<tensor<3xf64>, tensor<3x2xf64>> {
  %g = linear.broadcast {dims = [1]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  %f = linear.broadcast {dims = [1, 0]} : -> !linear.map<tensor<2x3xf64>, tensor<3x2xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<2x3xf64>, tensor<3x2xf64>>, !linear.map<tensor<3xf64>, tensor<2x3xf64>> -> !linear.map<tensor<3xf64>, tensor<3x2xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3x2xf64>>
}

// -----

// sums compose: sum ∘ sum = sum over both.

// CHECK-LABEL: func.func @sums_compose(
// CHECK-NEXT:  %m = linear.sum {dims = [0, 1]} : -> !linear.map<tensor<2x3x4xf64>, tensor<4xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2x3x4xf64>, tensor<4xf64>>
// CHECK-NEXT:}
func.func @sums_compose() -> !linear.map<tensor<2x3x4xf64>, tensor<4xf64>> {
  %g = linear.sum {dims = [1]} : -> !linear.map<tensor<2x3x4xf64>, tensor<2x4xf64>>
  %f = linear.sum {dims = [0]} : -> !linear.map<tensor<2x4xf64>, tensor<4xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<2x4xf64>, tensor<4xf64>>, !linear.map<tensor<2x3x4xf64>, tensor<2x4xf64>> -> !linear.map<tensor<2x3x4xf64>, tensor<4xf64>>
  func.return %m : !linear.map<tensor<2x3x4xf64>, tensor<4xf64>>
}

// -----

// sum of a broadcast: sum ∘ broadcast = S(extent), over new dimensions.

// CHECK-LABEL: func.func @sum_of_a_broadcast(
// CHECK-NEXT:  %m = array.constant 4.000000e+00 : f64
// CHECK-NEXT:  %m_1 = linear.scale %m : f64 -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @sum_of_a_broadcast() -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %g = linear.broadcast {dims = [1]} : -> !linear.map<tensor<3xf64>, tensor<4x3xf64>>
  %f = linear.sum {dims = [0]} : -> !linear.map<tensor<4x3xf64>, tensor<3xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<4x3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<4x3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// reshapes compose: reshape ∘ reshape = reshape.

// CHECK-LABEL: func.func @reshapes_compose(
// CHECK-NEXT:  %m = linear.reshape : -> !linear.map<tensor<2x3xf64>, tensor<3x2xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2x3xf64>, tensor<3x2xf64>>
// CHECK-NEXT:}
func.func @reshapes_compose() -> !linear.map<tensor<2x3xf64>, tensor<3x2xf64>> {
  %g = linear.reshape : -> !linear.map<tensor<2x3xf64>, tensor<6xf64>>
  %f = linear.reshape : -> !linear.map<tensor<6xf64>, tensor<3x2xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<6xf64>, tensor<3x2xf64>>, !linear.map<tensor<2x3xf64>, tensor<6xf64>> -> !linear.map<tensor<2x3xf64>, tensor<3x2xf64>>
  func.return %m : !linear.map<tensor<2x3xf64>, tensor<3x2xf64>>
}

// -----

// reverses compose: reverse D ∘ reverse E = reverse (D xor E).

// CHECK-LABEL: func.func @reverses_compose(
// CHECK-NEXT:  %m = linear.reverse {dims = [0]} : -> !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>
// CHECK-NEXT:}
func.func @reverses_compose() -> !linear.map<tensor<2x3xf64>, tensor<2x3xf64>> {
  %g = linear.reverse {dims = [1]} : -> !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>
  %f = linear.reverse {dims = [0, 1]} : -> !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>, !linear.map<tensor<2x3xf64>, tensor<2x3xf64>> -> !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>
  func.return %m : !linear.map<tensor<2x3xf64>, tensor<2x3xf64>>
}

// -----

// masks compose: mask p ∘ mask q = mask (p and q).

// CHECK-LABEL: func.func @masks_compose(
// CHECK-NEXT:  %m = array.and %p, %q : tensor<3xi1>
// CHECK-NEXT:  %m_1 = linear.mask %m : tensor<3xi1> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_1 : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @masks_compose(%p: tensor<3xi1>, %q: tensor<3xi1>) -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %g = linear.mask %q : tensor<3xi1> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %f = linear.mask %p : tensor<3xi1> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// pieces put together: concatenate ∘ split = 1, stack ∘ unstack = 1.

// CHECK-LABEL: func.func @pieces_put_together(
// CHECK-NEXT:  %m = linear.identity : -> !linear.map<tensor<5xf64>, tensor<5xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<5xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @pieces_put_together() -> !linear.map<tensor<5xf64>, tensor<5xf64>> {
  %g = linear.split {dim = 0} : -> !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>
  %f = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>
  %m = linear.compose %f, %g : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
  func.return %m : !linear.map<tensor<5xf64>, tensor<5xf64>>
}

// -----

// what was put together, cut: split ∘ concatenate = 1, unstack ∘ stack = 1.

// CHECK-LABEL: func.func @what_was_put_together_cut(
// CHECK-NEXT:  %v = linear.split {dim = 0} : -> !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>
// CHECK-NEXT:  %f = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>
// CHECK-NEXT:  %p = linear.project {index = 0} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<2xf64>>
// CHECK-NEXT:  %q = linear.project {index = 1} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<3xf64>>
// CHECK-NEXT:  %b = linear.reverse {dims = [0]} : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
// CHECK-NEXT:  %pv = linear.compose %p, %v : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<2xf64>>
// CHECK-NEXT:  %bp = linear.compose %b, %pv : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tensor<2xf64>> -> !linear.map<tensor<5xf64>, tensor<2xf64>>
// CHECK-NEXT:  %qv = linear.compose %q, %v : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<3xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:  %w = linear.vcat %bp, %qv : !linear.map<tensor<5xf64>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tensor<3xf64>> -> !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>
// CHECK-NEXT:  %c = linear.compose %f, %w : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
// CHECK-NEXT:  func.return %c : !linear.map<tensor<5xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @what_was_put_together_cut(%a: tensor<5xf64>) -> !linear.map<tensor<5xf64>, tensor<5xf64>> {
  %s = linear.scale %a : tensor<5xf64> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
  %v = linear.split {dim = 0} : -> !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>
  %f = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>
  %p = linear.project {index = 0} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<2xf64>>
  %q = linear.project {index = 1} : -> !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<3xf64>>
  %b = linear.reverse {dims = [0]} : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %pv = linear.compose %p, %v : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<2xf64>>
  %bp = linear.compose %b, %pv : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tensor<2xf64>> -> !linear.map<tensor<5xf64>, tensor<2xf64>>
  %qv = linear.compose %q, %v : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<3xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<3xf64>>
  %w = linear.vcat %bp, %qv : !linear.map<tensor<5xf64>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tensor<3xf64>> -> !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>
  %c = linear.compose %f, %w : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
  %d = linear.compose %v, %c : !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>, !linear.map<tensor<5xf64>, tensor<5xf64>> -> !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>>
  %m = linear.compose %f, %d : !linear.map<tuple<tensor<2xf64>, tensor<3xf64>>, tensor<5xf64>>, !linear.map<tensor<5xf64>, tuple<tensor<2xf64>, tensor<3xf64>>> -> !linear.map<tensor<5xf64>, tensor<5xf64>>
  func.return %m : !linear.map<tensor<5xf64>, tensor<5xf64>>
}

// -----

// slice of a pad: slice ∘ pad = 1, for the slice that takes the operand out again.

// CHECK-LABEL: func.func @slice_of_a_pad(
// CHECK-NEXT:  %m = linear.identity : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @slice_of_a_pad() -> !linear.map<tensor<3xf64>, tensor<3xf64>> {
  %g = linear.pad {low = [2], high = [1], interior = [1]} : -> !linear.map<tensor<3xf64>, tensor<8xf64>>
  %f = linear.slice {starts = [2], limits = [7], strides = [2]} : -> !linear.map<tensor<8xf64>, tensor<3xf64>>
  %m = linear.compose %f, %g : !linear.map<tensor<8xf64>, tensor<3xf64>>, !linear.map<tensor<3xf64>, tensor<8xf64>> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<3xf64>>
}

// -----

// index of a one-hot: index[e] ∘ one_hot[e] = 1.

// CHECK-LABEL: func.func @index_of_a_one_hot(
// CHECK-NEXT:  %m = linear.identity : -> !linear.map<f64, f64>
// CHECK-NEXT:  func.return %m : !linear.map<f64, f64>
// CHECK-NEXT:}
func.func @index_of_a_one_hot(%i: i64) -> !linear.map<f64, f64> {
  %g = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
  %f = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
  %m = linear.compose %f, %g : !linear.map<tensor<5xf64>, f64>, !linear.map<f64, tensor<5xf64>> -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}

// -----

// gathers compose: gather f ∘ gather g = gather (g ∘ clamp ∘ f); index is a gather at one place.

// CHECK-LABEL: func.func @gathers_compose(
// CHECK-NEXT:  %m = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<2xf64>> {
// CHECK-NEXT:    %j = array.index %l[%0] : tensor<2xi64> -> i64
// CHECK-NEXT:    %j_1 = array.constant 0 : i64
// CHECK-NEXT:    %j_2 = array.max %j, %j_1 : i64
// CHECK-NEXT:    %j_3 = array.constant 3 : i64
// CHECK-NEXT:    %j_4 = array.min %j_2, %j_3 : i64
// CHECK-NEXT:    %j_5 = array.index %k[%j_4] : tensor<4xi64> -> i64
// CHECK-NEXT:    array.yield %j_5 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %m : !linear.map<tensor<5xf64>, tensor<2xf64>>
// CHECK-NEXT:}
func.func @gathers_compose(%k: tensor<4xi64>, %l: tensor<2xi64>) -> !linear.map<tensor<5xf64>, tensor<2xf64>> {
  %g = linear.gather (%i) : -> !linear.map<tensor<5xf64>, tensor<4xf64>> {
    %j = array.index %k[%i] : tensor<4xi64> -> i64
    array.yield %j : i64
  }
  %f = linear.gather (%i) : -> !linear.map<tensor<4xf64>, tensor<2xf64>> {
    %j = array.index %l[%i] : tensor<2xi64> -> i64
    array.yield %j : i64
  }
  %m = linear.compose %f, %g : !linear.map<tensor<4xf64>, tensor<2xf64>>, !linear.map<tensor<5xf64>, tensor<4xf64>> -> !linear.map<tensor<5xf64>, tensor<2xf64>>
  func.return %m : !linear.map<tensor<5xf64>, tensor<2xf64>>
}

// -----

// scatters compose: scatter g ∘ scatter f = scatter (g ∘ clamp ∘ f); one_hot is a scatter from one place.

// CHECK-LABEL: func.func @scatters_compose(
// CHECK-NEXT:  %m = linear.scatter (%0) : -> !linear.map<tensor<2xf64>, tensor<5xf64>> {
// CHECK-NEXT:    %j = array.index %l[%0] : tensor<2xi64> -> i64
// CHECK-NEXT:    %j_1 = array.constant 0 : i64
// CHECK-NEXT:    %j_2 = array.max %j, %j_1 : i64
// CHECK-NEXT:    %j_3 = array.constant 3 : i64
// CHECK-NEXT:    %j_4 = array.min %j_2, %j_3 : i64
// CHECK-NEXT:    %j_5 = array.index %k[%j_4] : tensor<4xi64> -> i64
// CHECK-NEXT:    array.yield %j_5 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %m : !linear.map<tensor<2xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @scatters_compose(%k: tensor<4xi64>, %l: tensor<2xi64>) -> !linear.map<tensor<2xf64>, tensor<5xf64>> {
  %g = linear.scatter (%i) : -> !linear.map<tensor<2xf64>, tensor<4xf64>> {
    %j = array.index %l[%i] : tensor<2xi64> -> i64
    array.yield %j : i64
  }
  %f = linear.scatter (%i) : -> !linear.map<tensor<4xf64>, tensor<5xf64>> {
    %j = array.index %k[%i] : tensor<4xi64> -> i64
    array.yield %j : i64
  }
  %m = linear.compose %f, %g : !linear.map<tensor<4xf64>, tensor<5xf64>>, !linear.map<tensor<2xf64>, tensor<4xf64>> -> !linear.map<tensor<2xf64>, tensor<5xf64>>
  func.return %m : !linear.map<tensor<2xf64>, tensor<5xf64>>
}
