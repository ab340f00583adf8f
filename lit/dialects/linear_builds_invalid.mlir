// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Maps over index spaces, linear code and maps through spaces of functions that the verifiers reject; an op
// that is not linear is named at its own line.

func.func @f() {
  // expected-error @below {{linear.build: result has type !linear.map<f64, tensor<2xf64>>, the op makes a map from f64 to tensor<3xf64>}}
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<f64, tensor<2xf64>> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build: region takes (i64), it is given (i64, i64)}}
  %m = linear.build (%i) {extents = [3, 2]} : -> !linear.map<f64, tensor<3xf64>> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build: extents must name at least one dimension}}
  %m = linear.build () {extents = []} : -> !linear.map<f64, tensor<3xf64>> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build: extents [-1] must not be negative}}
  %m = linear.build (%i) {extents = [-1]} : -> !linear.map<f64, tensor<3xf64>> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build: what region yields must be a linear map, got i64}}
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<f64, tensor<3xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build: region must yield one map, got 2 values}}
  %m = linear.build (%i) {extents = [3]} : -> !linear.map<f64, tensor<3xf64>> {
    array.yield %i, %i : i64, i64
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build_transpose: result has type !linear.map<f64, f64>, the op makes a map from tensor<3xf64> to f64}}
  %m = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<f64, f64> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.build_transpose: what region yields must be a linear map, got i64}}
  %m = linear.build_transpose (%i) {extents = [3]} : -> !linear.map<f64, tensor<3xf64>> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  // expected-error @below {{linear.lambda: region takes (f32), it is given (f64)}}
  %m = linear.lambda (%x : f32) : -> !linear.map<f64, f64> {
    array.yield %x : f32
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  // expected-error @below {{linear.lambda: region yields (f64, f64), (f64) expected}}
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    array.yield %x, %x : f64, f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.exp is not linear in what depends on the tangent}}
    %y = array.exp %x : f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.mul is not linear in what depends on the tangent}}
    %y = array.mul %x, %x : f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.div is not linear in what depends on the tangent}}
    %y = array.div %k, %x : f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.add adds to, or joins with, the tangent something that does not depend on it}}
    %y = array.add %k, %x : f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.yield adds to, or joins with, the tangent something that does not depend on it}}
    array.yield %k : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.select adds to, or joins with, the tangent something that does not depend on it}}
    %y = array.select %p, %x, %k : i1, f64, f64 -> f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.compare is not linear in what depends on the tangent}}
    %q = array.compare lt %x, %k : f64, f64 -> i1
    %y = array.select %q, %x, %x : i1, f64, f64 -> f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.convert makes an integer or boolean of what depends on the tangent}}
    %n = array.convert %x : f64 -> i64
    %y = array.index %v[%n] : tensor<4xf64> -> f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : tensor<4xf64>) : -> !linear.map<tensor<4xf64>, tensor<4xf64>> {
    // expected-error @below {{linear.lambda: array.cumulative of kind max is not linear in what depends on the tangent}}
    %y = array.cumulative max %x {dim = 0} : tensor<4xf64>
    array.yield %y : tensor<4xf64>
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.if adds to, or joins with, the tangent something that does not depend on it}}
    %y = array.if %p : i1 -> f64 {
      array.yield %x : f64
    } else {
      array.yield %k : f64
    }
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, tensor<4xf64>> {
    %y = array.build (%i) : -> tensor<4xf64> {
      %a = array.index %v[%i] : tensor<4xf64> -> f64
      %b = array.select %p, %k, %a : i1, f64, f64 -> f64
      %c = array.mul %b, %x : f64
      array.yield %a : f64
    }
    // expected-error @below {{linear.lambda: array.yield adds to, or joins with, the tangent something that does not depend on it}}
    array.yield %y : tensor<4xf64>
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, f64> {
    // expected-error @below {{linear.lambda: array.while decides by what depends on the tangent how often it runs}}
    %y = array.while %x (%a : f64) : f64 -> f64 {
      %more = array.compare gt %a, %k : f64, f64 -> i1
      array.yield %more : i1
    } do (%a : f64) {
      %b = array.mul %a, %k : f64
      array.yield %b : f64
    }
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%k: f64, %p: i1, %v: tensor<4xf64>) {
  %m = linear.lambda (%x : tensor<4xf64>) : -> !linear.map<tensor<4xf64>, f64> {
    // expected-error @below {{linear.lambda: array.scan adds to, or joins with, the tangent something that does not depend on it}}
    %y = array.scan %k, %x (%i, %a : f64, %d : f64) {carries = 1, length = 4} : f64, tensor<4xf64> -> f64 {
      %b = array.add %d, %d : f64
      array.yield %b : f64
    }
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.function: f64 is not a power}}
  %m = linear.function (%a) : -> !linear.map<f64, f64> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.function: region takes (f64), it is given (i64)}}
  %m = linear.function (%a : f64) : -> !linear.map<f64, !linear.power<i64, f64>> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.eliminate: !linear.power<i64, f64> is not a copower}}
  %m = linear.eliminate (%a) : -> !linear.map<!linear.power<i64, f64>, f64> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.eliminate: result has type !linear.map<!linear.copower<i64, f64>, f32>, the op makes a map from !linear.copower<i64, f64> to f64}}
  %m = linear.eliminate (%a) : -> !linear.map<!linear.copower<i64, f64>, f32> {
    %e = linear.identity : -> !linear.map<f64, f64>
    array.yield %e : !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.evaluate: f64 is not a power}}
  %m = linear.evaluate %i : i64 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.evaluate: operands make a f64, i64 expected}}
  %m = linear.evaluate %k : f64 -> !linear.map<!linear.power<i64, f64>, f64>
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.single: !linear.power<i64, f64> is not a copower}}
  %m = linear.single %i : i64 -> !linear.map<f64, !linear.power<i64, f64>>
  func.return
}

