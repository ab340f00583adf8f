// RUN: mlirad-opt %s -p 'linearize,mlirad-dce' --split-input-file | filecheck %s --check-prefix=MAP
// RUN: mlirad-opt %s -p 'linearize,apply-linear-maps,mlirad-canonicalize' --split-input-file | filecheck %s --check-prefix=CODE

// A loop: residuals are stacked, the captured array is a component of the space of an iteration; transposed, one sum of
// cotangents goes through the reversed loop and is added to in place.

// MAP-LABEL: func.func @main
// MAP-NEXT: %d_x = linear.identity
// MAP-NEXT: %one = array.constant 1.000000e+00 : f64
// MAP-NEXT: %c, %0, %1 = array.scan %one, %p (%2, %3: f64, %4) {carries = 1, length = 3} : f64, tensor<3xi64> -> (f64, tensor<3xf64>, tensor<3xf64>) {
// MAP-NEXT: %e = array.index %x[%4] : tensor<9xf64> -> f64
// MAP-NEXT: %s = array.sin %e : f64
// MAP-NEXT: %5 = array.cos %e : f64
// MAP-NEXT: %b = array.mul %3, %s : f64
// MAP-NEXT: %6 = array.absorbing_mul %3, %5 : f64
// MAP-NEXT: array.yield %b, %6, %s : f64, f64, f64
// MAP-NEXT: }
// MAP-NEXT: %2 = linear.scan %p, %0, %1 (%3, %4, %5: f64, %6: f64) {carries = 1, inputs = 0, captured = 1, length = 3} : tensor<3xi64>, tensor<3xf64>, tensor<3xf64> -> !linear.map<tuple<f64, tensor<9xf64>>, tuple<f64>> {
// MAP-NEXT: %d_a = linear.project {index = 0}
// MAP-NEXT: %d_x_1 = linear.project {index = 1}
// MAP-NEXT: %7 = linear.index[%4]
// MAP-NEXT: %d_e = linear.compose %7, %d_x_1
// MAP-NEXT: %8 = linear.scale %6 : f64 -> !linear.map<f64, f64>
// MAP-NEXT: %9 = linear.compose %8, %d_a
// MAP-NEXT: %10 = linear.scale %5 : f64 -> !linear.map<f64, f64>
// MAP-NEXT: %11 = linear.compose %10, %d_e
// MAP-NEXT: %d_b = linear.add %9, %11
// MAP-NEXT: %d_b_1 = linear.vcat %d_b
// MAP-NEXT: array.yield %d_b_1
// MAP-NEXT: }
// MAP-NEXT: %3 = linear.zero
// MAP-NEXT: %4 = linear.vcat %3, %d_x
// MAP-NEXT: %5 = linear.compose %2, %4
// MAP-NEXT: %6 = linear.project {index = 0}
// MAP-NEXT: %d_c = linear.compose %6, %5
// MAP-NEXT: %g = linear.apply_transpose %d_c, %one
// MAP-NEXT: func.return %c, %g : f64, tensor<9xf64>
// MAP-NEXT: }

// CODE-LABEL: func.func @main
// CODE-NEXT: %one = array.constant 1.000000e+00 : f64
// CODE-NEXT: %c, %0, %1 = array.scan %one, %p (%2, %3: f64, %4) {carries = 1, length = 3} : f64, tensor<3xi64> -> (f64, tensor<3xf64>, tensor<3xf64>) {
// CODE-NEXT: %e = array.index %x[%4] : tensor<9xf64> -> f64
// CODE-NEXT: %s = array.sin %e : f64
// CODE-NEXT: %5 = array.cos %e : f64
// CODE-NEXT: %b = array.mul %3, %s : f64
// CODE-NEXT: %6 = array.absorbing_mul %3, %5 : f64
// CODE-NEXT: array.yield %b, %6, %s : f64, f64, f64
// CODE-NEXT: }
// CODE-NEXT: %g = array.constant 0.000000e+00 : f64
// CODE-NEXT: %g_1 = array.broadcast %g {dims = []} : f64 -> tensor<9xf64>
// CODE-NEXT: %2, %3 = array.scan %one, %g_1, %p, %0, %1 (%4, %5: f64, %6: tensor<9xf64>, %7, %8: f64, %9: f64) {carries = 2, length = 3, reverse} : f64, tensor<9xf64>, tensor<3xi64>, tensor<3xf64>, tensor<3xf64> -> (f64, tensor<9xf64>) {
// CODE-NEXT: %g_2 = array.absorbing_mul %8, %5 : f64
// CODE-NEXT: %g_3 = array.update add %6, %g_2 () : tensor<9xf64>, f64 -> tensor<9xf64> {
// CODE-NEXT: array.yield %7 : i64
// CODE-NEXT: }
// CODE-NEXT: %g_4 = array.absorbing_mul %9, %5 : f64
// CODE-NEXT: array.yield %g_4, %g_3 : f64, tensor<9xf64>
// CODE-NEXT: }
// CODE-NEXT: func.return %c, %3 : f64, tensor<9xf64>
// CODE-NEXT: }

