// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Elements of powers and copowers that the verifiers reject.

func.func @f() {
  %m = linear.lambda (%c : !linear.copower<f64, f64>, %d : !linear.copower<i64, f64>) : -> !linear.map<tuple<!linear.copower<f64, f64>, !linear.copower<i64, f64>>, !linear.copower<f64, f64>> {
    // expected-error @below {{linear.plus: adds an element of !linear.copower<f64, f64> and one of !linear.copower<i64, f64> to one of !linear.copower<f64, f64>}}
    %e = linear.plus %c, %d : !linear.copower<f64, f64>, !linear.copower<i64, f64> -> !linear.copower<f64, f64>
    array.yield %e : !linear.copower<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.nothing: result 'result' at position 0 does not verify}}
  %z = linear.nothing : -> f64
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{linear.nothing: result 0 is an element of !linear.power<f64, f64>}}
  %z = linear.nothing : -> !linear.power<f64, f64>
  func.return
}

// -----

func.func @f(%m: !linear.map<f64, !linear.power<i64, f64>>, %x: f64) {
  // expected-error @below {{linear.apply: result 0 is an element of !linear.power<i64, f64>}}
  %y = linear.apply %m, %x : !linear.map<f64, !linear.power<i64, f64>>, f64 -> !linear.power<i64, f64>
  func.return
}

// -----

func.func @f(%p: i1) {
  %m = linear.lambda (%c : !linear.copower<f64, f64>, %d : !linear.copower<f64, f64>) : -> !linear.map<tuple<!linear.copower<f64, f64>, !linear.copower<f64, f64>>, !linear.copower<f64, f64>> {
    // expected-error @below {{array.if: result 0 is an element of !linear.copower<f64, f64>}}
    %e = array.if %p : i1 -> !linear.copower<f64, f64> {
      array.yield %c : !linear.copower<f64, f64>
    } else {
      array.yield %d : !linear.copower<f64, f64>
    }
    array.yield %e : !linear.copower<f64, f64>
  }
  func.return
}

// -----

func.func @f() {
  %m = linear.lambda (%c : !linear.copower<f64, f64>) : -> !linear.map<!linear.copower<f64, f64>, f64> {
    // expected-error @below {{function.tuple: reads %c, an element of !linear.copower<f64, f64>, which only linear.apply, plus, roll and unroll can}}
    %t = function.tuple %c, %c : !linear.copower<f64, f64>, !linear.copower<f64, f64> -> tuple<!linear.copower<f64, f64>, !linear.copower<f64, f64>>
    %z = array.constant 0.0 : f64
    array.yield %z : f64
  }
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @f has type tuple<!linear.power<i64, f64>, f64>, which is not of the language}}
func.func @f(%h: tuple<!linear.power<i64, f64>, f64>) {
  func.return
}

// -----

func.func @f(%c: f64) {
  %m = linear.lambda (%x : f64) : -> !linear.map<f64, !linear.copower<f64, f64>> {
    %single = linear.single %c : f64 -> !linear.map<f64, !linear.copower<f64, f64>>
    %d = linear.apply %single, %c : !linear.map<f64, !linear.copower<f64, f64>>, f64 -> !linear.copower<f64, f64>
    %e = linear.apply %single, %x : !linear.map<f64, !linear.copower<f64, f64>>, f64 -> !linear.copower<f64, f64>
    // expected-error @below {{linear.lambda: linear.plus adds to, or joins with, the tangent something that does not depend on it}}
    %s = linear.plus %d, %e : !linear.copower<f64, f64>
    array.yield %s : !linear.copower<f64, f64>
  }
  func.return
}

// -----

func.func @f(%x: i64) {
  %m = linear.lambda (%d : f64) : -> !linear.map<f64, !linear.inductive<list>> {
    // expected-error @below {{linear.roll: operand 1 of type i64 is not a leaf of an element of a space}}
    %e = linear.roll %d, %x : f64, i64 -> !linear.inductive<list>
    array.yield %e : !linear.inductive<list>
  }
  func.return
}

// -----

func.func @f() {
  %m = linear.lambda (%e : !linear.inductive<list>) : -> !linear.map<!linear.inductive<list>, f64> {
    // expected-error @below {{linear.unroll: result 0 of type tuple<f64, f64> is not a leaf of an element of a space}}
    %d = linear.unroll %e : !linear.inductive<list> -> tuple<f64, f64>
    %z = array.constant 0.0 : f64
    array.yield %z : f64
  }
  func.return
}

// -----

func.func @f() {
  %m = linear.lambda (%e : !linear.inductive<list>) : -> !linear.map<!linear.inductive<list>, !linear.inductive<list>> {
    %d, %r = linear.unroll %e : !linear.inductive<list> -> (f64, !linear.inductive<list>)
    // expected-error @below {{linear.roll: an element of type !linear.inductive<list> holds (f64) here and (f64, !linear.inductive<list>) in linear.unroll}}
    %s = linear.roll %d : f64 -> !linear.inductive<list>
    array.yield %s : !linear.inductive<list>
  }
  func.return
}
