// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Loop nests, scatters and contractions with their schedules and memory plans.

// CHECK-LABEL: func.func @nest(%x: tensor<100x8xf64>, %y: tensor<8xf64>) {
// CHECK-NEXT: %v0 = kernel.nest %x, %y (%i, %r) {space = [100], reduction = [8], combiners = [add], lane = 0, width = 8} : tensor<100x8xf64>, tensor<8xf64> -> tensor<100xf64> {
// CHECK-NEXT: %a = kernel.load %x[%i, %r] : tensor<100x8xf64> -> f64
// CHECK-NEXT: %b = kernel.load %y[%r] : tensor<8xf64> -> f64
// CHECK-NEXT: %p = array.mul %a, %b : f64
// CHECK-NEXT: array.yield %p : f64
// CHECK-NEXT: }
// CHECK-NEXT: %v1, %v2 = kernel.nest %y (%i) {space = [8], reduction = [], tile_dim = 0, tile = 4, order = [0], layouts = [[0], [0]], places = [0, -1]} : tensor<8xf64> -> (tensor<8xf64>, tensor<8xi1>) {
// CHECK-NEXT: %a = kernel.load %y[%i] : tensor<8xf64> -> f64
// CHECK-NEXT: %n = array.is_nan %a : f64 -> i1
// CHECK-NEXT: %c = array.constant 1.000000e+00 : f64
// CHECK-NEXT: %s = array.add %a, %c : f64
// CHECK-NEXT: array.yield %s, %n : f64, i1
// CHECK-NEXT: }
// CHECK-NEXT: %v3 = kernel.nest %y (%r) {space = [], reduction = [8], combiners = [argmax], order = [0], reduction_outer} : tensor<8xf64> -> i64 {
// CHECK-NEXT: %a = kernel.load %y[%r] : tensor<8xf64> -> f64
// CHECK-NEXT: array.yield %a : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @nest(%x: tensor<100x8xf64>, %y: tensor<8xf64>) {
  %v0 = kernel.nest %x, %y (%i, %r) {space = [100], reduction = [8], combiners = [add], lane = 0, width = 8} : tensor<100x8xf64>, tensor<8xf64> -> tensor<100xf64> {
    %a = kernel.load %x[%i, %r] : tensor<100x8xf64> -> f64
    %b = kernel.load %y[%r] : tensor<8xf64> -> f64
    %p = array.mul %a, %b : f64
    array.yield %p : f64
  }
  %v1, %v2 = kernel.nest %y (%i) {space = [8], reduction = [], tile_dim = 0, tile = 4, order = [0], layouts = [[0], [0]], places = [0, -1]} : tensor<8xf64> -> (tensor<8xf64>, tensor<8xi1>) {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    %n = array.is_nan %a : f64 -> i1
    %c = array.constant 1.000000e+00 : f64
    %s = array.add %a, %c : f64
    array.yield %s, %n : f64, i1
  }
  %v3 = kernel.nest %y (%r) {space = [], reduction = [8], combiners = [argmax], order = [0], reduction_outer} : tensor<8xf64> -> i64 {
    %a = kernel.load %y[%r] : tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// CHECK-LABEL: func.func @guarded(%y: tensor<8xf64>) {
// CHECK-NEXT: %v0 = kernel.nest %y (%i) {space = [9], reduction = []} : tensor<8xf64> -> tensor<9xf64> {
// CHECK-NEXT: %n = array.constant 8 : i64
// CHECK-NEXT: %g = array.compare lt %i, %n : i64, i64 -> i1
// CHECK-NEXT: %a = kernel.load_if %g, %y[%i] : i1, tensor<8xf64> -> f64
// CHECK-NEXT: array.yield %a : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @guarded(%y: tensor<8xf64>) {
  %v0 = kernel.nest %y (%i) {space = [9], reduction = []} : tensor<8xf64> -> tensor<9xf64> {
    %n = array.constant 8 : i64
    %g = array.compare lt %i, %n : i64, i64 -> i1
    %a = kernel.load_if %g, %y[%i] : i1, tensor<8xf64> -> f64
    array.yield %a : f64
  }
  func.return
}

