// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Modules that are not programs of the language, whatever the ops themselves allow.

func.func @before_definition(%x: f64) {
  // expected-error @below {{array.neg: reads %z before it is defined}}
  %y = array.neg %z : f64
  %z = array.neg %x : f64
  func.return
}

// -----

func.func @inside_before_definition(%x: f64) {
  %v = array.build (%i) : -> tensor<3xf64> {
    // expected-error @below {{array.neg: reads %z before it is defined}}
    %y = array.neg %z : f64
    array.yield %y : f64
  }
  %z = array.neg %x : f64
  func.return
}

// -----

func.func @itself(%x: f64) {
  // expected-error @below {{array.add: reads %y before it is defined}}
  %y = array.add %x, %y : f64
  func.return
}

// -----

func.func @own_region(%x: f64) {
  %v = array.build (%i) : -> tensor<3xf64> {
    // expected-error @below {{array.index: reads %v before it is defined}}
    %y = array.index %v[%i] : tensor<3xf64> -> f64
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @other_region(%x: f64) {
  %v = array.build (%i) : -> tensor<3xf64> {
    // expected-error @below {{array.neg: reads %z, which is defined in another region}}
    %y = array.neg %z : f64
    array.yield %y : f64
  }
  %w = array.build (%i) : -> tensor<3xf64> {
    %z = array.neg %x : f64
    array.yield %z : f64
  }
  func.return
}

// -----

func.func @other_function(%x: f64) {
  // expected-error @below {{array.neg: reads %z, which is defined in another region}}
  %y = array.neg %z : f64
  func.return
}
func.func @defines(%x: f64) {
  %z = array.neg %x : f64
  func.return
}

// -----

// expected-error @below {{array.constant: stands outside of a function}}
%c = array.constant 1.0 : f64

// -----

// expected-error @below {{func.func: @empty has no body}}
func.func @empty() {
}

// -----

func.func @wrong_end(%x: f64) {
  // expected-error @below {{array.yield: a region of func.func ends in array.yield, it must end in func.return}}
  array.yield %x : f64
}

// -----

func.func @early_end(%x: f64) -> f64 {
  // expected-error @below {{func.return: must be the last op of its block}}
  func.return %x : f64
  %y = array.neg %x : f64
  func.return %y : f64
}

// -----

func.func @result_count(%x: f64) -> f64 {
  // expected-error @below {{func.return: @result_count returns 1 values, got 0}}
  func.return
}

// -----

func.func @result_type(%x: f64) -> f32 {
  // expected-error @below {{func.return: @result_type returns f32 in place 0, got f64}}
  func.return %x : f64
}

// -----

// expected-error @below {{func.func: @declared has no body}}
func.func private @declared(f64) -> f64

// -----

func.func @twice() {
  func.return
}
// expected-error @below {{func.func: there are two functions named @twice, first at}}
func.func @twice() {
  func.return
}

// -----

func.func @outer() {
  // expected-error @below {{func.func: functions cannot be nested}}
  func.func @inner() {
    func.return
  }
  func.return
}

// -----

builtin.module {
  // expected-error @below {{builtin.module is not an op of the language}}
  builtin.module {
  }
}

// -----

func.func @foreign(%x: f64) {
  // expected-error @below {{builtin.unrealized_conversion_cast is not an op of the language}}
  %y = "builtin.unrealized_conversion_cast"(%x) : (f64) -> i64
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @types has type index, which is not of the language}}
func.func @types(%x: index) {
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @rank_0 has type tensor<f64>, which is not of the language}}
func.func @rank_0(%x: tensor<f64>) {
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @dynamic has type tensor<?xf64>, which is not of the language}}
func.func @dynamic(%x: tensor<?xf64>) {
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @large has type tensor<999999999x999999999xf64>, of more than 281474976710656 elements}}
func.func @large(%x: tensor<999999999x999999999xf64>) {
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @empty has type tensor<0x4611686018427387904xf64>, of more than 281474976710656 elements}}
func.func @empty(%x: tensor<0x4611686018427387904xf64>) {
  func.return
}

// -----

func.func @no_callee(%x: f64) {
  // expected-error @below {{func.call: there is no function @missing}}
  func.call @missing(%x) : (f64) -> ()
  func.return
}

// -----

func.func @callee(%x: f64) -> f64 {
  func.return %x : f64
}
func.func @argument_count() {
  // expected-error @below {{func.call: @callee takes 1 values, got 0}}
  %y = func.call @callee() : () -> f64
  func.return
}

// -----

func.func @callee(%x: f64) -> f64 {
  func.return %x : f64
}
func.func @argument_type(%x: f32) {
  // expected-error @below {{func.call: @callee takes f64 in place 0, got f32}}
  %y = func.call @callee(%x) : (f32) -> f64
  func.return
}

// -----

func.func @callee(%x: f64) -> f64 {
  func.return %x : f64
}
func.func @call_results(%x: f64) {
  // expected-error @below {{func.call: @callee returns f64 in place 0, got f32}}
  %y = func.call @callee(%x) : (f64) -> f32
  func.return
}

// -----

