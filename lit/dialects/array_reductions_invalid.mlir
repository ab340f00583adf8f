// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Reductions and dots that the verifiers reject.

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{array.sum: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<2xi1>}}
  %v = array.sum %x {dims = [0]} : tensor<2xi1> -> i1
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.sum: dims names dimension 1 of an array of rank 1}}
  %v = array.sum %x {dims = [1]} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.sum: dims names dimension -1 of an array of rank 1}}
  %v = array.sum %x {dims = [-1]} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.sum: dims names a dimension twice: [0, 0]}}
  %v = array.sum %x {dims = [0, 0]} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.sum: result of element type f32 from an operand of f64}}
  %v = array.sum %x {dims = [0]} : tensor<2xf64> -> f32
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf64>) {
  // expected-error @below {{array.sum: result has type tensor<2xf64>, the op computes tensor<3xf64>}}
  %v = array.sum %x {dims = [0]} : tensor<2x3xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.reduce: kind 'mean' is not one of max, min, prod, and, or}}
  %v = array.reduce mean %x {dims = [0]} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.reduce: operand must be a scalar or static array of i64, i32, i1, got tensor<2xf64>}}
  %v = array.reduce and %x {dims = [0]} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{array.reduce: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<2xi1>}}
  %v = array.reduce max %x {dims = [0]} : tensor<2xi1> -> i1
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.reduce: result of element type i64 from an operand of f64}}
  %v = array.reduce max %x {dims = [0]} : tensor<2xf64> -> i64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.reduce: result has type tensor<2xf64>, the op computes f64}}
  %v = array.reduce max %x {dims = [0]} : tensor<2xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{array.argmax: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<2xi1>}}
  %v = array.argmax %x {dim = 0} : tensor<2xi1> -> i64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.argmax: dims names dimension 1 of an array of rank 1}}
  %v = array.argmax %x {dim = 1} : tensor<2xf64> -> i64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.argmax: result has type f64, the op computes i64}}
  %v = array.argmax %x {dim = 0} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @below {{array.argmin: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<2xi1>}}
  %v = array.argmin %x {dim = 0} : tensor<2xi1> -> i64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.argmin: dims names dimension 1 of an array of rank 1}}
  %v = array.argmin %x {dim = 1} : tensor<2xf64> -> i64
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error @below {{array.argmin: result has type f64, the op computes i64}}
  %v = array.argmin %x {dim = 0} : tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%a: i64, %b: f64) {
  // expected-error @below {{array.dot: left operand must be a scalar or static array of f64, f32, got i64}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : i64, f64 -> f64
  func.return
}

// -----

func.func @f(%a: f64, %b: i64) {
  // expected-error @below {{array.dot: right operand must be a scalar or static array of f64, f32, got i64}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : f64, i64 -> f64
  func.return
}

// -----

func.func @f(%a: f64, %b: f32) {
  // expected-error @below {{array.dot: result of element type f32 from an operand of f64}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : f64, f32 -> f64
  func.return
}

// -----

func.func @f(%a: f64, %b: f64) {
  // expected-error @below {{array.dot: result of element type f32 from an operand of f64}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [], rhs_contract = []} : f64, f64 -> f32
  func.return
}

// -----

func.func @f(%a: tensor<2xf64>, %b: tensor<2xf64>) {
  // expected-error @below {{array.dot: both operands of dot need as many batch and contracted dimensions}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = []} : tensor<2xf64>, tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%a: tensor<2xf64>, %b: tensor<2xf64>) {
  // expected-error @below {{array.dot: left batch and contract names dimension 1 of an array of rank 1}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<2xf64>, tensor<2xf64> -> f64
  func.return
}

// -----

func.func @f(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>) {
  // expected-error @below {{array.dot: right batch and contract names a dimension twice: [0, 0]}}
  %v = array.dot %a, %b {lhs_batch = [0], rhs_batch = [0], lhs_contract = [1], rhs_contract = [0]} : tensor<2x2xf64>, tensor<2x2xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%a: tensor<2xf64>, %b: tensor<3xf64>) {
  // expected-error @below {{array.dot: left dimension 0 of extent 2 is paired with right dimension 0 of extent 3}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<2xf64>, tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%a: tensor<2xf64>, %b: tensor<2xf64>) {
  // expected-error @below {{array.dot: result has type tensor<2xf64>, the op computes f64}}
  %v = array.dot %a, %b {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  func.return
}
