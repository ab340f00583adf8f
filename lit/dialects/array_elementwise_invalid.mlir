// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Elementwise ops that the verifiers reject, each with an element type outside of its domain.

func.func @f(%x: i1) {
  // expected-error @below {{array.neg: operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.neg %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.abs: operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.abs %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.sign: operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.sign %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.exp: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.exp %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.exp2: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.exp2 %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.expm1: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.expm1 %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.log: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.log %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.log2: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.log2 %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.log1p: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.log1p %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.sqrt: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.sqrt %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.rsqrt: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.rsqrt %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.cbrt: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.cbrt %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.sin: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.sin %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.cos: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.cos %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.tan: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.tan %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.asin: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.asin %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.acos: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.acos %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.atan: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.atan %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.sinh: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.sinh %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.cosh: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.cosh %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.tanh: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.tanh %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.asinh: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.asinh %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.acosh: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.acosh %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.atanh: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.atanh %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.erf: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.erf %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.erfc: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.erfc %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.erfinv: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.erfinv %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.lgamma: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.lgamma %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.logistic: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.logistic %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.softplus: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.softplus %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.floor: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.floor %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.ceil: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.ceil %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.round: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.round %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.trunc: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.trunc %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.stop_gradient: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.stop_gradient %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.deviation: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.deviation %x : i1
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.not: operand must be a scalar or static array of i64, i32, i1, got f64}}
  %y = array.not %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.special: 'spam' is not a special function that is known}}
  %y = array.special spam %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.special: gammainc takes a, x, got 1 operands}}
  %y = array.special gammainc %x : f64
  func.return
}

// -----

func.func @f(%x: i64) {
  // expected-error @below {{array.special: result must be a scalar or static array of f64, f32, got i64}}
  %y = array.special gamma %x : i64
  func.return
}

// -----

func.func @f(%x: f32, %y: f64) {
  // expected-error @below {{array.special: operands must have the result's type f64, got f32}}
  %z = array.special jv %x, %y : f32, f64 -> f64
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.polygamma: operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.polygamma %x {order = 1} : i1
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.polygamma: order must be from 0 to 100, got -1}}
  %y = array.polygamma %x {order = -1} : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.polygamma: property 'order' expected in operation 'array.polygamma'}}
  %y = array.polygamma %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.neg: result type f32 must equal operand type f64}}
  %y = array.neg %x : f64 -> f32
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.add: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.add %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.sub: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.sub %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.mul: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.mul %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.absorbing_mul: left operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.absorbing_mul %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.div: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.div %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.pow: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.pow %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.atan2: left operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.atan2 %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.tanh_slope: left operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.tanh_slope %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.logistic_slope: left operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.logistic_slope %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.hypot: left operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.hypot %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.max: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.max %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.min: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.min %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.rem: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.rem %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.floor_div: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.floor_div %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.fmod: left operand must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %y = array.fmod %x, %x : i1
  func.return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{array.copysign: left operand must be a scalar or static array of f64, f32, got i1}}
  %y = array.copysign %x, %x : i1
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.and: left operand must be a scalar or static array of i64, i32, i1, got f64}}
  %y = array.and %x, %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.or: left operand must be a scalar or static array of i64, i32, i1, got f64}}
  %y = array.or %x, %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.xor: left operand must be a scalar or static array of i64, i32, i1, got f64}}
  %y = array.xor %x, %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.shift_left: left operand must be a scalar or static array of i64, i32, got f64}}
  %y = array.shift_left %x, %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.shift_right: left operand must be a scalar or static array of i64, i32, got f64}}
  %y = array.shift_right %x, %x : f64
  func.return
}

// -----

func.func @f(%x: f64, %y: tensor<2xf64>) {
  // expected-error @below {{array.add: operands must have one type, got f64 and tensor<2xf64>; broadcast or convert one of them}}
  %z = array.add %x, %y : f64, tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.add: result type f32 must equal operand type f64}}
  %z = array.add %x, %x : f64, f64 -> f32
  func.return
}

// -----

func.func @f(%x: i64) {
  // expected-error @below {{array.is_finite: operand must be a scalar or static array of f64, f32, got i64}}
  %y = array.is_finite %x : i64 -> i1
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.is_finite: result must hold i1 in the operand's shape [2], got i1}}
  %y = array.is_finite %x : tensor<2xf64> -> i1
  func.return
}

// -----

func.func @f(%x: i64) {
  // expected-error @below {{array.is_nan: operand must be a scalar or static array of f64, f32, got i64}}
  %y = array.is_nan %x : i64 -> i1
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.is_nan: result must hold i1 in the operand's shape [2], got i1}}
  %y = array.is_nan %x : tensor<2xf64> -> i1
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.compare: predicate 'above' is not one of eq, ne, lt, le, gt, ge}}
  %y = array.compare above %x, %x : f64, f64 -> i1
  func.return
}

// -----

func.func @f(%x: !linear.map<f64, f64>) {
  // expected-error @below {{array.compare: left operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %y = array.compare lt %x, %x : !linear.map<f64, f64>, !linear.map<f64, f64> -> i1
  func.return
}

// -----

func.func @f(%x: f64, %z: f32) {
  // expected-error @below {{array.compare: operands must have one type, got f64 and f32}}
  %y = array.compare lt %x, %z : f64, f32 -> i1
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.compare: result must hold i1 in the operand's shape [], got f64}}
  %y = array.compare lt %x, %x : f64, f64 -> f64
  func.return
}

// -----

func.func @f(%p: i1, %x: f64) {
  // expected-error @below {{array.select: result must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %y = array.select %p, %x, %x : i1, f64, f64 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%p: f64, %x: f64) {
  // expected-error @below {{array.select: condition must hold i1, got f64}}
  %y = array.select %p, %x, %x : f64, f64, f64 -> f64
  func.return
}

// -----

func.func @f(%p: i1, %x: f64, %z: f32) {
  // expected-error @below {{array.select: branches must have the result's type f64, got f32}}
  %y = array.select %p, %x, %z : i1, f64, f32 -> f64
  func.return
}

// -----

func.func @f(%p: tensor<2xi1>, %x: tensor<3xf64>) {
  // expected-error @below {{array.select: condition must be a scalar or have shape [3], got tensor<2xi1>}}
  %y = array.select %p, %x, %x : tensor<2xi1>, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: !linear.map<f64, f64>) {
  // expected-error @below {{array.convert: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %y = array.convert %x : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.convert: result must keep the shape [2], got tensor<3xf32>}}
  %y = array.convert %x : tensor<2xf64> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.convert: result 0 has type index, which is not of the language}}
  %y = array.convert %x : f64 -> index
  func.return
}
