// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Structural ops that the verifiers reject.

func.func @f() {
  // expected-error @below {{array.constant: result 0 has type f16, which is not of the language}}
  %v = array.constant 1.0 : f16
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.constant: value must be a float, an integer or a dense literal}}
  %v = "array.constant"() <{value = "text"}> : () -> f64
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.constant: literal of type f32 for a result of type f64}}
  %v = "array.constant"() <{value = 1.0 : f32}> : () -> f64
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{expected a float, an integer or a dense literal}}
  %v = array.constant "text"
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{a literal of more than 16777216 elements: write a broadcast of a scalar}}
  %v = array.constant dense<1.0> : tensor<100000x100000xf64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.iota: result must be a scalar or static array of i64, got tensor<3xf64>}}
  %v = array.iota {dim = 0} : -> tensor<3xf64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.iota: dim names dimension 1 of an array of rank 1}}
  %v = array.iota {dim = 1} : -> tensor<3xi64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.iota: dim names dimension 0 of an array of rank 0}}
  %v = array.iota {dim = 0} : -> i64
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.broadcast: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.broadcast %m {dims = []} : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.broadcast: result of element type f32 from an operand of f64}}
  %v = array.broadcast %x {dims = []} : f64 -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.broadcast: broadcast needs one entry in dims per operand dimension: 0 for rank 1}}
  %v = array.broadcast %x {dims = []} : tensor<3xf64> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.broadcast: dims names dimension 2 of an array of rank 2}}
  %v = array.broadcast %x {dims = [2]} : tensor<3xf64> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<3x3xf64>) {
  // expected-error @below {{array.broadcast: dims names a dimension twice: [0, 0]}}
  %v = array.broadcast %x {dims = [0, 0]} : tensor<3x3xf64> -> tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.broadcast: operand dimension 0 has extent 3, result dimension 0 has 2}}
  %v = array.broadcast %x {dims = [0]} : tensor<3xf64> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.transpose: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.transpose %m {permutation = []} : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{array.transpose: permutation has 1 entries for an array of rank 2}}
  %v = array.transpose %x {permutation = [0]} : tensor<2x3xf64> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{array.transpose: permutation names a dimension twice: [1, 1]}}
  %v = array.transpose %x {permutation = [1, 1]} : tensor<2x3xf64> -> tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{array.transpose: result has type tensor<2x3xf64>, the op computes tensor<3x2xf64>}}
  %v = array.transpose %x {permutation = [1, 0]} : tensor<2x3xf64> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.reshape: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.reshape %m : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{array.reshape: cannot reshape 6 elements [2, 3] into 5 [5]}}
  %v = array.reshape %x : tensor<2x3xf64> -> tensor<5xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{array.reshape: result of element type i64 from an operand of f64}}
  %v = array.reshape %x : tensor<2x3xf64> -> tensor<6xi64>
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.reshape: result 0 has type tensor<f64>, which is not of the language}}
  %v = array.reshape %x : f64 -> tensor<f64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.slice: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.slice %m {starts = [], limits = [], strides = []} : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>) {
  // expected-error @below {{array.slice: slice needs starts, limits and strides of length 1, got 1, 2 and 1}}
  %v = array.slice %x {starts = [0], limits = [1, 2], strides = [1]} : tensor<5xf64> -> tensor<1xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>) {
  // expected-error @below {{array.slice: stride 0 in dimension 0 must be at least 1}}
  %v = array.slice %x {starts = [0], limits = [2], strides = [0]} : tensor<5xf64> -> tensor<1xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>) {
  // expected-error @below {{array.slice: slice 3:6 lies outside dimension 0 of extent 5}}
  %v = array.slice %x {starts = [3], limits = [6], strides = [1]} : tensor<5xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>) {
  // expected-error @below {{array.slice: slice 3:2 lies outside dimension 0 of extent 5}}
  %v = array.slice %x {starts = [3], limits = [2], strides = [1]} : tensor<5xf64> -> tensor<0xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>) {
  // expected-error @below {{array.slice: result has type tensor<3xf64>, the op computes tensor<2xf64>}}
  %v = array.slice %x {starts = [0], limits = [4], strides = [2]} : tensor<5xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>, %x: f64) {
  // expected-error @below {{array.pad: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.pad %m, %x {low = [], high = [], interior = []} : !linear.map<f64, f64>, f64 -> f64
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>, %p: f32) {
  // expected-error @below {{array.pad: fill value must be a scalar f64, got f32}}
  %v = array.pad %x, %p {low = [1], high = [0], interior = [0]} : tensor<5xf64>, f32 -> tensor<6xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>, %p: f64) {
  // expected-error @below {{array.pad: pad needs low, high and interior of length 1, got 1, 0 and 1}}
  %v = array.pad %x, %p {low = [1], high = [], interior = [0]} : tensor<5xf64>, f64 -> tensor<6xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>, %p: f64) {
  // expected-error @below {{array.pad: pad widths must not be negative: use slice to cut}}
  %v = array.pad %x, %p {low = [-1], high = [0], interior = [0]} : tensor<5xf64>, f64 -> tensor<4xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5xf64>, %p: f64) {
  // expected-error @below {{array.pad: result has type tensor<6xf64>, the op computes tensor<7xf64>}}
  %v = array.pad %x, %p {low = [1], high = [1], interior = [0]} : tensor<5xf64>, f64 -> tensor<6xf64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.concatenate: concatenate needs at least one operand}}
  %v = array.concatenate {dim = 0} : -> tensor<0xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>, %y: tensor<2xf32>) {
  // expected-error @below {{array.concatenate: result of element type f64 from an operand of f32}}
  %v = array.concatenate %x, %y {dim = 0} : tensor<2xf64>, tensor<2xf32> -> tensor<4xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.concatenate: dim names dimension 1 of an array of rank 1}}
  %v = array.concatenate %x {dim = 1} : tensor<2xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>, %y: tensor<3x3xf64>) {
  // expected-error @below {{array.concatenate: operand 1 of shape [3, 3] cannot follow one of shape [2, 3] along dimension 1}}
  %v = array.concatenate %x, %y {dim = 1} : tensor<2x3xf64>, tensor<3x3xf64> -> tensor<2x6xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.concatenate: result has type tensor<3xf64>, the op computes tensor<4xf64>}}
  %v = array.concatenate %x, %x {dim = 0} : tensor<2xf64>, tensor<2xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.reverse: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.reverse %m {dims = []} : !linear.map<f64, f64> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.reverse: dims names dimension 1 of an array of rank 1}}
  %v = array.reverse %x {dims = [1]} : tensor<2xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.reverse: result type tensor<3xf64> must equal operand type tensor<2xf64>}}
  %v = array.reverse %x {dims = [0]} : tensor<2xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.stack: stack needs at least one operand}}
  %v = array.stack {dim = 0} : -> tensor<0xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.stack: dim 2 is not a dimension of an array of rank 2}}
  %v = array.stack %x {dim = 2} : tensor<2xf64> -> tensor<2x1xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>, %y: tensor<3xf64>) {
  // expected-error @below {{array.stack: operand 1 has shape [3], the first one [2]}}
  %v = array.stack %x, %y {dim = 0} : tensor<2xf64>, tensor<3xf64> -> tensor<2x2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.stack: result has type tensor<2x2xf64>, the op computes tensor<1x2xf64>}}
  %v = array.stack %x {dim = 0} : tensor<2xf64> -> tensor<2x2xf64>
  func.return
}