// CHECK-LABEL: func.func @scatter(%y: tensor<8xf64>, %b: tensor<5xf64>) {
// CHECK-NEXT: %v0 = kernel.scatter add %b, %y (%i) {space = [8], in_place, lane = 0, width = 4} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
// CHECK-NEXT: %a = kernel.load %y[%i] : tensor<8xf64> -> f64
// CHECK-NEXT: array.yield %a, %i : f64, i64
// CHECK-NEXT: }
// CHECK-NEXT: %v1 = kernel.scatter set %y (%i) {space = [8], from_zero, layouts = [[0]], places = [64]} : tensor<8xf64> -> tensor<5xf64> {
// CHECK-NEXT: %a = kernel.load %y[%i] : tensor<8xf64> -> f64
// CHECK-NEXT: %g = array.is_nan %a : f64 -> i1
// CHECK-NEXT: array.yield %a, %i, %g : f64, i64, i1
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @scatter(%y: tensor<8xf64>, %b: tensor<5xf64>) {
  %v0 = kernel.scatter add %b, %y (%i) {space = [8], in_place, lane = 0, width = 4} : tensor<5xf64>, tensor<8xf64> -> tensor<5xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    array.yield %a, %i : f64, i64
  }
  %v1 = kernel.scatter set %y (%i) {space = [8], from_zero, layouts = [[0]], places = [64]} : tensor<8xf64> -> tensor<5xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    %g = array.is_nan %a : f64 -> i1
    array.yield %a, %i, %g : f64, i64, i1
  }
  func.return
}

// CHECK-LABEL: func.func @masked
// CHECK-NEXT: kernel.scatter add %y (%i) {space = [8], from_zero, masked} : tensor<8xf64> -> tensor<5xf64> {
func.func @masked(%y: tensor<8xf64>) {
  %v0 = kernel.scatter add %y (%i) {space = [8], from_zero, masked} : tensor<8xf64> -> tensor<5xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    %z = array.constant 0.0 : f64
    %j = array.constant 2 : i64
    %g = array.compare eq %a, %z : f64, f64 -> i1
    array.yield %a, %j, %g : f64, i64, i1
  }
  func.return
}

// CHECK-LABEL: func.func @masked_in_one
// CHECK: array.yield {{.*}} : f64, i64, i1, i64
func.func @masked_in_one(%y: tensor<8xf64>) {
  %v0 = kernel.scatter add %y (%i) {space = [8], from_zero, masked} : tensor<8xf64> -> tensor<5xf64> {
    %a = kernel.load %y[%i] : tensor<8xf64> -> f64
    %z = array.constant 0.0 : f64
    %j = array.constant 2 : i64
    %g = array.compare eq %a, %z : f64, f64 -> i1
    array.yield %a, %j, %g, %j : f64, i64, i1, i64
  }
  func.return
}

// CHECK-LABEL: func.func @dot_in_blocks(%x: tensor<100x8xf64>, %y: tensor<8x64xf64>) {
// CHECK-NEXT: %v0 = kernel.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], parallel = 48, columns = 32, places = [-1]} : tensor<100x8xf64>, tensor<8x64xf64> -> tensor<100x64xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @dot_in_blocks(%x: tensor<100x8xf64>, %y: tensor<8x64xf64>) {
  %v0 = kernel.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], parallel = 48, columns = 32, places = [-1]} : tensor<100x8xf64>, tensor<8x64xf64> -> tensor<100x64xf64>
  func.return
}

// CHECK-LABEL: func.func @dot(%x: tensor<100x8xf64>, %y: tensor<8xf64>) {
// CHECK-NEXT: %v0 = kernel.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], places = [-1]} : tensor<100x8xf64>, tensor<8xf64> -> tensor<100xf64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @dot(%x: tensor<100x8xf64>, %y: tensor<8xf64>) {
  %v0 = kernel.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], places = [-1]} : tensor<100x8xf64>, tensor<8xf64> -> tensor<100xf64>
  func.return
}

