// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Maps made by functions that the verifier rejects.

func.func private @of_maps(%m: !linear.map<f64, f64>) -> !linear.map<f64, f64> {
  func.return %m : !linear.map<f64, f64>
}

func.func @f(%m: !linear.map<f64, f64>) {
  // expected-error @below {{linear.call: operand 0 is a linear map: the callee makes maps of values}}
  %v = linear.call %m {callee = @of_maps} : !linear.map<f64, f64> -> !linear.map<f64, f64>
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{linear.call: there is no function @g}}
  %v = linear.call %x {callee = @g} : f64 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func private @scaling(%k: f64) -> !linear.map<f64, f64> {
  %m = linear.scale %k : f64 -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}

func.func @f(%x: i64) {
  // expected-error @below {{linear.call: @scaling takes f64 in place 0, got i64}}
  %v = linear.call %x {callee = @scaling} : i64 -> !linear.map<f64, f64>
  func.return
}

// -----

func.func private @square(%k: f64) -> f64 {
  %y = array.mul %k, %k : f64
  func.return %y : f64
}

func.func @f(%x: f64) {
  // expected-error @below {{linear.call: @square returns f64 in place 0, got !linear.map<f64, f64>}}
  %v = linear.call %x {callee = @square} : f64 -> !linear.map<f64, f64>
  func.return
}
