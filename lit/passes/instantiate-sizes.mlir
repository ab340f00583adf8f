// RUN: mlirad-opt %s -p 'instantiate-sizes{n=7}' | filecheck %s
// RUN: mlirad-opt %s -p 'instantiate-sizes{n=7 m=3}' | filecheck --check-prefix=BOTH %s
// RUN: not mlirad-opt %s -p 'instantiate-sizes{k=7}' 2>&1 | filecheck --check-prefix=UNKNOWN %s
// RUN: not mlirad-opt %s -p 'instantiate-sizes{n=1}' 2>&1 | filecheck --check-prefix=SMALL %s
// RUN: not mlirad-opt %s -p 'instantiate-sizes{n=a}' 2>&1 | filecheck --check-prefix=NUMBER %s
// RUN: mlirad-run %s --args 'iota(4x2)' 'zeros(5x)' | filecheck --check-prefix=NATIVE %s
// RUN: mlirad-run %s --interpret --args 'iota(4x2)' 'zeros(5x)' | filecheck --check-prefix=NATIVE %s
// RUN: not mlirad-run %s --args iota 'zeros(5x)' 2>&1 | filecheck --check-prefix=SHAPE %s
// RUN: not mlirad-run %s --args 'iota(1x2)' 'zeros(5x)' 2>&1 | filecheck --check-prefix=ONE %s

// CHECK-LABEL: func.func @main(%x: tensor<7x2xf64>, %y: tensor<?xf64, #array.extents<[m]>>) -> (tensor<?xf64, #array.extents<[m + 14]>>, i64, f64) attributes {array.sizes = ["m"]} {
// CHECK: %0 = array.reshape %x : tensor<7x2xf64> -> tensor<14xf64>
// CHECK: %2 = array.constant 13 : i64
// CHECK: {carries = 1, length = 7}
// BOTH-LABEL: func.func @main(%x: tensor<7x2xf64>, %y: tensor<3xf64>) -> (tensor<17xf64>, i64, f64) {
// UNKNOWN: error: the program has no size k; it has: m, n
// SMALL: error: size n is 1: sizes are 2 at least
// NUMBER: error: pass 'instantiate-sizes': n must be a size with one number, as in n=1000
// NATIVE: [0. 1. 2. 3. 4. 5. 6. 7. 0. 0. 0. 0. 0.]
// NATIVE-NEXT: 7
// NATIVE-NEXT: 16.0
// SHAPE: error: the size n of @main is not known
// SHAPE: write the shape of argument 0 out: zeros(3x4)
// ONE: error: argument 0 has 1 elements in dimension 0, whose size n is 2 at least
func.func @main(%x: tensor<?x2xf64, #array.extents<[n, 2]>>, %y: tensor<?xf64, #array.extents<[m]>>) -> (tensor<?xf64, #array.extents<[2 * n + m]>>, i64, f64) attributes {array.sizes = ["n", "m"]} {
  %0 = array.reshape %x : tensor<?x2xf64, #array.extents<[n, 2]>> -> tensor<?xf64, #array.extents<[2 * n]>>
  %1 = array.concatenate %0, %y {dim = 0} : tensor<?xf64, #array.extents<[2 * n]>>, tensor<?xf64, #array.extents<[m]>> -> tensor<?xf64, #array.extents<[2 * n + m]>>
  %2 = array.size {extent = #array.extent<2 * n - 1>} : -> i64
  %one = array.constant 1.0 : f64
  %3 = array.scan %one (%i, %a : f64) {carries = 1, length = #array.extent<n>} : f64 -> f64 {
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %1, %2, %3 : tensor<?xf64, #array.extents<[2 * n + m]>>, i64, f64
}