// CHECK-LABEL: func.func @ordering(%x: tensor<4x3xf64>) {
// CHECK-NEXT: %v0 = kernel.cumulative sum %x {dim = 1, reverse, places = [-1]} : tensor<4x3xf64> -> tensor<4x3xf64>
// CHECK-NEXT: %v1, %v2, %v3 = kernel.sort %x {dim = 0, places = [0, 128, 192]} : tensor<4x3xf64> -> (tensor<4x3xf64>, tensor<4xf64>, tensor<4xf64>)
// CHECK-NEXT: %v4, %v5, %v6 = kernel.sort %x {dim = 1, positions} : tensor<4x3xf64> -> (tensor<4x3xi64>, tensor<3xf64>, tensor<3xf64>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @ordering(%x: tensor<4x3xf64>) {
  %v0 = kernel.cumulative sum %x {dim = 1, reverse, places = [-1]} : tensor<4x3xf64> -> tensor<4x3xf64>
  %v1, %v2, %v3 = kernel.sort %x {dim = 0, places = [0, 128, 192]} : tensor<4x3xf64> -> (tensor<4x3xf64>, tensor<4xf64>, tensor<4xf64>)
  %v4, %v5, %v6 = kernel.sort %x {dim = 1, positions} : tensor<4x3xf64> -> (tensor<4x3xi64>, tensor<3xf64>, tensor<3xf64>)
  func.return
}

// CHECK-LABEL: func.func @report(%t: i64, %p: tensor<2xi1>, %x: tensor<2x3xf64>) {
// CHECK-NEXT: %v0 = kernel.report print %t, %p, %x {message = "x = {}", batch_rank = 1, places = [0]} : i64, tensor<2xi1>, tensor<2x3xf64> -> i64
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @report(%t: i64, %p: tensor<2xi1>, %x: tensor<2x3xf64>) {
  %v0 = kernel.report print %t, %p, %x {message = "x = {}", batch_rank = 1, places = [0]} : i64, tensor<2xi1>, tensor<2x3xf64> -> i64
  func.return
}

// CHECK-LABEL: func.func @callback(%p: tensor<2xi1>, %x: tensor<2x3xf64>) {
// CHECK-NEXT: %v0, %v1 = kernel.callback %p, %x {function = "m.f", vectorized, batch_rank = 1, places = [0, 64]} : tensor<2xi1>, tensor<2x3xf64> -> (tensor<2xf64>, tensor<2xi64>)
func.func @callback(%p: tensor<2xi1>, %x: tensor<2x3xf64>) {
  %v0, %v1 = kernel.callback %p, %x {function = "m.f", vectorized, batch_rank = 1, places = [0, 64]} : tensor<2xi1>, tensor<2x3xf64> -> (tensor<2xf64>, tensor<2xi64>)
  func.return
}

