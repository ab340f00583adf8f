// RUN: mlirad-opt %s -p expand-solves | filecheck %s

// Two systems of one matrix share its factors.

// CHECK-LABEL: func.func @two
// CHECK-NEXT: %0 = array.lu factors %a : tensor<3x3xf64>
// CHECK-NEXT: %1 = array.lu permutation %a : tensor<3x3xf64> -> tensor<3xi64>
// CHECK-NEXT: %2 = array.gather %b (%[[I:.*]], %[[J:.*]]) : tensor<3x1xf64> -> tensor<3x1xf64> {
// CHECK: %[[Y:.*]] = array.triangular_solve %0, %2 {unit} : tensor<3x3xf64>, tensor<3x1xf64> -> tensor<3x1xf64>
// CHECK-NEXT: %x = array.triangular_solve %0, %[[Y]] {upper} : tensor<3x3xf64>, tensor<3x1xf64> -> tensor<3x1xf64>
// CHECK-NOT: array.lu
// CHECK: %y = array.triangular_solve %0
func.func @two(%a: tensor<3x3xf64>, %b: tensor<3x1xf64>, %c: tensor<3x2xf64>) -> (tensor<3x1xf64>, tensor<3x2xf64>) {
  %x = array.solve %a, %b : tensor<3x3xf64>, tensor<3x1xf64> -> tensor<3x1xf64>
  %y = array.solve %a, %c : tensor<3x3xf64>, tensor<3x2xf64> -> tensor<3x2xf64>
  func.return %x, %y : tensor<3x1xf64>, tensor<3x2xf64>
}
