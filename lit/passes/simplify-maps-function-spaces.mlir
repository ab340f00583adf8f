// RUN: mlirad-opt %s -p simplify-maps --split-input-file | filecheck %s

// Maps through spaces of functions become maps of arrays.

// function of evaluations: 𝓛(a. evaluate a) = 1, eliminate(a. single a) = 1.

// CHECK-LABEL: func.func @function_of_evaluations(
// CHECK-NEXT:  %e = linear.index[%k] : -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  func.return %e : !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:}
func.func @function_of_evaluations(%k: i64, %a: tensor<5xf64>) -> !linear.map<tensor<5xf64>, f64> {
  %f = linear.function (%i) : -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>> {
    %e = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    array.yield %e : !linear.map<tensor<5xf64>, f64>
  }
  %g = linear.function (%i) : -> !linear.map<!linear.power<i64, f64>, !linear.power<i64, f64>> {
    %e = linear.evaluate %i : i64 -> !linear.map<!linear.power<i64, f64>, f64>
    array.yield %e : !linear.map<!linear.power<i64, f64>, f64>
  }
  %e = linear.evaluate %k : i64 -> !linear.map<!linear.power<i64, f64>, f64>
  %h = linear.compose %g, %f : !linear.map<!linear.power<i64, f64>, !linear.power<i64, f64>>, !linear.map<tensor<5xf64>, !linear.power<i64, f64>> -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>>
  %m = linear.compose %e, %h : !linear.map<!linear.power<i64, f64>, f64>, !linear.map<tensor<5xf64>, !linear.power<i64, f64>> -> !linear.map<tensor<5xf64>, f64>
  func.return %m : !linear.map<tensor<5xf64>, f64>
}

// -----

// functions and zero: 𝓛(a. 0) = 0, eliminate(a. 0) = 0.

// CHECK-LABEL: func.func @functions_and_zero(
// CHECK-NEXT:  %m = linear.zero : -> !linear.map<f64, f64>
// CHECK-NEXT:  func.return %m : !linear.map<f64, f64>
// CHECK-NEXT:}
func.func @functions_and_zero(%k: i64) -> !linear.map<f64, f64> {
  %f = linear.function (%i) : -> !linear.map<f64, !linear.power<i64, f64>> {
    %z = linear.zero : -> !linear.map<f64, f64>
    array.yield %z : !linear.map<f64, f64>
  }
  %e = linear.evaluate %k : i64 -> !linear.map<!linear.power<i64, f64>, f64>
  %m = linear.compose %e, %f : !linear.map<!linear.power<i64, f64>, f64>, !linear.map<f64, !linear.power<i64, f64>> -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}

// -----

// evaluation of a function: evaluate a ∘ 𝓛(a. m a) = m[a].

// CHECK-LABEL: func.func @evaluation_of_a_function(
// CHECK-NEXT:  %c = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT:  %s = linear.scale %c : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e = linear.index[%k] : -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  %t = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  func.return %t : !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:}
func.func @evaluation_of_a_function(%a: tensor<5xf64>, %k: i64) -> !linear.map<tensor<5xf64>, f64> {
  %F = linear.function (%i) : -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    %t = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
    array.yield %t : !linear.map<tensor<5xf64>, f64>
  }
  %v = linear.evaluate %k : i64 -> !linear.map<!linear.power<i64, f64>, f64>
  %m = linear.compose %v, %F : !linear.map<!linear.power<i64, f64>, f64>, !linear.map<tensor<5xf64>, !linear.power<i64, f64>> -> !linear.map<tensor<5xf64>, f64>
  func.return %m : !linear.map<tensor<5xf64>, f64>
}

// -----

// elimination of a pair: eliminate(a. m a) ∘ single a = m[a].

// CHECK-LABEL: func.func @elimination_of_a_pair(
// CHECK-NEXT:  %c = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT:  %s = linear.scale %c : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e = linear.one_hot[%k] : -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  func.return %t : !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:}
func.func @elimination_of_a_pair(%a: tensor<5xf64>, %k: i64) -> !linear.map<f64, tensor<5xf64>> {
  %E = linear.eliminate (%i) : -> !linear.map<!linear.copower<i64, f64>, tensor<5xf64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
    %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
    array.yield %t : !linear.map<f64, tensor<5xf64>>
  }
  %v = linear.single %k : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
  %m = linear.compose %E, %v : !linear.map<!linear.copower<i64, f64>, tensor<5xf64>>, !linear.map<f64, !linear.copower<i64, f64>> -> !linear.map<f64, tensor<5xf64>>
  func.return %m : !linear.map<f64, tensor<5xf64>>
}

// -----

// elimination of a sum: eliminate m ∘ (c + c′) = eliminate m ∘ c + eliminate m ∘ c′.