func.func @even(%x: f64) -> f64 {
  %y = func.call @odd(%x) : (f64) -> f64
  func.return %y : f64
}
func.func @odd(%x: f64) -> f64 {
  // expected-error @below {{linear.linearize: @even is differentiated in a function that it calls (@odd)}}
  %y, %d = linear.linearize %x {callee = @even, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}

// -----

// expected-error @below {{func.func: a region has 2 blocks}}
func.func @blocks(%x: f64) {
  %y = array.neg %x : f64
  func.return
^next:
  func.return
}

// -----

// expected-error @below {{func.func: property 'sym_name' must be a string}}
"func.func"() <{sym_name = 1 : i64, function_type = () -> ()}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{func.func: property 'function_type' must be a function type}}
"func.func"() <{sym_name = "f"}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{func.func: takes its body as one region, and has no operands and no results}}
"func.func"() <{sym_name = "f", function_type = () -> ()}> : () -> ()

// -----

// expected-error @below {{func.func: property 'inline' is not one of a function}}
"func.func"() <{sym_name = "f", function_type = () -> (), inline}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{func.func: @f takes f64 in place 0, got f32}}
"func.func"() <{sym_name = "f", function_type = (f64) -> ()}> ({
^entry(%x: f32):
  "func.return"() : () -> ()
}) : () -> ()

// -----

func.func @f() {
  // expected-error @below {{func.call: property 'callee' must name a function}}
  "func.call"() <{callee = @m::@g}> : () -> ()
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{func.call: has properties or regions that it does not define}}
  "func.call"() <{callee = @f, inline}> : () -> ()
  func.return
}

// -----

// expected-error @below {{func.func: property 'arg_attrs' must hold 0 dictionaries}}
"func.func"() <{sym_name = "f", function_type = () -> (), arg_attrs = [{}]}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{func.func: property 'sym_visibility' must be a string}}
"func.func"() <{sym_name = "f", function_type = () -> (), sym_visibility = 1 : i64}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

func.func @itself(%x: f64) -> f64 {
  // expected-error @below {{linear.linearize: @itself is differentiated in a function that it calls (@itself)}}
  %y, %d = linear.linearize %x {callee = @itself, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  func.return %y : f64
}

// -----

// expected-error @below {{func.func: argument 0 of @takes_a_tape is a tape: no function takes or returns one}}
func.func @takes_a_tape(%t: !array.tape<f64>) {
  func.return
}

// -----

func.func @reads_a_tape() {
  %t = array.while () {record = 0} : -> !array.tape<> {
    %f = array.constant false
    array.yield %f : i1
  } do () {
    array.yield
  }
  // expected-error @below {{array.neg: reads %t, a tape: only array.replay and linear.while can}}
  %u = array.neg %t : !array.tape<>
  func.return
}

// -----

// A condition and a body have arguments of their own.

func.func @argument_of_other_region(%x: f64, %n: f64) -> f64 {
  %y = array.while %x (%c : f64) : f64 -> f64 {
    // expected-error @below {{array.compare: reads %a, which is defined in another region}}
    %more = array.compare gt %a, %n : f64, f64 -> i1
    array.yield %more : i1
  } do (%a : f64) {
    %b = array.sin %a : f64
    array.yield %b : f64
  }
  func.return %y : f64
}

// -----

// Rules of an op read what is in its regions only after that has been checked.

func.func @operand_missing_inside(%x: f64) -> f64 {
  %r = kernel.nest %x () {space = [], reduction = []} : f64 -> f64 {
    // expected-error @below {{kernel.load_if: Expected at least 2 operands, but got 1}}
    %a = kernel.load_if %x : f64 -> f64
    array.yield %a : f64
  }
  func.return %r : f64
}

// -----

func.func @property_missing_inside(%k: f64) {
  %m = linear.lambda (%x : tensor<4xf64>) : -> !linear.map<tensor<4xf64>, f64> {
    // expected-error @below {{array.scan: property 'carries' expected in operation 'array.scan'}}
    %y = array.scan %k, %x (%i, %a : f64, %d : f64) {length = 4} : f64, tensor<4xf64> -> f64 {
      array.yield %d : f64
    }
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @rule_broken_inside(%k: f64) {
  %m = linear.lambda (%x : tensor<4xf64>) : -> !linear.map<tensor<4xf64>, f64> {
    // expected-error @below {{array.scan: -1 carries of 2 operands}}
    %y = array.scan %k, %x (%i, %a : f64, %d : f64) {carries = -1, length = 4} : f64, tensor<4xf64> -> f64 {
      array.yield %d : f64
    }
    array.yield %y : f64
  }
  func.return
}

// -----

func.func @empty_inside(%k: f64) {
  %m = linear.lambda (%x : tensor<4xf64>) : -> !linear.map<tensor<4xf64>, f64> {
    // expected-error @below {{array.scan: a region of array.scan is empty, it must end in array.yield}}
    %y = array.scan %k, %x (%i, %a : f64, %d : f64) {carries = 1, length = 4} : f64, tensor<4xf64> -> f64 {
    }
    array.yield %y : f64
  }
  func.return
}

// -----

// expected-error @below {{builtin.module: takes its functions as one region, and has no operands and no results}}
"builtin.module"() () : () -> ()

// -----

// expected-error @below {{builtin.module: takes its functions as one region, and has no operands and no results}}
%m = "builtin.module"() ({
^bb0:
}) : () -> f64

// -----

// expected-error @below {{builtin.module: a region of builtin.module has no block}}
"builtin.module"() ({
}) : () -> ()

// -----

// expected-error @below {{builtin.module: a region has 2 blocks}}
"builtin.module"() ({
^bb0:
^bb1:
}) : () -> ()
