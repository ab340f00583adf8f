// RUN: mlirad-opt -p fuse-kernels %s | filecheck %s

// A map read at its own position: its value is used, and it is not stored.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %b = kernel.nest %x (%i) {space = [1000], reduction = []} : tensor<1000xf64> -> tensor<1000xf64> {
// CHECK-NEXT:   %0 = kernel.load %x[%i] : tensor<1000xf64> -> f64
// CHECK-NEXT:   %1 = array.exp %0 : f64
// CHECK-NEXT:   %2 = array.sin %1 : f64
// CHECK-NEXT:   array.yield %2 : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %b
func.func @chain(%x: tensor<1000xf64>) -> tensor<1000xf64> {
  %a = kernel.nest %x (%i) {space = [1000], reduction = []} : tensor<1000xf64> -> tensor<1000xf64> {
    %0 = kernel.load %x[%i] : tensor<1000xf64> -> f64
    %1 = array.exp %0 : f64
    array.yield %1 : f64
  }
  %b = kernel.nest %a (%i) {space = [1000], reduction = []} : tensor<1000xf64> -> tensor<1000xf64> {
    %0 = kernel.load %a[%i] : tensor<1000xf64> -> f64
    %1 = array.sin %0 : f64
    array.yield %1 : f64
  }
  func.return %b : tensor<1000xf64>
}

// Two reductions of one array.
// CHECK-LABEL: func.func @statistics
// CHECK-NEXT: %s, %m = kernel.nest %x (%i) {space = [], reduction = [1000], combiners = [add, max]} : tensor<1000xf64> -> (f64, f64) {
// CHECK-NEXT:   kernel.load
// CHECK-NEXT:   array.yield %0, %0 : f64, f64
func.func @statistics(%x: tensor<1000xf64>) -> (f64, f64) {
  %s = kernel.nest %x (%i) {space = [], reduction = [1000], combiners = [add]} : tensor<1000xf64> -> f64 {
    %0 = kernel.load %x[%i] : tensor<1000xf64> -> f64
    array.yield %0 : f64
  }
  %m = kernel.nest %x (%i) {space = [], reduction = [1000], combiners = [max]} : tensor<1000xf64> -> f64 {
    %0 = kernel.load %x[%i] : tensor<1000xf64> -> f64
    array.yield %0 : f64
  }
  func.return %s, %m : f64, f64
}

// A sum is not complete before its loop ends.
// CHECK-LABEL: func.func @scaled
// CHECK: kernel.nest %x (%i, %k)
// CHECK: kernel.nest %s (%i, %k)
func.func @scaled(%x: tensor<50x60xf64>) -> tensor<50xf64> {
  %s = kernel.nest %x (%i, %k) {space = [50], reduction = [60], combiners = [add]}
      : tensor<50x60xf64> -> tensor<50xf64> {
    %0 = kernel.load %x[%i, %k] : tensor<50x60xf64> -> f64
    array.yield %0 : f64
  }
  %t = kernel.nest %s (%i, %k) {space = [50], reduction = [60], combiners = [add]}
      : tensor<50xf64> -> tensor<50xf64> {
    %0 = kernel.load %s[%i] : tensor<50xf64> -> f64
    array.yield %0 : f64
  }
  func.return %t : tensor<50xf64>
}
