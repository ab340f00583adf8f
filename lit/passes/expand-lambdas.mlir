// RUN: mlirad-opt %s -p expand-lambdas --split-input-file | filecheck %s

// Linear code becomes a map expression by the table of derivatives; its values go.

// Straight code.

// CHECK-LABEL: func.func @weighted_sum(
// CHECK-NEXT:  %d_p = linear.scale %a : tensor<3xf64> -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT:  %0 = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  %d_y = linear.compose %0, %d_p : !linear.map<tensor<3xf64>, f64>, !linear.map<tensor<3xf64>, tensor<3xf64>> -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  func.return %d_y : !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:}
func.func @weighted_sum(%a: tensor<3xf64>) -> !linear.map<tensor<3xf64>, f64> {
  %m = linear.lambda (%dx : tensor<3xf64>) : -> !linear.map<tensor<3xf64>, f64> {
    %p = array.mul %a, %dx : tensor<3xf64>
    %y = array.sum %p {dims = [0]} : tensor<3xf64> -> f64
    array.yield %y : f64
  }
  func.return %m : !linear.map<tensor<3xf64>, f64>
}

// -----

// After a map, the code is laid out along the spine of that map.

// CHECK-LABEL: func.func @after_a_map(
// CHECK-NEXT:  %s = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  %0 = array.constant -1.000000e+00 : f64
// CHECK-NEXT:  %1 = array.add %k, %0 : f64
// CHECK-NEXT:  %2 = linear.scale %1 : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %d_q = linear.compose %2, %s : !linear.map<f64, f64>, !linear.map<tensor<3xf64>, f64> -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:  func.return %d_q : !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT:}
func.func @after_a_map(%k: f64) -> !linear.map<tensor<3xf64>, f64> {
  %s = linear.sum {dims = [0]} : -> !linear.map<tensor<3xf64>, f64>
  %l = linear.lambda (%dx : f64) : -> !linear.map<f64, f64> {
    %p = array.mul %dx, %k : f64
    %q = array.sub %p, %dx : f64
    array.yield %q : f64
  }
  %m = linear.compose %l, %s : !linear.map<f64, f64>, !linear.map<tensor<3xf64>, f64> -> !linear.map<tensor<3xf64>, f64>
  func.return %m : !linear.map<tensor<3xf64>, f64>
}

// -----

// A map that the code applies is applied; a build in it becomes bulk.

// CHECK-LABEL: func.func @maps_inside(
// CHECK-NEXT:  %s = linear.scale %k : f64 -> !linear.map<f64, f64>
// CHECK-NEXT:  %0 = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:  %1 = linear.compose %0, %s : !linear.map<f64, tensor<3xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:  func.return %1 : !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT:}
func.func @maps_inside(%k: f64) -> !linear.map<f64, tensor<3xf64>> {
  %s = linear.scale %k : f64 -> !linear.map<f64, f64>
  %m = linear.lambda (%dx : f64) : -> !linear.map<f64, tensor<3xf64>> {
    %y = linear.apply %s, %dx : !linear.map<f64, f64>, f64 -> f64
    %z = array.build (%i) : -> tensor<3xf64> {
      array.yield %y : f64
    }
    array.yield %z : tensor<3xf64>
  }
  func.return %m : !linear.map<f64, tensor<3xf64>>
}
