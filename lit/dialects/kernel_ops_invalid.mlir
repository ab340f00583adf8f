// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Kernels that the verifiers reject.

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
  // expected-error @below {{kernel.nest: combiner 'mean' is not one of add, max, min, prod, and, or, argmax, argmin}}
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
  // expected-error @below {{kernel.nest: result has type f64, the output space is [8]}}
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
  // expected-error @below {{kernel.nest: 2 places for 1 results}}
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
  // expected-error @below {{kernel.sort: results must have types tensor<8xi64>, tensor<8xf64>, tensor<8xf64>}}
  %v, %w = kernel.sort %y {dim = 0, positions} : tensor<8xf64> -> (tensor<8xf64>, tensor<8xf64>)
  func.return
}

// -----

func.func @f(%x: f64) {
  %c = array.constant true
  %t = array.constant 0 : i64
  // expected-error @below {{kernel.report: the condition of 1 batch axes has type i1}}
  %r = kernel.report print %t, %c, %x {message = "x = {}", batch_rank = 1} : i64, i1, f64 -> i64
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

// One table says which combiner is defined on which elements.

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: what 'add' combines must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %v = kernel.nest %p (%i) {space = [], reduction = [8], combiners = [add]} : tensor<8xi1> -> i1 {
    %a = kernel.load %p[%i] : tensor<8xi1> -> i1
    array.yield %a : i1
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: what 'and' combines must be a scalar or static array of i64, i32, i1, got f64}}
  %v = kernel.nest %x (%i) {space = [], reduction = [8], combiners = [and]} : tensor<8xf64> -> f64 {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: loops of extents [-8]}}
  %v = kernel.nest %x (%i) {space = [], reduction = [-8], combiners = [add]} : tensor<8xf64> -> f64 {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: loops of extents [9223372036854775807]}}
  %v = kernel.nest %x (%i) {space = [], reduction = [9223372036854775807], combiners = [add]} : tensor<8xf64> -> f64 {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: 2 layouts for 1 results}}
  %v = kernel.nest %x (%i) {space = [8], reduction = [], layouts = [[0], [0]]} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: a layout must be a permutation of 1 dimensions}}
  %v = kernel.nest %x (%i) {space = [8], reduction = [], layouts = [add]} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.scatter: what is to add must be a scalar or static array of f64, f32, i64, i32, got i1}}
  %v = kernel.scatter add %p (%i) {space = [8]} : tensor<8xi1> -> tensor<8xi1> {
    %a = kernel.load %p[%i] : tensor<8xi1> -> i1
    array.yield %a, %i : i1, i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.scatter: lane names dimension 1 of an array of rank 1}}
  %v = kernel.scatter add %x (%i) {space = [8], lane = 1} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a, %i : f64, i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.scatter: from_zero and in_place exclude each other}}
  %v = kernel.scatter add %x (%i) {space = [8], from_zero, in_place} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a, %i : f64, i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.cumulative: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<8xi1>}}
  %v = kernel.cumulative sum %p {dim = 0} : tensor<8xi1> -> tensor<8xi1>
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.dot: a layout must be a permutation of 2 dimensions}}
  %v = kernel.dot %m, %m {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1], layouts = [[0, 0]]} : tensor<4x2xf64>, tensor<4x2xf64> -> tensor<4x4xf64>
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @+2 {{kernel.nest: the body reads a value from outside that it does not load}}
  %c = array.constant 1.0 : f64
  %v = kernel.nest () {space = [], reduction = []} : -> f64 {
    array.yield %c : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>, %p: tensor<8xi1>, %m: tensor<4x2xf64>) {
  // expected-error @below {{kernel.nest: a result with a layout of its own is read by kernel.cumulative}}
  %v = kernel.nest %m (%i, %j) {space = [4, 2], reduction = [], layouts = [[1, 0]]} : tensor<4x2xf64> -> tensor<4x2xf64> {
    %a = kernel.load %m[%i, %j] : tensor<4x2xf64> -> f64
    array.yield %a : f64
  }
  %w = kernel.cumulative sum %v {dim = 0} : tensor<4x2xf64> -> tensor<4x2xf64>
  func.return
}

// -----