func.func @main(%x: tensor<9xf64>, %p: tensor<3xi64>) -> (f64, tensor<9xf64>) {
  %y, %d = linear.linearize %x, %p {callee = @f, wrt = [0]} : tensor<9xf64>, tensor<3xi64> -> (f64, !linear.map<tensor<9xf64>, f64>)
  %one = array.constant 1.0 : f64
  %g = linear.apply_transpose %d, %one : !linear.map<tensor<9xf64>, f64>, f64 -> tensor<9xf64>
  func.return %y, %g : f64, tensor<9xf64>
}
func.func @f(%x: tensor<9xf64>, %p: tensor<3xi64>) -> f64 {
  %one = array.constant 1.0 : f64
  %c = array.scan %one, %p (%i, %a : f64, %j) {carries = 1, length = 3} : f64, tensor<3xi64> -> f64 {
    %e = array.index %x[%j] : tensor<9xf64> -> f64
    %s = array.sin %e : f64
    %b = array.mul %a, %s : f64
    array.yield %b : f64
  }
  func.return %c : f64
}

// -----

// A branch: the branch that runs yields its residual, which both share; the map is a choice of maps.

// MAP-LABEL: func.func @main
// MAP-NEXT: %d_x = linear.identity
// MAP-NEXT: %0, %1 = array.if %p : i1 -> (f64, f64) {
// MAP-NEXT: %s = array.sin %x : f64
// MAP-NEXT: %2 = array.cos %x : f64
// MAP-NEXT: array.yield %s, %2 : f64, f64
// MAP-NEXT: } else {
// MAP-NEXT: %e = array.exp %x : f64
// MAP-NEXT: array.yield %e, %e : f64, f64
// MAP-NEXT: }
// MAP-NEXT: %2 = linear.if %p : i1 -> !linear.map<tuple<f64>, tuple<f64>> {
// MAP-NEXT: %d_x_1 = linear.project {index = 0}
// MAP-NEXT: %3 = linear.scale %1 : f64 -> !linear.map<f64, f64>
// MAP-NEXT: %d_s = linear.compose %3, %d_x_1
// MAP-NEXT: %d_s_1 = linear.vcat %d_s
// MAP-NEXT: array.yield %d_s_1
// MAP-NEXT: } else {
// MAP-NEXT: %d_x_1 = linear.project {index = 0}
// MAP-NEXT: %3 = linear.scale %1 : f64 -> !linear.map<f64, f64>
// MAP-NEXT: %d_e = linear.compose %3, %d_x_1
// MAP-NEXT: %d_e_1 = linear.vcat %d_e
// MAP-NEXT: array.yield %d_e_1
// MAP-NEXT: }
// MAP-NEXT: %3 = linear.vcat %d_x
// MAP-NEXT: %4 = linear.compose %2, %3
// MAP-NEXT: %5 = linear.project {index = 0}
// MAP-NEXT: %d_y = linear.compose %5, %4
// MAP-NEXT: %g = linear.apply %d_y, %0
// MAP-NEXT: func.return %0, %g : f64, f64
// MAP-NEXT: }

// CODE-LABEL: func.func @main
// CODE-NEXT: %0, %1 = array.if %p : i1 -> (f64, f64) {
// CODE-NEXT: %s = array.sin %x : f64
// CODE-NEXT: %2 = array.cos %x : f64
// CODE-NEXT: array.yield %s, %2 : f64, f64
// CODE-NEXT: } else {
// CODE-NEXT: %e = array.exp %x : f64
// CODE-NEXT: array.yield %e, %e : f64, f64
// CODE-NEXT: }
// CODE-NEXT: %g = array.if %p : i1 -> f64 {
// CODE-NEXT: %g_1 = array.absorbing_mul %1, %0 : f64
// CODE-NEXT: array.yield %g_1 : f64
// CODE-NEXT: } else {
// CODE-NEXT: %g_1 = array.absorbing_mul %1, %0 : f64
// CODE-NEXT: array.yield %g_1 : f64
// CODE-NEXT: }
// CODE-NEXT: func.return %0, %g : f64, f64
// CODE-NEXT: }

