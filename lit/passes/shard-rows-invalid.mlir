// RUN: mlirad-opt %s -p 'shard-rows{size=n function=f}' --split-input-file --verify-diagnostics

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> attributes {array.sizes = ["n"]} {
  // expected-error @+1 {{sorting along all rows needs the rows of all chunks at once}}
  %0 = array.sort %x {dim = 0} : tensor<?xf64, #array.extents<[n]>>
  func.return %0 : tensor<?xf64, #array.extents<[n]>>
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> attributes {array.sizes = ["n"]} {
  %0 = array.scan %x (%i, %c: tensor<?xf64, #array.extents<[n]>>) {carries = 1, length = 3} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n]>> {
    // expected-error @+1 {{a cumulative sum inside of a loop or a branch, along all rows}}
    %1 = array.cumulative sum %c {dim = 0} : tensor<?xf64, #array.extents<[n]>>
    array.yield %1 : tensor<?xf64, #array.extents<[n]>>
  }
  func.return %0 : tensor<?xf64, #array.extents<[n]>>
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> attributes {array.sizes = ["n"]} {
  // expected-error @+1 {{reading backwards along all rows needs the rows of all chunks at once}}
  %0 = array.reverse %x {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n]>>
  func.return %0 : tensor<?xf64, #array.extents<[n]>>
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> i64 attributes {array.sizes = ["n"]} {
  %0 = array.constant 0 : i64
  %1 = array.scan %0 (%i, %c: i64) {carries = 1, length = 3} : i64 -> i64 {
    // expected-error @+1 {{the position of an extremum of all rows is needed in a loop or a branch}}
    %2 = array.argmax %x {dim = 0} : tensor<?xf64, #array.extents<[n]>> -> i64
    array.yield %2 : i64
  }
  func.return %1 : i64
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[2 * n]>> attributes {array.sizes = ["n"]} {
  // expected-error @+1 {{concatenating along all rows needs the rows of all chunks at once}}
  %0 = array.concatenate %x, %x {dim = 0} : tensor<?xf64, #array.extents<[n]>>, tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[2 * n]>>
  func.return %0 : tensor<?xf64, #array.extents<[2 * n]>>
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n - 1]>> attributes {array.sizes = ["n"]} {
  %0 = array.slice %x {starts = [0], limits = #array.extents<[n - 1]>, strides = [1]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?xf64, #array.extents<[n - 1]>>
  // expected-error @+1 {{n - 1 rows of n are not the rows of one chunk}}
  %1 = array.sort %0 {dim = 0} : tensor<?xf64, #array.extents<[n - 1]>>
  func.return %1 : tensor<?xf64, #array.extents<[n - 1]>>
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>, %i: i64) -> f64 attributes {array.sizes = ["n"]} {
  %0 = array.constant 1.000000e+00 : f64
  %1 = array.scan %0 (%k, %c: f64) {carries = 1, length = 3} : f64 -> f64 {
    %2 = array.index %x[%i] : tensor<?xf64, #array.extents<[n]>> -> f64
    // expected-error @+1 {{the row at a position is used inside of a loop or a branch}}
    %3 = array.mul %c, %2 : f64
    array.yield %3 : f64
  }
  func.return %1 : f64
}

// -----

func.func @f(%x: tensor<?x2xf64, #array.extents<[n, 2]>>) -> tensor<?x2xf64, #array.extents<[n, 2]>> attributes {array.sizes = ["n"]} {
  // expected-error @+1 {{a Fourier transform along all rows needs the rows of all chunks at once}}
  %0 = array.fft forward %x : tensor<?x2xf64, #array.extents<[n, 2]>>
  func.return %0 : tensor<?x2xf64, #array.extents<[n, 2]>>
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>, %p: i1) -> f64 attributes {array.sizes = ["n"]} {
  // expected-error @+1 {{a Python function is called, which other processes do not have}}
  %0 = array.callback %p, %p {function = "f", batch_rank = 0} : i1, i1 -> f64
  func.return %0 : f64
}

// -----

func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?x?xf64, #array.extents<[n, n]>> attributes {array.sizes = ["n"]} {
  // expected-error @+1 {{an array of n by n elements has pairs of rows, which are in different chunks}}
  %0 = array.broadcast %x {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> tensor<?x?xf64, #array.extents<[n, n]>>
  func.return %0 : tensor<?x?xf64, #array.extents<[n, n]>>
}
