// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// What the verifier of derivatives of calls and of frames rejects.

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.push: along has an empty group}}
  %v = linear.push %x, %n {callee = @f, along = [[]], results = [0]} : f64, i64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.push: operand 2 of type f64 is no tangent of operand 1 of type i64}}
  %v = linear.push %x, %n, %x {callee = @f, along = [[1]], results = [0]} : f64, i64, f64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.push: results lists 2 results for 1 values}}
  %v = linear.push %x, %n, %x {callee = @f, along = [[0]], results = [0, 1]} : f64, i64, f64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.push: results names float 2 of 2}}
  %v = linear.push %x, %n, %x {callee = @f, along = [[0]], results = [2]} : f64, i64, f64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.push: @f takes i64 in place 1, got f64}}
  %v = linear.push %x, %x, %x {callee = @f, along = [[0]], results = [1]} : f64, f64, f64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.push: there is no function @h}}
  %v = linear.push %x, %n, %x {callee = @h, along = [[0]], results = [1]} : f64, i64, f64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.pull: wrt names operand 1 of type i64, which has no tangent}}
  %v = linear.pull %x, %n, %x, %n {callee = @f, wrt = [1], results = [0]} : f64, i64, f64, i64 -> i64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.pull: sums must have the types of the operands in wrt}}
  %v = linear.pull %x, %n, %x, %n {callee = @f, wrt = [0], results = [0]} : f64, i64, f64, i64 -> f64
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.derivative: the map must start from tuple<f64>, it starts from tuple<f64, f64>}}
  %m = linear.derivative %x, %n {callee = @f, wrt = [0], results = [0]} : f64, i64 -> !linear.map<tuple<f64, f64>, tuple<f64>>
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.derivative: results lists 1 results for 2 components}}
  %m = linear.derivative %x, %n {callee = @f, wrt = [0], results = [0]} : f64, i64 -> !linear.map<tuple<f64>, tuple<f64, f64>>
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.curvature: result has type !linear.map<tuple<f64>, tuple<f32>>, the op makes a map from tuple<f64> to tuple<f64>}}
  %m = linear.curvature %x, %n, %x {callee = @f, by = [0], wrt = [0], results = [0]} : f64, i64, f64 -> !linear.map<tuple<f64>, tuple<f32>>
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.recorded: the first operand must be the frame of a call, an i64}}
  %m = linear.recorded %x {callee = @f} : f64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.recorded: @f takes 2 values, got 3}}
  %m = linear.recorded %n {callee = @f} : i64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func @g(%t: !linear.map<f64, f64>) {
  // expected-error @below {{array.save: operand 0 must be a scalar or an array, got !linear.map<f64, f64>}}
  %h = array.save %t : !linear.map<f64, f64> -> i64
  func.return
}

// -----

func.func @g(%h: i64) {
  // expected-error @below {{array.restore: result 0 must be a scalar or an array, got !array.tape<>}}
  %t = array.restore %h : i64 -> !array.tape<>
  func.return
}
