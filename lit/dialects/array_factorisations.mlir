// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Factorisations and linear systems.

// CHECK-LABEL: func.func @factorisations(%a: tensor<2x3x3xf64>, %m: tensor<4x3xf32>, %b: tensor<2x3x1xf64>) {
// CHECK-NEXT: %v0 = array.lu factors %a : tensor<2x3x3xf64>
// CHECK-NEXT: %v1 = array.lu pivots %a : tensor<2x3x3xf64> -> tensor<2x3xi64>
// CHECK-NEXT: %v2 = array.lu permutation %a : tensor<2x3x3xf64> -> tensor<2x3xi64>
// CHECK-NEXT: %v3 = array.cholesky %a : tensor<2x3x3xf64>
// CHECK-NEXT: %v4 = array.qr orthogonal %m : tensor<4x3xf32>
// CHECK-NEXT: %v5 = array.qr triangular %m : tensor<4x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %v6 = array.eigh values %a : tensor<2x3x3xf64> -> tensor<2x3xf64>
// CHECK-NEXT: %v7 = array.eigh vectors %a : tensor<2x3x3xf64>
// CHECK-NEXT: %v8 = array.svd left %m : tensor<4x3xf32>
// CHECK-NEXT: %v9 = array.svd values %m : tensor<4x3xf32> -> tensor<3xf32>
// CHECK-NEXT: %v10 = array.svd right %m : tensor<4x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %v11 = array.triangular_solve %a, %b : tensor<2x3x3xf64>, tensor<2x3x1xf64> -> tensor<2x3x1xf64>
// CHECK-NEXT: %v12 = array.triangular_solve %a, %b {upper, transposed, unit} : tensor<2x3x3xf64>, tensor<2x3x1xf64> -> tensor<2x3x1xf64>
// CHECK-NEXT: %v13 = array.solve %a, %b : tensor<2x3x3xf64>, tensor<2x3x1xf64> -> tensor<2x3x1xf64>
// CHECK-NEXT: %v14 = array.schur orthogonal %a : tensor<2x3x3xf64>
// CHECK-NEXT: %v15 = array.schur triangular %a : tensor<2x3x3xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @factorisations(%a: tensor<2x3x3xf64>, %m: tensor<4x3xf32>, %b: tensor<2x3x1xf64>) {
  %v0 = array.lu factors %a : tensor<2x3x3xf64>
  %v1 = array.lu pivots %a : tensor<2x3x3xf64> -> tensor<2x3xi64>
  %v2 = array.lu permutation %a : tensor<2x3x3xf64> -> tensor<2x3xi64>
  %v3 = array.cholesky %a : tensor<2x3x3xf64>
  %v4 = array.qr orthogonal %m : tensor<4x3xf32>
  %v5 = array.qr triangular %m : tensor<4x3xf32> -> tensor<3x3xf32>
  %v6 = array.eigh values %a : tensor<2x3x3xf64> -> tensor<2x3xf64>
  %v7 = array.eigh vectors %a : tensor<2x3x3xf64>
  %v8 = array.svd left %m : tensor<4x3xf32>
  %v9 = array.svd values %m : tensor<4x3xf32> -> tensor<3xf32>
  %v10 = array.svd right %m : tensor<4x3xf32> -> tensor<3x3xf32>
  %v11 = array.triangular_solve %a, %b : tensor<2x3x3xf64>, tensor<2x3x1xf64> -> tensor<2x3x1xf64>
  %v12 = array.triangular_solve %a, %b {upper, transposed, unit} : tensor<2x3x3xf64>, tensor<2x3x1xf64> -> tensor<2x3x1xf64>
  %v13 = array.solve %a, %b : tensor<2x3x3xf64>, tensor<2x3x1xf64> -> tensor<2x3x1xf64>
  %v14 = array.schur orthogonal %a : tensor<2x3x3xf64>
  %v15 = array.schur triangular %a : tensor<2x3x3xf64>
  func.return
}

// CHECK-LABEL: func.func @complex(%z: tensor<2x3x3x2xf64>, %a: tensor<3x3xf64>, %b: tensor<2x3x1x2xf64>) {
// CHECK-NEXT: %v0 = array.lu factors %z {complex} : tensor<2x3x3x2xf64>
// CHECK-NEXT: %v1 = array.lu pivots %z {complex} : tensor<2x3x3x2xf64> -> tensor<2x3xi64>
// CHECK-NEXT: %v2 = array.cholesky %z {complex} : tensor<2x3x3x2xf64>
// CHECK-NEXT: %v3 = array.eigh values %z {complex} : tensor<2x3x3x2xf64> -> tensor<2x3xf64>
// CHECK-NEXT: %v4 = array.eig values %a : tensor<3x3xf64> -> tensor<3x2xf64>
// CHECK-NEXT: %v5 = array.eig vectors %z {complex} : tensor<2x3x3x2xf64>
// CHECK-NEXT: %v6 = array.triangular_solve %z, %b {transposed, complex} : tensor<2x3x3x2xf64>, tensor<2x3x1x2xf64> -> tensor<2x3x1x2xf64>
// CHECK-NEXT: %v7 = array.solve %z, %b {complex} : tensor<2x3x3x2xf64>, tensor<2x3x1x2xf64> -> tensor<2x3x1x2xf64>
// CHECK-NEXT: %v8 = array.schur triangular %z {complex} : tensor<2x3x3x2xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @complex(%z: tensor<2x3x3x2xf64>, %a: tensor<3x3xf64>, %b: tensor<2x3x1x2xf64>) {
  %v0 = array.lu factors %z {complex} : tensor<2x3x3x2xf64>
  %v1 = array.lu pivots %z {complex} : tensor<2x3x3x2xf64> -> tensor<2x3xi64>
  %v2 = array.cholesky %z {complex} : tensor<2x3x3x2xf64>
  %v3 = array.eigh values %z {complex} : tensor<2x3x3x2xf64> -> tensor<2x3xf64>
  %v4 = array.eig values %a : tensor<3x3xf64> -> tensor<3x2xf64>
  %v5 = array.eig vectors %z {complex} : tensor<2x3x3x2xf64>
  %v6 = array.triangular_solve %z, %b {transposed, complex} : tensor<2x3x3x2xf64>, tensor<2x3x1x2xf64> -> tensor<2x3x1x2xf64>
  %v7 = array.solve %z, %b {complex} : tensor<2x3x3x2xf64>, tensor<2x3x1x2xf64> -> tensor<2x3x1x2xf64>
  %v8 = array.schur triangular %z {complex} : tensor<2x3x3x2xf64>
  func.return
}
