// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Sorting and prefix reductions that are rejected.

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.sort: dim names dimension 1 of an array of rank 1}}
  %r = array.sort %v {dim = 1} : tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.sort: dim names dimension 0 of an array of rank 0}}
  %r = array.sort %x {dim = 0} : f64
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.sort: result has type tensor<4xf64>, the op computes tensor<3xf64>}}
  %r = array.sort %v {dim = 0} : tensor<3xf64> -> tensor<4xf64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.sort: result of element type f32 from an operand of f64}}
  %r = array.sort %v {dim = 0} : tensor<3xf64> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.sort has no property 'descending'; it has: dim}}
  %r = array.sort %v {dim = 0, descending} : tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.argsort: dim names dimension -1 of an array of rank 1}}
  %r = array.argsort %v {dim = -1} : tensor<3xf64> -> tensor<3xi64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.argsort: result has type tensor<3xi32>, the op computes tensor<3xi64>}}
  %r = array.argsort %v {dim = 0} : tensor<3xf64> -> tensor<3xi32>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.cumulative: kind 'mean' is not one of sum, prod, max, min}}
  %r = array.cumulative mean %v {dim = 0} : tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.cumulative: dim names dimension 2 of an array of rank 1}}
  %r = array.cumulative sum %v {dim = 2} : tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.cumulative: operand}}
  %r = array.cumulative sum %b {dim = 0} : tensor<3xi1>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.cumulative: result has type tensor<2xf64>, the op computes tensor<3xf64>}}
  %r = array.cumulative sum %v {dim = 0} : tensor<3xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: f64, %v: tensor<3xf64>, %b: tensor<3xi1>) {
  // expected-error @below {{array.reduce: operand}}
  %r = array.reduce prod %b {dims = [0]} : tensor<3xi1> -> i1
  func.return
}
