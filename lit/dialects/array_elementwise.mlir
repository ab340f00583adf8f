// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Every elementwise op, on scalars and arrays of each kind it is defined on.

// CHECK-LABEL: func.func @floats(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.exp %a0 : f64
// CHECK-NEXT: %v1 = array.exp2 %a1 : f32
// CHECK-NEXT: %v2 = array.expm1 %a2 : tensor<3xf64>
// CHECK-NEXT: %v3 = array.log %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v4 = array.log2 %a0 : f64
// CHECK-NEXT: %v5 = array.log1p %a1 : f32
// CHECK-NEXT: %v6 = array.sqrt %a2 : tensor<3xf64>
// CHECK-NEXT: %v7 = array.rsqrt %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v8 = array.cbrt %a0 : f64
// CHECK-NEXT: %v9 = array.sin %a1 : f32
// CHECK-NEXT: %v10 = array.cos %a2 : tensor<3xf64>
// CHECK-NEXT: %v11 = array.tan %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v12 = array.asin %a0 : f64
// CHECK-NEXT: %v13 = array.acos %a1 : f32
// CHECK-NEXT: %v14 = array.atan %a2 : tensor<3xf64>
// CHECK-NEXT: %v15 = array.sinh %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v16 = array.cosh %a0 : f64
// CHECK-NEXT: %v17 = array.tanh %a1 : f32
// CHECK-NEXT: %v18 = array.asinh %a2 : tensor<3xf64>
// CHECK-NEXT: %v19 = array.acosh %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v20 = array.atanh %a0 : f64
// CHECK-NEXT: %v21 = array.erf %a1 : f32
// CHECK-NEXT: %v22 = array.erfc %a2 : tensor<3xf64>
// CHECK-NEXT: %v23 = array.erfinv %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v24 = array.lgamma %a0 : f64
// CHECK-NEXT: %v25 = array.logistic %a1 : f32
// CHECK-NEXT: %v26 = array.softplus %a2 : tensor<3xf64>
// CHECK-NEXT: %v27 = array.floor %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v28 = array.ceil %a0 : f64
// CHECK-NEXT: %v29 = array.round %a1 : f32
// CHECK-NEXT: %v30 = array.trunc %a2 : tensor<3xf64>
// CHECK-NEXT: %v31 = array.stop_gradient %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v32 = array.deviation %a0 : f64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @floats(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
  %v0 = array.exp %a0 : f64
  %v1 = array.exp2 %a1 : f32
  %v2 = array.expm1 %a2 : tensor<3xf64>
  %v3 = array.log %a3 : tensor<2x3xf32>
  %v4 = array.log2 %a0 : f64
  %v5 = array.log1p %a1 : f32
  %v6 = array.sqrt %a2 : tensor<3xf64>
  %v7 = array.rsqrt %a3 : tensor<2x3xf32>
  %v8 = array.cbrt %a0 : f64
  %v9 = array.sin %a1 : f32
  %v10 = array.cos %a2 : tensor<3xf64>
  %v11 = array.tan %a3 : tensor<2x3xf32>
  %v12 = array.asin %a0 : f64
  %v13 = array.acos %a1 : f32
  %v14 = array.atan %a2 : tensor<3xf64>
  %v15 = array.sinh %a3 : tensor<2x3xf32>
  %v16 = array.cosh %a0 : f64
  %v17 = array.tanh %a1 : f32
  %v18 = array.asinh %a2 : tensor<3xf64>
  %v19 = array.acosh %a3 : tensor<2x3xf32>
  %v20 = array.atanh %a0 : f64
  %v21 = array.erf %a1 : f32
  %v22 = array.erfc %a2 : tensor<3xf64>
  %v23 = array.erfinv %a3 : tensor<2x3xf32>
  %v24 = array.lgamma %a0 : f64
  %v25 = array.logistic %a1 : f32
  %v26 = array.softplus %a2 : tensor<3xf64>
  %v27 = array.floor %a3 : tensor<2x3xf32>
  %v28 = array.ceil %a0 : f64
  %v29 = array.round %a1 : f32
  %v30 = array.trunc %a2 : tensor<3xf64>
  %v31 = array.stop_gradient %a3 : tensor<2x3xf32>
  %v32 = array.deviation %a0 : f64
  func.return
}

// CHECK-LABEL: func.func @numbers(%a0: f64, %a1: i32, %a2: tensor<3xi64>, %a3: tensor<0xf32>) {
// CHECK-NEXT: %v0 = array.neg %a0 : f64
// CHECK-NEXT: %v1 = array.abs %a1 : i32
// CHECK-NEXT: %v2 = array.sign %a2 : tensor<3xi64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @numbers(%a0: f64, %a1: i32, %a2: tensor<3xi64>, %a3: tensor<0xf32>) {
  %v0 = array.neg %a0 : f64
  %v1 = array.abs %a1 : i32
  %v2 = array.sign %a2 : tensor<3xi64>
  func.return
}

