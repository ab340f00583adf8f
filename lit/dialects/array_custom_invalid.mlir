// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Code with a derivative of its own, and checkpoints, that the verifiers reject.

func.func @f(%x: f64) {
  // expected-error @below {{array.custom: region takes (f64, f64), it is given (f64)}}
  %y = array.custom %x (%a : f64, %b : f64) : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %da : f64) {
    array.yield %da : f64
  }
  func.return
}

// -----

func.func @f(%x: f64, %n: i64) {
  // expected-error @below {{array.custom: derivative takes (f64, i64), it is given (f64, i64, f64)}}
  %y = array.custom %x, %n (%a : f64, %k) : f64, i64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %k) {
    array.yield %a : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.custom: results have types (), the op computes (f64)}}
  %y = array.custom %x (%a : f64) : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %da : f64) {
    array.yield
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.custom: transposed derivative takes (f64, f64), it is given (f64, tensor<2xf64>)}}
  %y = array.custom %x (%a : f64) {transposed} : f64 -> tensor<2xf64> {
    %b = array.broadcast %a {dims = []} : f64 -> tensor<2xf64>
    array.yield %b : tensor<2xf64>
  } derivative (%a : f64, %ct : f64) {
    array.yield %ct : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.custom: 2 rules are given, one for each direction at most}}
  %y = array.custom %x (%a : f64) {transposed} : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %ct : f64) {
    array.yield %ct : f64
  } transposed (%a : f64, %ct : f64) {
    array.yield %ct : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.custom: derivative takes (f64, f64), it is given (f64, f64, f64)}}
  %y = array.custom %x (%a : f64) {results} : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %da : f64) {
    array.yield %da : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.custom: a number and its square are two floats of one type}}
  %y = array.custom %x (%a : f64) {squared} : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %da : f64) {
    array.yield %da : f64
  }
  func.return
}

// -----

func.func @f(%x: f64) {
  // expected-error @below {{array.checkpoint: result 0 has type f32, the op computes f64}}
  %y = array.checkpoint : -> f32 {
    array.yield %x : f64
  }
  func.return
}
