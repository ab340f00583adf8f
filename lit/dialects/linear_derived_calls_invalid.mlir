// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Derivatives of calls and frames that the verifier rejects.

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
  // expected-error @below {{linear.push: operand 2 of type f64 is not a tangent of operand 1 of type i64}}
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
  // expected-error @below {{linear.recorded: forward and primals must be given together}}
  %m = linear.recorded %x {callee = @f, primals = 1} : f64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func private @g(%x: f64, %n: !array.frame<f>) {
  // expected-error @below {{linear.recorded: @f takes 2 values, got 3}}
  %m = linear.recorded %n {callee = @f} : !array.frame<f> -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func @g(%t: !linear.map<f64, f64>) {
  // expected-error @below {{array.save: operand 0 must be a scalar or an array, got !linear.map<f64, f64>}}
  %r = array.save %t : !linear.map<f64, f64> -> !array.frame<f>
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.restore: result 0 must be a scalar or an array, got !array.tape<>}}
  %t = array.restore %h : !array.frame<f> -> !array.tape<>
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.save: result must be a frame, such as !array.frame<f>, got i64}}
  %r = array.save %x : f64 -> i64
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.restore: operand must be a frame, such as !array.frame<f>, got i64}}
  %r = array.restore %n : i64 -> f64
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.no_frame: result must be a frame, such as !array.frame<f>, got i64}}
  %r = array.no_frame : -> i64
  func.return
}

// -----

func.func private @g(%x: f64) {
  // expected-error @below {{array.next_row: operand must be an i64, got f64}}
  %r = array.next_row %x {record = 0, room = 64} : f64 -> i64
  func.return
}

// -----

func.func private @g(%n: i64) {
  // expected-error @below {{array.next_row: result must be an i64, got f64}}
  %r = array.next_row %n {record = 0, room = 64} : i64 -> f64
  func.return
}

// -----

func.func private @g(%n: i64) {
  // expected-error @below {{array.next_row: room must be 1 at least, got 0}}
  %r = array.next_row %n {record = 0, room = 0} : i64 -> i64
  func.return
}

// -----

func.func private @g(%n: i64) {
  // expected-error @below {{array.next_row: record must be 0 at least, got -1}}
  %r = array.next_row %n {record = -1, room = 1} : i64 -> i64
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  %s = array.save %x, %n : f64, i64 -> !array.frame<f>
  // expected-error @below {{array.restore: a frame of type !array.frame<f> holds (tensor<4xf64>) here and (f64, i64) in array.save at}}
  %r = array.restore %h : !array.frame<f> -> tensor<4xf64>
  func.return
}

// -----

func.func private @f(%h: !array.frame<f>) -> f64 {
  %r = array.restore %h : !array.frame<f> -> f64
  func.return %r : f64
}

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  %s = array.save %x : f64 -> !array.frame<f>
  // expected-error @below {{func.call: @f takes !array.frame<f> in place 0, got !array.frame<g>}}
  %r = func.call @f(%k) : (!array.frame<g>) -> f64
  func.return
}

// -----

// Frames are made by nothing else, nothing is computed with them, and they stay inside of a module.


func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.add: left operand must be a scalar or static array of f64, f32, i64, i32, got !array.frame<f>}}
  %r = array.add %h, %h : !array.frame<f>
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.convert: result must keep the shape [], got !array.frame<f>}}
  %r = array.convert %n : i64 -> !array.frame<f>
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.convert: operand must be a scalar or static array of f64, f32, i64, i32, i1, got !array.frame<f>}}
  %r = array.convert %h : !array.frame<f> -> i64
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  // expected-error @below {{array.compare: left operand must be a scalar or static array of f64, f32, i64, i32, i1, got !array.frame<f>}}
  %r = array.compare eq %h, %h : !array.frame<f>, !array.frame<f> -> i1
  func.return
}

// -----

func.func private @g(%x: f64, %n: i64, %h: !array.frame<f>, %k: !array.frame<g>) {
  %p = array.constant true
  // expected-error @below {{array.select: branches must have the result's type !array.frame<f>, got !array.frame<g>}}
  %r = array.select %p, %h, %k : i1, !array.frame<f>, !array.frame<g> -> !array.frame<f>
  func.return
}

// -----

func.func private @g(%n: i64, %p: i1, %s: tensor<2x!array.frame<f>>) {
  // expected-error @below {{array.sort: operand must be a scalar or static array of f64, f32, i64, i32, i1, got tensor<2x!array.frame<f>>}}
  %r = array.sort %s {dim = 0} : tensor<2x!array.frame<f>>
  func.return
}

// -----

func.func private @g(%n: i64, %p: i1, %s: tensor<2x!array.frame<f>>) {
  // expected-error @below {{array.scatter: operand must be a scalar or static array of f64, f32, i64, i32, got tensor<2x!array.frame<f>>}}
  %r = array.scatter %s (%i) : tensor<2x!array.frame<f>> -> tensor<2x!array.frame<f>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func private @g(%n: i64, %p: i1, %s: tensor<2x!array.frame<f>>) {
  // expected-error @below {{array.report: value 0 must be a scalar or static array of f64, f32, i64, i32, i1, got tensor<2x!array.frame<f>>}}
  %r = array.report print %n, %p, %s {message = "{}", batch_rank = 0} : i64, i1, tensor<2x!array.frame<f>> -> i64
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @g is a frame, which only private functions take and return}}
func.func @g(%s: tensor<2x!array.frame<f>>) {
  func.return
}

// -----

// expected-error @below {{func.func: result 0 of @g is a frame, which only private functions take and return}}
func.func @g(%x: f64) -> !array.frame<f> {
  %h = array.save %x : f64 -> !array.frame<f>
  func.return %h : !array.frame<f>
}

// -----

// expected-error @+1 {{!array.frame<f> is not a space of a linear map}}
func.func @g(%m: !linear.map<!array.frame<f>, f64>) {
  func.return
}

// -----

func.func private @f(%n: !array.frame<f>, %ct: f64) -> f64 {
  func.return %ct : f64
}

func.func private @g(%n: !array.frame<f>) {
  // expected-error @below {{linear.recorded: fresh}}
  %m = linear.recorded %n {callee = @f, fresh = [1]} : !array.frame<f> -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @f(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64, %n: i64) {
  // expected-error @below {{linear.recorded: primals is 2, and there are 1 operands}}
  %m = linear.recorded %x {callee = @f, forward = @f, primals = 2} : f64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @back(%ct: f64, %sum: f64) -> f64 {
  func.return %sum : f64
}

func.func @g(%x: f64) {
  // expected-error @below {{linear.recorded: @back takes 2 values, got 3}}
  %m = linear.recorded %x {callee = @back, forward = @back, primals = 0} : f64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}

// -----

func.func private @back(%ct: f64, %sum: f64) -> f64 {
  func.return %sum : f64
}

func.func private @push(%x: f64) -> f64 {
  func.return %x : f64
}

func.func @g(%x: f64) {
  // expected-error @below {{linear.recorded: @push takes 1 values, got 2}}
  %m = linear.recorded %x {callee = @back, forward = @push, primals = 1} : f64 -> !linear.map<tuple<f64>, tuple<f64>>
  func.return
}
