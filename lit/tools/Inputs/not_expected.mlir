func.func @unexpected() {
  // The next line has an error that nothing expects.

  %a = array.neg %b : f64
}

// -----

func.func @other_text() {
  // expected-error @+3 {{%c is not defined}}


  %a = array.neg %b : f64
}

// -----

func.func @other_line() {

  // expected-error @-1 {{%b is not defined}}
  %a = array.neg %b : f64
}

// -----

func.func @none() {
// expected-error @below {{anything}}
  func.return
}