// CHECK-LABEL: func.func @bits(%a0: i64, %a1: i1, %a2: tensor<3xi32>, %a3: tensor<2x3xi1>) {
// CHECK-NEXT: %v0 = array.not %a0 : i64
// CHECK-NEXT: %v1 = array.not %a1 : i1
// CHECK-NEXT: %v2 = array.not %a3 : tensor<2x3xi1>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @bits(%a0: i64, %a1: i1, %a2: tensor<3xi32>, %a3: tensor<2x3xi1>) {
  %v0 = array.not %a0 : i64
  %v1 = array.not %a1 : i1
  %v2 = array.not %a3 : tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: func.func @special(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.special gamma %a0 : f64
// CHECK-NEXT: %v1 = array.special gammainc %a2, %a2 : tensor<3xf64>
// CHECK-NEXT: %v2 = array.special hyp2f1 %a1, %a1, %a1, %a1 : f32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @special(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
  %v0 = array.special gamma %a0 : f64
  %v1 = array.special gammainc %a2, %a2 : tensor<3xf64>
  %v2 = array.special hyp2f1 %a1, %a1, %a1, %a1 : f32
  func.return
}

// CHECK-LABEL: func.func @polygamma(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.polygamma %a0 {order = 0} : f64
// CHECK-NEXT: %v1 = array.polygamma %a2 {order = 2} : tensor<3xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @polygamma(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
  %v0 = array.polygamma %a0 {order = 0} : f64
  %v1 = array.polygamma %a2 {order = 2} : tensor<3xf64>
  func.return
}

// CHECK-LABEL: func.func @tests(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.is_finite %a0 : f64 -> i1
// CHECK-NEXT: %v1 = array.is_nan %a3 : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @tests(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
  %v0 = array.is_finite %a0 : f64 -> i1
  %v1 = array.is_nan %a3 : tensor<2x3xf32> -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: func.func @float_pairs(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.absorbing_mul %a0, %a0 : f64
// CHECK-NEXT: %v1 = array.atan2 %a1, %a1 : f32
// CHECK-NEXT: %v2 = array.hypot %a2, %a2 : tensor<3xf64>
// CHECK-NEXT: %v3 = array.copysign %a3, %a3 : tensor<2x3xf32>
// CHECK-NEXT: %v4 = array.tanh_slope %a1, %a1 : f32
// CHECK-NEXT: %v5 = array.logistic_slope %a2, %a2 : tensor<3xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @float_pairs(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
  %v0 = array.absorbing_mul %a0, %a0 : f64
  %v1 = array.atan2 %a1, %a1 : f32
  %v2 = array.hypot %a2, %a2 : tensor<3xf64>
  %v3 = array.copysign %a3, %a3 : tensor<2x3xf32>
  %v4 = array.tanh_slope %a1, %a1 : f32
  %v5 = array.logistic_slope %a2, %a2 : tensor<3xf64>
  func.return
}

// CHECK-LABEL: func.func @number_pairs(%a0: f64, %a1: i32, %a2: tensor<3xi64>, %a3: tensor<0xf32>) {
// CHECK-NEXT: %v0 = array.add %a0, %a0 : f64
// CHECK-NEXT: %v1 = array.sub %a1, %a1 : i32
// CHECK-NEXT: %v2 = array.mul %a2, %a2 : tensor<3xi64>
// CHECK-NEXT: %v3 = array.div %a3, %a3 : tensor<0xf32>
// CHECK-NEXT: %v4 = array.pow %a0, %a0 : f64
// CHECK-NEXT: %v5 = array.max %a1, %a1 : i32
// CHECK-NEXT: %v6 = array.min %a2, %a2 : tensor<3xi64>
// CHECK-NEXT: %v7 = array.rem %a3, %a3 : tensor<0xf32>
// CHECK-NEXT: %v8 = array.floor_div %a0, %a0 : f64
// CHECK-NEXT: %v9 = array.fmod %a1, %a1 : i32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @number_pairs(%a0: f64, %a1: i32, %a2: tensor<3xi64>, %a3: tensor<0xf32>) {
  %v0 = array.add %a0, %a0 : f64
  %v1 = array.sub %a1, %a1 : i32
  %v2 = array.mul %a2, %a2 : tensor<3xi64>
  %v3 = array.div %a3, %a3 : tensor<0xf32>
  %v4 = array.pow %a0, %a0 : f64
  %v5 = array.max %a1, %a1 : i32
  %v6 = array.min %a2, %a2 : tensor<3xi64>
  %v7 = array.rem %a3, %a3 : tensor<0xf32>
  %v8 = array.floor_div %a0, %a0 : f64
  %v9 = array.fmod %a1, %a1 : i32
  func.return
}

