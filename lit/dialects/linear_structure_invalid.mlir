// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Maps made of other maps that the verifiers reject.

func.func @f() {
  // expected-error @below {{i64 is not a space of a linear map}}
  %v = linear.zero : -> !linear.map<i64, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{tuple<f64, i1> is not a space of a linear map}}
  %v = linear.zero : -> !linear.map<f64, tuple<f64, i1>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.zero: result 'result' at position 0 does not verify}}
  %v = linear.zero : -> f64
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.identity: result has type !linear.map<f64, tensor<3xf64>>, the op makes a map from f64 to f64}}
  %v = linear.identity : -> !linear.map<f64, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.compose: cannot compose: the inner map ends in tensor<3xf64>, the outer one starts from f64}}
  %v = linear.compose %g, %f : !linear.map<f64, f64>, !linear.map<f64, tensor<3xf64>> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%x: f64, %g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.compose: inner operand must be a linear map, got f64}}
  %v = linear.compose %g, %x : !linear.map<f64, f64>, f64 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%x: f64, %g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.compose: outer operand must be a linear map, got f64}}
  %v = linear.compose %x, %g : f64, !linear.map<f64, f64> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.compose: result has type !linear.map<f64, tensor<3xf64>>, the op makes a map from f64 to f64}}
  %v = linear.compose %g, %g : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.add: cannot add maps of types !linear.map<f64, tensor<3xf64>> and !linear.map<f64, f64>}}
  %v = linear.add %f, %g : !linear.map<f64, tensor<3xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%x: !linear.map<f64, f64>, %y: f64) {
  // expected-error @below {{linear.add: left operand must be a linear map, got f64}}
  %v = linear.add %y, %x : f64, !linear.map<f64, f64> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.add: result has type !linear.map<f64, tensor<3xf64>>, the op makes a map from f64 to f64}}
  %v = linear.add %g, %g : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<tensor<3xf64>, f64>) {
  // expected-error @below {{linear.vcat: operand 1 starts from tensor<3xf64>, not f64}}
  %v = linear.vcat %f, %g : !linear.map<f64, tensor<3xf64>>, !linear.map<tensor<3xf64>, f64> -> !linear.map<f64, tuple<tensor<3xf64>, f64>>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>, %x: f64) {
  // expected-error @below {{linear.vcat: operand 1 must be a linear map, got f64}}
  %v = linear.vcat %f, %x : !linear.map<f64, tensor<3xf64>>, f64 -> !linear.map<f64, tuple<tensor<3xf64>, f64>>
  func.return
}

// -----

func.func @f(%g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.vcat: result has type !linear.map<f64, f64>, the op makes a map from f64 to tuple<f64, f64>}}
  %v = linear.vcat %g, %g : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<tensor<3xf64>, f64>) {
  // expected-error @below {{linear.hcat: operand 1 ends in f64, not tensor<3xf64>}}
  %v = linear.hcat %f, %g : !linear.map<f64, tensor<3xf64>>, !linear.map<tensor<3xf64>, f64> -> !linear.map<tuple<f64, tensor<3xf64>>, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>, %x: f64) {
  // expected-error @below {{linear.hcat: operand 1 must be a linear map, got f64}}
  %v = linear.hcat %f, %x : !linear.map<f64, tensor<3xf64>>, f64 -> !linear.map<tuple<f64, f64>, tensor<3xf64>>
  func.return
}

// -----

func.func @f(%g: !linear.map<f64, f64>) {
  // expected-error @below {{linear.hcat: result has type !linear.map<f64, f64>, the op makes a map from tuple<f64, f64> to f64}}
  %v = linear.hcat %g, %g : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.project: domain tuple<f64, f64> has no component 2}}
  %v = linear.project {index = 2} : -> !linear.map<tuple<f64, f64>, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.project: domain f64 has no component 0}}
  %v = linear.project {index = 0} : -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.project: result has type !linear.map<tuple<f64, tensor<3xf64>>, tensor<3xf64>>, the op makes a map from tuple<f64, tensor<3xf64>> to f64}}
  %v = linear.project {index = 0} : -> !linear.map<tuple<f64, tensor<3xf64>>, tensor<3xf64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.inject: codomain tuple<f64, f64> has no component -1}}
  %v = linear.inject {index = -1} : -> !linear.map<f64, tuple<f64, f64>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.inject: result has type !linear.map<tensor<3xf64>, tuple<f64, tensor<3xf64>>>, the op makes a map from f64 to tuple<f64, tensor<3xf64>>}}
  %v = linear.inject {index = 0} : -> !linear.map<tensor<3xf64>, tuple<f64, tensor<3xf64>>>
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.transpose: operand must be a linear map, got f64}}
  %v = linear.transpose %x : f64 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%f: !linear.map<f64, tensor<3xf64>>) {
  // expected-error @below {{linear.transpose: result has type !linear.map<f64, tensor<3xf64>>, the op makes a map from tensor<3xf64> to f64}}
  %v = linear.transpose %f : !linear.map<f64, tensor<3xf64>> -> !linear.map<f64, tensor<3xf64>>
  func.return
}
