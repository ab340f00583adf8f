// RUN: mlirad-opt %s -p "differentiate{function=main wrt=1},curry{tangents=environment},maps-to-closures,mlirad-symbol-dce{entry=main_grad}" | filecheck %s
// RUN: mlirad-opt %s -p "differentiate{function=main wrt=1},curry{tangents=calls},maps-to-closures,mlirad-symbol-dce{entry=main_grad}" | filecheck --check-prefix=CALLS %s

// A closure returns its back-propagator, which makes the tangent of what was captured, or that of the argument alone.

// CHECK-LABEL: func.func @main_grad(%p: i1, %x: f64) -> (f64, f64) {
// CHECK-LABEL: func.func private @main_curry(
// CHECK: function.lambda (%{{[0-9]+}}: f64) : -> !function.closure<(f64) -> (f64, !function.closure<(f64) -> (!function.inductive<environment>, f64)>)> {
// CHECK: array.mul
// CHECK: function.inject {{%[0-9]+}} {index = 1}
// CHECK: function.roll {{.*}} -> !function.inductive<environment>
// CHECK-NOT: function.prod

// CALLS-LABEL: func.func private @main_curry(
// CALLS: function.lambda (%{{[0-9]+}}: f64) : -> !function.closure<(f64) -> (f64, !function.closure<(f64) -> {{.*}}f64{{.*}}
// CALLS: -> !function.inductive<collection>
// CALLS-NOT: function.prod

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

// RUN: mlirad-run %s --pipeline='grad{function=main wrt=1 method=curry},compile' --entry main_grad --args true 3.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --pipeline='grad{function=main wrt=1 method=curry-calls}' --entry main_grad --args true 3.0 | filecheck --check-prefix=VALUE %s
// VALUE: {{^9\.0$}}
// VALUE-NEXT: {{^6\.0$}}
