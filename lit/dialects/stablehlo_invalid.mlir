// RUN: mlirad-opt --split-input-file --verify-diagnostics %s

// StableHLO that is rejected.

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{stablehlo.add: takes 2 operands, not 1}}
  %0 = stablehlo.add %x : tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{stablehlo.rng is not an op of StableHLO that mlirad reads}}
  %0 = "stablehlo.rng"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{expected a format such as e8m7}}
  %0 = stablehlo.reduce_precision %x, format = f32 : tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{stablehlo.gather has no 'dims' here}}
  %0 = "stablehlo.gather"(%x, %x) <{dimension_numbers = #stablehlo.gather<dims = [0]>, slice_sizes = array<i64: 1>}> : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  %0 = stablehlo.tanh %x : tensor<3xf64>
  // expected-error @below {{%y is not defined}}
  %1 = stablehlo.add %0, %y : tensor<3xf64>
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @below {{stablehlo.optimization_barrier: has 2 results, not 1}}
  %0 = "stablehlo.optimization_barrier"(%x, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return
}
