// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=order %s | filecheck %s --check-prefix=ORDER
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=copies %s | filecheck %s --check-prefix=COPIES
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=clamped %s | filecheck %s --check-prefix=CLAMPED
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=repeats %s | filecheck %s --check-prefix=REPEATS
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=masked %s | filecheck %s --check-prefix=MASKED
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=pieces %s | filecheck %s --check-prefix=PIECES
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=accumulators %s | filecheck %s --check-prefix=SUMS
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=totals %s | filecheck %s --check-prefix=TOTALS
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=plain %s | filecheck %s --check-prefix=PLAIN
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=shared %s | filecheck %s --check-prefix=SHARED
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=iterations %s | filecheck %s --check-prefix=ITERATIONS
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=scattered %s | filecheck %s --check-prefix=SCATTERED
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=product %s | filecheck %s --check-prefix=PRODUCT
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=library %s | filecheck %s --check-prefix=LIBRARY
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=lines %s | filecheck %s --check-prefix=LINES
// RUN: mlirad-opt --emit=llvm --trust-kernels --keep-subnormals --entry=ahead %s | filecheck %s --check-prefix=AHEAD

// Schedules that are stated are those that run: each property, and the loop that it makes.

// Loops stand as they are listed, from the outermost to the innermost.
// ORDER: i1.body.0:
// ORDER: i0.body.{{[0-9]+}}:
// ORDER: icmp slt i64 {{.*}}, 40
// ORDER: icmp slt i64 {{.*}}, 30
func.func @order(%x: tensor<40x30xf64>) -> tensor<40x30xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i, %j) {space = [40, 30], reduction = [], loops = [#kernel.loop<1, 0 to 30>, #kernel.loop<0, 0 to 40>], places = [-1]}
      : tensor<40x30xf64> -> tensor<40x30xf64> {
    %a = kernel.load %x[%i, %j] : tensor<40x30xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<40x30xf64>
}

// Three rows at a time, and one that is left over.
// COPIES: i0.body.0:
// COPIES: store double
// COPIES: store double
// COPIES: store double
// COPIES-NEXT: add nsw i64 {{.*}}, 1
// COPIES: add nsw i64 {{.*}}, 3
// COPIES: icmp slt i64 {{.*}}, 39
func.func @copies(%x: tensor<40x30xf64>) -> tensor<40x30xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i, %j) {space = [40, 30], reduction = [], tile_dim = 0,
      loops = [#kernel.loop<0, 0 to 39 by 3, 39 to 40>, #kernel.loop<1, 0 to 30>], places = [-1]}
      : tensor<40x30xf64> -> tensor<40x30xf64> {
    %a = kernel.load %x[%i, %j] : tensor<40x30xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<40x30xf64>
}

// The last block of lanes begins at 37 instead of 40.
// CLAMPED: call i64 @llvm.umin.i64(i64 {{.*}}, i64 37)
// CLAMPED: store <8 x double>
// CLAMPED: icmp slt i64 {{.*}}, 45
// CLAMPED-NOT: <8 x double>
// CLAMPED: define internal void @mlirad_body
func.func @clamped(%x: tensor<45xf64>) -> tensor<45xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [45], reduction = [], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 45 by 8 lanes clamped>], places = [-1]}
      : tensor<45xf64> -> tensor<45xf64> {
    %a = kernel.load %x[%i] : tensor<45xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<45xf64>
}

// The last block begins at 37; of its lanes the first three keep what was stored there.
// REPEATS: icmp slt i64 {{.*}}, 40
// REPEATS: select <8 x i1> <i1 false, i1 false, i1 false, i1 true
func.func @repeats(%x: tensor<45xf64>) -> tensor<45xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [45], reduction = [], lane = 0, width = 8,
      loops = [#kernel.loop<0, 0 to 40 by 8 lanes, 37 to 45 by 8 lanes repeats 3>], places = [-1]}
      : tensor<45xf64> -> tensor<45xf64> {
    %a = kernel.load %x[%i] : tensor<45xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<45xf64>
}

// Three lanes of four are loaded and stored.
// MASKED: call <4 x double> @llvm.masked.load.v4f64.p0(ptr {{.*}}, <4 x i1> <i1 true, i1 true, i1 true, i1 false>
// MASKED: call void @llvm.masked.store.v4f64.p0({{.*}}, <4 x i1> <i1 true, i1 true, i1 true, i1 false>
func.func @masked(%x: tensor<3xf64>) -> tensor<3xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [3], reduction = [], lane = 0, width = 4, loops = [#kernel.loop<0, 0 to 3 by 4 lanes masked>], places = [-1]}
      : tensor<3xf64> -> tensor<3xf64> {
    %a = kernel.load %x[%i] : tensor<3xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<3xf64>
}

// Six lanes of eight are loaded and stored in pieces of four and two.
// PIECES: load <8 x double>
// PIECES: store <8 x double>
// PIECES: load <4 x double>
// PIECES: load <2 x double>
// PIECES: store <4 x double>
// PIECES: store <2 x double>
func.func @pieces(%x: tensor<14xf64>) -> tensor<14xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i) {space = [14], reduction = [], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 8 by 8 lanes, 8 to 14 by 8 lanes in pieces>], places = [-1]}
      : tensor<14xf64> -> tensor<14xf64> {
    %a = kernel.load %x[%i] : tensor<14xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<14xf64>
}

// Four sums of eight lanes side by side.
// SUMS: phi <8 x double>
// SUMS-NEXT: phi <8 x double>
// SUMS-NEXT: phi <8 x double>
// SUMS-NEXT: phi <8 x double>
// SUMS-NOT: phi
// SUMS: call reassoc double @llvm.vector.reduce.fadd
func.func @accumulators(%x: tensor<3200xf64>) -> f64 attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x (%r) {space = [], reduction = [3200], combiners = [add], lane = 0, width = 8, accumulators = 4,
      loops = [#kernel.loop<0, 0 to 3200 by 4 x 8 lanes>], places = [-1]}
      : tensor<3200xf64> -> f64 {
    %a = kernel.load %x[%r] : tensor<3200xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %s : f64
}

// Products are plain ones; the total is tested for NaN, and then all is computed again.
// TOTALS: fmul contract <8 x double>
// TOTALS-NOT: select
// TOTALS: fcmp uno <8 x double>
// TOTALS: br i1
// TOTALS: fmul contract <8 x double>
// TOTALS: select <8 x i1>
func.func @totals(%x: tensor<3200xf64>) -> f64 attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x (%r) {space = [], reduction = [3200], combiners = [add], lane = 0, width = 8, fast_path = totals,
      loops = [#kernel.loop<0, 0 to 3200 by 8 lanes>], places = [-1]}
      : tensor<3200xf64> -> f64 {
    %a = kernel.load %x[%r] : tensor<3200xf64> -> f64
    %b = array.absorbing_mul %a, %a : f64
    array.yield %b : f64
  }
  func.return %s : f64
}

// The same without a fast path: zeros absorb where they stand.
// PLAIN: fmul contract <8 x double>
// PLAIN: select <8 x i1>
// PLAIN-NOT: fcmp uno
// PLAIN: define internal void @mlirad_body
func.func @plain(%x: tensor<3200xf64>) -> f64 attributes {kernel.arena_bytes = 0 : i64} {
  %s = kernel.nest %x (%r) {space = [], reduction = [3200], combiners = [add], lane = 0, width = 8, loops = [#kernel.loop<0, 0 to 3200 by 8 lanes>], places = [-1]}
      : tensor<3200xf64> -> f64 {
    %a = kernel.load %x[%r] : tensor<3200xf64> -> f64
    %b = array.absorbing_mul %a, %a : f64
    array.yield %b : f64
  }
  func.return %s : f64
}

// Two tasks of 20 rows each.
// SHARED: define internal void @k0_{{.*}}(ptr {{.*}}, ptr {{.*}}, i64 %task)
// SHARED: mul i64 %task, 20
// SHARED: call i64 @mlirad_rt_parallel(ptr {{.*}}, i64 2,
func.func @shared(%x: tensor<40x30xf64>) -> tensor<40x30xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.nest %x (%i, %j) {space = [40, 30], reduction = [], parallel = 20,
      loops = [#kernel.loop<0, 0 to 40>, #kernel.loop<1, 0 to 30>], places = [-1]}
      : tensor<40x30xf64> -> tensor<40x30xf64> {
    %a = kernel.load %x[%i, %j] : tensor<40x30xf64> -> f64
    %b = array.add %a, %a : f64
    array.yield %b : f64
  }
  func.return %y : tensor<40x30xf64>
}

// Lanes are elements; their carries stay in registers for all iterations.
// ITERATIONS: phi <8 x double>
// ITERATIONS: icmp slt i64 {{.*}}, 100
// ITERATIONS: store <8 x double>
// ITERATIONS: icmp slt i64 {{.*}}, 40
func.func @iterations(%x: tensor<40xf64>) -> tensor<40xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.recurrence %x (%i, %k, %c: f64) {carries = 1, space = [40], length = 100, lane = 0, width = 8,
      loops = [#kernel.loop<0, 0 to 40 by 8 lanes>], places = [-1]} : tensor<40xf64> -> tensor<40xf64> {
    %a = array.sin %c : f64
    array.yield %a : f64
  }
  func.return %y : tensor<40xf64>
}

// Lanes that were added before are masked off.
// SCATTERED: load <8 x double>
// SCATTERED: icmp slt i64 {{.*}}, 40
// SCATTERED: <i1 false, i1 false, i1 false, i1 true
func.func @scattered(%x: tensor<45xf64>) -> tensor<45xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.scatter add %x (%i) {space = [45], from_zero, lane = 0, width = 8,
      loops = [#kernel.loop<0, 0 to 40 by 8 lanes, 37 to 45 by 8 lanes repeats 3>], places = [-1]}
      : tensor<45xf64> -> tensor<45xf64> {
    %a = kernel.load %x[%i] : tensor<45xf64> -> f64
    array.yield %a, %i : f64, i64
  }
  func.return %y : tensor<45xf64>
}

// Tiles of 4 rows and 2 vectors: eight sums.
// PRODUCT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NEXT: phi <8 x double>
// PRODUCT-NOT: phi
// PRODUCT: define void @mlirad_main
func.func @product(%x: tensor<32x32xf64>) -> tensor<32x32xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], width = 8,
      products = [#kernel.product<32 x 32 by 4 x 2>], places = [-1]}
      : tensor<32x32xf64>, tensor<32x32xf64> -> tensor<32x32xf64>
  func.return %y : tensor<32x32xf64>
}

// BLAS computes products that are not listed.
// LIBRARY: mlirad_blas_dgemm
func.func @library(%x: tensor<32x32xf64>) -> tensor<32x32xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], width = 8,
      products = [], places = [-1]} : tensor<32x32xf64>, tensor<32x32xf64> -> tensor<32x32xf64>
  func.return %y : tensor<32x32xf64>
}

// Two lines at a time.
// LINES: phi double
// LINES-NEXT: phi double
// LINES-NOT: phi
// LINES: icmp slt i64 {{.*}}, 6
func.func @lines(%x: tensor<6x50xf64>) -> tensor<6x50xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = kernel.cumulative sum %x {dim = 1, loops = [#kernel.loop<0, 0 to 6 by 2>], places = [-1]}
      : tensor<6x50xf64> -> tensor<6x50xf64>
  func.return %y : tensor<6x50xf64>
}

// Memory that the loop around it reads and writes next is asked for 2048 bytes ahead.
// AHEAD: getelementptr i8, ptr {{.*}}, i64 2048
// AHEAD: call void @llvm.prefetch.p0(
func.func @ahead(%x: tensor<10x500000xf64>) -> tensor<10x500000xf64> attributes {kernel.arena_bytes = 0 : i64} {
  %y = array.scan %x (%t, %v: tensor<500000xf64>) {carries = 0, length = 10}
      : tensor<10x500000xf64> -> tensor<10x500000xf64>
      attributes {kernel.places = array<i64: -1>, kernel.carries = array<i64>} {
    %w = kernel.nest %v (%i) {space = [500000], reduction = [], lane = 0, width = 8, prefetch = 2048,
        loops = [#kernel.loop<0, 0 to 500000 by 8 lanes>], places = [-1]}
        : tensor<500000xf64> -> tensor<500000xf64> {
      %a = kernel.load %v[%i] : tensor<500000xf64> -> f64
      %b = array.add %a, %a : f64
      array.yield %b : f64
    }
    array.yield %w : tensor<500000xf64>
  }
  func.return %y : tensor<10x500000xf64>
}
