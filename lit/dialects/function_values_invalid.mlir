// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Functions as values, tuples and sums that the verifiers reject.

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.lambda: region takes (i64), it is given (f64)}}
  %g = function.lambda (%z) : -> !function.closure<(f64) -> f64> {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.lambda: result 0 has type f64, region yields i64}}
  %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    array.yield %n : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.lambda: region yields (), (f64) expected}}
  %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    array.yield
  }
  func.return
}

// -----

func.func private @g(%a: f64, %b: i64) -> f64 {
  func.return %a : f64
}

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.partial: there is no function @h}}
  %g = function.partial %n {callee = @h} : i64 -> !function.closure<(f64) -> f64>
  func.return
}

// -----

func.func private @g(%a: f64, %b: i64) -> f64 {
  func.return %a : f64
}

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.partial: @g takes i64 in place 1, got f64}}
  %g = function.partial %x {callee = @g} : f64 -> !function.closure<(f64) -> f64>
  func.return
}

// -----

func.func private @g(%a: f64, %b: i64) -> f64 {
  func.return %a : f64
}

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.partial: @g takes 2 values, got 1}}
  %g = function.partial {callee = @g} : -> !function.closure<(f64) -> f64>
  func.return
}

// -----

func.func private @g(%a: f64, %b: i64) -> f64 {
  func.return %a : f64
}

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.partial: @g returns f64 in place 0, got i64}}
  %g = function.partial %n {callee = @g} : i64 -> !function.closure<(f64) -> i64>
  func.return
}

// -----

func.func private @g(%a: f64, %b: i64) -> f64 {
  func.return %a : f64
}

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{function.partial: @g takes i64 in place 1, got !linear.map<f64, f64>}}
  %g = function.partial %m {callee = @g} : !linear.map<f64, f64> -> !function.closure<(f64) -> f64>
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.apply: parameter 0 has type f64, the closure is given i64}}
  %y = function.apply %f, %n : !function.closure<(f64) -> f64>, i64 -> f64
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.apply: the closure is given (), (f64) expected}}
  %y = function.apply %f : !function.closure<(f64) -> f64> -> f64
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.apply: result 0 has type f64, the op returns i64}}
  %y = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> i64
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.tuple: a tuple of one component is that component}}
  %t = function.tuple %x : f64 -> tuple<f64>
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.tuple: result 0 has type tuple<f64, f64>, the op computes tuple<f64, i64>}}
  %t = function.tuple %x, %n : f64, i64 -> tuple<f64, f64>
  func.return
}

// -----

func.func @f(%t: tuple<f64, i64>) {
  // expected-error @below {{function.get: index 2 of 2 components}}
  %y = function.get %t {index = 2} : tuple<f64, i64> -> f64
  func.return
}

// -----

func.func @f(%t: tuple<f64, i64>) {
  // expected-error @below {{function.get: result 0 has type f64, the op computes i64}}
  %y = function.get %t {index = 1} : tuple<f64, i64> -> f64
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.inject: index -1 of 2 alternatives}}
  %t = function.inject %x {index = -1} : f64 -> !function.sum<i64, f64>
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.inject: alternative 0 has type i64, the value is f64}}
  %t = function.inject %x {index = 0} : f64 -> !function.sum<i64, f64>
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.case: 1 regions for 2 alternatives}}
  %y = function.case %s (%a) : !function.sum<i64, f64> -> f64 {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.case: region 1 takes (i64), it is given (f64)}}
  %y = function.case %s (%a) : !function.sum<i64, f64> -> f64 {
    array.yield %x : f64
  } case (%b) {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{function.case: value 0 has type f64, region 1 yields i64}}
  %y = function.case %s (%a) : !function.sum<i64, f64> -> f64 {
    array.yield %x : f64
  } case (%b: f64) {
    array.yield %n : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{array.scan: operand 0 must be a scalar or an array, got !function.closure<(f64) -> f64>}}
  %y = array.scan %f (%i, %g: !function.closure<(f64) -> f64>) {carries = 0, length = 3} : !function.closure<(f64) -> f64> -> tensor<3xi64> {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{array.scan: yielded value 0 must be a scalar or an array, got !function.closure<(f64) -> f64>}}
  %y = array.scan (%i) {carries = 0, length = 3} : -> tensor<3xi64> {
    array.yield %f : !function.closure<(f64) -> f64>
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{array.while: yielded value 1 must be a scalar or an array, got !function.closure<(f64) -> f64>}}
  %y, %t = array.while %x (%a: f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
    %no = array.constant false
    array.yield %no : i1
  } do (%a: f64) {
    array.yield %a, %f : f64, !function.closure<(f64) -> f64>
  }
  func.return
}

// -----

func.func private @h(%g: !function.closure<(f64) -> f64>, %a: f64) -> f64 {
  func.return %a : f64
}

func.func @f(%x: f64, %n: i64, %f: !function.closure<(f64) -> f64>, %s: !function.sum<i64, f64>) {
  // expected-error @below {{linear.linearize: there is no derivative by or of !function.closure<(f64) -> f64>: capture it, or apply it inside}}
  %y, %d = linear.linearize %f, %x {callee = @h, wrt = [0]} : !function.closure<(f64) -> f64>, f64 -> (f64, !linear.map<f64, f64>)
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @f has type !function.closure<(!linear.power<f64, f64>) -> f64>, which is made of what is not a value}}
func.func @f(%g: !function.closure<(!linear.power<f64, f64>) -> f64>) {
  func.return
}

// -----

// expected-error @below {{a sum needs at least one alternative}}
func.func @f(%g: !function.sum<>) {
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @f has type tensor<3x!function.closure<(f64) -> f64>>, which is not of the language}}
func.func @f(%g: tensor<3x!function.closure<(f64) -> f64>>) {
  func.return
}

// -----

func.func @f(%x: f64) -> f64 {
  %g = function.partial {callee = @h} : -> !function.closure<(f64) -> f64>
  %y = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %y : f64
}

func.func @h(%x: f64) -> f64 {
  // expected-error @below {{linear.linearize: @f is differentiated in a function that it calls (@h)}}
  %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{function.roll: result 'result' at position 0 does not verify: f64 should be of base attribute function.inductive}}
  %l = function.roll %x : f64 -> f64
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{function.unroll: operand 'operand' at position 0 does not verify: f64 should be of base attribute function.inductive}}
  %l = function.unroll %x : f64 -> f64
  func.return
}

// -----

func.func @f(%x: f64, %n: i64) -> !function.inductive<list> {
  %l = function.roll %x : f64 -> !function.inductive<list>
  // expected-error @below {{function.unroll: a value of type !function.inductive<list> holds (i64) here and (f64) in function.roll}}
  %m = function.unroll %l : !function.inductive<list> -> i64
  func.return %l : !function.inductive<list>
}

// -----

func.func @h(%l: !function.inductive<list>, %x: f64) -> f64 {
  func.return %x : f64
}
func.func @f(%l: !function.inductive<list>, %x: f64) -> f64 {
  // expected-error @below {{linear.linearize: there is no derivative by or of !function.inductive<list>}}
  %y, %d = linear.linearize %l, %x {callee = @h, wrt = [0]} : !function.inductive<list>, f64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}