// CHECK-LABEL: func.func @bit_pairs(%a0: i64, %a1: i1, %a2: tensor<3xi32>, %a3: tensor<2x3xi1>) {
// CHECK-NEXT: %v0 = array.and %a0, %a0 : i64
// CHECK-NEXT: %v1 = array.or %a1, %a1 : i1
// CHECK-NEXT: %v2 = array.xor %a2, %a2 : tensor<3xi32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @bit_pairs(%a0: i64, %a1: i1, %a2: tensor<3xi32>, %a3: tensor<2x3xi1>) {
  %v0 = array.and %a0, %a0 : i64
  %v1 = array.or %a1, %a1 : i1
  %v2 = array.xor %a2, %a2 : tensor<3xi32>
  func.return
}

// CHECK-LABEL: func.func @integer_pairs(%a0: i64, %a1: i32, %a2: tensor<3xi32>, %a3: tensor<2x3xi64>) {
// CHECK-NEXT: %v0 = array.shift_left %a0, %a0 : i64
// CHECK-NEXT: %v1 = array.shift_right %a1, %a1 : i32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @integer_pairs(%a0: i64, %a1: i32, %a2: tensor<3xi32>, %a3: tensor<2x3xi64>) {
  %v0 = array.shift_left %a0, %a0 : i64
  %v1 = array.shift_right %a1, %a1 : i32
  func.return
}

// CHECK-LABEL: func.func @compare(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>, %b: i1) {
// CHECK-NEXT: %v0 = array.compare eq %a0, %a0 : f64, f64 -> i1
// CHECK-NEXT: %v1 = array.compare ne %a1, %a1 : f32, f32 -> i1
// CHECK-NEXT: %v2 = array.compare lt %a2, %a2 : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK-NEXT: %v3 = array.compare le %a3, %a3 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %v4 = array.compare gt %a0, %a0 : f64, f64 -> i1
// CHECK-NEXT: %v5 = array.compare ge %a2, %a2 : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK-NEXT: %w = array.compare eq %b, %b : i1, i1 -> i1
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @compare(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>, %b: i1) {
  %v0 = array.compare eq %a0, %a0 : f64, f64 -> i1
  %v1 = array.compare ne %a1, %a1 : f32, f32 -> i1
  %v2 = array.compare lt %a2, %a2 : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
  %v3 = array.compare le %a3, %a3 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %v4 = array.compare gt %a0, %a0 : f64, f64 -> i1
  %v5 = array.compare ge %a2, %a2 : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
  %w = array.compare eq %b, %b : i1, i1 -> i1
  func.return
}

// CHECK-LABEL: func.func @select(%p: i1, %q: tensor<3xi1>, %x: tensor<3xf64>, %b: i1) {
// CHECK-NEXT: %v0 = array.select %p, %x, %x : i1, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT: %v1 = array.select %q, %x, %x : tensor<3xi1>, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT: %v2 = array.select %p, %b, %b : i1, i1, i1 -> i1
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @select(%p: i1, %q: tensor<3xi1>, %x: tensor<3xf64>, %b: i1) {
  %v0 = array.select %p, %x, %x : i1, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  %v1 = array.select %q, %x, %x : tensor<3xi1>, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  %v2 = array.select %p, %b, %b : i1, i1, i1 -> i1
  func.return
}

// CHECK-LABEL: func.func @convert(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>, %b: i1) {
// CHECK-NEXT: %v0 = array.convert %a0 : f64 -> i64
// CHECK-NEXT: %v1 = array.convert %a2 : tensor<3xf64> -> tensor<3xf32>
// CHECK-NEXT: %v2 = array.convert %b : i1 -> f64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @convert(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>, %b: i1) {
  %v0 = array.convert %a0 : f64 -> i64
  %v1 = array.convert %a2 : tensor<3xf64> -> tensor<3xf32>
  %v2 = array.convert %b : i1 -> f64
  func.return
}

// CHECK-LABEL: func.func @attributes(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
// CHECK-NEXT: %v0 = array.neg %a0 : f64 attributes {note = "kept"}
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @attributes(%a0: f64, %a1: f32, %a2: tensor<3xf64>, %a3: tensor<2x3xf32>) {
  %v0 = array.neg %a0 : f64 attributes {note = "kept"}
  func.return
}
