// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Text that is rejected while reading, and requirements that the definitions of ops state for every op.

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.sum has no property 'axis'; it has: dims}}
  %y = array.sum %x {axis = [0]} : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{property 'dims' is given twice}}
  %y = array.sum %x {dims = [0], dims = [0]} : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{2 operands and 1 operand types}}
  %y = array.select %x, %x : tensor<3xf64> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{Operation has 1 results, but was given 2 to bind.}}
  %y, %z = array.neg %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.neg: Expected 1 operand, but got 2}}
  %y = array.neg %x, %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.add: Expected 2 operands, but got 1}}
  %y = array.add %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{Operation array.negate is not registered}}
  %y = array.negate %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.neg: property 'order' is not defined by the operation}}
  %y = "array.neg"(%x) <{order = 1 : i64}> : (f64) -> f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.neg: Expected 0 regions, but got 1}}
  %y = "array.neg"(%x) ({
  }) : (f64) -> f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{%z is not defined}}
  %y = array.neg %z : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{operand is used with type f32, but has been previously used or defined with type f64}}
  %y = array.neg %x : f32
  func.return
}

// -----

func.func @f(%x: f64) {
  %y = array.neg %x : f64
  // expected-error @below {{SSA value %y is already defined}}
  %y = array.neg %x : f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{expected}}
  %y = array.neg %x : 5
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.sum: 0 : i64 should be of base attribute array}}
  %y = array.sum %x {dims = 0} : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.sum: unit should be of base attribute array}}
  %y = array.sum %x {dims} : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.sum: [array<i64: 0>] should be of base attribute array}}
  %y = array.sum %x {dims = [[0]]} : tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{array.iota: array<i64: 0> should be of base attribute integer}}
  %y = array.iota {dim = [0]} : -> tensor<3xi64>
  func.return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{operand expected}}
  %y = array.index %x[0] : tensor<3xf64> -> f64
  func.return
}
