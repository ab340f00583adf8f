// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Fourier transforms that are rejected.

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: kind 'fast' is not one of forward, backward, real, half}}
  %r = array.fft fast %z : tensor<4x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: operand must be a scalar or static array of f64, f32, got tensor<4xi64>}}
  %r = array.fft real %i : tensor<4xi64> -> tensor<3x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: complex numbers have a last dimension of extent 2, got tensor<4xf64>}}
  %r = array.fft forward %x : tensor<4xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: a transform has a dimension to go along, got f64}}
  %r = array.fft real %c : f64 -> tensor<1x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: a transform is of one number at least}}
  %r = array.fft real %e : tensor<0xf64> -> tensor<1x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: result has type tensor<4x2xf64>, for the operand tensor<4xf64> it is tensor<3x2xf64>}}
  %r = array.fft real %x : tensor<4xf64> -> tensor<4x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{array.fft: operand has type tensor<4x2xf64>, for the result tensor<4xf64> it is tensor<3x2xf64>}}
  %r = array.fft half %z : tensor<4x2xf64> -> tensor<4xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{kernel.fft: a transform is of one number at least}}
  %r = kernel.fft real %e : tensor<0xf64> -> tensor<1x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{kernel.fft: 2 places for 1 results}}
  %r = kernel.fft forward %z {places = [0, 1]} : tensor<4x2xf64> -> tensor<4x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>, %x: tensor<4xf64>, %i: tensor<4xi64>, %e: tensor<0xf64>, %c: f64) {
  // expected-error @below {{linear.fft: result has type tensor<4x2xf64>, for the operand tensor<4xf64> it is tensor<3x2xf64>}}
  %r = linear.fft real : -> !linear.map<tensor<4xf64>, tensor<4x2xf64>>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>) {
  // expected-error @below {{array.fft: complex numbers have a dimension of extent 2 at 0, got tensor<4x2xf64>}}
  %r = array.fft forward %z {dim = 0, pairs = 0} : tensor<4x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<4x2xf64>) {
  // expected-error @below {{array.fft: numbers of 2 dimensions have no transform along 2 with pairs at 0}}
  %r = array.fft real %z {dim = 2, pairs = 0} : tensor<4x2xf64> -> tensor<2x4x2xf64>
  func.return
}

// -----

func.func @f(%z: tensor<2x4xf64>) {
  // expected-error @below {{kernel.fft: blocks of 0 iterations: parallel is 1 or more}}
  %r = kernel.fft forward %z {dim = 0, pairs = 0, parallel = 0} : tensor<2x4xf64> -> tensor<2x4xf64>
  func.return
}
