// The second example of the linear-map notes, section 7: f (x) = y z where y = x x, z = x + y, so that
// f' (x) = 3 x^2 + 4 x^3. The notes print (t1 t2 + t1 t2) dr with t1 = x + x x, t2 = x + x, which is 8 at 1,
// not 7: the second product has to be y (1 + t2).

// RUN: mlirad-opt %s -p 'differentiate{function=f},linearize{method=jacobian},simplify-maps,mlirad-canonicalize,mlirad-dce' | filecheck %s
// CHECK-LABEL: func.func @f_grad(%x: f64) -> (f64, f64) {
// CHECK: %d_x = linear.identity
// CHECK: %[[TWICE:.*]] = array.add %x, %x : f64
// CHECK: %d_y = linear.scale %[[TWICE]]
// CHECK: %d_z = linear.add %d_x, %d_y

// RUN: mlirad-run %s --pipeline='grad{function=f method=jacobian}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=f method=dual-arrays}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=f method=chad}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=f method=curry}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=f method=chad-copower}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=f method=chad-copower}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=f method=curry-calls}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=f method=curry-calls}' --entry f_grad --args 1.0 | filecheck --check-prefix=VALUE %s
// VALUE: {{^2\.0$}}
// VALUE-NEXT: {{^7\.0$}}

func.func @f(%x: f64) -> f64 {
  %y = array.mul %x, %x : f64
  %z = array.add %x, %y : f64
  %w = array.mul %y, %z : f64
  func.return %w : f64
}
