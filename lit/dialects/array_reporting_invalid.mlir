// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Reports that are rejected.

func.func @f(%t: i64, %p: i1, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: kind 'log' is not one of print, call, position, nan, pole}}
  %r = array.report log %t, %p, %x {message = "{}", batch_rank = 0} : i64, i1, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: the condition of 1 batch axes has type i1}}
  %r = array.report print %t, %p, %x {message = "{}", batch_rank = 1} : i64, i1, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<2xi1>, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: value 0 of type tensor<3xf64> does not begin with the batch axes}}
  %r = array.report print %t, %p, %x {message = "{}", batch_rank = 1} : i64, tensor<2xi1>, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<3xf64>, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: the condition must be of i1, got tensor<3xf64>}}
  %r = array.report print %t, %p, %x {message = "{}", batch_rank = 1} : i64, tensor<3xf64>, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {0.__class__} is not a field: fields are {} and {0}, with formats after colons}}
  %r = array.report print %t, %p, %x, %y {message = "{0.__class__}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {!r} is not a field}}
  %r = array.report print %t, %p, %x, %y {message = "{!r}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: there is no value 7 among 2 values}}
  %r = array.report print %t, %p, %x, %y {message = "{} {7}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: either all fields have numbers or none has}}
  %r = array.report print %t, %p, %x, %y {message = "{} {0}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: a brace is left open}}
  %r = array.report print %t, %p, %x, %y {message = "{", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {:>3000000000} asks for a width of more than 200}}
  %r = array.report print %t, %p, %x, %y {message = "{0:>3000000000}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {:.201f} asks for a precision of more than 200}}
  %r = array.report print %t, %p, %x, %y {message = "{0:.201f}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {:{1}}
  %r = array.report print %t, %p, %x, %y {message = "{0:{1}}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {:c} is not a format of a number}}
  %r = array.report print %t, %p, %x, %y {message = "{0:c}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {:d} does not fit value 0 of type f64}}
  %r = array.report print %t, %p, %x, %y {message = "{0:d}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: f64, %y: tensor<3xf64>) {
  // expected-error @below {{array.report: message: {:.3f} is for scalars, value 1 is an array}}
  %r = array.report print %t, %p, %x, %y {message = "{1:.3f}", batch_rank = 0} : i64, i1, f64, tensor<3xf64> -> i64
  func.return
}
