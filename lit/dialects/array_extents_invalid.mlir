// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// Extents with sizes that the verifier rejects.

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>, %y: tensor<?xf64, #array.extents<[m]>>) attributes {array.sizes = ["n", "m"]} {
  // expected-error @below {{array.dot: left dimension 0 of extent n is paired with right dimension 0 of extent m: cannot tell whether n and m are equal}}
  %v = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<?xf64, #array.extents<[n]>>, tensor<?xf64, #array.extents<[m]>> -> f64
  func.return
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  // expected-error @below {{array.broadcast: operand dimension 0 has extent n, result dimension 0 has n + 1}}
  %v = array.broadcast %x {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n + 1]>>
  func.return
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  // expected-error @below {{array.reshape: cannot reshape n elements [n] into 8 * (n // 8) [n // 8, 8]: cannot tell whether n and 8 * (n // 8) are equal}}
  %v = array.reshape %x : tensor<?xf64, #array.extents<[n]>> -> tensor<?x8xf64, #array.extents<[n floordiv 8, 8]>>
  func.return
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  // expected-error @below {{array.slice: slice 0:3 lies outside dimension 0 of extent n}}
  %v = array.slice %x {starts = [0], limits = [3], strides = [1]} : tensor<?xf64, #array.extents<[n]>> -> tensor<3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  %c = array.constant 0.0 : f64
  // expected-error @below {{array.pad: pad widths must not be negative: use slice to cut}}
  %v = array.pad %x, %c {low = #array.extents<[n - 3]>, high = [0], interior = [0]} : tensor<?xf64, #array.extents<[n]>>, f64 -> tensor<?xf64, #array.extents<[2 * n - 3]>>
  func.return
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  // expected-error @below {{array.size: result must be a scalar or static array of i64, got f64}}
  %v = array.size {extent = #array.extent<n>} : -> f64
  func.return
}

// -----

// expected-error @below {{extents [3] have no size in them: write them without #array.extents}}
func.func @f(%x: tensor<3xf64, #array.extents<[3]>>) {
  func.return
}

// -----

// expected-error @below {{func.func: argument 0 of @f has type tensor<?xf64, #array.extents<[n, 3]>>, which is not of the language}}
func.func @f(%x: tensor<?xf64, #array.extents<[n, 3]>>) attributes {array.sizes = ["n"]} {
  func.return
}

// -----

// expected-error @below {{func.func: @f, or a function that it calls, mentions sizes that it does not state: "n"}}
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) {
  func.return
}

// -----

// expected-error @below {{func.func: @f states a size n that cannot be read from its arguments}}
func.func @f(%x: tensor<?xf64, #array.extents<[2 * n]>>) attributes {array.sizes = ["n"]} {
  func.return
}

// -----

// expected-error @below {{func.func: @f is private: sizes are stated where arguments come from outside}}
func.func private @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  func.return
}

// -----

// expected-error @below {{func.func: array.sizes of @f must be a list of different names}}
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n", "n"]} {
  func.return
}

// -----

// expected-error @below {{extents are divided by positive numbers}}
func.func @f(%x: tensor<?xf64, #array.extents<[n floordiv 0]>>) {
  func.return
}
