// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Primitive maps that the verifiers reject.

func.func @f(%k: f64) {
  // expected-error @below {{linear.scale: result has type !linear.map<f64, tensor<3xf64>>, the op makes a map from f64 to f64}}
  %v = linear.scale %k : f64 -> !linear.map<f64, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%k: f64) {
  // expected-error @below {{linear.scale: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.scale %k : f64 -> !linear.map<tuple<f64, f64>, tuple<f64, f64>>
  func.return
}

// -----

func.func @f(%k: f32) {
  // expected-error @below {{linear.scale: coefficient must be a scalar or of type f64, got f32}}
  %v = linear.scale %k : f32 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%k: tensor<2xf64>) {
  // expected-error @below {{linear.scale: coefficient must be a scalar or of type tensor<3xf64>, got tensor<2xf64>}}
  %v = linear.scale %k : tensor<2xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%k: i1) {
  // expected-error @below {{linear.mask: result has type !linear.map<f64, tensor<3xf64>>, the op makes a map from f64 to f64}}
  %v = linear.mask %k : i1 -> !linear.map<f64, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%k: i1) {
  // expected-error @below {{linear.mask: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.mask %k : i1 -> !linear.map<tuple<f64, f64>, tuple<f64, f64>>
  func.return
}

// -----

func.func @f(%k: f64) {
  // expected-error @below {{linear.mask: condition must be i1, scalar or in shape [3], got f64}}
  %v = linear.mask %k : f64 -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%k: tensor<2xi1>) {
  // expected-error @below {{linear.mask: condition must be i1, scalar or in shape [3], got tensor<2xi1>}}
  %v = linear.mask %k : tensor<2xi1> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.convert: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.convert : -> !linear.map<tuple<f64, f64>, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.convert: result has type !linear.map<tensor<3xf64>, tensor<2xf32>>, the op makes a map from tensor<3xf64> to tensor<3xf32>}}
  %v = linear.convert : -> !linear.map<tensor<3xf64>, tensor<2xf32>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.sum: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.sum {dims = []} : -> !linear.map<tuple<f64, f64>, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.sum: dims names dimension 1 of an array of rank 1}}
  %v = linear.sum {dims = [1]} : -> !linear.map<tensor<3xf64>, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.sum: result has type !linear.map<tensor<2x3xf64>, tensor<2xf64>>, the op makes a map from tensor<2x3xf64> to tensor<3xf64>}}
  %v = linear.sum {dims = [0]} : -> !linear.map<tensor<2x3xf64>, tensor<2xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.broadcast: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.broadcast {dims = []} : -> !linear.map<tuple<f64, f64>, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.broadcast: element types differ: f64, f32}}
  %v = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<2xf32>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.broadcast: operand dimension 0 has extent 3, result dimension 0 has 2}}
  %v = linear.broadcast {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.reshape: cannot reshape 3 elements [3] into 6 [2, 3]}}
  %v = linear.reshape : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.reshape: element types differ: f64, f32}}
  %v = linear.reshape : -> !linear.map<f64, tensor<1xf32>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.reverse: result has type !linear.map<tensor<3xf64>, tensor<2x3xf64>>, the op makes a map from tensor<3xf64> to tensor<3xf64>}}
  %v = linear.reverse {dims = [0]} : -> !linear.map<tensor<3xf64>, tensor<2x3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.reverse: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.reverse {dims = []} : -> !linear.map<tuple<f64, f64>, tuple<f64, f64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.reverse: dims names dimension 1 of an array of rank 1}}
  %v = linear.reverse {dims = [1]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.slice: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.slice {starts = [], limits = [], strides = []} : -> !linear.map<tuple<f64, f64>, tuple<f64, f64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.slice: slice 0:4 lies outside dimension 0 of extent 3}}
  %v = linear.slice {starts = [0], limits = [4], strides = [1]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.slice: result has type !linear.map<tensor<3xf64>, tensor<3xf64>>, the op makes a map from tensor<3xf64> to tensor<2xf64>}}
  %v = linear.slice {starts = [0], limits = [2], strides = [1]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.pad: the space must be a float scalar or array, got tuple<f64, f64>}}
  %v = linear.pad {low = [], high = [], interior = []} : -> !linear.map<tuple<f64, f64>, tuple<f64, f64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.pad: pad widths must not be negative: use slice to cut}}
  %v = linear.pad {low = [0], high = [-1], interior = [0]} : -> !linear.map<tensor<3xf64>, tensor<2xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.pad: result has type !linear.map<tensor<3xf64>, tensor<3xf64>>, the op makes a map from tensor<3xf64> to tensor<4xf64>}}
  %v = linear.pad {low = [1], high = [0], interior = [0]} : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.concatenate: needs at least one component}}
  %v = linear.concatenate {dim = 0} : -> !linear.map<tuple<>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.concatenate: element types differ: f64, f32}}
  %v = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf32>>, tensor<6xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.concatenate: dim names dimension 1 of an array of rank 1}}
  %v = linear.concatenate {dim = 1} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<6xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.concatenate: result has type !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<3xf64>>, the op makes a map from tuple<tensor<3xf64>, tensor<3xf64>> to tensor<6xf64>}}
  %v = linear.concatenate {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.split: needs at least one component}}
  %v = linear.split {dim = 0} : -> !linear.map<tensor<3xf64>, tuple<>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.split: element types differ: f64, f32}}
  %v = linear.split {dim = 0} : -> !linear.map<tensor<6xf64>, tuple<tensor<3xf64>, tensor<3xf32>>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.split: dim names dimension 1 of an array of rank 1}}
  %v = linear.split {dim = 1} : -> !linear.map<tensor<6xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.split: result has type !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>, the op makes a map from tensor<6xf64> to tuple<tensor<3xf64>, tensor<3xf64>>}}
  %v = linear.split {dim = 0} : -> !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.stack: needs at least one component}}
  %v = linear.stack {dim = 0} : -> !linear.map<tuple<>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.stack: element types differ: f64, f32}}
  %v = linear.stack {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf32>>, tensor<6xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.stack: dim 2 is not a dimension of an array of rank 2}}
  %v = linear.stack {dim = 2} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<6xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.stack: result has type !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<3xf64>>, the op makes a map from tuple<tensor<3xf64>, tensor<3xf64>> to tensor<2x3xf64>}}
  %v = linear.stack {dim = 0} : -> !linear.map<tuple<tensor<3xf64>, tensor<3xf64>>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.unstack: needs at least one component}}
  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<3xf64>, tuple<>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.unstack: element types differ: f64, f32}}
  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<6xf64>, tuple<tensor<3xf64>, tensor<3xf32>>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.unstack: dim 2 is not a dimension of an array of rank 2}}
  %v = linear.unstack {dim = 2} : -> !linear.map<tensor<6xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.unstack: result has type !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>, the op makes a map from tensor<2x3xf64> to tuple<tensor<3xf64>, tensor<3xf64>>}}
  %v = linear.unstack {dim = 0} : -> !linear.map<tensor<3xf64>, tuple<tensor<3xf64>, tensor<3xf64>>>
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.index: 2 positions in tensor<3xf64> do not leave f64}}
  %v = linear.index[%i, %i] : -> !linear.map<tensor<3xf64>, f64>
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.index: 1 positions in tensor<2x3xf64> do not leave f64}}
  %v = linear.index[%i] : -> !linear.map<tensor<2x3xf64>, f64>
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.index: element types differ: f64, f32}}
  %v = linear.index[%i] : -> !linear.map<tensor<3xf64>, f32>
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.one_hot: 1 positions in tensor<2x3xf64> do not leave f64}}
  %v = linear.one_hot[%i] : -> !linear.map<f64, tensor<2x3xf64>>
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.one_hot: element types differ: f64, f32}}
  %v = linear.one_hot[%i] : -> !linear.map<f32, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.gather: trailing shape [2] of the codomain differs from [3] of the domain}}
  %v = linear.gather (%i) : -> !linear.map<tensor<2x3xf64>, tensor<4x2xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.gather: position 0 that the region yields must be i64, got f64}}
  %v = linear.gather (%i) : -> !linear.map<tensor<2x3xf64>, tensor<4x3xf64>> {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.gather: region has 1 arguments, the codomain only rank 0}}
  %v = linear.gather (%i) : -> !linear.map<tensor<2x3xf64>, f64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.gather: region yields 1 positions for the domain of rank 0}}
  %v = linear.gather (%i) : -> !linear.map<f64, tensor<4xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.gather: element types differ: f}}
  %v = linear.gather (%i) : -> !linear.map<tensor<2x3xf64>, tensor<4x3xf32>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.scatter: trailing shape [2] of the domain differs from [3] of the codomain}}
  %v = linear.scatter (%i) : -> !linear.map<tensor<4x2xf64>, tensor<2x3xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.scatter: position 0 that the region yields must be i64, got f64}}
  %v = linear.scatter (%i) : -> !linear.map<tensor<4x3xf64>, tensor<2x3xf64>> {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.scatter: region has 1 arguments, the domain only rank 0}}
  %v = linear.scatter (%i) : -> !linear.map<f64, tensor<2x3xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.scatter: region yields 1 positions for the codomain of rank 0}}
  %v = linear.scatter (%i) : -> !linear.map<tensor<4xf64>, f64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.scatter: element types differ: f}}
  %v = linear.scatter (%i) : -> !linear.map<tensor<4x3xf32>, tensor<2x3xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%a: tensor<3x4xf64>) {
  // expected-error @below {{linear.dot_left: result has type !linear.map<tensor<2x3xf64>, f64>, the op makes a map from tensor<2x3xf64> to tensor<2x4xf64>}}
  %v = linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x4xf64> -> !linear.map<tensor<2x3xf64>, f64>
  func.return
}