func.func @f(%p: tensor<2xi1>, %x: f64) {
  // expected-error @below {{kernel.callback: operand 0 of type f64 does not begin with the batch axes}}
  %v = kernel.callback %p, %x {function = "f", batch_rank = 1} : tensor<2xi1>, f64 -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<2xi1>, %x: f64) {
  // expected-error @below {{kernel.report: value 0 of type f64 does not begin with the batch axes}}
  %v = kernel.report print %t, %p, %x {message = "{}", batch_rank = 1} : i64, tensor<2xi1>, f64 -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<2xi1>, %x: tensor<2xf64>) {
  // expected-error @below {{kernel.report: message: there is no value 3 among 1 values}}
  %v = kernel.report print %t, %p, %x {message = "{3}", batch_rank = 1} : i64, tensor<2xi1>, tensor<2xf64> -> i64
  func.return
}

// -----

// The attributes of a memory plan.

// expected-error @below {{func.func: attribute 'kernel.arena_bytes' must be a number of bytes, an i64 of at most 2**48, got -64 : i64}}
func.func @f(%x: f64) -> f64 attributes {kernel.arena_bytes = -64 : i64} {
  func.return %x : f64
}

// -----

// expected-error @below {{func.func: attribute 'kernel.updates' must be an array<i64: ...>, got "x"}}
func.func @f(%x: f64) -> f64 attributes {kernel.updates = "x"} {
  func.return %x : f64
}

// -----

// expected-error @below {{func.func: attribute 'kernel.updates' must pair each result with one argument}}
func.func @f(%x: f64) -> f64 attributes {kernel.updates = array<i64: 0, 0, 0>} {
  func.return %x : f64
}

// -----

func.func @f(%x: f64) -> f64 {
  // expected-error @below {{func.call: attribute 'kernel.places' must be an array<i64: ...>, got array<i32: 0>}}
  %y = func.call @f(%x) {kernel.places = array<i32: 0>} : (f64) -> f64
  func.return %y : f64
}

// -----

// Sharing by threads.

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: parallel needs the outermost loop to be one of the output}}
  %v = kernel.nest %x (%i) {space = [], reduction = [8], combiners = [add], parallel = 2} : tensor<8xf64> -> f64 {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: blocks of 0 iterations: parallel is 1 or more}}
  %v = kernel.nest %x (%i) {space = [8], reduction = [], parallel = 0} : tensor<8xf64> -> tensor<8xf64> {
    %a = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.scan: threads cannot share this loop: iterations with carries depend on each other}}
  %v = array.scan %x (%i, %c: f64) {carries = 1, length = 4} : f64 -> f64 attributes {kernel.parallel = 2 : i64} {
    array.yield %c : f64
  }
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<2xi1>) {
  // expected-error @below {{array.scan: threads cannot share this loop: kernel.report in its body is for one thread}}
  %v = array.scan (%i) {carries = 0, length = 4} : -> tensor<4xi64> attributes {kernel.parallel = 2 : i64} {
    %u = kernel.report print %t, %p {message = "x", batch_rank = 1} : i64, tensor<2xi1> -> i64
    array.yield %u : i64
  }
  func.return
}

// -----

// expected-error @below {{func.func: threads cannot share this loop: func.func has no independent iterations}}
func.func @f(%x: f64) -> f64 attributes {kernel.parallel = 1 : i64} {
  func.return %x : f64
}

// -----

