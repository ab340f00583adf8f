// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Loops, branches and tapes that are rejected.

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: 3 carries of 2 operands}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 3, length = 3} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: length -1 must not be negative}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = -1} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: checkpoint 'half' is not one of store, recompute, sqrt}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = 3, checkpoint = half} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: operand 1 of type tensor<3xf64> has no 4 slices}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = 4} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: operand 0 of type f64 has no 3 slices}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 0, length = 3} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: region takes (i64, f64), it is given (i64, f64, f64)}}
  %r = array.scan %x, %v (%i, %a: f64) {carries = 1, length = 3} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: region takes (f64, f64, f64), it is given (i64, f64, f64)}}
  %r = array.scan %x, %v (%i: f64, %a: f64, %e: f64) {carries = 1, length = 3} : f64, tensor<3xf64> -> f64 {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: region yields (), (f64) expected}}
  array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = 3} : f64, tensor<3xf64> {
    array.yield 
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: carry 0 has type f64, region yields i64}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = 3} : f64, tensor<3xf64> -> f64 {
    array.yield %i : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: results have types (f64), the op computes (f64, tensor<3xf64>)}}
  %r = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = 3} : f64, tensor<3xf64> -> f64 {
    array.yield %a, %e : f64, f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: result 1 has type f64, the op computes tensor<3xf64>}}
  %r, %s = array.scan %x, %v (%i, %a: f64, %e: f64) {carries = 1, length = 3} : f64, tensor<3xf64> -> (f64, f64) {
    array.yield %a, %e : f64, f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.scan: yielded value 1 must be a scalar or an array, got !linear.map<f64, f64>}}
  %r = array.scan %x (%i, %a: f64) {carries = 1, length = 3} : f64 -> f64 {
    %t = linear.zero : -> !linear.map<f64, f64>
    array.yield %a, %t : f64, !linear.map<f64, f64>
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: condition takes (i64), it is given (f64)}}
  %r = array.while %x (%a) : f64 -> f64 {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: body takes (), it is given (f64)}}
  %r = array.while %x (%a: f64) : f64 -> f64 {
    array.yield %p : i1
  } do () {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: condition must yield one i1, got (f64)}}
  %r = array.while %x (%a: f64) : f64 -> f64 {
    array.yield %a : f64
  } do (%a: f64) {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: condition must yield one i1, got (i1, i1)}}
  %r = array.while %x (%a: f64) : f64 -> f64 {
    array.yield %p, %p : i1, i1
  } do (%a: f64) {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: body must yield 1 carries and 0 recorded values, got 2 values}}
  %r = array.while %x (%a: f64) : f64 -> f64 {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %a, %a : f64, f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: body must yield 1 carries and 1 recorded values, got 1 values}}
  %r = array.while %x (%a: f64) {record = 1} : f64 -> f64 {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: record -1 must not be negative}}
  %r = array.while %x (%a: f64) {record = -1} : f64 -> f64 {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: carry 0 has type f64, body yields i64}}
  %r = array.while %x (%a: f64) : f64 -> f64 {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %n : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: results have types (f64), the op computes (f64, !array.tape<f64>)}}
  %r = array.while %x (%a: f64) {record = 1} : f64 -> f64 {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %a, %a : f64, f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.while: result 1 has type f64, the op computes !array.tape<f64>}}
  %r, %s = array.while %x (%a: f64) {record = 1} : f64 -> (f64, f64) {
    array.yield %p : i1
  } do (%a: f64) {
    array.yield %a, %a : f64, f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  %r = array.while %x (%a: f64) : f64 -> f64 {
    array.yield %p : i1
  }
  // expected-error @below {{Expected 'do'}}
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  %t = array.while () {record = 1} : -> !array.tape<f64> {
    array.yield %p : i1
  } do () {
    array.yield %x : f64
  }
  // expected-error @below {{array.replay: region takes (f64), it is given (f64, f64)}}
  %r = array.replay %t, %x (%q: f64) : !array.tape<f64>, f64 -> f64 {
    array.yield %q : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  %t = array.while () {record = 1} : -> !array.tape<f64> {
    array.yield %p : i1
  } do () {
    array.yield %x : f64
  }
  // expected-error @below {{array.replay: carry 0 has type f64, region yields i1}}
  %r = array.replay %t, %x (%q: f64, %c: f64) : !array.tape<f64>, f64 -> f64 {
    array.yield %p : i1
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  %t = array.while () {record = 1} : -> !array.tape<f64> {
    array.yield %p : i1
  } do () {
    array.yield %x : f64
  }
  // expected-error @below {{array.replay: result 0 has type i64, the op computes f64}}
  %r = array.replay %t, %x (%q: f64, %c: f64) : !array.tape<f64>, f64 -> i64 {
    array.yield %c : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.replay: operand 'tape' at position 0 does not verify: f64 should be of base attribute array.tape}}
  %r = array.replay %x, %x (%q: f64, %c: f64) : f64, f64 -> f64 {
    array.yield %c : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{a tape records scalars and arrays, not f16}}
  %r = array.replay %x (%q: f64, %c: f64) : !array.tape<f16> -> f64 {
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.if: operand 'condition' at position 0 does not verify: Expected attribute i1 but got f64}}
  %r = array.if %x : f64 -> f64 {
    array.yield %x : f64
  } else {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.if: value 0 has type f64, branch 1 yields i64}}
  %r = array.if %p : i1 -> f64 {
    array.yield %x : f64
  } else {
    array.yield %n : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.if: value 0 has type i64, branch 0 yields f64}}
  %r = array.if %p : i1 -> i64 {
    array.yield %x : f64
  } else {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.if: branch 1 yields (), (f64) expected}}
  %r = array.if %p : i1 -> f64 {
    array.yield %x : f64
  } else {
    array.yield 
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.if: branch 0 takes (f64), it is given ()}}
  %r = array.if %p (%a: f64) : i1 -> f64 {
    array.yield %a : f64
  } else {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  %r = array.if %p : i1 -> f64 {
    array.yield %x : f64
  }
  // expected-error @below {{Expected 'else'}}
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.switch: value 0 has type f64, branch 2 yields i64}}
  %r = array.switch %n : i64 -> f64 {
    array.yield %x : f64
  } case {
    array.yield %x : f64
  } case {
    array.yield %n : i64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.switch: operand 'index' at position 0 does not verify: Expected attribute i64 but got i1}}
  %r = array.switch %p : i1 -> f64 {
    array.yield %x : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64, %p: i1, %v: tensor<3xf64>) {
  // expected-error @below {{array.switch: switch needs at least one branch}}
  %r = "array.switch"(%n) : (i64) -> f64
  func.return
}
