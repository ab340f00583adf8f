// RUN: mlirad-opt --split-input-file -p 'form-recurrences{always=true}' %s | filecheck %s

// Carries and what kernels pass to each other are scalars; slices are read in the arrays that they are slices of.

// CHECK-LABEL: func.func @elements
// CHECK-NEXT:    %last, %all = kernel.recurrence %x, %x, %y (%0, %1, %2: f64) {carries = 1, space = [64], length = 5, reverse} : tensor<64xf64>, tensor<64xf64>, tensor<5x64xf64> -> (tensor<64xf64>, tensor<5x64xf64>) {
// CHECK-NEXT:      [[X:%.*]] = kernel.load %x[%0] : tensor<64xf64> -> f64
// CHECK-NEXT:      [[P:%.*]] = array.mul %2, [[X]] : f64
// CHECK-NEXT:      [[Y:%.*]] = kernel.load %y[%1, %0] : tensor<5x64xf64> -> f64
// CHECK-NEXT:      [[S:%.*]] = array.add [[P]], [[Y]] : f64
// CHECK-NEXT:      array.yield [[S]], [[P]] : f64, f64
// CHECK:         func.return %last, %all
func.func @elements(%x: tensor<64xf64>, %y: tensor<5x64xf64>) -> (tensor<64xf64>, tensor<5x64xf64>) {
  %last, %all = array.scan %x, %y (%k, %a: tensor<64xf64>, %b: tensor<64xf64>) {carries = 1, length = 5, reverse}
      : tensor<64xf64>, tensor<5x64xf64> -> (tensor<64xf64>, tensor<5x64xf64>) {
    %p = kernel.nest %a, %x (%i) {space = [64], reduction = []} : tensor<64xf64>, tensor<64xf64> -> tensor<64xf64> {
      %0 = kernel.load %a[%i] : tensor<64xf64> -> f64
      %1 = kernel.load %x[%i] : tensor<64xf64> -> f64
      %2 = array.mul %0, %1 : f64
      array.yield %2 : f64
    }
    %s = kernel.nest %p, %b (%i) {space = [64], reduction = []} : tensor<64xf64>, tensor<64xf64> -> tensor<64xf64> {
      %0 = kernel.load %p[%i] : tensor<64xf64> -> f64
      %1 = kernel.load %b[%i] : tensor<64xf64> -> f64
      %2 = array.add %0, %1 : f64
      array.yield %2 : f64
    }
    array.yield %s, %p : tensor<64xf64>, tensor<64xf64>
  }
  func.return %last, %all : tensor<64xf64>, tensor<5x64xf64>
}

// -----

// A carry that is read at another element goes through memory.

// CHECK-LABEL: func.func @neighbours
// CHECK-NEXT:    array.scan
func.func @neighbours(%x: tensor<64xf64>) -> tensor<64xf64> {
  %last = array.scan %x (%k, %a: tensor<64xf64>) {carries = 1, length = 5} : tensor<64xf64> -> tensor<64xf64> {
    %p = kernel.nest %a (%i) {space = [64], reduction = []} : tensor<64xf64> -> tensor<64xf64> {
      %c = array.constant 63 : i64
      %j = array.sub %c, %i : i64
      %0 = kernel.load %a[%j] : tensor<64xf64> -> f64
      %1 = array.sin %0 : f64
      array.yield %1 : f64
    }
    array.yield %p : tensor<64xf64>
  }
  func.return %last : tensor<64xf64>
}