// CHECK-LABEL: func.func @elimination_of_a_sum(
// CHECK-NEXT:  %c = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT:  %s = linear.scale %c : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e = linear.one_hot[%k] : -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %c_1 = array.index %a[%l] : tensor<5xf64> -> f64
// CHECK-NEXT:  %s_1 = linear.scale %c_1 : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e_1 = linear.one_hot[%l] : -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %t_1 = linear.compose %e_1, %s_1 : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %t_2 = linear.add %t, %t_1 : !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  func.return %t_2 : !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:}
func.func @elimination_of_a_sum(%a: tensor<5xf64>, %k: i64, %l: i64) -> !linear.map<f64, tensor<5xf64>> {
  %E = linear.eliminate (%i) : -> !linear.map<!linear.copower<i64, f64>, tensor<5xf64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
    %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
    array.yield %t : !linear.map<f64, tensor<5xf64>>
  }
  %v = linear.single %k : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
  %w = linear.single %l : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
  %u = linear.add %v, %w : !linear.map<f64, !linear.copower<i64, f64>>
  %m = linear.compose %E, %u : !linear.map<!linear.copower<i64, f64>, tensor<5xf64>>, !linear.map<f64, !linear.copower<i64, f64>> -> !linear.map<f64, tensor<5xf64>>
  func.return %m : !linear.map<f64, tensor<5xf64>>
}

// -----

// evaluation of a sum: evaluate a ∘ (f + g) = evaluate a ∘ f + evaluate a ∘ g.

// CHECK-LABEL: func.func @evaluation_of_a_sum(
// CHECK-NEXT:  %c = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT:  %e = linear.index[%k] : -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  %e_1 = array.constant 1.000000e+00 : f64
// CHECK-NEXT:  %e_2 = array.add %c, %e_1 : f64
// CHECK-NEXT:  %e_3 = linear.scale %e_2 : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e_4 = linear.compose %e_3, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  func.return %e_4 : !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:}
func.func @evaluation_of_a_sum(%a: tensor<5xf64>, %k: i64) -> !linear.map<tensor<5xf64>, f64> {
  %F = linear.function (%i) : -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    %t = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
    array.yield %t : !linear.map<tensor<5xf64>, f64>
  }
  %G = linear.function (%i) : -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>> {
    %e = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    array.yield %e : !linear.map<tensor<5xf64>, f64>
  }
  %u = linear.add %F, %G : !linear.map<tensor<5xf64>, !linear.power<i64, f64>>
  %v = linear.evaluate %k : i64 -> !linear.map<!linear.power<i64, f64>, f64>
  %m = linear.compose %v, %u : !linear.map<!linear.power<i64, f64>, f64>, !linear.map<tensor<5xf64>, !linear.power<i64, f64>> -> !linear.map<tensor<5xf64>, f64>
  func.return %m : !linear.map<tensor<5xf64>, f64>
}

// -----

// elimination at every position: eliminate m ∘ 𝓑′(i. nᵢ) = 𝓑′(i. eliminate m ∘ nᵢ).

// CHECK-LABEL: func.func @elimination_at_every_position(
// CHECK-NEXT:  %m = linear.scatter (%0) : -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = array.build (%0) : -> tensor<3xf64> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    %c = array.index %a[%j] : tensor<5xf64> -> f64
// CHECK-NEXT:    array.yield %c : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_2 = linear.scale %m_1 : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_3 = linear.compose %m, %m_2 : !linear.map<tensor<3xf64>, tensor<5xf64>>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:  func.return %m_3 : !linear.map<tensor<3xf64>, tensor<5xf64>>
// CHECK-NEXT:}
func.func @elimination_at_every_position(%a: tensor<5xf64>, %k: tensor<3xi64>) -> !linear.map<tensor<3xf64>, tensor<5xf64>> {
  %E = linear.eliminate (%i) : -> !linear.map<!linear.copower<i64, f64>, tensor<5xf64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
    %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
    array.yield %t : !linear.map<f64, tensor<5xf64>>
  }
  %u = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<tensor<3xf64>, !linear.copower<i64, f64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %v = linear.single %j : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
    array.yield %v : !linear.map<f64, !linear.copower<i64, f64>>
  }
  %m = linear.compose %E, %u : !linear.map<!linear.copower<i64, f64>, tensor<5xf64>>, !linear.map<tensor<3xf64>, !linear.copower<i64, f64>> -> !linear.map<tensor<3xf64>, tensor<5xf64>>
  func.return %m : !linear.map<tensor<3xf64>, tensor<5xf64>>
}

// -----

// functions at every position: 𝓑(i. mᵢ) ∘ 𝓛(a. n a) = 𝓑(i. mᵢ ∘ 𝓛(a. n a)).

