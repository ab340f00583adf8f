// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Kernels of factorisations and linear systems that are rejected.

func.func @f(%a: tensor<3x3xf64>, %b: tensor<4x1xf64>) {
  // expected-error @below {{kernel.factorisation: kind 'ldl' is not one of lu, cholesky, qr, eigh, svd}}
  %r = kernel.factorisation ldl %a : tensor<3x3xf64> -> tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %b: tensor<4x1xf64>) {
  // expected-error @below {{kernel.factorisation: 'lu' has no values}}
  %r = kernel.factorisation lu %a {values} : tensor<3x3xf64> -> tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %b: tensor<4x1xf64>) {
  // expected-error @below {{kernel.factorisation: results must have types tensor<3x3xf64>}}
  %r = kernel.factorisation cholesky %a : tensor<3x3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %b: tensor<4x1xf64>) {
  // expected-error @below {{kernel.factorisation: 2 places for 1 results}}
  %r = kernel.factorisation cholesky %a {places = [0, 0]} : tensor<3x3xf64> -> tensor<3x3xf64>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf64>, %b: tensor<4x1xf64>) {
  // expected-error @below {{kernel.triangular_solve: right sides of shape [4, 1] for matrices of shape [3, 3]}}
  %r = kernel.triangular_solve %a, %b : tensor<3x3xf64>, tensor<4x1xf64> -> tensor<4x1xf64>
  func.return
}