func.func @f() {
  // expected-error @below {{array.scan: attribute 'kernel.parallel' must be an i64 from 1 on, got "x"}}
  %v = array.scan (%i) {carries = 0, length = 4} : -> tensor<4xi64> attributes {kernel.parallel = "x"} {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: 2 carries of 1 operands}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 2, space = [10], length = 3} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: length 0: a recurrence has at least one iteration}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [10], length = 0} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: pitch 9 of rows of 10 elements: at most 64 lie between rows}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [10], length = 2, pitch = 9} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: carry 0 begins as tensor<9xf64>, which is not a scalar and does not have the shape of the space [10]}}
  %p = kernel.recurrence %y (%i, %k, %u: f64) {carries = 1, space = [10], length = 3} : tensor<9xf64> -> tensor<10xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: 2 region arguments for 2 loops and 1 carries}}
  %p = kernel.recurrence %x (%i, %k) {carries = 1, space = [10], length = 3} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: region argument 2 must be f64, got i64}}
  %p = kernel.recurrence %x (%i, %k, %u) {carries = 1, space = [10], length = 3} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: the body does not yield the carries, in their types}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [10], length = 3} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: results are of types (tensor<9xf64>), the recurrence makes (tensor<10xf64>)}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [10], length = 3} : tensor<10xf64> -> tensor<9xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: lane names dimension 1 of an array of rank 1}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [10], length = 3, lane = 1} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<10xf64>, %y: tensor<9xf64>) {
  // expected-error @below {{kernel.recurrence: width 65 is not between 1 and 64}}
  %p = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [10], length = 3, lane = 0, width = 65} : tensor<10xf64> -> tensor<10xf64> {
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: within has three numbers for each bound: two loops and an offset}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], within = [0]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x8xi64>) {
  // expected-error @below {{kernel.nest: within needs results that are floats, with a dimension for each loop}}
  %a = kernel.nest %x (%i, %j) {space = [8, 8], reduction = [], within = [0, 1, 0]} : tensor<8x8xi64> -> tensor<8x8xi64> {
    %u = kernel.load %x[%i, %j] : tensor<8x8xi64> -> i64
    array.yield %u : i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: the segments end at 4}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], loops = [#kernel.loop<0, 0 to 4>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '1 to 8' is not a block next to the 0 iterations done}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], loops = [#kernel.loop<0, 1 to 8>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '0 to 16 by 8 lanes' does not end in the loop, behind the 0 that are done}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 16 by 8 lanes>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '0 to 8 by 3' is no whole number of blocks}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], tile_dim = 0, loops = [#kernel.loop<0, 0 to 8 by 3>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '0 to 8 by 8 lanes': this loop may have 1 to 1 copies and 1 to 1 lanes}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], loops = [#kernel.loop<0, 0 to 8 by 8 lanes>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '5 to 8 by 4 lanes repeats 1' is not a block next to the 5 iterations done}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 5, 5 to 8 by 4 lanes repeats 1>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '4 to 8 by 4 lanes repeats 2' does not repeat 1 iterations}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 5, 4 to 8 by 4 lanes repeats 2>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '0 to 8 by 4 lanes masked': masked lanes are one block}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 8 by 4 lanes masked>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '0 to 8 by 16 lanes clamped': no block fits into the loop}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], lane = 0, width = 16, loops = [#kernel.loop<0, 0 to 8 by 16 lanes clamped>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 has blocks of [4] lanes, width is 2}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], lane = 0, width = 2, loops = [#kernel.loop<0, 0 to 8 by 4 lanes>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: [0, 0] are not loops of a kernel of 1, once each}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], loops = [#kernel.loop<0, 0 to 8>, #kernel.loop<0, 0 to 8>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loops state order and tile: leave out the properties order, reduction_outer and tile}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], order = [0], loops = [#kernel.loop<0, 0 to 8>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: 2 accumulators for [] copies of the innermost reduction}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], accumulators = 2, loops = [#kernel.loop<0, 0 to 8>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: fast_path 'quick' is not one of inside, inside_and_borders, products, totals}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], fast_path = quick, loops = [#kernel.loop<0, 0 to 8>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: prefetch 0 is not from 1 to 1048576 bytes}}
  %a = kernel.nest %x (%i) {space = [8], reduction = [], prefetch = 0, loops = [#kernel.loop<0, 0 to 8>]} : tensor<8xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 of extent 8: '4 to 8 by 4 lanes' runs iterations twice, which changes results here}}
  %a = kernel.nest %x (%i) {space = [], reduction = [8], combiners = [add], loops = [#kernel.loop<0, 0 to 5, 4 to 8 by 4 lanes>], lane = 0, width = 4} : tensor<8xf64> -> f64 {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: loop 0 has blocks of [1, 4] lanes, width is 4}}
  %a = kernel.nest %x (%i) {space = [], reduction = [8], combiners = [add], loops = [#kernel.loop<0, 0 to 4 by 4 lanes, 4 to 8>], lane = 0, width = 4} : tensor<8xf64> -> f64 {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.nest: 1 accumulators for [2] copies of the innermost reduction}}
  %a = kernel.nest %x (%i) {space = [], reduction = [8], combiners = [add], loops = [#kernel.loop<0, 0 to 8 by 2>]} : tensor<8xf64> -> f64 {
    %u = kernel.load %x[%i] : tensor<8xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.nest: loop 1 of extent 9 is not among the loops}}
  %a = kernel.nest %x (%i, %j) {space = [8, 9], reduction = [], loops = [#kernel.loop<0, 0 to 8>]} : tensor<8x9xf64> -> tensor<8x9xf64> {
    %u = kernel.load %x[%i, %j] : tensor<8x9xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.nest: loop 1 has lanes, so it is to be among the innermost reductions}}
  %a = kernel.nest %x (%i, %j) {space = [8], reduction = [9], combiners = [add], lane = 1, width = 1, loops = [#kernel.loop<1, 0 to 9>, #kernel.loop<0, 0 to 8>]} : tensor<8x9xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i, %j] : tensor<8x9xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.nest: positions of extrema need reductions to be the innermost loops}}
  %a = kernel.nest %x (%i, %j) {space = [8], reduction = [9], combiners = [argmax], loops = [#kernel.loop<1, 0 to 9>, #kernel.loop<0, 0 to 8>]} : tensor<8x9xf64> -> tensor<8xi64> {
    %u = kernel.load %x[%i, %j] : tensor<8x9xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.nest: parallel needs the outermost loop to be one of the output}}
  %a = kernel.nest %x (%i, %j) {space = [8], reduction = [9], combiners = [add], parallel = 2, loops = [#kernel.loop<1, 0 to 9>, #kernel.loop<0, 0 to 8>]} : tensor<8x9xf64> -> tensor<8xf64> {
    %u = kernel.load %x[%i, %j] : tensor<8x9xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.scatter: the loop of the lanes, 0, is to be the innermost}}
  %a = kernel.scatter add %x (%i, %j) {space = [8, 9], from_zero, lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 8 by 4 lanes>, #kernel.loop<1, 0 to 9>]} : tensor<8x9xf64> -> tensor<8x9xf64> {
    %u = kernel.load %x[%i, %j] : tensor<8x9xf64> -> f64
    array.yield %u, %i, %j : f64, i64, i64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8xf64>) {
  // expected-error @below {{kernel.recurrence: loop 0 of extent 8: the segments end at 4}}
  %a = kernel.recurrence %x (%i, %k, %c: f64) {carries = 1, space = [8], length = 3, loops = [#kernel.loop<0, 0 to 4>]} : tensor<8xf64> -> tensor<8xf64> {
    array.yield %c : f64
  }
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.cumulative: loop 1 of extent 9: '0 to 9 by 2': this loop may have 1 to 1 copies and 1 to 64 lanes}}
  %a = kernel.cumulative sum %x {dim = 0, loops = [#kernel.loop<1, 0 to 9 by 2>]} : tensor<8x9xf64> -> tensor<8x9xf64>
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.dot: width and products are stated together}}
  %a = kernel.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], width = 4} : tensor<8x9xf64>, tensor<8x9xf64> -> tensor<9x9xf64>
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.dot: width 32 is not a power of two up to 16}}
  %a = kernel.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], width = 32, products = []} : tensor<8x9xf64>, tensor<8x9xf64> -> tensor<9x9xf64>
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{a tile of 40 rows and 2 vectors: at most 32 and 4}}
  %a = kernel.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], width = 4, products = [#kernel.product<9 x 9 by 40 x 2>]} : tensor<8x9xf64>, tensor<8x9xf64> -> tensor<9x9xf64>
  func.return
}

// -----

func.func @f(%x: tensor<8x9xf64>) {
  // expected-error @below {{kernel.cumulative: '0 to 9 by 4 lanes clamped': blocks are whole ones}}
  %a = kernel.cumulative sum %x {dim = 0, width = 4, loops = [#kernel.loop<1, 0 to 9 by 4 lanes clamped>]} : tensor<8x9xf64> -> tensor<8x9xf64>
  func.return
}

// -----

func.func @f(%x: tensor<3x8x9xf64>) {
  // expected-error @below {{kernel.cumulative: lines of several columns do not run side by side}}
  %a = kernel.cumulative sum %x {dim = 1, loops = [#kernel.loop<0, 0 to 3 by 3>, #kernel.loop<1, 0 to 9>]} : tensor<3x8x9xf64> -> tensor<3x8x9xf64>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{kernel.scatter: '0 to 3 by 4 lanes masked': blocks are whole ones}}
  %a = kernel.scatter add %x (%i) {space = [3], from_zero, lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 3 by 4 lanes masked>]} : tensor<3xf64> -> tensor<3xf64> {
    %u = kernel.load %x[%i] : tensor<3xf64> -> f64
    array.yield %u, %i : f64, i64
  }
  func.return
}
