// RUN: mlirad-opt %s -p mlirad-canonicalize,reroll-loops --split-input-file | filecheck %s

// Code that is written out repetition by repetition becomes loops.

// Elements that follow each other are slices of the loop, and the sum is carried.

// CHECK-LABEL: func.func @recurrence(
// CHECK-NEXT:    %0 = array.scan %s, %x (%1, %2: f64, %3: f64) {carries = 1, length = 24} : f64, tensor<24xf64> -> f64 {
// CHECK-NEXT:      %a12 = array.sin %2 : f64
// CHECK-NEXT:      %b12 = array.mul %a12, %3 : f64
// CHECK-NEXT:      %h12 = array.add %b12, %s : f64
// CHECK-NEXT:      array.yield %h12 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %0 : f64
func.func @recurrence(%x: tensor<24xf64>, %s: f64) -> f64 {
  %p0 = array.constant 0 : i64
  %x0 = array.index %x[%p0] : tensor<24xf64> -> f64
  %a0 = array.sin %s : f64
  %b0 = array.mul %a0, %x0 : f64
  %h0 = array.add %b0, %s : f64
  %p1 = array.constant 1 : i64
  %x1 = array.index %x[%p1] : tensor<24xf64> -> f64
  %a1 = array.sin %h0 : f64
  %b1 = array.mul %a1, %x1 : f64
  %h1 = array.add %b1, %s : f64
  %p2 = array.constant 2 : i64
  %x2 = array.index %x[%p2] : tensor<24xf64> -> f64
  %a2 = array.sin %h1 : f64
  %b2 = array.mul %a2, %x2 : f64
  %h2 = array.add %b2, %s : f64
  %p3 = array.constant 3 : i64
  %x3 = array.index %x[%p3] : tensor<24xf64> -> f64
  %a3 = array.sin %h2 : f64
  %b3 = array.mul %a3, %x3 : f64
  %h3 = array.add %b3, %s : f64
  %p4 = array.constant 4 : i64
  %x4 = array.index %x[%p4] : tensor<24xf64> -> f64
  %a4 = array.sin %h3 : f64
  %b4 = array.mul %a4, %x4 : f64
  %h4 = array.add %b4, %s : f64
  %p5 = array.constant 5 : i64
  %x5 = array.index %x[%p5] : tensor<24xf64> -> f64
  %a5 = array.sin %h4 : f64
  %b5 = array.mul %a5, %x5 : f64
  %h5 = array.add %b5, %s : f64
  %p6 = array.constant 6 : i64
  %x6 = array.index %x[%p6] : tensor<24xf64> -> f64
  %a6 = array.sin %h5 : f64
  %b6 = array.mul %a6, %x6 : f64
  %h6 = array.add %b6, %s : f64
  %p7 = array.constant 7 : i64
  %x7 = array.index %x[%p7] : tensor<24xf64> -> f64
  %a7 = array.sin %h6 : f64
  %b7 = array.mul %a7, %x7 : f64
  %h7 = array.add %b7, %s : f64
  %p8 = array.constant 8 : i64
  %x8 = array.index %x[%p8] : tensor<24xf64> -> f64
  %a8 = array.sin %h7 : f64
  %b8 = array.mul %a8, %x8 : f64
  %h8 = array.add %b8, %s : f64
  %p9 = array.constant 9 : i64
  %x9 = array.index %x[%p9] : tensor<24xf64> -> f64
  %a9 = array.sin %h8 : f64
  %b9 = array.mul %a9, %x9 : f64
  %h9 = array.add %b9, %s : f64
  %p10 = array.constant 10 : i64
  %x10 = array.index %x[%p10] : tensor<24xf64> -> f64
  %a10 = array.sin %h9 : f64
  %b10 = array.mul %a10, %x10 : f64
  %h10 = array.add %b10, %s : f64
  %p11 = array.constant 11 : i64
  %x11 = array.index %x[%p11] : tensor<24xf64> -> f64
  %a11 = array.sin %h10 : f64
  %b11 = array.mul %a11, %x11 : f64
  %h11 = array.add %b11, %s : f64
  %p12 = array.constant 12 : i64
  %x12 = array.index %x[%p12] : tensor<24xf64> -> f64
  %a12 = array.sin %h11 : f64
  %b12 = array.mul %a12, %x12 : f64
  %h12 = array.add %b12, %s : f64
  %p13 = array.constant 13 : i64
  %x13 = array.index %x[%p13] : tensor<24xf64> -> f64
  %a13 = array.sin %h12 : f64
  %b13 = array.mul %a13, %x13 : f64
  %h13 = array.add %b13, %s : f64
  %p14 = array.constant 14 : i64
  %x14 = array.index %x[%p14] : tensor<24xf64> -> f64
  %a14 = array.sin %h13 : f64
  %b14 = array.mul %a14, %x14 : f64
  %h14 = array.add %b14, %s : f64
  %p15 = array.constant 15 : i64
  %x15 = array.index %x[%p15] : tensor<24xf64> -> f64
  %a15 = array.sin %h14 : f64
  %b15 = array.mul %a15, %x15 : f64
  %h15 = array.add %b15, %s : f64
  %p16 = array.constant 16 : i64
  %x16 = array.index %x[%p16] : tensor<24xf64> -> f64
  %a16 = array.sin %h15 : f64
  %b16 = array.mul %a16, %x16 : f64
  %h16 = array.add %b16, %s : f64
  %p17 = array.constant 17 : i64
  %x17 = array.index %x[%p17] : tensor<24xf64> -> f64
  %a17 = array.sin %h16 : f64
  %b17 = array.mul %a17, %x17 : f64
  %h17 = array.add %b17, %s : f64
  %p18 = array.constant 18 : i64
  %x18 = array.index %x[%p18] : tensor<24xf64> -> f64
  %a18 = array.sin %h17 : f64
  %b18 = array.mul %a18, %x18 : f64
  %h18 = array.add %b18, %s : f64
  %p19 = array.constant 19 : i64
  %x19 = array.index %x[%p19] : tensor<24xf64> -> f64
  %a19 = array.sin %h18 : f64
  %b19 = array.mul %a19, %x19 : f64
  %h19 = array.add %b19, %s : f64
  %p20 = array.constant 20 : i64
  %x20 = array.index %x[%p20] : tensor<24xf64> -> f64
  %a20 = array.sin %h19 : f64
  %b20 = array.mul %a20, %x20 : f64
  %h20 = array.add %b20, %s : f64
  %p21 = array.constant 21 : i64
  %x21 = array.index %x[%p21] : tensor<24xf64> -> f64
  %a21 = array.sin %h20 : f64
  %b21 = array.mul %a21, %x21 : f64
  %h21 = array.add %b21, %s : f64
  %p22 = array.constant 22 : i64
  %x22 = array.index %x[%p22] : tensor<24xf64> -> f64
  %a22 = array.sin %h21 : f64
  %b22 = array.mul %a22, %x22 : f64
  %h22 = array.add %b22, %s : f64
  %p23 = array.constant 23 : i64
  %x23 = array.index %x[%p23] : tensor<24xf64> -> f64
  %a23 = array.sin %h22 : f64
  %b23 = array.mul %a23, %x23 : f64
  %h23 = array.add %b23, %s : f64
  func.return %h23 : f64
}

