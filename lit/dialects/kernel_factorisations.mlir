// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Kernels of factorisations and linear systems.

// CHECK-LABEL: func.func @factorisations(%a: tensor<3x3xf64>, %b: tensor<3x1xf64>) {
// CHECK-NEXT: %v0, %v1, %v2, %v3, %v4 = kernel.factorisation lu %a : tensor<3x3xf64> -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>, tensor<9xf64>, tensor<3xi32>)
// CHECK-NEXT: %v5 = kernel.factorisation cholesky %a {places = [0]} : tensor<3x3xf64> -> tensor<3x3xf64>
// CHECK-NEXT: %v6, %v7, %v8 = kernel.factorisation eigh %a {values} : tensor<3x3xf64> -> (tensor<3xf64>, tensor<208xf64>, tensor<1xi32>)
// CHECK-NEXT: %v9 = kernel.triangular_solve %a, %b {upper, places = [0]} : tensor<3x3xf64>, tensor<3x1xf64> -> tensor<3x1xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @factorisations(%a: tensor<3x3xf64>, %b: tensor<3x1xf64>) {
  %v0, %v1, %v2, %v3, %v4 = kernel.factorisation lu %a : tensor<3x3xf64> -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>, tensor<9xf64>, tensor<3xi32>)
  %v5 = kernel.factorisation cholesky %a {places = [0]} : tensor<3x3xf64> -> tensor<3x3xf64>
  %v6, %v7, %v8 = kernel.factorisation eigh %a {values} : tensor<3x3xf64> -> (tensor<3xf64>, tensor<208xf64>, tensor<1xi32>)
  %v9 = kernel.triangular_solve %a, %b {upper, places = [0]} : tensor<3x3xf64>, tensor<3x1xf64> -> tensor<3x1xf64>
  func.return
}