// CHECK-LABEL: func.func @strips(%x: tensor<10xf64>, %a: f64) {
// CHECK-NEXT: %v0, %v1 = kernel.strips %a (%start, %done, %t: f64) {carries = 1, extent = 10, block = 4} : f64 -> (f64, tensor<10xf64>) {
// CHECK-NEXT: %e = kernel.nest %x, %start (%i) {space = [4], reduction = []} : tensor<10xf64>, i64 -> tensor<4xf64> {
// CHECK-NEXT: %s = kernel.load %start : i64 -> i64
// CHECK-NEXT: %j = array.add %i, %s : i64
// CHECK-NEXT: %u = kernel.load %x[%j] : tensor<10xf64> -> f64
// CHECK-NEXT: array.yield %u : f64
// CHECK-NEXT: }
// CHECK-NEXT: array.yield %t, %e : f64, tensor<4xf64>
// CHECK-NEXT: }
func.func @strips(%x: tensor<10xf64>, %a: f64) {
  %v0, %v1 = kernel.strips %a (%start, %done, %t : f64) {carries = 1, extent = 10, block = 4}
      : f64 -> (f64, tensor<10xf64>) {
    %e = kernel.nest %x, %start (%i) {space = [4], reduction = []} : tensor<10xf64>, i64 -> tensor<4xf64> {
      %s = kernel.load %start : i64 -> i64
      %j = array.add %i, %s : i64
      %u = kernel.load %x[%j] : tensor<10xf64> -> f64
      array.yield %u : f64
    }
    array.yield %t, %e : f64, tensor<4xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @shared(%x: tensor<10xf64>) {
// CHECK-NEXT: %a = kernel.nest %x (%i) {space = [10], reduction = [], parallel = 4} : tensor<10xf64> -> tensor<10xf64> {
// CHECK:      %v0 = kernel.strips (%start, %done) {carries = 0, extent = 10, block = 4, parts = 1} : -> tensor<3xi64> attributes {{{kernel[.]parallel}} = 2 : i64} {
func.func @shared(%x: tensor<10xf64>) {
  %a = kernel.nest %x (%i) {space = [10], reduction = [], parallel = 4} : tensor<10xf64> -> tensor<10xf64> {
    %u = kernel.load %x[%i] : tensor<10xf64> -> f64
    array.yield %u : f64
  }
  %v0 = kernel.strips (%start, %done) {carries = 0, extent = 10, block = 4, parts = 1} : -> tensor<3xi64>
      attributes {kernel.parallel = 2 : i64} {
    array.yield %start : i64
  }
  func.return
}

// CHECK-LABEL: func.func @triangle(%x: tensor<5x4xf64>) {
// CHECK-NEXT: %a = kernel.nest %x (%i, %j) {space = [5, 4], reduction = [], within = [1, 0, -2, 0, 1, 3]} : tensor<5x4xf64> -> tensor<5x4xf64> {
func.func @triangle(%x: tensor<5x4xf64>) {
  %a = kernel.nest %x (%i, %j) {space = [5, 4], reduction = [], within = [1, 0, -2, 0, 1, 3]} : tensor<5x4xf64> -> tensor<5x4xf64> {
    %u = kernel.load %x[%i, %j] : tensor<5x4xf64> -> f64
    array.yield %u : f64
  }
  func.return
}

// CHECK-LABEL: func.func @recurrence(%x: tensor<10xf64>, %a: f64) {
// CHECK-NEXT: %p, %q, %s = kernel.recurrence %x, %a (%i, %k, %u: f64, %v: f64) {carries = 2, space = [10], length = 3, reverse, lane = 0, width = 4, parallel = 8, pitch = 16, places = [0, 128, 256]} : tensor<10xf64>, f64 -> (tensor<10xf64>, tensor<10xf64>, tensor<3x10xf64>) {
// CHECK-NEXT: %w = kernel.load %x[%i] : tensor<10xf64> -> f64
// CHECK-NEXT: %z = array.mul %u, %w : f64
// CHECK-NEXT: array.yield %z, %v, %u : f64, f64, f64
// CHECK-NEXT: }
func.func @recurrence(%x: tensor<10xf64>, %a: f64) {
  %p, %q, %s = kernel.recurrence %x, %a (%i, %k, %u: f64, %v: f64)
      {carries = 2, space = [10], length = 3, reverse, lane = 0, width = 4, parallel = 8, pitch = 16, places = [0, 128, 256]}
      : tensor<10xf64>, f64 -> (tensor<10xf64>, tensor<10xf64>, tensor<3x10xf64>) {
    %w = kernel.load %x[%i] : tensor<10xf64> -> f64
    %z = array.mul %u, %w : f64
    array.yield %z, %v, %u : f64, f64, f64
  }
  func.return
}

// CHECK-LABEL: func.func @schedules(%x: tensor<45xf64>, %y: tensor<8x20xf64>) {
// CHECK-NEXT: %a = kernel.nest %x (%i) {space = [45], reduction = [], lane = 0, width = 8, parallel = 16, loops = [#kernel.loop<0, 0 to 40 by 8 lanes, 37 to 45 by 8 lanes repeats 3>], fast_path = inside_and_borders, prefetch = 4096} : tensor<45xf64> -> tensor<45xf64> {
// CHECK:      %b = kernel.nest %x (%i) {space = [], reduction = [45], combiners = [max], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 32 by 2 x 8 lanes, 32 to 45 by 8 lanes clamped>], accumulators = 2} : tensor<45xf64> -> f64 {
// CHECK:      %c = kernel.nest () {space = [], reduction = [], loops = []} : -> f64 {
// CHECK:      %d = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [45], length = 3, lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 40 by 4 lanes, 40 to 45 by 4 lanes clamped>], fast_path = products} : tensor<45xf64> -> tensor<45xf64> {
// CHECK:      %e = kernel.scatter add %x (%i) {space = [45], from_zero, loops = [#kernel.loop<0, 0 to 45>]} : tensor<45xf64> -> tensor<45xf64> {
// CHECK:      %f = kernel.cumulative sum %y {dim = 0, width = 4, loops = [#kernel.loop<1, 0 to 20 by 4 lanes>]} : tensor<8x20xf64> -> tensor<8x20xf64>
// CHECK-NEXT: %g = kernel.dot %y, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], parallel = 12, width = 8, products = [#kernel.product<12 x 20 by 4 x 2 turned>, #kernel.product<8 x 20 by 4 x 2>]} : tensor<8x20xf64>, tensor<8x20xf64> -> tensor<20x20xf64>
// CHECK-NEXT: %h = kernel.dot %y, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], width = 1, products = []} : tensor<8x20xf64>, tensor<8x20xf64> -> tensor<20x20xf64>
func.func @schedules(%x: tensor<45xf64>, %y: tensor<8x20xf64>) {
  %a = kernel.nest %x (%i) {space = [45], reduction = [], lane = 0, width = 8, parallel = 16, loops = [#kernel.loop<0, 0 to 40 by 8 lanes, 37 to 45 by 8 lanes repeats 3>], fast_path = inside_and_borders, prefetch = 4096} : tensor<45xf64> -> tensor<45xf64> {
    %u = kernel.load %x[%i] : tensor<45xf64> -> f64
    array.yield %u : f64
  }
  %b = kernel.nest %x (%i) {space = [], reduction = [45], combiners = [max], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 32 by 2 x 8 lanes, 32 to 45 by 8 lanes clamped>], accumulators = 2} : tensor<45xf64> -> f64 {
    %u = kernel.load %x[%i] : tensor<45xf64> -> f64
    array.yield %u : f64
  }
  %c = kernel.nest () {space = [], reduction = [], loops = []} : -> f64 {
    %u = array.constant 1.0 : f64
    array.yield %u : f64
  }
  %d = kernel.recurrence %x (%i, %k, %u: f64) {carries = 1, space = [45], length = 3, lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 40 by 4 lanes, 40 to 45 by 4 lanes clamped>], fast_path = products} : tensor<45xf64> -> tensor<45xf64> {
    array.yield %u : f64
  }
  %e = kernel.scatter add %x (%i) {space = [45], from_zero, loops = [#kernel.loop<0, 0 to 45>]} : tensor<45xf64> -> tensor<45xf64> {
    %u = kernel.load %x[%i] : tensor<45xf64> -> f64
    array.yield %u, %i : f64, i64
  }
  %f = kernel.cumulative sum %y {dim = 0, width = 4, loops = [#kernel.loop<1, 0 to 20 by 4 lanes>]} : tensor<8x20xf64> -> tensor<8x20xf64>
  %g = kernel.dot %y, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], parallel = 12, width = 8, products = [#kernel.product<12 x 20 by 4 x 2 turned>, #kernel.product<8 x 20 by 4 x 2>]} : tensor<8x20xf64>, tensor<8x20xf64> -> tensor<20x20xf64>
  %h = kernel.dot %y, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0], width = 1, products = []} : tensor<8x20xf64>, tensor<8x20xf64> -> tensor<20x20xf64>
  func.return
}

// Extents with sizes in them: the last block overlaps the one before by as much as the call says.
// CHECK-LABEL: func.func @sizes
// CHECK: loops = [#kernel.loop<0, 0 to 8 * (n floordiv 8) + 8 by 8 lanes, n to n + 8 by 8 lanes repeats 8 * (n floordiv 8) - n + 8>, #kernel.loop<1, 0 to 2>]
func.func @sizes(%x: tensor<?x2xf64, #array.extents<[n + 8, 2]>>, %z: tensor<?xf64, #array.extents<[n]>>) attributes {array.sizes = ["n"]} {
  %y = kernel.nest %x (%i, %j) {space = #array.extents<[n + 8, 2]>, reduction = [], lane = 0, width = 8,
      loops = [#kernel.loop<0, 0 to 8 * (n floordiv 8) + 8 by 8 lanes, n to n + 8 by 8 lanes repeats 8 * (n floordiv 8) + 8 - n>,
      #kernel.loop<1, 0 to 2>]} : tensor<?x2xf64, #array.extents<[n + 8, 2]>> -> tensor<?x2xf64, #array.extents<[n + 8, 2]>> {
    %u = kernel.load %x[%i, %j] : tensor<?x2xf64, #array.extents<[n + 8, 2]>> -> f64
    array.yield %u : f64
  }
  func.return
}