// -----

func.func @f(%a: tensor<4x4xf64>) {
  // expected-error @below {{linear.dot_left: left dimension 1 of extent }}
  %v = linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<4x4xf64> -> !linear.map<tensor<2x3xf64>, f64>
  func.return
}

// -----

func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @below {{linear.dot_left: element types differ: f}}
  %v = linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<4x4xf32> -> !linear.map<tensor<2x3xf64>, f64>
  func.return
}

// -----

func.func @f(%a: i64) {
  // expected-error @below {{linear.dot_left: the space must be a float scalar or array, got i64}}
  %v = linear.dot_left %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : i64 -> !linear.map<tensor<2x3xf64>, f64>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf64>) {
  // expected-error @below {{linear.dot_right: result has type !linear.map<tensor<3x4xf64>, f64>, the op makes a map from tensor<3x4xf64> to tensor<2x4xf64>}}
  %v = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<2x3xf64> -> !linear.map<tensor<3x4xf64>, f64>
  func.return
}

// -----

func.func @f(%a: tensor<4x4xf64>) {
  // expected-error @below {{linear.dot_right: left dimension 1 of extent }}
  %v = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<4x4xf64> -> !linear.map<tensor<3x4xf64>, f64>
  func.return
}

// -----

func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @below {{linear.dot_right: element types differ: f}}
  %v = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<4x4xf32> -> !linear.map<tensor<3x4xf64>, f64>
  func.return
}