// CHECK-LABEL: func.func @functions_at_every_position(
// CHECK-NEXT:  %m = linear.gather (%0) : -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    array.yield %j : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_1 = array.build (%0) : -> tensor<3xf64> {
// CHECK-NEXT:    %j = array.index %k[%0] : tensor<3xi64> -> i64
// CHECK-NEXT:    %c = array.index %a[%j] : tensor<5xf64> -> f64
// CHECK-NEXT:    array.yield %c : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  %m_2 = linear.scale %m_1 : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %m_3 = linear.compose %m_2, %m : !linear.map<tensor<3xf64>, tensor<3xf64>>, !linear.map<tensor<5xf64>, tensor<3xf64>> -> !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:  func.return %m_3 : !linear.map<tensor<5xf64>, tensor<3xf64>>
// CHECK-NEXT:}
func.func @functions_at_every_position(%a: tensor<5xf64>, %k: tensor<3xi64>) -> !linear.map<tensor<5xf64>, tensor<3xf64>> {
  %F = linear.function (%i) : -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    %t = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
    array.yield %t : !linear.map<tensor<5xf64>, f64>
  }
  %u = linear.build (%i) {extents = [3]} : -> !linear.map<!linear.power<i64, f64>, tensor<3xf64>> {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %v = linear.evaluate %j : i64 -> !linear.map<!linear.power<i64, f64>, f64>
    array.yield %v : !linear.map<!linear.power<i64, f64>, f64>
  }
  %m = linear.compose %u, %F : !linear.map<!linear.power<i64, f64>, tensor<3xf64>>, !linear.map<tensor<5xf64>, !linear.power<i64, f64>> -> !linear.map<tensor<5xf64>, tensor<3xf64>>
  func.return %m : !linear.map<tensor<5xf64>, tensor<3xf64>>
}

// -----

// map after an elimination: h ∘ eliminate(a. m a) = eliminate(a. h ∘ m a).

// CHECK-LABEL: func.func @map_after_an_elimination(
// CHECK-NEXT:  %h = linear.sum {dims = [0]} : -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  %c = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT:  %s = linear.scale %c : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e = linear.one_hot[%k] : -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %t_1 = linear.compose %h, %t : !linear.map<tensor<5xf64>, f64>, !linear.map<f64, tensor<5xf64>> -> !linear.map<f64, f64>
// CHECK-NEXT:  func.return %t_1 : !linear.map<f64, f64>
// CHECK-NEXT:}
func.func @map_after_an_elimination(%a: tensor<5xf64>, %k: i64) -> !linear.map<f64, f64> {
  %E = linear.eliminate (%i) : -> !linear.map<!linear.copower<i64, f64>, tensor<5xf64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
    %t = linear.compose %e, %s : !linear.map<f64, tensor<5xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<5xf64>>
    array.yield %t : !linear.map<f64, tensor<5xf64>>
  }
  %h = linear.sum {dims = [0]} : -> !linear.map<tensor<5xf64>, f64>
  %n = linear.compose %h, %E : !linear.map<tensor<5xf64>, f64>, !linear.map<!linear.copower<i64, f64>, tensor<5xf64>> -> !linear.map<!linear.copower<i64, f64>, f64>
  %v = linear.single %k : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
  %m = linear.compose %n, %v : !linear.map<!linear.copower<i64, f64>, f64>, !linear.map<f64, !linear.copower<i64, f64>> -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}

// -----

// function after a map: 𝓛(a. m a) ∘ h = 𝓛(a. m a ∘ h).

// CHECK-LABEL: func.func @function_after_a_map(
// CHECK-NEXT:  %h = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT:  %c = array.index %a[%k] : tensor<5xf64> -> f64
// CHECK-NEXT:  %s = linear.scale %c : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %e = linear.index[%k] : -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  %t = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
// CHECK-NEXT:  %t_1 = linear.compose %t, %h : !linear.map<tensor<5xf64>, f64>, !linear.map<f64, tensor<5xf64>> -> !linear.map<f64, f64>
// CHECK-NEXT:  func.return %t_1 : !linear.map<f64, f64>
// CHECK-NEXT:}
func.func @function_after_a_map(%a: tensor<5xf64>, %k: i64) -> !linear.map<f64, f64> {
  %F = linear.function (%i) : -> !linear.map<tensor<5xf64>, !linear.power<i64, f64>> {
    %c = array.index %a[%i] : tensor<5xf64> -> f64
    %s = linear.scale %c : f64 -> !linear.map<f64, f64>
    %e = linear.index [%i] : -> !linear.map<tensor<5xf64>, f64>
    %t = linear.compose %s, %e : !linear.map<f64, f64>, !linear.map<tensor<5xf64>, f64> -> !linear.map<tensor<5xf64>, f64>
    array.yield %t : !linear.map<tensor<5xf64>, f64>
  }
  %h = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<5xf64>>
  %n = linear.compose %F, %h : !linear.map<tensor<5xf64>, !linear.power<i64, f64>>, !linear.map<f64, tensor<5xf64>> -> !linear.map<f64, !linear.power<i64, f64>>
  %v = linear.evaluate %k : i64 -> !linear.map<!linear.power<i64, f64>, f64>
  %m = linear.compose %v, %n : !linear.map<!linear.power<i64, f64>, f64>, !linear.map<f64, !linear.power<i64, f64>> -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}
