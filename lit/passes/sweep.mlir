// RUN: mlirad-opt --split-input-file --verify-diagnostics -p 'sweep{function=f instance=z2}' %s | filecheck %s
// RUN: mlirad-opt --split-input-file --verify-diagnostics -p 'sweep{function=f instance=z2 mode=forward}' %s | filecheck %s --check-prefix=FORWARD

// Formal derivatives over Z/2: exclusive or is the sum, and `and` the product.

// CHECK-LABEL: func.func @f_sweep(%p: i1, %q: i1, %ct: i1) -> (i1, i1, i1) {
// CHECK-NEXT: %a = array.and %p, %q : i1
// CHECK-NEXT: %r = array.xor %a, %p : i1
// CHECK-NEXT: %0 = array.and %q, %ct : i1
// CHECK-NEXT: %1 = array.xor %ct, %0 : i1
// CHECK-NEXT: %2 = array.and %p, %ct : i1
// CHECK-NEXT: func.return %r, %1, %2 : i1, i1, i1

// FORWARD-LABEL: func.func @f_sweep(%p: i1, %q: i1, %d_p: i1, %d_q: i1) -> (i1, i1) {

func.func @f(%p: i1, %q: i1) -> i1 {
  %a = array.and %p, %q : i1
  %r = array.xor %a, %p : i1
  func.return %r : i1
}

// -----

// A loop goes back over the carries of its iterations; each of them runs again.

// CHECK-LABEL: func.func @f_sweep(%x: tensor<3xi1>, %ct: i1) -> (i1, tensor<3xi1>) {
// CHECK: array.scan
// CHECK: array.scan
// CHECK-SAME: reverse

func.func @f(%x: tensor<3xi1>) -> i1 {
  %true = array.constant true
  %c = array.scan %true, %x (%i, %c: i1, %e: i1) {carries = 1, length = 3} : i1, tensor<3xi1> -> i1 {
    %n = array.and %c, %e : i1
    array.yield %n : i1
  }
  func.return %c : i1
}

// -----

func.func @f(%p: i1, %q: i1) -> i1 {
  // expected-error @below {{the instance 'z2' does not say what a condition carries}}
  %r = array.if %p : i1 -> i1 { array.yield %q : i1 } else { array.yield %p : i1 }
  func.return %r : i1
}

// -----

func.func @f(%p: i1) -> i64 {
  // expected-error @below {{the instance 'z2' has no data for what array.convert makes}}
  %k = array.convert %p : i1 -> i64
  func.return %k : i64
}
