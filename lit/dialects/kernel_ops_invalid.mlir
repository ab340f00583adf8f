// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// What the verifiers of kernels reject.

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: region argument 0 must be i64, got f64}}
  %v = kernel.nest %y (%i: f64) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: 1 region arguments for 2 loops}}
  %v = kernel.nest %y (%i) {space = [8, 2], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    // expected-error @below {{array.constant: a region of kernel.nest ends in array.constant, it must end in array.yield}}
    %a = array.constant 1.0 : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: the body loads from a buffer that is not an operand}}
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %o[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: array.neg in a kernel body must be scalar}}
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    %b = array.neg %y : tensor<8xf64>
    %a = array.constant 1.0 : f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: array.sum cannot stand in a kernel body}}
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    %b = array.sum %y {dims = [0]} : tensor<8xf64> -> f64
    array.yield %b : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: 0 values yielded for 1 results}}
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    array.yield
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: needs one combiner per result exactly when it reduces}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], combiners = [add]} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: needs one combiner per result exactly when it reduces}}
  %v = kernel.nest %y (%i) {space = [], reduction = [8]} : tensor<8xf64> -> f64 {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: combiner 'mean' is not one of add, prod, max, min, and, or, argmax, argmin}}
  %v = kernel.nest %y (%i) {space = [], reduction = [8], combiners = [mean]} : tensor<8xf64> -> f64 {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: argmax reduces one dimension, got 2}}
  %v = kernel.nest %y (%i, %j) {space = [], reduction = [8, 8], combiners = [argmax]} : tensor<8xf64> -> i64 {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: result has type f64, the nest computes tensor<8xf64>}}
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> f64 {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: lane names dimension 1 of an array of rank 1}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], lane = 1} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: tile_dim names dimension 1 of an array of rank 1}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], tile_dim = 1} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: width 0 is not between 1 and 64}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], lane = 0, width = 0} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: tile 1000 is not between 1 and 64}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], tile_dim = 0, tile = 1000} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: order must be a permutation of the 1 loops}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], order = [1]} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: a layout must be a permutation of 1 dimensions}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], layouts = [[1]]} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: layouts and places need one entry per result}}
  %v = kernel.nest %y (%i) {space = [8], reduction = [], places = [0, 8]} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf64> {
    // expected-error @below {{kernel.load: 0 positions in a buffer of type tensor<8xf64>}}
    %a = kernel.load %y : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %o: tensor<8xf64>) {
  %v = kernel.nest %y (%i) {space = [8], reduction = []} : tensor<8xf64> -> tensor<8xf32> {
    // expected-error @below {{kernel.load: result must be f64, got f32}}
    %a = kernel.load %y[%i] : tensor<8xf64> -> f32
    array.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{kernel.load: buffer must be a scalar or array, got !linear.map<f64, f64>}}
  %v = kernel.load %m : !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, f64>, %g: i1) {
  // expected-error @below {{kernel.load_if: buffer must be a scalar or array, got !linear.map<f64, f64>}}
  %v = kernel.load_if %g, %m : i1, !linear.map<f64, f64> -> f64
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %g: i1) {
  // expected-error @below {{kernel.load_if: 0 positions in a buffer of type tensor<8xf64>}}
  %v = kernel.load_if %g, %y : i1, tensor<8xf64> -> f64
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %i: i64) {
  // expected-error @below {{kernel.load_if: operand 'guard' at position 0 does not verify}}
  %v = kernel.load_if %i, %y[%i] : i64, tensor<8xf64> -> f64
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: kind 'mul' is not one of add, set}}
  %v = kernel.scatter mul %b, %y (%i) {space = [8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a, %i : f64, i64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: body must yield a f64, 1 positions and at most a guard}}
  %v = kernel.scatter add %b, %y (%i) {space = [8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: body must yield a f64, 1 positions and at most a guard}}
  %v = kernel.scatter add %b, %y (%i) {space = [8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    array.yield %i, %i : i64, i64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: positions must be i64, the guard i1}}
  %v = kernel.scatter add %b, %y (%i) {space = [8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a, %a : f64, f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: positions must be i64, the guard i1}}
  %v = kernel.scatter add %b, %y (%i) {space = [8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a, %i, %i : f64, i64, i64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: the first operand must be the base, of the result's type}}
  %v = kernel.scatter add %y (%i) {space = [8]} : tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a, %i : f64, i64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: width 1000 is not between 1 and 64}}
  %v = kernel.scatter add %b, %y (%i) {space = [8], width = 1000} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a, %i : f64, i64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  // expected-error @below {{kernel.scatter: 1 region arguments for 2 loops}}
  %v = kernel.scatter add %b, %y (%i) {space = [8, 8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = array.constant 1.0 : f64
    array.yield %a, %i : f64, i64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  %v = kernel.scatter add %b, %y (%i) {space = [8]} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    // expected-error @below {{array.constant: a region of kernel.scatter ends in array.constant, it must end in array.yield}}
    %a = array.constant 1.0 : f64
  }
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>, %z: tensor<5xf64>) {
  // expected-error @below {{kernel.dot: left dimension 0 of extent 8 is paired with right dimension 0 of extent 5}}
  %v = kernel.dot %y, %z {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<8xf64>, tensor<5xf64> -> f64
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>) {
  // expected-error @below {{kernel.dot: result has type tensor<8xf64>, the op computes f64}}
  %v = kernel.dot %y, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<8xf64>, tensor<8xf64> -> tensor<8xf64>
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>) {
  // expected-error @below {{kernel.cumulative: kind 'mean' is not one of sum, prod, max, min}}
  %v = kernel.cumulative mean %y {dim = 0} : tensor<8xf64> -> tensor<8xf64>
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>) {
  // expected-error @below {{kernel.cumulative: result must have type tensor<8xf64>, got f64}}
  %v = kernel.cumulative sum %y {dim = 0} : tensor<8xf64> -> f64
  func.return
}

// -----

func.func @f(%y: tensor<8xf64>) {
  // expected-error @below {{kernel.sort: results must have types tensor<8xi64>, tensor<16xf64>, tensor<16xi64>}}
  %v, %w = kernel.sort %y {dim = 0, positions} : tensor<8xf64> -> (tensor<8xf64>, tensor<16xf64>)
  func.return
}

// -----

func.func @f(%x: f64) {
  %c = array.constant true
  %t = array.constant 0 : i64
  // expected-error @below {{kernel.report: the condition of 1 lanes has type i1}}
  %r = kernel.report print %t, %c, %x {message = "x = {}", lanes = 1} : i64, i1, f64 -> i64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{kernel.strips: 2 carries of 1 operands}}
  %v = kernel.strips %x (%s, %d, %t : f64) {carries = 2, extent = 10, block = 4} : f64 -> f64 {
    array.yield %t : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{kernel.strips: strips of 11 rows do not cover 10 rows}}
  %v = kernel.strips %x (%s, %d, %t : f64) {carries = 1, extent = 10, block = 11} : f64 -> f64 {
    array.yield %t : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{kernel.strips: a strip of type tensor<3xf64> does not have 4 rows}}
  %v = kernel.strips (%s, %d) {carries = 0, extent = 10, block = 4} : -> tensor<10xf64> {
    array.yield %x : tensor<3xf64>
  }
  func.return
}
