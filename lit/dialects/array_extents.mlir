// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Extents with sizes: in types, in properties, and as values. They are printed in normal form.

// CHECK-LABEL: func.func @main(%x: tensor<?x10xf64, #array.extents<[n, 10]>>, %y: tensor<?xf64, #array.extents<[m]>>) -> tensor<?xf64, #array.extents<[n - 1]>> attributes {array.sizes = ["n", "m"]} {
// CHECK-NEXT: %v0 = array.reshape %x : tensor<?x10xf64, #array.extents<[n, 10]>> -> tensor<?xf64, #array.extents<[10 * n]>>
// CHECK-NEXT: %v1 = array.concatenate %v0, %y {dim = 0} : tensor<?xf64, #array.extents<[10 * n]>>, tensor<?xf64, #array.extents<[m]>> -> tensor<?xf64, #array.extents<[m + 10 * n]>>
// CHECK-NEXT: %v2 = array.slice %v0 {starts = [0], limits = #array.extents<[10 * n]>, strides = [3]} : tensor<?xf64, #array.extents<[10 * n]>> -> tensor<?xf64, #array.extents<[(n + 2) floordiv 3 + 3 * n]>>
// CHECK-NEXT: %v3 = array.slice %x {starts = [1, 0], limits = #array.extents<[n, 1]>, strides = [1, 1]} : tensor<?x10xf64, #array.extents<[n, 10]>> -> tensor<?x1xf64, #array.extents<[n - 1, 1]>>
// CHECK-NEXT: %v4 = array.reshape %v3 : tensor<?x1xf64, #array.extents<[n - 1, 1]>> -> tensor<?xf64, #array.extents<[n - 1]>>
// CHECK-NEXT: %v5 = array.size {extent = #array.extent<2 * n + 1>} : -> i64
// CHECK-NEXT: %v6 = array.constant 0.000000e+00 : f64
// CHECK-NEXT: %v7 = array.pad %y, %v6 {low = #array.extents<[n]>, high = [1], interior = [0]} : tensor<?xf64, #array.extents<[m]>>, f64 -> tensor<?xf64, #array.extents<[m + n + 1]>>
// CHECK-NEXT: func.return %v4 : tensor<?xf64, #array.extents<[n - 1]>>
func.func @main(%x: tensor<?x10xf64, #array.extents<[n, 10]>>, %y: tensor<?xf64, #array.extents<[m]>>) -> tensor<?xf64, #array.extents<[n - 1]>> attributes {array.sizes = ["n", "m"]} {
  %v0 = array.reshape %x : tensor<?x10xf64, #array.extents<[n, 10]>> -> tensor<?xf64, #array.extents<[n * 10]>>
  %v1 = array.concatenate %v0, %y {dim = 0} : tensor<?xf64, #array.extents<[10 * n]>>, tensor<?xf64, #array.extents<[m]>> -> tensor<?xf64, #array.extents<[10 * n + m]>>
  %v2 = array.slice %v0 {starts = [0], limits = #array.extents<[10 * n]>, strides = [3]} : tensor<?xf64, #array.extents<[10 * n]>> -> tensor<?xf64, #array.extents<[(10 * n + 2) floordiv 3]>>
  %v3 = array.slice %x {starts = [1, 0], limits = #array.extents<[n, 1]>, strides = [1, 1]} : tensor<?x10xf64, #array.extents<[n, 10]>> -> tensor<?x1xf64, #array.extents<[(2 * n - 2) floordiv 2, 1]>>
  %v4 = array.reshape %v3 : tensor<?x1xf64, #array.extents<[n - 1, 1]>> -> tensor<?xf64, #array.extents<[n - 1]>>
  %v5 = array.size {extent = #array.extent<n + n + 1>} : -> i64
  %v6 = array.constant 0.0 : f64
  %v7 = array.pad %y, %v6 {low = #array.extents<[n]>, high = [1], interior = [0]} : tensor<?xf64, #array.extents<[m]>>, f64 -> tensor<?xf64, #array.extents<[n + m + 1]>>
  func.return %v4 : tensor<?xf64, #array.extents<[n - 1]>>
}

// A size is one number throughout a program: what is called states none.

// CHECK-LABEL: func.func private @callee(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> {
// CHECK: %s = array.scan %c (%i, %a: f64) {carries = 1, length = #array.extent<n>} : f64 -> f64 {
func.func private @callee(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> {
  %c = array.constant 1.0 : f64
  %s = array.scan %c (%i, %a : f64) {carries = 1, length = #array.extent<n>} : f64 -> f64 {
    array.yield %a : f64
  }
  %b = array.broadcast %s {dims = []} : f64 -> tensor<?xf64, #array.extents<[n]>>
  func.return %b : tensor<?xf64, #array.extents<[n]>>
}

// CHECK-LABEL: func.func @caller(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> attributes {array.sizes = ["n"]} {
func.func @caller(%x: tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>> attributes {array.sizes = ["n"]} {
  %y = func.call @callee(%x) : (tensor<?xf64, #array.extents<[n]>>) -> tensor<?xf64, #array.extents<[n]>>
  func.return %y : tensor<?xf64, #array.extents<[n]>>
}