// -----

func.func @f(%i: i64, %k: f64) {
  // expected-error @below {{linear.single: result has type !linear.map<f32, !linear.copower<i64, f64>>, the op makes a map from f64 to !linear.copower<i64, f64>}}
  %m = linear.single %i : i64 -> !linear.map<f32, !linear.copower<i64, f64>>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, !linear.power<i64, f64>>) {
  // expected-error @below {{linear.apply_transpose: elements of !linear.power<i64, f64> are not values: transpose the map, and apply that}}
  %y = linear.apply_transpose %m : !linear.map<f64, !linear.power<i64, f64>> -> f64
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, !linear.power<i64, f64>>) {
  // expected-error @below {{linear.build: there are no arrays of elements of !linear.power<i64, f64>}}
  %y = linear.build (%i) {extents = [2]} : -> !linear.map<f64, !linear.power<i64, f64>> {
    array.yield %m : !linear.map<f64, !linear.power<i64, f64>>
  }
  func.return
}

// -----

// expected-error @below {{func.func: region argument 0 is an element of !linear.power<i64, f64>}}
func.func @f(%h: !linear.power<i64, f64>) {
  func.return
}

// -----

func.func @f(%k: f64) {
  // expected-error @below {{linear.rule: region takes (f64, f64), it is given (f64)}}
  %m = linear.rule (%x : f64, %y : f64) : -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%k: f64) {
  // expected-error @below {{linear.rule: region yields (), (f64) expected}}
  %m = linear.rule (%x : f64) {transposed} : -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield
  }
  func.return
}

// -----

func.func @f(%k: f64) {
  // expected-error @below {{linear.rule: 2 regions are given, one for each direction at most}}
  %m = linear.rule (%x : f64) {transposed} : -> !linear.map<tuple<f64>, tuple<f64>> {
    array.yield %x : f64
  } transposed (%x : f64) {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%k: f64) {
  // expected-error @below {{linear.rule: domain must be a tuple of float scalars and arrays, got f64}}
  %m = linear.rule (%x : f64) : -> !linear.map<f64, tuple<f64>> {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %t: tuple<f64, i64>) {
  // expected-error @below {{linear.single: the point is one operand of type tuple<f64, i64>: give its 2 components as operands}}
  %m = linear.single %t : tuple<f64, i64> -> !linear.map<f64, !linear.copower<tuple<f64, i64>, f64>>
  func.return
}

// -----

func.func @f(%x: f64, %t: tuple<f64, i64>) {
  // expected-error @below {{linear.evaluate: the point is one operand of type tuple<f64, i64>: give its 2 components as operands}}
  %m = linear.evaluate %t : tuple<f64, i64> -> !linear.map<!linear.power<tuple<f64, i64>, f64>, f64>
  func.return
}
