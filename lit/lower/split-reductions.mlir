// RUN: mlirad-opt --split-input-file -p 'split-reductions,schedule-kernels' %s | filecheck %s

// A sum of a million elements: parts that threads share, what is left over, and their combination.

// CHECK-LABEL: func.func @total
// CHECK-NEXT:    %0 = array.scan (%1) {carries = 0, length = [[N:[0-9]+]]} : -> tensor<[[N]]xf64> attributes {kernel.parallel = 1 : i64} {
// CHECK:           kernel.nest %1, %x (%3) {space = [], reduction = [{{[0-9]+}}], combiners = [add]
// CHECK-NEXT:        kernel.load %1 : i64 -> i64
// CHECK:             array.mul
// CHECK:             array.add
// CHECK:         kernel.nest %0 ({{.*}}) {space = [], reduction = [[[N]]], combiners = [add]
// CHECK:         kernel.nest %x ({{.*}}) {space = [], reduction = [{{[0-9]+}}], combiners = [add]
// CHECK:         kernel.nest {{.*}} () {space = [], reduction = []
func.func @total(%x: tensor<1000000xf64>) -> f64 {
  %s = kernel.nest %x (%k) {space = [], reduction = [1000000], combiners = [add]} : tensor<1000000xf64> -> f64 {
    %0 = kernel.load %x[%k] : tensor<1000000xf64> -> f64
    %1 = array.exp %0 : f64
    array.yield %1 : f64
  }
  func.return %s : f64
}

// -----

// Few elements are summed in one go; sums of rows have rows that threads share.

// CHECK-LABEL: func.func @small
// CHECK-NOT:     array.scan
// CHECK-NOT:     parallel
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     array.scan
// CHECK:         kernel.nest %x (%k, %l) {space = [1000], reduction = [1000], {{.*}}parallel = {{[0-9]+}}}
func.func @small(%x: tensor<1000xf64>) -> f64 {
  %s = kernel.nest %x (%k) {space = [], reduction = [1000], combiners = [add]} : tensor<1000xf64> -> f64 {
    %0 = kernel.load %x[%k] : tensor<1000xf64> -> f64
    array.yield %0 : f64
  }
  func.return %s : f64
}
func.func @rows(%x: tensor<1000x1000xf64>) -> tensor<1000xf64> {
  %s = kernel.nest %x (%k, %l) {space = [1000], reduction = [1000], combiners = [add]} : tensor<1000x1000xf64> -> tensor<1000xf64> {
    %0 = kernel.load %x[%k, %l] : tensor<1000x1000xf64> -> f64
    %1 = array.exp %0 : f64
    array.yield %1 : f64
  }
  func.return %s : tensor<1000xf64>
}

// -----

// Strips that carry a total run in groups, and no group waits for another.

// CHECK-LABEL: func.func @strips
// CHECK:         %y, %1 = kernel.strips (%first, %before) {carries = 0, extent = 1000000, block = [[R:[0-9]+]], parts = 1} : -> (tensor<1000000xf64>, tensor<[[G:[0-9]+]]xf64>) attributes {kernel.parallel = {{[0-9]+}} : i64} {
// CHECK-NEXT:      %{{.*}}, %{{.*}} = kernel.strips %0 (%start, %done, %{{.*}}: f64) {carries = 1, extent = [[R]], block = 1000} : f64 -> (f64, tensor<[[R]]xf64>) {
// CHECK-NEXT:        %[[ROW:.*]] = kernel.nest %first, %start () {space = [], reduction = []} : i64, i64 -> i64 {
// CHECK:             kernel.load %[[ROW]] : i64 -> i64
// CHECK:           array.yield %{{.*}}, %{{.*}} : tensor<[[R]]xf64>, f64
// CHECK:         kernel.nest %1 ({{.*}}) {space = [], reduction = [[[G]]], combiners = [add]
func.func @strips(%x: tensor<1000000xf64>) -> (f64, tensor<1000000xf64>) {
  %0 = kernel.nest () {space = [], reduction = []} : -> f64 {
    %1 = array.constant 0.0 : f64
    array.yield %1 : f64
  }
  %s, %y = kernel.strips %0 (%start, %done, %t: f64) {carries = 1, extent = 1000000, block = 1000} : f64 -> (f64, tensor<1000000xf64>) {
    %a = kernel.nest %start, %x (%i) {space = [1000], reduction = []} : i64, tensor<1000000xf64> -> tensor<1000xf64> {
      %1 = kernel.load %start : i64 -> i64
      %2 = array.add %i, %1 : i64
      %3 = kernel.load %x[%2] : tensor<1000000xf64> -> f64
      %4 = array.exp %3 : f64
      array.yield %4 : f64
    }
    %p = kernel.nest %a (%i) {space = [], reduction = [1000], combiners = [add]} : tensor<1000xf64> -> f64 {
      %1 = kernel.load %a[%i] : tensor<1000xf64> -> f64
      array.yield %1 : f64
    }
    %n = kernel.nest %t, %p () {space = [], reduction = []} : f64, f64 -> f64 {
      %1 = kernel.load %t : f64 -> f64
      %2 = kernel.load %p : f64 -> f64
      %3 = array.add %1, %2 : f64
      array.yield %3 : f64
    }
    array.yield %n, %a : f64, tensor<1000xf64>
  }
  func.return %s, %y : f64, tensor<1000000xf64>
}

