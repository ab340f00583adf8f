// RUN: mlirad-opt --split-input-file -p 'eliminate-dead-elements{always=true}' %s | filecheck %s

// Of a product only the lower triangle is read, through a loop that adds it up.

// CHECK-LABEL: func.func @moments
// CHECK:         kernel.nest %x, %x ({{.*}}) {space = [16, 16], reduction = [100], combiners = [add], within = [1, 0, 0]}
// CHECK:         kernel.nest %m, %p ({{.*}}) {space = [16, 16], reduction = [], within = [1, 0, 0]}
// CHECK:         kernel.nest %s ({{.*}}) {space = [16, 16], reduction = []} :
func.func @moments(%x: tensor<100x16xf64>, %z: tensor<16x16xf64>) -> tensor<16x16xf64> {
  %s = array.scan %z (%t, %m: tensor<16x16xf64>) {carries = 1, length = 3} : tensor<16x16xf64> -> tensor<16x16xf64> {
    %p = kernel.nest %x, %x (%i, %j, %k) {space = [16, 16], reduction = [100], combiners = [add]} : tensor<100x16xf64>, tensor<100x16xf64> -> tensor<16x16xf64> {
      %a = kernel.load %x[%k, %i] : tensor<100x16xf64> -> f64
      %b = kernel.load %x[%k, %j] : tensor<100x16xf64> -> f64
      %c = array.mul %a, %b : f64
      array.yield %c : f64
    }
    %n = kernel.nest %m, %p (%i, %j) {space = [16, 16], reduction = []} : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64> {
      %a = kernel.load %m[%i, %j] : tensor<16x16xf64> -> f64
      %b = kernel.load %p[%i, %j] : tensor<16x16xf64> -> f64
      %c = array.add %a, %b : f64
      array.yield %c : f64
    }
    array.yield %n : tensor<16x16xf64>
  }
  %l = kernel.nest %s (%i, %j) {space = [16, 16], reduction = []} : tensor<16x16xf64> -> tensor<16x16xf64> {
    %a = kernel.load %s[%i, %j] : tensor<16x16xf64> -> f64
    %c = array.compare le %j, %i : i64, i64 -> i1
    %0 = array.constant 0.0 : f64
    %r = array.select %c, %a, %0 : i1, f64, f64 -> f64
    array.yield %r : f64
  }
  func.return %l : tensor<16x16xf64>
}

// -----

// Elements at positions that constants hold, one diagonal above the other; what a second reader reads whole stays.

// CHECK-LABEL: func.func @packed
// CHECK:         kernel.nest %x ({{.*}}) {space = [4, 4], reduction = [], within = [0, 1, -1, 1, 0, 2]}
// CHECK:         kernel.nest %x ({{.*}}) {space = [4, 4], reduction = []} :
func.func @packed(%x: tensor<4x4xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<4xf64>) {
  %i = array.constant dense<[0, 0, 2]> : tensor<3xi64>
  %j = array.constant dense<[1, 2, 3]> : tensor<3xi64>
  %m = kernel.nest %x (%p, %q) {space = [4, 4], reduction = []} : tensor<4x4xf64> -> tensor<4x4xf64> {
    %a = kernel.load %x[%p, %q] : tensor<4x4xf64> -> f64
    %b = array.exp %a : f64
    array.yield %b : f64
  }
  %n = kernel.nest %x (%p, %q) {space = [4, 4], reduction = []} : tensor<4x4xf64> -> tensor<4x4xf64> {
    %a = kernel.load %x[%p, %q] : tensor<4x4xf64> -> f64
    %b = array.sin %a : f64
    array.yield %b : f64
  }
  %r, %s = kernel.nest %m, %n, %i, %j (%k) {space = [3], reduction = []} : tensor<4x4xf64>, tensor<4x4xf64>, tensor<3xi64>, tensor<3xi64> -> (tensor<3xf64>, tensor<3xf64>) {
    %p = kernel.load %i[%k] : tensor<3xi64> -> i64
    %q = kernel.load %j[%k] : tensor<3xi64> -> i64
    %a = kernel.load %m[%p, %q] : tensor<4x4xf64> -> f64
    %b = kernel.load %n[%p, %q] : tensor<4x4xf64> -> f64
    array.yield %a, %b : f64, f64
  }
  %t = kernel.nest %n (%k, %l) {space = [4], reduction = [4], combiners = [add]} : tensor<4x4xf64> -> tensor<4xf64> {
    %a = kernel.load %n[%k, %l] : tensor<4x4xf64> -> f64
    array.yield %a : f64
  }
  func.return %r, %s, %t : tensor<3xf64>, tensor<3xf64>, tensor<4xf64>
}
