// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// What reports must not look like.

func.func @f(%t: i64, %p: i1, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: kind 'log' is not one of print, position, nan, overflow}}
  %r = array.report log %t, %p, %x {message = "{}", lanes = 0} : i64, i1, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: i1, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: the condition of 1 lanes has type i1}}
  %r = array.report print %t, %p, %x {message = "{}", lanes = 1} : i64, i1, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<2xi1>, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: value 0 of type tensor<3xf64> does not begin with the lanes}}
  %r = array.report print %t, %p, %x {message = "{}", lanes = 1} : i64, tensor<2xi1>, tensor<3xf64> -> i64
  func.return
}

// -----

func.func @f(%t: i64, %p: tensor<3xf64>, %x: tensor<3xf64>) {
  // expected-error @below {{array.report: the condition must be of i1, got tensor<3xf64>}}
  %r = array.report print %t, %p, %x {message = "{}", lanes = 1} : i64, tensor<3xf64>, tensor<3xf64> -> i64
  func.return
}
