// RUN: mlirad-opt %s -p "chad{function=main},maps-to-closures,mlirad-dce" | filecheck %s

// Maps that branches yield become closures, collections cells, and eliminate a loop over these.

// CHECK-LABEL: func.func @main_chad(%p: i1, %x: f64) -> (f64, !function.closure<(f64) -> f64>) {
// CHECK: %f, %0 = array.if %p : i1 -> (!function.closure<(f64) -> (f64, !function.closure<(f64) -> f64>)>, !function.closure<(!function.inductive<collection>) -> f64>) {
// CHECK: function.lambda (%ct_a: f64) : -> !function.closure<(f64) -> (f64, f64)> {
// CHECK-NEXT: array.absorbing_mul
// CHECK: function.lambda (%ct_g: !function.inductive<collection>) : -> !function.closure<(!function.inductive<collection>) -> f64> {
// CHECK: array.while
// CHECK: function.unroll {{%[0-9]+}} : !function.inductive<collection> -> !function.sum<tuple<>, tuple<f64, f64>, tuple<!function.inductive<collection>, !function.inductive<collection>>>
// CHECK: function.lambda (%ct_y: f64) : -> !function.closure<(f64) -> f64> {
// CHECK-NEXT: [[PAIR:%[0-9]+]] = function.tuple %x, %ct_y : f64, f64 -> tuple<f64, f64>
// CHECK-NEXT: function.inject [[PAIR]] {index = 1}
// CHECK-NEXT: function.roll
// CHECK-NOT: linear.

func.func @main(%p: i1, %x: f64) -> f64 {
  %f = array.if %p : i1 -> !function.closure<(f64) -> f64> {
    %g = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {
      %a = array.mul %z, %x : f64
      array.yield %a : f64
    }
    array.yield %g : !function.closure<(f64) -> f64>
  } else {
    %h = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {
      %a = array.sin %z : f64
      array.yield %a : f64
    }
    array.yield %h : !function.closure<(f64) -> f64>
  }
  %y = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %y : f64
}

// RUN: mlirad-run %s --pipeline='grad{function=main wrt=1 method=chad-copower},compile' --entry main_grad --args true 3.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=main wrt=1 method=chad-copower}' --entry main_grad --args true 3.0 | filecheck --check-prefix=VALUE %s
// VALUE: {{^9\.0$}}
// VALUE-NEXT: {{^6\.0$}}
