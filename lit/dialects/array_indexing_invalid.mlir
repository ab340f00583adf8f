// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Indexing ops that the verifiers reject.

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.index: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.index %m : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.index: result of element type f32 from an operand of f64}}
  %v = array.index %x : tensor<3xf64> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>, %i: i64) {
  // expected-error @below {{array.index: 2 positions for an array of rank 1}}
  %v = array.index %x[%i, %i] : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>, %i: i64) {
  // expected-error @below {{array.index: result has type tensor<3xf64>, the op computes f64}}
  %v = array.index %x[%i] : tensor<3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>, %i: i32) {
  // expected-error @below {{operand is used with type i64, but has been previously used or defined with type i32}}
  %v = array.index %x[%i] : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>, %i: i32) {
  // expected-error @below {{array.index: operand 'positions' at position 1 does not verify}}
  %v = "array.index"(%x, %i) : (tensor<3xf64>, i32) -> f64
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: position 0 that the region yields must be i64, got tensor<5x3xf64>}}
  %v = array.gather %x (%i) : tensor<5x3xf64> -> tensor<4x3xf64> {
    array.yield %x : tensor<5x3xf64>
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: region argument 0 must be i64, got f64}}
  %v = array.gather %x (%i: f64) : tensor<5x3xf64> -> tensor<4x3xf64> {
    %p = array.constant 1 : i64
    array.yield %p : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.scatter: position 0 that the region yields must be i64, got tensor<5x3xf64>}}
  %v = array.scatter %x (%i) : tensor<5x3xf64> -> tensor<4x3xf64> {
    array.yield %x : tensor<5x3xf64>
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.scatter: region argument 0 must be i64, got f64}}
  %v = array.scatter %x (%i: f64) : tensor<5x3xf64> -> tensor<4x3xf64> {
    %p = array.constant 1 : i64
    array.yield %p : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.update: position 0 that the region yields must be i64, got tensor<5x3xf64>}}
  %v = array.update add %x, %x (%i) : tensor<5x3xf64>, tensor<5x3xf64> -> tensor<5x3xf64> {
    array.yield %x : tensor<5x3xf64>
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.update: region argument 0 must be i64, got f64}}
  %v = array.update add %x, %x (%i: f64) : tensor<5x3xf64>, tensor<5x3xf64> -> tensor<5x3xf64> {
    %p = array.constant 1 : i64
    array.yield %p : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  %v = array.gather %x (%i) : tensor<5x3xf64> -> tensor<4x3xf64> {
    // expected-error @below {{array.neg: a region of array.gather ends in array.neg, it must end in array.yield}}
    %p = array.neg %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: a region of array.gather is empty, it must end in array.yield}}
  %v = array.gather %x (%i) : tensor<5x3xf64> -> tensor<4x3xf64> {
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: Region 'body' at position 0 expected a single block, but got 2 blocks}}
  %v = "array.gather"(%x) ({
    ^a(%i: i64):
      array.yield %i : i64
    ^b:
      array.yield
  }) : (tensor<5x3xf64>) -> tensor<4x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: Expected 1 region, but got 0}}
  %v = "array.gather"(%x) : (tensor<5x3xf64>) -> tensor<4x3xf64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.gather: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.gather %m () : !linear.map<f64, f64> -> f64 {
    array.yield
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: region has 1 arguments, the result only rank 0}}
  %v = array.gather %x (%i) : tensor<5x3xf64> -> f64 {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: region yields 3 positions for the operand of rank 2}}
  %v = array.gather %x (%i) : tensor<5x3xf64> -> tensor<4xf64> {
    array.yield %i, %i, %i : i64, i64, i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: trailing shape [2] of the result differs from [3] of the operand}}
  %v = array.gather %x (%i) : tensor<5x3xf64> -> tensor<4x2xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.gather: result of element type f32 from an operand of f64}}
  %v = array.gather %x (%i) : tensor<5x3xf64> -> tensor<4x3xf32> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5xi1>) {
  // expected-error @below {{array.scatter: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<5xi1>}}
  %v = array.scatter %x (%i) : tensor<5xi1> -> tensor<4xi1> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.scatter: trailing shape [3] of the operand differs from [2] of the result}}
  %v = array.scatter %x (%i) : tensor<5x3xf64> -> tensor<4x2xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<5x3xf64>) {
  // expected-error @below {{array.scatter: result of element type f32 from an operand of f64}}
  %v = array.scatter %x (%i) : tensor<5x3xf64> -> tensor<4x3xf32> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%b: tensor<5xf64>, %x: tensor<4xf64>) {
  // expected-error @below {{array.update: kind 'mul' is not one of add, set}}
  %v = array.update mul %b, %x (%i) : tensor<5xf64>, tensor<4xf64> -> tensor<5xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%b: tensor<5xi1>, %x: tensor<4xi1>) {
  // expected-error @below {{array.update: base must be a scalar or static array of f64, f32, i64, i32, got tensor<5xi1>}}
  %v = array.update add %b, %x (%i) : tensor<5xi1>, tensor<4xi1> -> tensor<5xi1> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%b: tensor<5xf64>, %x: tensor<4xf32>) {
  // expected-error @below {{array.update: result of element type f32 from an operand of f64}}
  %v = array.update set %b, %x (%i) : tensor<5xf64>, tensor<4xf32> -> tensor<5xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%b: tensor<5xf64>, %x: tensor<4xf64>) {
  // expected-error @below {{array.update: result type tensor<4xf64> must equal base type tensor<5xf64>}}
  %v = array.update set %b, %x (%i) : tensor<5xf64>, tensor<4xf64> -> tensor<4xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%b: tensor<5xf64>, %x: tensor<4x2xf64>) {
  // expected-error @below {{array.update: trailing shape [2] of the operand differs from [] of the base}}
  %v = array.update set %b, %x (%i) : tensor<5xf64>, tensor<4x2xf64> -> tensor<5xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{array.build: result must be a scalar or static array of f64, f32, i64, i32, i1, got !linear.map<f64, f64>}}
  %v = array.build () : -> !linear.map<f64, f64> {
    array.yield %m : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.build: build must yield one value, got 0}}
  %v = array.build (%i) : -> tensor<3xf64> {
    array.yield
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.build: region has 1 arguments, the result only rank 0}}
  %v = array.build (%i) : -> f64 {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{array.build: build must yield f64, got i64}}
  %v = array.build (%i) : -> tensor<3xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.build: region argument 0 must be i64, got i32}}
  %v = array.build (%i: i32) : -> tensor<3xf64> {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  %v = array.build () : -> f64 {
    // expected-error @below {{array.yield: must be the last op of its block}}
    array.yield %x : f64
    array.yield %x : f64
  }
  func.return
}
