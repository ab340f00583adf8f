// RUN: mlirad-opt --split-input-file --verify-diagnostics -p 'formal-derivative{function=f}' %s | filecheck %s

// Exclusive or is the sum, and `and` the product.

// CHECK-LABEL: func.func @f_formal(%p: i1, %q: tensor<3xi1>, %k: i64, %d_p: i1, %d_q: tensor<3xi1>) -> (i1, i1) {
// CHECK-NEXT: %e = array.index %q[%k] : tensor<3xi1> -> i1
// CHECK-NEXT: %e_1 = array.index %d_q[%k] : tensor<3xi1> -> i1
// CHECK-NEXT: %a = array.and %p, %e : i1
// CHECK-NEXT: %a_1 = array.and %e, %d_p : i1
// CHECK-NEXT: %a_2 = array.and %p, %e_1 : i1
// CHECK-NEXT: %a_3 = array.xor %a_1, %a_2 : i1
// CHECK-NEXT: %n = array.not %a : i1
// CHECK-NEXT: %r = array.xor %n, %p : i1
// CHECK-NEXT: %r_1 = array.xor %a_3, %d_p : i1
// CHECK-NEXT: func.return %r, %r_1 : i1, i1
// CHECK-NEXT: }

func.func @f(%p: i1, %q: tensor<3xi1>, %k: i64) -> i1 {
  %e = array.index %q[%k] : tensor<3xi1> -> i1
  %a = array.and %p, %e : i1
  %n = array.not %a : i1
  %r = array.xor %n, %p : i1
  func.return %r : i1
}

// -----

func.func @f(%p: i1, %q: i1) -> i1 {
  // expected-error @below {{array.if has no formal derivative over Z/2, and a boolean that is differentiated reaches it}}
  %r = array.if %p : i1 -> i1 {
    array.yield %q : i1
  } else {
    array.yield %p : i1
  }
  func.return %r : i1
}
