// RUN: mlirad-opt %s -p apply-linear-maps --split-input-file | filecheck %s

// Forward, one image per node; transposed, one sum of cotangents per node. A shared node is done once.

// CHECK-LABEL: func.func @shared(%k: f64, %x: f64) -> (f64, f64) {
// CHECK-NEXT:    [[a:%.*]] = array.absorbing_mul %k, %x : f64
// CHECK-NEXT:    [[b:%.*]] = array.add [[a]], [[a]] : f64
// CHECK-NEXT:    [[c:%.*]] = array.add [[b]], [[b]] : f64
// CHECK-NEXT:    [[s:%.*]] = array.add %x, %x : f64
// CHECK-NEXT:    [[t:%.*]] = array.add [[s]], [[s]] : f64
// CHECK-NEXT:    [[u:%.*]] = array.absorbing_mul %k, [[t]] : f64
// CHECK-NEXT:    func.return [[c]], [[u]] : f64, f64
func.func @shared(%k: f64, %x: f64) -> (f64, f64) {
  %m = linear.scale %k : f64 -> !linear.map<f64, f64>
  %a = linear.add %m, %m : !linear.map<f64, f64>
  %b = linear.add %a, %a : !linear.map<f64, f64>
  %y = linear.apply %b, %x : !linear.map<f64, f64>, f64 -> f64
  %z = linear.apply_transpose %b, %x : !linear.map<f64, f64>, f64 -> f64
  func.return %y, %z : f64, f64
}

// -----

// A component that no cotangent reaches is a zero that costs nothing until it is returned.

// CHECK-LABEL: func.func @untouched
// CHECK-NEXT:    [[a:%.*]] = array.absorbing_mul %k, %ct : f64
// CHECK-NEXT:    [[z:%.*]] = array.constant 0.000000e+00 : f64
// CHECK-NEXT:    [[w:%.*]] = array.broadcast [[z]] {dims = []} : f64 -> tensor<9xf64>
// CHECK-NEXT:    func.return [[a]], [[w]]
func.func @untouched(%k: f64, %ct: f64) -> (f64, tensor<9xf64>) {
  %p = linear.project {index = 0} : -> !linear.map<tuple<f64, tensor<9xf64>>, f64>
  %s = linear.scale %k : f64 -> !linear.map<f64, f64>
  %m = linear.compose %s, %p
    : !linear.map<f64, f64>, !linear.map<tuple<f64, tensor<9xf64>>, f64> -> !linear.map<tuple<f64, tensor<9xf64>>, f64>
  %a, %b = linear.apply_transpose %m, %ct : !linear.map<tuple<f64, tensor<9xf64>>, f64>, f64 -> (f64, tensor<9xf64>)
  func.return %a, %b : f64, tensor<9xf64>
}

// -----

// Reads of an array accumulate by updates in place: the first is a scatter, no array is summed.

// CHECK-LABEL: func.func @reads
// CHECK-NEXT:    [[s:%.*]] = array.scatter %b ()
// CHECK:         array.yield %j : i64
// CHECK:         [[u:%.*]] = array.update add [[s]], %a ()
// CHECK:         array.yield %i : i64
// CHECK:         func.return [[u]] : tensor<50xf64>
func.func @reads(%i: i64, %j: i64, %a: f64, %b: f64) -> tensor<50xf64> {
  %p = linear.index [%i] : -> !linear.map<tensor<50xf64>, f64>
  %q = linear.index [%j] : -> !linear.map<tensor<50xf64>, f64>
  %m = linear.vcat %p, %q
    : !linear.map<tensor<50xf64>, f64>, !linear.map<tensor<50xf64>, f64> -> !linear.map<tensor<50xf64>, tuple<f64, f64>>
  %g = linear.apply_transpose %m, %a, %b : !linear.map<tensor<50xf64>, tuple<f64, f64>>, f64, f64 -> tensor<50xf64>
  func.return %g : tensor<50xf64>
}

// -----

// A composite left operand is a function; m g + m h is applied as m (g + h).

// CHECK-LABEL: func.func @factored
// CHECK-NEXT:    [[g:%.*]] = array.reverse %x
// CHECK-NEXT:    [[s:%.*]] = array.add [[g]], %x
// CHECK-NEXT:    [[a:%.*]] = array.absorbing_mul %k, [[s]]
// CHECK-NEXT:    [[b:%.*]] = array.absorbing_mul %k, [[a]]
// CHECK-NEXT:    func.return [[b]]
func.func @factored(%k: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %s = linear.scale %k : tensor<2xf64> -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %m = linear.compose %s, %s
    : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tensor<2xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %g = linear.reverse {dims = [0]} : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %h = linear.reshape : -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %mg = linear.compose %m, %g
    : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tensor<2xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %mh = linear.compose %m, %h
    : !linear.map<tensor<2xf64>, tensor<2xf64>>, !linear.map<tensor<2xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, tensor<2xf64>>
  %t = linear.add %mg, %mh : !linear.map<tensor<2xf64>, tensor<2xf64>>
  %y = linear.apply %t, %x : !linear.map<tensor<2xf64>, tensor<2xf64>>, tensor<2xf64> -> tensor<2xf64>
  func.return %y : tensor<2xf64>
}

// -----

// The sum of images under a contraction is the contraction of a sum. Values that nobody reads are dropped by
// later passes.

// CHECK-LABEL: func.func @contracted(
// CHECK:         [[S:%.*]] = array.sum %g {dims = [1]} : tensor<3x9xf64> -> tensor<3xf64>
// CHECK-NEXT:    [[R:%.*]] = array.dot %q, [[S]] {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<3x3xf64>, tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT:    func.return [[R]] : tensor<3xf64>
func.func @contracted(%q: tensor<3x3xf64>, %g: tensor<3x9xf64>) -> tensor<3xf64> {
  %copies = linear.broadcast {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<3x9xf64>>
  %product = linear.dot_right %q {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x3xf64> -> !linear.map<tensor<3x9xf64>, tensor<3x9xf64>>
  %m = linear.compose %product, %copies : !linear.map<tensor<3x9xf64>, tensor<3x9xf64>>, !linear.map<tensor<3xf64>, tensor<3x9xf64>> -> !linear.map<tensor<3xf64>, tensor<3x9xf64>>
  %r = linear.apply_transpose %m, %g : !linear.map<tensor<3xf64>, tensor<3x9xf64>>, tensor<3x9xf64> -> tensor<3xf64>
  func.return %r : tensor<3xf64>
}
