// RUN: mlirad-opt --split-input-file -p 'strip-mine{rows=16}' %s | filecheck %s

// Values by rows are as long as a strip, and those that are returned are joined; a sum over the rows is carried.
// %x is not of the group: it is read at the number of the row.

// CHECK-LABEL: func.func @rows
// CHECK-NEXT:    %0 = kernel.nest () {space = [], reduction = []} : -> f64 {
// CHECK-NEXT:      array.constant -0.000000e+00 : f64
// CHECK:         %s, %a = kernel.strips %0 (%start, %done, %1: f64) {carries = 1, extent = 64, block = 16} : f64 -> (f64, tensor<64xf64>) {
// CHECK-NEXT:      %a_1 = kernel.nest %start, %x (%2) {space = [16], reduction = []} : i64, tensor<64xf64> -> tensor<16xf64> {
// CHECK-NEXT:        [[START:%.*]] = kernel.load %start : i64 -> i64
// CHECK-NEXT:        [[ROW:%.*]] = array.add %2, [[START]] : i64
// CHECK-NEXT:        kernel.load %x{{.*}} : tensor<64xf64> -> f64
// CHECK:           %s_1 = kernel.nest %a_1 (%2) {space = [], reduction = [16], combiners = [add]} : tensor<16xf64> -> f64 {
// CHECK-NEXT:        kernel.load %a_1[%2] : tensor<16xf64> -> f64
// CHECK:           %2 = kernel.nest %1, %s_1 () {space = [], reduction = []} : f64, f64 -> f64 {
// CHECK:             array.add
// CHECK:           array.yield %2, %a_1 : f64, tensor<16xf64>
// CHECK:         func.return %a, %s
func.func @rows(%x: tensor<64xf64>) -> (tensor<64xf64>, f64) {
  %a = kernel.nest %x (%i) {space = [64], reduction = []} : tensor<64xf64> -> tensor<64xf64> {
    %0 = kernel.load %x[%i] : tensor<64xf64> -> f64
    %1 = array.exp %0 : f64
    array.yield %1 : f64
  }
  %s = kernel.nest %a (%k) {space = [], reduction = [64], combiners = [add]} : tensor<64xf64> -> f64 {
    %0 = kernel.load %a[%k] : tensor<64xf64> -> f64
    array.yield %0 : f64
  }
  func.return %a, %s : tensor<64xf64>, f64
}

// -----

// 20 rows are not a multiple of 16: in the last strip a sum leaves out what the one before has added.

// CHECK-LABEL: func.func @overlap
// CHECK:         kernel.strips %0 (%start, %done, %1: f64) {carries = 1, extent = 20, block = 16} : f64 -> f64 {
// CHECK:           kernel.nest %a, %done (%2) {space = [], reduction = [16], combiners = [add]}
// CHECK-NEXT:        [[X:%.*]] = kernel.load %a[%2] : tensor<16xf64> -> f64
// CHECK-NEXT:        [[DONE:%.*]] = kernel.load %done : i64 -> i64
// CHECK-NEXT:        [[IS:%.*]] = array.compare ge %2, [[DONE]] : i64, i64 -> i1
// CHECK-NEXT:        [[ZERO:%.*]] = array.constant -0.000000e+00 : f64
// CHECK-NEXT:        [[Y:%.*]] = array.select [[IS]], [[X]], [[ZERO]] : i1, f64, f64 -> f64
// CHECK-NEXT:        array.yield [[Y]] : f64
func.func @overlap(%x: tensor<20xf64>) -> f64 {
  %a = kernel.nest %x (%i) {space = [20], reduction = []} : tensor<20xf64> -> tensor<20xf64> {
    %0 = kernel.load %x[%i] : tensor<20xf64> -> f64
    %1 = array.exp %0 : f64
    array.yield %1 : f64
  }
  %s = kernel.nest %a (%k) {space = [], reduction = [20], combiners = [add]} : tensor<20xf64> -> f64 {
    %0 = kernel.load %a[%k] : tensor<20xf64> -> f64
    array.yield %0 : f64
  }
  func.return %s : f64
}

// -----

// A scan joins with its body: carries and what it stacks are as long as a strip.

// CHECK-LABEL: func.func @powers
// CHECK:         kernel.strips %0 (%start, %done, %1: tensor<5xf64>) {carries = 1, extent = 64, block = 16}
// CHECK-NEXT:      [[INIT:%.*]] = kernel.nest %start, %t ({{.*}}) {space = [16], reduction = []}
// CHECK:           array.scan [[INIT]] (%i, %p: tensor<16xf64>) {carries = 1, length = 5} : tensor<16xf64> -> (tensor<16xf64>, tensor<5x16xf64>) {
// CHECK:           kernel.nest {{.*}} {space = [5], reduction = [16], combiners = [add]}
func.func @powers(%t: tensor<64xf64>) -> tensor<5xf64> {
  %last, %all = array.scan %t (%i, %p : tensor<64xf64>) {carries = 1, length = 5}
      : tensor<64xf64> -> (tensor<64xf64>, tensor<5x64xf64>) {
    %q, %r = kernel.nest %p, %t (%j) {space = [64], reduction = []}
        : tensor<64xf64>, tensor<64xf64> -> (tensor<64xf64>, tensor<64xf64>) {
      %0 = kernel.load %p[%j] : tensor<64xf64> -> f64
      %1 = kernel.load %t[%j] : tensor<64xf64> -> f64
      %2 = array.mul %0, %1 : f64
      array.yield %2, %0 : f64, f64
    }
    array.yield %q, %r : tensor<64xf64>, tensor<64xf64>
  }
  %s = kernel.nest %all (%k, %j) {space = [5], reduction = [64], combiners = [add]} : tensor<5x64xf64> -> tensor<5xf64> {
    %0 = kernel.load %all[%k, %j] : tensor<5x64xf64> -> f64
    array.yield %0 : f64
  }
  func.return %s : tensor<5xf64>
}

// -----

// The row before is another row.

// CHECK-LABEL: func.func @neighbours
// CHECK-NOT:     kernel.strips
func.func @neighbours(%x: tensor<64xf64>) -> tensor<63xf64> {
  %a = kernel.nest %x (%i) {space = [64], reduction = []} : tensor<64xf64> -> tensor<64xf64> {
    %0 = kernel.load %x[%i] : tensor<64xf64> -> f64
    %1 = array.exp %0 : f64
    array.yield %1 : f64
  }
  %d = kernel.nest %a (%i) {space = [63], reduction = []} : tensor<64xf64> -> tensor<63xf64> {
    %one = array.constant 1 : i64
    %j = array.add %i, %one : i64
    %0 = kernel.load %a[%i] : tensor<64xf64> -> f64
    %1 = kernel.load %a[%j] : tensor<64xf64> -> f64
    %2 = array.sub %1, %0 : f64
    array.yield %2 : f64
  }
  func.return %d : tensor<63xf64>
}
