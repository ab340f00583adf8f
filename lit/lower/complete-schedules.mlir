// RUN: mlirad-opt -p 'complete-schedules' %s | filecheck %s
// RUN: mlirad-opt -p 'complete-schedules{vector-bytes=32}' %s | filecheck %s --check-prefix=AVX2
// RUN: mlirad-opt -p 'complete-schedules,complete-schedules{keep=true}' %s | filecheck %s

// Results may be stored twice: one block of lanes more, which overlaps the last whole one.
// CHECK-LABEL: func.func @map
// CHECK: {space = [21], reduction = [], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 16 by 8 lanes, 13 to 21 by 8 lanes>], places = [-1]}
// AVX2-LABEL: func.func @map
// AVX2: lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 16 by 8 lanes, 13 to 21 by 8 lanes>]
func.func @map(%x: tensor<21xf64>) -> tensor<21xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [21], reduction = [], lane = 0, width = 8, places = [-1]}
      : tensor<21xf64> -> tensor<21xf64> {
    %a = kernel.load %x[%i] : tensor<21xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<21xf64>
}

// Terms may not be added twice: lanes that are done are masked off. Two registers of them are two accumulators.
// CHECK-LABEL: func.func @sum
// CHECK: {space = [], reduction = [45], combiners = [add], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 32 by 2 x 8 lanes, 32 to 40 by 8 lanes, 37 to 45 by 8 lanes repeats 3>], accumulators = 2, places = [-1]}
// AVX2-LABEL: func.func @sum
// AVX2: lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 32 by 4 x 4 lanes, 32 to 44 by 4 lanes, 41 to 45 by 4 lanes repeats 3>], accumulators = 4
func.func @sum(%x: tensor<45xf64>) -> f64 attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x (%r) {space = [], reduction = [45], combiners = [add], lane = 0, width = 16, places = [-1]}
      : tensor<45xf64> -> f64 {
    %a = kernel.load %x[%r] : tensor<45xf64> -> f64
    array.yield %a : f64
  }
  func.return %s : f64
}

// The order is that of the loops; those of extent 1 do not count. Two rows at a time: the last is done by itself.
// CHECK-LABEL: func.func @columns
// CHECK: {space = [3, 1, 16], reduction = [5], combiners = [add], lane = 2, width = 8, tile_dim = 0, loops = [#kernel.loop<3, 0 to 5>, #kernel.loop<0, 0 to 2 by 2, 2 to 3>, #kernel.loop<2, 0 to 16 by 8 lanes>], places = [-1]}
func.func @columns(%x: tensor<3x5x16xf64>) -> tensor<3x1x16xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x (%i, %j, %k, %r) {space = [3, 1, 16], reduction = [5], combiners = [add], lane = 2, width = 8,
      tile_dim = 0, tile = 2, order = [3, 0, 1, 2], reduction_outer, places = [-1]}
      : tensor<3x5x16xf64> -> tensor<3x1x16xf64> {
    %a = kernel.load %x[%i, %r, %k] : tensor<3x5x16xf64> -> f64
    array.yield %a : f64
  }
  func.return %s : tensor<3x1x16xf64>
}

// A nest that writes where it reads computes nothing twice.
// CHECK-LABEL: func.func @in_place
// CHECK: %y = kernel.nest
// CHECK: %z = kernel.nest %y (%i) {{.*}}loops = [#kernel.loop<0, 0 to 16 by 8 lanes, 13 to 21 by 8 lanes repeats 3>], places = [-1]}
func.func @in_place(%x: tensor<21xf64>) -> tensor<21xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [21], reduction = [], lane = 0, width = 8, places = [-1]}
      : tensor<21xf64> -> tensor<21xf64> {
    %a = kernel.load %x[%i] : tensor<21xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  %z = kernel.nest %y (%i) {space = [21], reduction = [], lane = 0, width = 8, places = [-1]}
      : tensor<21xf64> -> tensor<21xf64> {
    %a = kernel.load %y[%i] : tensor<21xf64> -> f64
    %b = array.mul %a, %a : f64
    array.yield %b : f64
  }
  func.return %z : tensor<21xf64>
}

// A product whose zeros absorb is a plain one where no sum is NaN.
// CHECK-LABEL: func.func @absorbing
// CHECK: accumulators = 4, fast_path = totals, places = [-1]}
func.func @absorbing(%x: tensor<90000xf64>, %y: tensor<90000xf64>) -> f64 attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x, %y (%r) {space = [], reduction = [90000], combiners = [add], lane = 0, width = 32, places = [-1]}
      : tensor<90000xf64>, tensor<90000xf64> -> f64 {
    %a = kernel.load %x[%r] : tensor<90000xf64> -> f64
    %b = kernel.load %y[%r] : tensor<90000xf64> -> f64
    %p = array.absorbing_mul %a, %b : f64
    array.yield %p : f64
  }
  func.return %s : f64
}

// Contractions: blocks of two shapes by tiles. Cumulative sums: lines side by side. Transforms: lanes.
// CHECK-LABEL: func.func @whole_arrays
// CHECK: kernel.dot {{.*}}parallel = 48, width = 8, products = [#kernel.product<48 x 64 by {{[0-9]+ x [0-9]}}>, #kernel.product<32 x 64 by {{[0-9]+ x [0-9]}}>]
// CHECK: kernel.cumulative sum {{.*}} {dim = 1, loops = [#kernel.loop<0, 0 to 80 by 4>]
// CHECK: kernel.cumulative sum {{.*}} {dim = 0, width = 8, loops = [#kernel.loop<0, 0 to 1>, #kernel.loop<1, 0 to 64 by 8 lanes>]
// AVX2-LABEL: func.func @whole_arrays
// AVX2: kernel.dot {{.*}}parallel = 48, width = 4, products = [#kernel.product<48 x 64 by
func.func @whole_arrays(%x: tensor<80x64xf64>, %y: tensor<64x64xf64>) -> tensor<80x64xf64> {
  %d = kernel.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], parallel = 48}
      : tensor<80x64xf64>, tensor<64x64xf64> -> tensor<80x64xf64>
  %c = kernel.cumulative sum %d {dim = 1} : tensor<80x64xf64> -> tensor<80x64xf64>
  %e = kernel.cumulative sum %c {dim = 0} : tensor<80x64xf64> -> tensor<80x64xf64>
  func.return %e : tensor<80x64xf64>
}
