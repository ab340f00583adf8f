// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Application and differentiation that the verifiers reject.

func.func @f(%x: f64) {
  // expected-error @below {{linear.apply: first operand must be a linear map, got f64}}
  %v = linear.apply %x, %x : f64, f64 -> f64
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, tensor<3xf64>>, %x: f64) {
  // expected-error @below {{linear.apply: arguments of types ['f64', 'f64'] do not make an element of f64}}
  %v = linear.apply %m, %x, %x : !linear.map<f64, tensor<3xf64>>, f64, f64 -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, tensor<3xf64>>, %x: f64) {
  // expected-error @below {{linear.apply: results of types ['f32'] do not make an element of tensor<3xf64>}}
  %v = linear.apply %m, %x : !linear.map<f64, tensor<3xf64>>, f64 -> f32
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.apply_transpose: first operand must be a linear map, got f64}}
  %v = linear.apply_transpose %x, %x : f64, f64 -> f64
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, tensor<3xf64>>, %x: tensor<3xf64>) {
  // expected-error @below {{linear.apply_transpose: arguments of types ['tensor<3xf64>', 'tensor<3xf64>'] do not make an element of tensor<3xf64>}}
  %v = linear.apply_transpose %m, %x, %x : !linear.map<f64, tensor<3xf64>>, tensor<3xf64>, tensor<3xf64> -> f64
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, tensor<3xf64>>, %x: tensor<3xf64>) {
  // expected-error @below {{linear.apply_transpose: results of types ['f32'] do not make an element of f64}}
  %v = linear.apply_transpose %m, %x : !linear.map<f64, tensor<3xf64>>, tensor<3xf64> -> f32
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: wrt names dimension 2 of an array of rank 2}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = [2]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: wrt names a dimension twice: [0, 0]}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = [0, 0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: wrt names no operand to differentiate with respect to}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = []} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: operand 1 of type i64 has no tangent: wrt must name floating-point operands}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = [1]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: last result must be a linear map, got f64}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, f64)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: last result must be a map from f64 to f64}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, tensor<3xf64>>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: needs a result for the map}}
  linear.linearize %x, %n {callee = @square, wrt = [0]} : f64, i64
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: there is no function @cube}}
  %y, %d = linear.linearize %x, %n {callee = @cube, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: @square takes 2 values, got 1}}
  %y, %d = linear.linearize %x {callee = @square, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: @square returns f64 in place 0, got i64}}
  %y, %d = linear.linearize %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (i64, !linear.map<f64, tuple<>>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.linearize: property 'callee' expected in operation 'linear.linearize'}}
  %y, %d = linear.linearize %x, %n {wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: wrt names dimension 2 of an array of rank 2}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = [2]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: wrt names a dimension twice: [0, 0]}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = [0, 0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: wrt names no operand to differentiate with respect to}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = []} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: operand 1 of type i64 has no tangent: wrt must name floating-point operands}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = [1]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: last result must be a linear map, got f64}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, f64)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: last result must be a map from f64 to f64}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, tensor<3xf64>>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: needs a result for the map}}
  linear.pullback %x, %n {callee = @square, wrt = [0]} : f64, i64
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: there is no function @cube}}
  %y, %d = linear.pullback %x, %n {callee = @cube, wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: @square takes 2 values, got 1}}
  %y, %d = linear.pullback %x {callee = @square, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: @square returns f64 in place 0, got i64}}
  %y, %d = linear.pullback %x, %n {callee = @square, wrt = [0]} : f64, i64 -> (i64, !linear.map<tuple<>, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.pullback: property 'callee' expected in operation 'linear.pullback'}}
  %y, %d = linear.pullback %x, %n {wrt = [0]} : f64, i64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.jet: order is 0, and the lowest is 1}}
  %y = linear.jet %x, %n {callee = @square, wrt = [0], order = 0} : f64, i64 -> f64
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.jet: 1 operands are too few for order 2}}
  %y, %a, %b = linear.jet %x {callee = @square, wrt = [0], order = 2} : f64 -> (f64, f64, f64)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.jet: operand 1 of type i64 has no tangent: wrt must name floating-point operands}}
  %y, %a = linear.jet %x, %n, %x {callee = @square, wrt = [1], order = 1} : f64, i64, f64 -> (f64, f64)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64, %s: f32) {
  // expected-error @below {{linear.jet: coefficient 1 of an operand of type f64 has type f32}}
  %y, %a = linear.jet %x, %n, %s {callee = @square, wrt = [0], order = 1} : f64, i64, f32 -> (f64, f64)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.jet: 3 results do not make jets of order 1}}
  %y, %a, %b = linear.jet %x, %n, %x {callee = @square, wrt = [0], order = 1} : f64, i64, f64 -> (f64, f64, f64)
  func.return
}

// -----

func.func @square(%x: f64, %n: i64) -> f64 {
  func.return %x : f64
}

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{linear.jet: coefficient 1 of a result of type f64 has type f32}}
  %y, %a = linear.jet %x, %n, %x {callee = @square, wrt = [0], order = 1} : f64, i64, f64 -> (f64, f32)
  func.return
}
