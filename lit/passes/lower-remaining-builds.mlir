// RUN: mlirad-opt %s -p lower-remaining-builds --split-input-file | filecheck %s

// A loop without carries is elementwise code.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    [[S:%.*]] = array.broadcast %s {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:    [[R:%.*]] = array.add %x, [[S]] : tensor<3xf64>
// CHECK-NEXT:    func.return [[R]]
func.func @f(%x: tensor<3xf64>, %s: f64) -> tensor<3xf64> {
  %r = array.scan %x (%i, %t: f64) {carries = 0, length = 3} : tensor<3xf64> -> tensor<3xf64> {
    %y = array.add %t, %s : f64
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}

// -----

// Activation records have no batches: the loop around the call stays, and is kept from now on.

// CHECK-LABEL: func.func @main
// CHECK:         array.scan ({{.*}}) {carries = 0, length = 3, checkpoint = recompute, kept}
// CHECK:           func.call @vjp
func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.scan %x (%i, %t: f64) {carries = 0, length = 3} : tensor<3xf64> -> tensor<3xf64> {
    %y = func.call @vjp(%t) : (f64) -> f64
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}
func.func private @vjp(%t: f64) -> f64 attributes {no_inline} {
  %frame = func.call @record(%t) : (f64) -> !array.frame<record>
  %none, %y = array.restore %frame : !array.frame<record> -> (!array.frame<record>, f64)
  func.return %y : f64
}
func.func private @record(%t: f64) -> !array.frame<record> attributes {no_inline} {
  %none = array.no_frame : -> !array.frame<record>
  %frame = array.save %none, %t : !array.frame<record>, f64 -> !array.frame<record>
  func.return %frame : !array.frame<record>
}

// -----

// So do builds, and those that hold no calls become operations.

// CHECK-LABEL: func.func @builds
// CHECK-NOT:     array.build
func.func @builds(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %t = array.index %x[%i] : tensor<3xf64> -> f64
    %y = array.sin %t : f64
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}
