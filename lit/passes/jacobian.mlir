// RUN: mlirad-opt -p 'differentiate{function=f},linearize{method=jacobian}' %s | filecheck %s --check-prefix=NABLA
// RUN: mlirad-opt -p 'differentiate{function=f},linearize{method=jacobian},defunctionalise-maps' %s | filecheck %s --check-prefix=LOWER
// RUN: mlirad-opt -p 'differentiate{function=f},linearize{method=jacobian},defunctionalise-maps,apply-linear-maps' %s | filecheck %s --check-prefix=APPLY
// RUN: mlirad-opt -p 'differentiate{function=f},linearize{method=jacobian},mlirad-inline,apply-linear-maps' %s | filecheck %s --check-prefix=INLINE

// The derivative of a function that is called is a function that returns a map, made once for two calls. At
// run time the map is residuals and a function that applies its transpose; inlined, there is no such
// function.

// NABLA-LABEL: func.func @f_grad(%x: f64) -> (f64, f64) {
// NABLA-NEXT: %d_x = linear.identity : -> !linear.map<f64, f64>
// NABLA-NEXT: %0, %d_a = func.call @g_jacobian(%x) : (f64) -> (f64, !linear.map<f64, f64>)
// NABLA-NEXT: %1, %2 = func.call @g_jacobian(%0) : (f64) -> (f64, !linear.map<f64, f64>)
// NABLA-NEXT: %d_b = linear.compose %2, %d_a : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
// NABLA-NEXT: %3 = array.constant 1.000000e+00 : f64
// NABLA-NEXT: %4 = linear.apply_transpose %d_b, %3 : !linear.map<f64, f64>, f64 -> f64
// NABLA-NEXT: func.return %1, %4 : f64, f64
// NABLA: func.func private @g_jacobian(%x: f64) -> (f64, !linear.map<f64, f64>) {
// NABLA-NEXT: %y = array.sin %x : f64
// NABLA-NEXT: %0 = array.cos %x : f64
// NABLA-NEXT: %d_y = linear.scale %0 : f64 -> !linear.map<f64, f64>
// NABLA-NEXT: func.return %y, %d_y : f64, !linear.map<f64, f64>

// LOWER-LABEL: func.func @f_grad(%x: f64) -> (f64, f64) {
// LOWER: %0, %1 = func.call @g_jacobian_primal(%x) : (f64) -> (f64, f64)
// LOWER-NEXT: %[[M:.*]] = linear.call %1 {callee = @g_jacobian_map} : f64 -> !linear.map<f64, f64>
// LOWER: linear.call %{{.*}} {callee = @g_jacobian_map} : f64 -> !linear.map<f64, f64>
// LOWER: func.func private @g_jacobian_primal(%x: f64) -> (f64, f64) {
// LOWER-NEXT: %y = array.sin %x : f64
// LOWER-NEXT: %0 = array.cos %x : f64
// LOWER-NEXT: func.return %y, %0 : f64, f64
// LOWER: func.func private @g_jacobian_map(%0: f64) -> !linear.map<f64, f64> {
// LOWER-NEXT: %d_y = linear.scale %0 : f64 -> !linear.map<f64, f64>
// LOWER-NEXT: func.return %d_y : !linear.map<f64, f64>

// APPLY-LABEL: func.func @f_grad(%x: f64) -> (f64, f64) {
// APPLY-NEXT: %0, %1 = func.call @g_jacobian_primal(%x) : (f64) -> (f64, f64)
// APPLY-NEXT: %2, %3 = func.call @g_jacobian_primal(%0) : (f64) -> (f64, f64)
// APPLY-NEXT: %4 = array.constant 1.000000e+00 : f64
// APPLY-NEXT: %5 = func.call @g_jacobian_map_apply_transpose(%3, %4) : (f64, f64) -> f64
// APPLY-NEXT: %6 = func.call @g_jacobian_map_apply_transpose(%1, %5) : (f64, f64) -> f64
// APPLY-NEXT: func.return %2, %6 : f64, f64
// APPLY: func.func private @g_jacobian_map_apply_transpose(%0: f64, %1: f64) -> f64 {
// APPLY-NEXT: %2 = array.absorbing_mul %0, %1 : f64
// APPLY-NEXT: func.return %2 : f64
// APPLY-NOT: linear

// INLINE-LABEL: func.func @f_grad(%x: f64) -> (f64, f64) {
// INLINE-NEXT: %{{.*}} = array.sin %x : f64
// INLINE-NEXT: %{{.*}} = array.cos %x : f64
// INLINE-NOT: call
// INLINE-NOT: linear

func.func private @g(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @f(%x: f64) -> f64 {
  %a = func.call @g(%x) : (f64) -> f64
  %b = func.call @g(%a) : (f64) -> f64
  func.return %b : f64
}
