// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Factorisations and linear systems that are rejected.

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.lu: part 'left' is not one of factors, pivots, permutation}}
  %r = array.lu left %a : tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.lu: matrices of shape [4, 3] are not square}}
  %r = array.lu factors %m : tensor<4x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.lu: result has type tensor<3xf64>, the op computes tensor<3xi64>}}
  %r = array.lu pivots %a : tensor<3x3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.cholesky: matrices have two dimensions, got tensor<3xf64>}}
  %r = array.cholesky %v : tensor<3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.qr: result has type tensor<4x4xf64>, the op computes tensor<4x3xf64>}}
  %r = array.qr orthogonal %m : tensor<4x3xf64> -> tensor<4x4xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.eigh: operand}}
  %r = array.eigh values %i : tensor<3x3xi64> -> tensor<3xi64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.svd: part 'vectors' is not one of left, values, right}}
  %r = array.svd vectors %m : tensor<4x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.triangular_solve: right sides of shape [4, 1] for matrices of shape [3, 3]}}
  %r = array.triangular_solve %a, %b : tensor<3x3xf64>, tensor<4x1xf64> -> tensor<4x1xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %m: tensor<4x3xf64>, %b: tensor<4x1xf64>, %v: tensor<3xf64>, %i: tensor<3x3xi64>) {
  // expected-error @below {{array.solve: right sides of shape [3] for matrices of shape [3, 3]}}
  %r = array.solve %a, %v : tensor<3x3xf64>, tensor<3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>) {
  // expected-error @below {{array.lu: complex matrices have two dimensions, and a last one of extent 2, got tensor<3x3xf64>}}
  %r = array.lu factors %a {complex} : tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>) {
  // expected-error @below {{array.eig: result has type tensor<3xf64>, the op computes tensor<3x2xf64>}}
  %r = array.eig values %a : tensor<3x3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>) {
  // expected-error @below {{array.schur: part 'values' is not one of orthogonal, triangular}}
  %r = array.schur values %a : tensor<3x3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x2xf64>) {
  // expected-error @below {{array.schur: matrices of shape [3, 2] are not square}}
  %r = array.schur triangular %a : tensor<3x2xf64>
  func.return
}
