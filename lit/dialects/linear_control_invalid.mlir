// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Maps of loops and branches that the verifiers reject.

func.func @f(%r: tensor<4xf64>) {
  // expected-error @below {{linear.scan: operand 0 of type tensor<4xf64> has no 5 slices}}
  %m = linear.scan %r (%i, %a : f64) {carries = 1, inputs = 0, captured = 0, length = 5} : tensor<4xf64> -> !linear.map<tuple<f64>, tuple<f64>> {
    %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.scan: 1 carries, 1 inputs and 0 captured values do not make tuple<f64>}}
  %m = linear.scan (%i) {carries = 1, inputs = 1, captured = 0, length = 5} : -> !linear.map<tuple<f64>, tuple<f64>> {
    %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.scan: the map of an iteration must end in carries (f64), got tuple<f32>}}
  %m = linear.scan (%i) {carries = 1, inputs = 0, captured = 0, length = 5} : -> !linear.map<tuple<f64>, tuple<f32>> {
    %e = linear.zero : -> !linear.map<tuple<f64>, tuple<f32>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f32>>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.scan: result has type !linear.map<tuple<f64>, tuple<f64>>, the op makes a map from tuple<tensor<5xf64>> to tuple<tensor<5xf64>>}}
  %m = linear.scan (%i) {carries = 0, inputs = 1, captured = 0, length = 5} : -> !linear.map<tuple<f64>, tuple<f64>> {
    %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.scan: what region yields must be a linear map, got i64}}
  %m = linear.scan (%i) {carries = 0, inputs = 1, captured = 0, length = 5} : -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%n: i64) {
  %one = array.constant 1 : i64
  %k, %t = array.while %n (%a) {record = 0} : i64 -> (i64, !array.tape<>) {
    %more = array.compare gt %a, %one : i64, i64 -> i1
    array.yield %more : i1
  } do (%a) {
    %b = array.sub %a, %one : i64
    array.yield %b : i64
  }
  // expected-error @below {{linear.while: 2 carries of 1 components}}
  %m = linear.while %t () {carries = 2} : !array.tape<> -> !linear.map<tuple<f64>, tuple<f64>> {
    %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}

// -----

func.func @f(%n: i64) {
  %one = array.constant 1 : i64
  %k, %t = array.while %n (%a) {record = 0} : i64 -> (i64, !array.tape<>) {
    %more = array.compare gt %a, %one : i64, i64 -> i1
    array.yield %more : i1
  } do (%a) {
    %b = array.sub %a, %one : i64
    array.yield %b : i64
  }
  // expected-error @below {{linear.while: region takes (i64), it is given ()}}
  %m = linear.while %t (%a) {carries = 1} : !array.tape<> -> !linear.map<tuple<f64>, tuple<f64>> {
    %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  }
  func.return
}

// -----

func.func @f(%p: i1) {
  // expected-error @below {{linear.if: branch 1 yields a map of type !linear.map<tuple<f64>, tuple<f32>>, the result has type !linear.map<tuple<f64>, tuple<f64>>}}
  %m = linear.if %p : i1 -> !linear.map<tuple<f64>, tuple<f64>> {
    %e = linear.identity : -> !linear.map<tuple<f64>, tuple<f64>>
    array.yield %e : !linear.map<tuple<f64>, tuple<f64>>
  } else {
    %z = linear.zero : -> !linear.map<tuple<f64>, tuple<f32>>
    array.yield %z : !linear.map<tuple<f64>, tuple<f32>>
  }
  func.return
}

// -----

func.func @f(%p: i1) {
  // expected-error @below {{linear.if: domain of branch 0 must be a tuple of float scalars and arrays, got f64}}
  %m = linear.if %p : i1 -> !linear.map<f64, f64> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  } else {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f(%k: i64) {
  // expected-error @below {{linear.switch: branch 0 must yield one map, got 0 values}}
  %m = linear.switch %k : i64 -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.checkpoint: branch 0 must yield one map, got 0 values}}
  %m = linear.checkpoint : -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield
  }
  func.return
}
