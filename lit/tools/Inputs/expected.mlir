func.func @same_line() {
  %a = array.neg %b : f64 // expected-error {{%b is not defined}}
  func.return
}

// -----

func.func @line_after() {
  // expected-error@+2 {{%b is not defined}}

  %a = array.neg %b : f64
  func.return
}

// -----

func.func @line_before() {
  %a = array.neg %b : f64
  // expected-error @-1 {{%b is not defined}}
  func.return
}

// -----

func.func @below() {
  // expected-error @below {{is not defined}}
  %a = array.neg %b : f64
  func.return
}

// -----

func.func @above() {
  %a = array.neg %b : f64
  // expected-error-re @above {{^%[a-z] is (not )?defined$}}
  func.return
}
