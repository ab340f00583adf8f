// RUN: mlirad-opt %s -p mlirad-cse | filecheck %s
// Ops with regions are equal whether a constant stands inside or outside of their regions.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %a = array.build (%i) : -> tensor<3xf64> {
// CHECK:           array.constant 2.000000e+00 : f64
// CHECK:         %two = array.constant 2.000000e+00 : f64
// CHECK-NOT:     array.build
// CHECK:         array.add %a, %a : tensor<3xf64>
func.func @main(%x: f64) -> tensor<3xf64> {
  %a = array.build (%i) : -> tensor<3xf64> {
    %inside = array.constant 2.0 : f64
    %m = array.mul %x, %inside : f64
    array.yield %m : f64
  }
  %two = array.constant 2.0 : f64
  %b = array.build (%j) : -> tensor<3xf64> {
    %m = array.mul %x, %two : f64
    array.yield %m : f64
  }
  %c = array.add %a, %b : tensor<3xf64>
  %scaled = array.broadcast %two {dims = []} : f64 -> tensor<3xf64>
  %d = array.mul %c, %scaled : tensor<3xf64>
  func.return %d : tensor<3xf64>
}

// Another constant makes another op.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: array.build
func.func @others(%x: f64) -> tensor<3xf64> {
  %two = array.constant 2.0 : f64
  %a = array.build (%i) : -> tensor<3xf64> {
    %m = array.mul %x, %two : f64
    array.yield %m : f64
  }
  %b = array.build (%j) : -> tensor<3xf64> {
    %three = array.constant 3.0 : f64
    %m = array.mul %x, %three : f64
    array.yield %m : f64
  }
  %c = array.add %a, %b : tensor<3xf64>
  func.return %c : tensor<3xf64>
}