// -----

// Few strips are a group each: they hand over the part that they otherwise add to the total.

// CHECK-LABEL: func.func @few_strips
// CHECK:         %1 = kernel.strips (%start, %done) {carries = 0, extent = 400000, block = 100000, parts = 1} : -> tensor<4xf64> attributes {kernel.parallel = 1 : i64} {
// CHECK-NOT:       kernel.strips
// CHECK:           array.constant 0.000000e+00
// CHECK:           kernel.load %{{.*}} : f64 -> f64
// CHECK-NEXT:      array.add
// CHECK:         kernel.nest %1 ({{.*}}) {space = [], reduction = [4], combiners = [add]
func.func @few_strips(%x: tensor<400000xf64>) -> f64 {
  %0 = kernel.nest () {space = [], reduction = []} : -> f64 {
    %1 = array.constant 0.0 : f64
    array.yield %1 : f64
  }
  %s = kernel.strips %0 (%start, %done, %t: f64) {carries = 1, extent = 400000, block = 100000} : f64 -> f64 {
    %p = kernel.nest %start, %x (%i) {space = [], reduction = [100000], combiners = [add]} : i64, tensor<400000xf64> -> f64 {
      %1 = kernel.load %start : i64 -> i64
      %2 = array.add %i, %1 : i64
      %3 = kernel.load %x[%2] : tensor<400000xf64> -> f64
      %4 = array.exp %3 : f64
      array.yield %4 : f64
    }
    %n = kernel.nest %t, %p () {space = [], reduction = []} : f64, f64 -> f64 {
      %1 = kernel.load %t : f64 -> f64
      %2 = kernel.load %p : f64 -> f64
      %3 = array.add %1, %2 : f64
      array.yield %3 : f64
    }
    array.yield %n : f64
  }
  func.return %s : f64
}

// -----

// A scatter that adds makes sums of its own for each part, adds them to its base, and what is left over to these.

// CHECK-LABEL: func.func @segments
// CHECK:         %[[P:.*]] = array.scan (%[[T:.*]]) {carries = 0, length = [[N:[0-9]+]]} : -> tensor<[[N]]x50xf64> attributes {kernel.parallel = {{[0-9]+}} : i64} {
// CHECK-NEXT:      kernel.scatter add %[[T]], %k, %x ({{.*}}) {space = [{{[0-9]+}}], from_zero}
// CHECK:         %[[S:.*]] = kernel.nest %[[P]] ({{.*}}) {space = [50], reduction = [[[N]]], combiners = [add]
// CHECK:         %[[B:.*]] = kernel.nest %base, %[[S]] ({{.*}}) {space = [50], reduction = []
// CHECK:         kernel.scatter add %[[B]], %k, %x ({{.*}}) {space = [{{[0-9]+}}]}
// CHECK-LABEL: func.func @many_segments
// CHECK-NOT:     array.scan
func.func @segments(%base: tensor<50xf64>, %k: tensor<1000000xi64>, %x: tensor<1000000xf64>) -> tensor<50xf64> {
  %s = kernel.scatter add %base, %k, %x (%i) {space = [1000000]} : tensor<50xf64>, tensor<1000000xi64>, tensor<1000000xf64> -> tensor<50xf64> {
    %0 = kernel.load %k[%i] : tensor<1000000xi64> -> i64
    %1 = kernel.load %x[%i] : tensor<1000000xf64> -> f64
    array.yield %1, %0 : f64, i64
  }
  func.return %s : tensor<50xf64>
}
func.func @many_segments(%base: tensor<500000xf64>, %k: tensor<1000000xi64>, %x: tensor<1000000xf64>) -> tensor<500000xf64> {
  %s = kernel.scatter add %base, %k, %x (%i) {space = [1000000]} : tensor<500000xf64>, tensor<1000000xi64>, tensor<1000000xf64> -> tensor<500000xf64> {
    %0 = kernel.load %k[%i] : tensor<1000000xi64> -> i64
    %1 = kernel.load %x[%i] : tensor<1000000xf64> -> f64
    array.yield %1, %0 : f64, i64
  }
  func.return %s : tensor<500000xf64>
}