// -----

// Results of all repetitions are stacked; where they are stacked already, nothing is left to do. Without carries
// the loop is a build.

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %0 = array.broadcast %x {dims = [1, 0]} : tensor<3x16xf64> -> tensor<16x3xf64>
// CHECK-NEXT:    %1 = array.build (%2) : -> tensor<16x3xf64> {
// CHECK-NEXT:      %3 = array.index %0[%2] : tensor<16x3xf64> -> tensor<3xf64>
// CHECK-NEXT:      %a8 = array.sin %3 : tensor<3xf64>
// CHECK-NEXT:      %b8 = array.mul %a8, %w : tensor<3xf64>
// CHECK-NEXT:      %d8 = array.exp %b8 : tensor<3xf64>
// CHECK-NEXT:      %e8 = array.add %d8, %3 : tensor<3xf64>
// CHECK-NEXT:      %f8 = array.tanh %e8 : tensor<3xf64>
// CHECK-NEXT:      array.yield %f8 : tensor<3xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %1 : tensor<16x3xf64>
func.func @rows(%x: tensor<3x16xf64>, %w: tensor<3xf64>) -> tensor<16x3xf64> {
  %c0 = array.slice %x {starts = [0, 0], limits = [3, 1], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r0 = array.reshape %c0 : tensor<3x1xf64> -> tensor<3xf64>
  %a0 = array.sin %r0 : tensor<3xf64>
  %b0 = array.mul %a0, %w : tensor<3xf64>
  %d0 = array.exp %b0 : tensor<3xf64>
  %e0 = array.add %d0, %r0 : tensor<3xf64>
  %f0 = array.tanh %e0 : tensor<3xf64>
  %c1 = array.slice %x {starts = [0, 1], limits = [3, 2], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r1 = array.reshape %c1 : tensor<3x1xf64> -> tensor<3xf64>
  %a1 = array.sin %r1 : tensor<3xf64>
  %b1 = array.mul %a1, %w : tensor<3xf64>
  %d1 = array.exp %b1 : tensor<3xf64>
  %e1 = array.add %d1, %r1 : tensor<3xf64>
  %f1 = array.tanh %e1 : tensor<3xf64>
  %c2 = array.slice %x {starts = [0, 2], limits = [3, 3], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r2 = array.reshape %c2 : tensor<3x1xf64> -> tensor<3xf64>
  %a2 = array.sin %r2 : tensor<3xf64>
  %b2 = array.mul %a2, %w : tensor<3xf64>
  %d2 = array.exp %b2 : tensor<3xf64>
  %e2 = array.add %d2, %r2 : tensor<3xf64>
  %f2 = array.tanh %e2 : tensor<3xf64>
  %c3 = array.slice %x {starts = [0, 3], limits = [3, 4], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r3 = array.reshape %c3 : tensor<3x1xf64> -> tensor<3xf64>
  %a3 = array.sin %r3 : tensor<3xf64>
  %b3 = array.mul %a3, %w : tensor<3xf64>
  %d3 = array.exp %b3 : tensor<3xf64>
  %e3 = array.add %d3, %r3 : tensor<3xf64>
  %f3 = array.tanh %e3 : tensor<3xf64>
  %c4 = array.slice %x {starts = [0, 4], limits = [3, 5], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r4 = array.reshape %c4 : tensor<3x1xf64> -> tensor<3xf64>
  %a4 = array.sin %r4 : tensor<3xf64>
  %b4 = array.mul %a4, %w : tensor<3xf64>
  %d4 = array.exp %b4 : tensor<3xf64>
  %e4 = array.add %d4, %r4 : tensor<3xf64>
  %f4 = array.tanh %e4 : tensor<3xf64>
  %c5 = array.slice %x {starts = [0, 5], limits = [3, 6], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r5 = array.reshape %c5 : tensor<3x1xf64> -> tensor<3xf64>
  %a5 = array.sin %r5 : tensor<3xf64>
  %b5 = array.mul %a5, %w : tensor<3xf64>
  %d5 = array.exp %b5 : tensor<3xf64>
  %e5 = array.add %d5, %r5 : tensor<3xf64>
  %f5 = array.tanh %e5 : tensor<3xf64>
  %c6 = array.slice %x {starts = [0, 6], limits = [3, 7], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r6 = array.reshape %c6 : tensor<3x1xf64> -> tensor<3xf64>
  %a6 = array.sin %r6 : tensor<3xf64>
  %b6 = array.mul %a6, %w : tensor<3xf64>
  %d6 = array.exp %b6 : tensor<3xf64>
  %e6 = array.add %d6, %r6 : tensor<3xf64>
  %f6 = array.tanh %e6 : tensor<3xf64>
  %c7 = array.slice %x {starts = [0, 7], limits = [3, 8], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r7 = array.reshape %c7 : tensor<3x1xf64> -> tensor<3xf64>
  %a7 = array.sin %r7 : tensor<3xf64>
  %b7 = array.mul %a7, %w : tensor<3xf64>
  %d7 = array.exp %b7 : tensor<3xf64>
  %e7 = array.add %d7, %r7 : tensor<3xf64>
  %f7 = array.tanh %e7 : tensor<3xf64>
  %c8 = array.slice %x {starts = [0, 8], limits = [3, 9], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r8 = array.reshape %c8 : tensor<3x1xf64> -> tensor<3xf64>
  %a8 = array.sin %r8 : tensor<3xf64>
  %b8 = array.mul %a8, %w : tensor<3xf64>
  %d8 = array.exp %b8 : tensor<3xf64>
  %e8 = array.add %d8, %r8 : tensor<3xf64>
  %f8 = array.tanh %e8 : tensor<3xf64>
  %c9 = array.slice %x {starts = [0, 9], limits = [3, 10], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r9 = array.reshape %c9 : tensor<3x1xf64> -> tensor<3xf64>
  %a9 = array.sin %r9 : tensor<3xf64>
  %b9 = array.mul %a9, %w : tensor<3xf64>
  %d9 = array.exp %b9 : tensor<3xf64>
  %e9 = array.add %d9, %r9 : tensor<3xf64>
  %f9 = array.tanh %e9 : tensor<3xf64>
  %c10 = array.slice %x {starts = [0, 10], limits = [3, 11], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r10 = array.reshape %c10 : tensor<3x1xf64> -> tensor<3xf64>
  %a10 = array.sin %r10 : tensor<3xf64>
  %b10 = array.mul %a10, %w : tensor<3xf64>
  %d10 = array.exp %b10 : tensor<3xf64>
  %e10 = array.add %d10, %r10 : tensor<3xf64>
  %f10 = array.tanh %e10 : tensor<3xf64>
  %c11 = array.slice %x {starts = [0, 11], limits = [3, 12], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r11 = array.reshape %c11 : tensor<3x1xf64> -> tensor<3xf64>
  %a11 = array.sin %r11 : tensor<3xf64>
  %b11 = array.mul %a11, %w : tensor<3xf64>
  %d11 = array.exp %b11 : tensor<3xf64>
  %e11 = array.add %d11, %r11 : tensor<3xf64>
  %f11 = array.tanh %e11 : tensor<3xf64>
  %c12 = array.slice %x {starts = [0, 12], limits = [3, 13], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r12 = array.reshape %c12 : tensor<3x1xf64> -> tensor<3xf64>
  %a12 = array.sin %r12 : tensor<3xf64>
  %b12 = array.mul %a12, %w : tensor<3xf64>
  %d12 = array.exp %b12 : tensor<3xf64>
  %e12 = array.add %d12, %r12 : tensor<3xf64>
  %f12 = array.tanh %e12 : tensor<3xf64>
  %c13 = array.slice %x {starts = [0, 13], limits = [3, 14], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r13 = array.reshape %c13 : tensor<3x1xf64> -> tensor<3xf64>
  %a13 = array.sin %r13 : tensor<3xf64>
  %b13 = array.mul %a13, %w : tensor<3xf64>
  %d13 = array.exp %b13 : tensor<3xf64>
  %e13 = array.add %d13, %r13 : tensor<3xf64>
  %f13 = array.tanh %e13 : tensor<3xf64>
  %c14 = array.slice %x {starts = [0, 14], limits = [3, 15], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r14 = array.reshape %c14 : tensor<3x1xf64> -> tensor<3xf64>
  %a14 = array.sin %r14 : tensor<3xf64>
  %b14 = array.mul %a14, %w : tensor<3xf64>
  %d14 = array.exp %b14 : tensor<3xf64>
  %e14 = array.add %d14, %r14 : tensor<3xf64>
  %f14 = array.tanh %e14 : tensor<3xf64>
  %c15 = array.slice %x {starts = [0, 15], limits = [3, 16], strides = [1, 1]} : tensor<3x16xf64> -> tensor<3x1xf64>
  %r15 = array.reshape %c15 : tensor<3x1xf64> -> tensor<3xf64>
  %a15 = array.sin %r15 : tensor<3xf64>
  %b15 = array.mul %a15, %w : tensor<3xf64>
  %d15 = array.exp %b15 : tensor<3xf64>
  %e15 = array.add %d15, %r15 : tensor<3xf64>
  %f15 = array.tanh %e15 : tensor<3xf64>
  %y = array.stack %f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15 {dim = 0} : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64> -> tensor<16x3xf64>
  func.return %y : tensor<16x3xf64>
}

// -----

// Constants that vary are a constant array; an array is updated at the position of the repetition; what was made
// two repetitions before is carried twice.

// CHECK-LABEL: func.func @constants(
// CHECK-NEXT:    %0 = array.constant dense<{{.*}}> : tensor<20xf64>
// CHECK-NEXT:    %1, %2, %3 = array.scan %s, %t, %x, %0 (%4, %5: f64, %6: f64, %7: tensor<20xf64>, %8: f64) {carries = 3, length = 20} : f64, f64, tensor<20xf64>, tensor<20xf64> -> (f64, f64, tensor<20xf64>) {
// CHECK-NEXT:      %a10 = array.mul %6, %8 : f64
// CHECK-NEXT:      %b10 = array.cos %a10 : f64
// CHECK-NEXT:      %h10 = array.add %b10, %5 : f64
// CHECK-NEXT:      %y10 = array.update set %7, %h10 () : tensor<20xf64>, f64 -> tensor<20xf64> {
// CHECK-NEXT:        array.yield %4 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      array.yield %h10, %5, %y10 : f64, f64, tensor<20xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %3, %1 : tensor<20xf64>, f64
func.func @constants(%x: tensor<20xf64>, %s: f64, %t: f64) -> (tensor<20xf64>, f64) {
  %p0 = array.constant 0 : i64
  %q0 = array.constant 2.656250e-01 : f64
  %a0 = array.mul %t, %q0 : f64
  %b0 = array.cos %a0 : f64
  %h0 = array.add %b0, %s : f64
  %y0 = array.update set %x, %h0 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p0 : i64
  }
  %p1 = array.constant 1 : i64
  %q1 = array.constant 1.125000e+00 : f64
  %a1 = array.mul %s, %q1 : f64
  %b1 = array.cos %a1 : f64
  %h1 = array.add %b1, %h0 : f64
  %y1 = array.update set %y0, %h1 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p1 : i64
  }
  %p2 = array.constant 2 : i64
  %q2 = array.constant 1.515625e+00 : f64
  %a2 = array.mul %h0, %q2 : f64
  %b2 = array.cos %a2 : f64
  %h2 = array.add %b2, %h1 : f64
  %y2 = array.update set %y1, %h2 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p2 : i64
  }
  %p3 = array.constant 3 : i64
  %q3 = array.constant 1.250000e-01 : f64
  %a3 = array.mul %h1, %q3 : f64
  %b3 = array.cos %a3 : f64
  %h3 = array.add %b3, %h2 : f64
  %y3 = array.update set %y2, %h3 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p3 : i64
  }
  %p4 = array.constant 4 : i64
  %q4 = array.constant 5.000000e-01 : f64
  %a4 = array.mul %h2, %q4 : f64
  %b4 = array.cos %a4 : f64
  %h4 = array.add %b4, %h3 : f64
  %y4 = array.update set %y3, %h4 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p4 : i64
  }
  %p5 = array.constant 5 : i64
  %q5 = array.constant 2.343750e-01 : f64
  %a5 = array.mul %h3, %q5 : f64
  %b5 = array.cos %a5 : f64
  %h5 = array.add %b5, %h4 : f64
  %y5 = array.update set %y4, %h5 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p5 : i64
  }
  %p6 = array.constant 6 : i64
  %q6 = array.constant 9.843750e-01 : f64
  %a6 = array.mul %h4, %q6 : f64
  %b6 = array.cos %a6 : f64
  %h6 = array.add %b6, %h5 : f64
  %y6 = array.update set %y5, %h6 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p6 : i64
  }
  %p7 = array.constant 7 : i64
  %q7 = array.constant 1.515625e+00 : f64
  %a7 = array.mul %h5, %q7 : f64
  %b7 = array.cos %a7 : f64
  %h7 = array.add %b7, %h6 : f64
  %y7 = array.update set %y6, %h7 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p7 : i64
  }
  %p8 = array.constant 8 : i64
  %q8 = array.constant 8.906250e-01 : f64
  %a8 = array.mul %h6, %q8 : f64
  %b8 = array.cos %a8 : f64
  %h8 = array.add %b8, %h7 : f64
  %y8 = array.update set %y7, %h8 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p8 : i64
  }
  %p9 = array.constant 9 : i64
  %q9 = array.constant 9.375000e-01 : f64
  %a9 = array.mul %h7, %q9 : f64
  %b9 = array.cos %a9 : f64
  %h9 = array.add %b9, %h8 : f64
  %y9 = array.update set %y8, %h9 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p9 : i64
  }
  %p10 = array.constant 10 : i64
  %q10 = array.constant 1.296875e+00 : f64
  %a10 = array.mul %h8, %q10 : f64
  %b10 = array.cos %a10 : f64
  %h10 = array.add %b10, %h9 : f64
  %y10 = array.update set %y9, %h10 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p10 : i64
  }
  %p11 = array.constant 11 : i64
  %q11 = array.constant 7.500000e-01 : f64
  %a11 = array.mul %h9, %q11 : f64
  %b11 = array.cos %a11 : f64
  %h11 = array.add %b11, %h10 : f64
  %y11 = array.update set %y10, %h11 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p11 : i64
  }
  %p12 = array.constant 12 : i64
  %q12 = array.constant 4.062500e-01 : f64
  %a12 = array.mul %h10, %q12 : f64
  %b12 = array.cos %a12 : f64
  %h12 = array.add %b12, %h11 : f64
  %y12 = array.update set %y11, %h12 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p12 : i64
  }
  %p13 = array.constant 13 : i64
  %q13 = array.constant 1.875000e-01 : f64
  %a13 = array.mul %h11, %q13 : f64
  %b13 = array.cos %a13 : f64
  %h13 = array.add %b13, %h12 : f64
  %y13 = array.update set %y12, %h13 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p13 : i64
  }
  %p14 = array.constant 14 : i64
  %q14 = array.constant 9.687500e-01 : f64
  %a14 = array.mul %h12, %q14 : f64
  %b14 = array.cos %a14 : f64
  %h14 = array.add %b14, %h13 : f64
  %y14 = array.update set %y13, %h14 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p14 : i64
  }
  %p15 = array.constant 15 : i64
  %q15 = array.constant 4.687500e-02 : f64
  %a15 = array.mul %h13, %q15 : f64
  %b15 = array.cos %a15 : f64
  %h15 = array.add %b15, %h14 : f64
  %y15 = array.update set %y14, %h15 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p15 : i64
  }
  %p16 = array.constant 16 : i64
  %q16 = array.constant 7.656250e-01 : f64
  %a16 = array.mul %h14, %q16 : f64
  %b16 = array.cos %a16 : f64
  %h16 = array.add %b16, %h15 : f64
  %y16 = array.update set %y15, %h16 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p16 : i64
  }
  %p17 = array.constant 17 : i64
  %q17 = array.constant 8.593750e-01 : f64
  %a17 = array.mul %h15, %q17 : f64
  %b17 = array.cos %a17 : f64
  %h17 = array.add %b17, %h16 : f64
  %y17 = array.update set %y16, %h17 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p17 : i64
  }
  %p18 = array.constant 18 : i64
  %q18 = array.constant 1.203125e+00 : f64
  %a18 = array.mul %h16, %q18 : f64
  %b18 = array.cos %a18 : f64
  %h18 = array.add %b18, %h17 : f64
  %y18 = array.update set %y17, %h18 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p18 : i64
  }
  %p19 = array.constant 19 : i64
  %q19 = array.constant 1.515625e+00 : f64
  %a19 = array.mul %h17, %q19 : f64
  %b19 = array.cos %a19 : f64
  %h19 = array.add %b19, %h18 : f64
  %y19 = array.update set %y18, %h19 () : tensor<20xf64>, f64 -> tensor<20xf64> {
    array.yield %p19 : i64
  }
  func.return %y19, %h19 : tensor<20xf64>, f64
}

// -----

// Little code stays as it is.

// CHECK-LABEL: func.func @little(
// CHECK-NOT:     array.scan
// CHECK:         func.return
func.func @little(%x: f64) -> f64 {
  %a0 = array.sin %x : f64
  %h0 = array.mul %a0, %x : f64
  %a1 = array.sin %h0 : f64
  %h1 = array.mul %a1, %x : f64
  %a2 = array.sin %h1 : f64
  %h2 = array.mul %a2, %x : f64
  %a3 = array.sin %h2 : f64
  %h3 = array.mul %a3, %x : f64
  %a4 = array.sin %h3 : f64
  %h4 = array.mul %a4, %x : f64
  %a5 = array.sin %h4 : f64
  %h5 = array.mul %a5, %x : f64
  %a6 = array.sin %h5 : f64
  %h6 = array.mul %a6, %x : f64
  %a7 = array.sin %h6 : f64
  %h7 = array.mul %a7, %x : f64
  %a8 = array.sin %h7 : f64
  %h8 = array.mul %a8, %x : f64
  %a9 = array.sin %h8 : f64
  %h9 = array.mul %a9, %x : f64
  func.return %h9 : f64
}
