// RUN: mlirad-opt -p convert-from-array --split-input-file --verify-diagnostics %s

func.func @f(%x: tensor<3x3xf64>) -> tensor<3x3xf64> {
  // expected-error @below {{array.cholesky: LAPACK computes factorisations, and upstream has no op that calls it}}
  %y = array.cholesky %x : tensor<3x3xf64>
  func.return %y : tensor<3x3xf64>
}

// -----

func.func @f(%x: f64) -> f64 {
  // expected-error @below {{array.erfinv: upstream has no inverse of the error function}}
  %y = array.erfinv %x : f64
  func.return %y : f64
}

// -----

func.func @g(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @f(%x: f64, %d: f64) -> f64 {
  // expected-error @below {{linear.linearize: only array code becomes upstream code}}
  %y, %m = linear.linearize %x {callee = @g, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %z = linear.apply %m, %d : !linear.map<f64, f64>, f64 -> f64
  func.return %z : f64
}

// -----

// expected-error @below {{the function @hypot has the name of one of the C library that the program needs}}
func.func @hypot(%x: f64, %y: f64) -> f64 {
  %r = array.hypot %x, %y : f64
  func.return %r : f64
}
