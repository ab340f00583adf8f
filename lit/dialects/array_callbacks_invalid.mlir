// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Calls of Python functions with another batch, or none to read.

func.func @f(%p: i1, %x: f64) {
  // expected-error @below {{array.callback: the condition of 1 batch axes has type i1}}
  %y = array.callback %p, %x {function = "f", batch_rank = 1} : i1, f64 -> f64
  func.return
}

// -----

func.func @f(%p: f64, %x: f64) {
  // expected-error @below {{array.callback: the condition must be of i1, got f64}}
  %y = array.callback %p, %x {function = "f", batch_rank = 0} : f64, f64 -> f64
  func.return
}

// -----

func.func @f(%p: tensor<2xi1>, %x: tensor<3xf64>) {
  // expected-error @below {{array.callback: operand 0 of type tensor<3xf64> does not begin with the batch axes}}
  %y = array.callback %p, %x {function = "f", batch_rank = 1} : tensor<2xi1>, tensor<3xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%p: tensor<2xi1>, %x: tensor<2xf64>) {
  // expected-error @below {{array.callback: result 1 of type f64 does not begin with the batch axes}}
  %y, %z = array.callback %p, %x {function = "f", batch_rank = 1} : tensor<2xi1>, tensor<2xf64> -> (tensor<2xf64>, f64)
  func.return
}

// -----

func.func @f(%p: i1, %x: f64) {
  // expected-error @below {{array.callback: a callback has a result, or nobody calls it}}
  array.callback %p, %x {function = "f", batch_rank = 0} : i1, f64
  func.return
}