// -----

func.func @f(%a: i64) {
  // expected-error @below {{linear.dot_right: the space must be a float scalar or array, got i64}}
  %v = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : i64 -> !linear.map<tensor<3x4xf64>, f64>
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.update: kind 'put' is not one of add, set}}
  %v = linear.update put () : -> !linear.map<tuple<tensor<4xf64>, f64>, tensor<4xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.update: the domain must be a pair of base and operand, got tensor<4xf64>}}
  %v = linear.update set () : -> !linear.map<tensor<4xf64>, tensor<4xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{linear.cumulative_sum: dim names dimension 1 of an array of rank 1}}
  %v = linear.cumulative_sum {dim = 1} : -> !linear.map<tensor<4xf64>, tensor<4xf64>>
  func.return
}

// -----

func.func @f(%a: f64) {
  // expected-error @below {{linear.recurrence: factors must be of type tensor<4xf64>, got f64}}
  %v = linear.recurrence %a {dim = 0} : f64 -> !linear.map<tensor<4xf64>, tensor<4xf64>>
  func.return
}

// -----

func.func @f(%t: tensor<3x3xf64>) {
  // expected-error @below {{linear.triangular_solve: right sides of shape [4, 1] for matrices of shape [3, 3]}}
  %v = linear.triangular_solve %t : tensor<3x3xf64> -> !linear.map<tensor<4x1xf64>, tensor<4x1xf64>>
  func.return
}