func.func @main(%x: f64, %p: i1) -> (f64, f64) {
  %y, %d = linear.linearize %x, %p {callee = @f, wrt = [0]} : f64, i1 -> (f64, !linear.map<f64, f64>)
  %g = linear.apply %d, %y : !linear.map<f64, f64>, f64 -> f64
  func.return %y, %g : f64, f64
}
func.func @f(%x: f64, %p: i1) -> f64 {
  %y = array.if %p : i1 -> f64 {
    %s = array.sin %x : f64
    array.yield %s : f64
  } else {
    %e = array.exp %x : f64
    array.yield %e : f64
  }
  func.return %y : f64
}

// -----

// A loop on data: residuals go on a tape, which the transposed map reads from its end.

// MAP-LABEL: func.func @main
// MAP-NEXT: %d_x = linear.identity
// MAP-NEXT: %0, %1 = array.while %x (%2: f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
// MAP-NEXT: %more = array.compare gt %2, %n : f64, f64 -> i1
// MAP-NEXT: array.yield %more : i1
// MAP-NEXT: } do (%2: f64) {
// MAP-NEXT: %b = array.sin %2 : f64
// MAP-NEXT: %3 = array.cos %2 : f64
// MAP-NEXT: array.yield %b, %3 : f64, f64
// MAP-NEXT: }
// MAP-NEXT: %2 = linear.while %1 (%3: f64) {carries = 1} : !array.tape<f64> -> !linear.map<tuple<f64>, tuple<f64>> {
// MAP-NEXT: %d_a = linear.project {index = 0}
// MAP-NEXT: %4 = linear.scale %3 : f64 -> !linear.map<f64, f64>
// MAP-NEXT: %d_b = linear.compose %4, %d_a
// MAP-NEXT: %d_b_1 = linear.vcat %d_b
// MAP-NEXT: array.yield %d_b_1
// MAP-NEXT: }
// MAP-NEXT: %3 = linear.vcat %d_x
// MAP-NEXT: %4 = linear.compose %2, %3
// MAP-NEXT: %5 = linear.project {index = 0}
// MAP-NEXT: %d_y = linear.compose %5, %4
// MAP-NEXT: %one = array.constant 1.000000e+00 : f64
// MAP-NEXT: %g = linear.apply_transpose %d_y, %one
// MAP-NEXT: func.return %0, %g : f64, f64
// MAP-NEXT: }

// CODE-LABEL: func.func @main
// CODE-NEXT: %0, %1 = array.while %x (%2: f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
// CODE-NEXT: %more = array.compare gt %2, %n : f64, f64 -> i1
// CODE-NEXT: array.yield %more : i1
// CODE-NEXT: } do (%2: f64) {
// CODE-NEXT: %b = array.sin %2 : f64
// CODE-NEXT: %3 = array.cos %2 : f64
// CODE-NEXT: array.yield %b, %3 : f64, f64
// CODE-NEXT: }
// CODE-NEXT: %one = array.constant 1.000000e+00 : f64
// CODE-NEXT: %g = array.replay %1, %one (%2: f64, %3: f64) {reverse} : !array.tape<f64>, f64 -> f64 {
// CODE-NEXT: %g_1 = array.absorbing_mul %2, %3 : f64
// CODE-NEXT: array.yield %g_1 : f64
// CODE-NEXT: }
// CODE-NEXT: func.return %0, %g : f64, f64
// CODE-NEXT: }

func.func @main(%x: f64, %n: f64) -> (f64, f64) {
  %y, %d = linear.linearize %x, %n {callee = @f, wrt = [0]} : f64, f64 -> (f64, !linear.map<f64, f64>)
  %one = array.constant 1.0 : f64
  %g = linear.apply_transpose %d, %one : !linear.map<f64, f64>, f64 -> f64
  func.return %y, %g : f64, f64
}
func.func @f(%x: f64, %n: f64) -> f64 {
  %y = array.while %x (%a : f64) : f64 -> f64 {
    %more = array.compare gt %a, %n : f64, f64 -> i1
    array.yield %more : i1
  } do (%a : f64) {
    %b = array.sin %a : f64
    array.yield %b : f64
  }
  func.return %y : f64
}
