// RUN: mlirad-opt -p convert-to-array --split-input-file --verify-diagnostics %s

// expected-error @below {{func.func: tensor<?xf64> has a dynamic shape}}
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  func.return %x : tensor<?xf64>
}

// -----

// expected-error @below {{func.func: memref<3xf64> is memory, which programs on arrays do not have}}
func.func @f(%x: memref<3xf64>) {
  func.return
}

// -----

// expected-error @below {{func.func: complex<f64> is complex}}
func.func @f(%x: complex<f64>) -> complex<f64> {
  func.return %x : complex<f64>
}

// -----

// expected-error @below {{func.func: f16 is not a type of arrays}}
func.func @f(%x: f16) -> f16 {
  func.return %x : f16
}

// -----

func.func @f(%x: tensor<3xf64>, %n: index) -> index {
  // expected-error @below {{tensor.cast: tensor<?xf64> has a dynamic shape}}
  %y = tensor.cast %x : tensor<3xf64> to tensor<?xf64>
  %d = tensor.dim %y, %n : tensor<?xf64>
  func.return %d : index
}

// -----

func.func @f(%x: i64) -> i64 {
  // expected-error @below {{math.ctpop: has no form in the array dialect}}
  %y = math.ctpop %x : i64
  func.return %y : i64
}

// -----

func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @below {{linalg.softmax: has no form in the array dialect}}
  %y = "linalg.softmax"(%x, %x) <{dimension = 0 : i64}> : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  func.return %y : tensor<3xf64>
}

// -----

func.func @f(%x: f64) -> f64 {
  // expected-error @below {{arith.addf: Expected 2 operands, but got 1}}
  %y = "arith.addf"(%x) : (f64) -> f64
  func.return %y : f64
}

// -----

func.func @f(%x: tensor<3xf64>) -> tensor<4xf64> {
  // expected-error @below {{arith.negf: result 'result' at position 0 does not verify: attribute tensor<3xf64> expected from variable '_T', but got tensor<4xf64>}}
  %y = "arith.negf"(%x) : (tensor<3xf64>) -> tensor<4xf64>
  func.return %y : tensor<4xf64>
}

// -----

func.func @f(%x: tensor<3xf64>) -> tensor<4xf64> {
  // expected-error @below {{tensor.extract_slice: reaches outside of dimension 0 of extent 3}}
  %y = tensor.extract_slice %x[1] [4] [1] : tensor<3xf64> to tensor<4xf64>
  func.return %y : tensor<4xf64>
}

// -----

func.func @f(%x: tensor<3xf64>, %y: tensor<4xf64>) -> f64 {
  %z = arith.constant dense<0.0> : tensor<f64>
  // expected-error @below {{linalg.dot: dimension d0 has extents 3 and 4}}
  %d = linalg.dot ins(%x, %y : tensor<3xf64>, tensor<4xf64>) outs(%z : tensor<f64>) -> tensor<f64>
  %v = tensor.extract %d[] : tensor<f64>
  func.return %v : f64
}

// -----

func.func @f(%x: tensor<3xf64>, %y: tensor<5xf64>) -> tensor<5xf64> {
  // expected-error @below {{linalg.generic: the indexing map (d0) -> ((d0 + 1)) of a result is not a projection of dimensions}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0 + 1)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf64>) outs(%y : tensor<5xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  } -> tensor<5xf64>
  func.return %r : tensor<5xf64>
}

// -----

func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @below {{linalg.generic: has 2 operands and 1 indexing maps}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf64>) outs(%x : tensor<3xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  } -> tensor<3xf64>
  func.return %r : tensor<3xf64>
}

// -----

func.func @f(%x: f64, %n: index) -> f64 {
  %zero = arith.constant 0 : index
  // expected-error @below {{scf.for: has the step 0, which must be positive}}
  %r = scf.for %i = %zero to %n step %zero iter_args(%a = %x) -> (f64) {
    scf.yield %a : f64
  }
  func.return %r : f64
}

// -----

func.func private @g(f64) -> f64

func.func @f(%x: f64) -> f64 {
  // expected-error @below {{func.call: @g has no body}}
  %r = func.call @g(%x) : (f64) -> f64
  func.return %r : f64
}

// -----

func.func @f(%x: f64) -> f64 {
  // expected-error @below {{arith.addf: reads %y before it is defined}}
  %r = arith.addf %x, %y : f64
  %y = arith.addf %x, %x : f64
  func.return %r : f64
}

// -----

func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @below {{linalg.winograd_filter_transform has 'outs'}}
  %r = linalg.winograd_filter_transform m(4) r(3) ins(%x : tensor<3xf64>) outs(%x : tensor<3xf64>) -> tensor<3xf64>
  func.return %r : tensor<3xf64>
}

// -----

// expected-error @below {{func.func: tensor<2xtensor<3xf64>> is a tensor of tensors}}
func.func @f(%x: tensor<2xtensor<3xf64>>) -> tensor<2xtensor<3xf64>> {
  func.return %x : tensor<2xtensor<3xf64>>
}

// -----

// expected-error @below {{arith.constant: stands outside of a function}}
%x = arith.constant 1.0 : f64

// -----

func.func @f(%x: tensor<6xf64>) -> tensor<2x4xf64> {
  %s = arith.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error @below {{tensor.reshape: cannot put 6 elements into 8}}
  %r = "tensor.reshape"(%x, %s) : (tensor<6xf64>, tensor<2xi64>) -> tensor<2x4xf64>
  func.return %r : tensor<2x4xf64>
}
