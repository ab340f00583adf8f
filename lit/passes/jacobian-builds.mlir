// RUN: mlirad-opt -p 'differentiate{function=f mode=forward},linearize{method=jacobian}' %s | filecheck %s --check-prefix=NABLA
// RUN: mlirad-opt -p 'differentiate{function=f mode=forward},linearize{method=jacobian},defunctionalise-maps,apply-linear-maps,bulk-operations,mlirad-dce' %s | filecheck %s --check-prefix=BULK

// A build stays one, and so does its map; after application both become bulk. A call inside a build is inlined.

// NABLA-LABEL: func.func @f_jvp(%a: tensor<4xf64>, %d_a: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
// NABLA: array.build (%i) : -> tensor<4xf64> {
// NABLA-NEXT: %[[E:.*]] = array.index %a[%i] : tensor<4xf64> -> f64
// NABLA-NEXT: %{{.*}} = array.sin %[[E]] : f64
// NABLA: %[[M:.*]] = linear.build (%[[I:.*]]) {extents = [4]} : -> !linear.map<tuple<tensor<4xf64>>, tensor<4xf64>> {
// NABLA: linear.index[%[[I]]] : -> !linear.map<tensor<4xf64>, f64>
// NABLA: linear.scale
// NABLA: linear.apply %{{.*}}, %d_a

// BULK-LABEL: func.func @f_jvp(%a: tensor<4xf64>, %d_a: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
// BULK-NEXT: %{{.*}} = array.sin %a : tensor<4xf64>
// BULK-NEXT: %[[C:.*]] = array.cos %a : tensor<4xf64>
// BULK-NEXT: %{{.*}} = array.absorbing_mul %[[C]], %d_a : tensor<4xf64>
// BULK-NEXT: func.return

func.func private @g(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @f(%a: tensor<4xf64>) -> tensor<4xf64> {
  %r = array.build (%i) : -> tensor<4xf64> {
    %e = array.index %a[%i] : tensor<4xf64> -> f64
    %y = func.call @g(%e) : (f64) -> f64
    array.yield %y : f64
  }
  func.return %r : tensor<4xf64>
}
