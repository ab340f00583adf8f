// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Maps over an index space, and maps given by linear code.

// CHECK-LABEL: func.func @build(%a: tensor<3x2xf64>) {
// CHECK-NEXT: %m = linear.build (%i, %j) {extents = [3, 2]} : -> !linear.map<f64, tuple<tensor<3x2xf64>, tuple<>>> {
// CHECK-NEXT: %k = array.index %a[%i, %j] : tensor<3x2xf64> -> f64
// CHECK-NEXT: %s = linear.scale %k : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: %z = linear.zero : -> !linear.map<f64, tuple<>>
// CHECK-NEXT: %v = linear.vcat %s, %z : !linear.map<f64, f64>, !linear.map<f64, tuple<>> -> !linear.map<f64, tuple<f64, tuple<>>>
// CHECK-NEXT: array.yield %v : !linear.map<f64, tuple<f64, tuple<>>>
// CHECK-NEXT: }
// CHECK-NEXT: %n = linear.build_transpose (%i) {extents = [4]} : -> !linear.map<tensor<4xf64>, tensor<5xf64>> {
// CHECK-NEXT: %h = linear.one_hot[%i] : -> !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT: array.yield %h : !linear.map<f64, tensor<5xf64>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @build(%a: tensor<3x2xf64>) {
  %m = linear.build (%i, %j) {extents = [3, 2]} : -> !linear.map<f64, tuple<tensor<3x2xf64>, tuple<>>> {
    %k = array.index %a[%i, %j] : tensor<3x2xf64> -> f64
    %s = linear.scale %k : f64 -> !linear.map<f64, f64>
    %z = linear.zero : -> !linear.map<f64, tuple<>>
    %v = linear.vcat %s, %z : !linear.map<f64, f64>, !linear.map<f64, tuple<>> -> !linear.map<f64, tuple<f64, tuple<>>>
    array.yield %v : !linear.map<f64, tuple<f64, tuple<>>>
  }
  %n = linear.build_transpose (%i) {extents = [4]} : -> !linear.map<tensor<4xf64>, tensor<5xf64>> {
    %h = linear.one_hot [%i] : -> !linear.map<f64, tensor<5xf64>>
    array.yield %h : !linear.map<f64, tensor<5xf64>>
  }
  func.return
}

// CHECK-LABEL: func.func @lambda(%a: tensor<3xf64>) {
// CHECK-NEXT: %m = linear.lambda (%x: tensor<3xf64>, %y: f64) : -> !linear.map<tuple<tensor<3xf64>, tuple<>, f64>, f64> {
// CHECK-NEXT: %p = array.mul %a, %x : tensor<3xf64>
// CHECK-NEXT: %q = array.sum %p {dims = [0]} : tensor<3xf64> -> f64
// CHECK-NEXT: %r = array.add %q, %y : f64
// CHECK-NEXT: array.yield %r : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @lambda(%a: tensor<3xf64>) {
  %m = linear.lambda (%x : tensor<3xf64>, %y : f64) : -> !linear.map<tuple<tensor<3xf64>, tuple<>, f64>, f64> {
    %p = array.mul %a, %x : tensor<3xf64>
    %q = array.sum %p {dims = [0]} : tensor<3xf64> -> f64
    %r = array.add %q, %y : f64
    array.yield %r : f64
  }
  func.return
}

// CHECK-LABEL: func.func @rules(%k: f64) {
// CHECK-NEXT: %m = linear.rule (%ct: f64) {transposed} : -> !linear.map<tuple<f64>, tuple<f64>> {
// CHECK-NEXT: %c = array.min %ct, %k : f64
// CHECK-NEXT: array.yield %c : f64
// CHECK-NEXT: }
// CHECK-NEXT: %n = linear.rule (%dx: f64) : -> !linear.map<tuple<f64>, tuple<f64, f64>> {
// CHECK-NEXT: array.yield %dx, %k : f64, f64
// CHECK-NEXT: } transposed (%ct: f64, %cu: f64) {
// CHECK-NEXT: array.yield %ct : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @rules(%k: f64) {
  %m = linear.rule (%ct : f64) {transposed} : -> !linear.map<tuple<f64>, tuple<f64>> {
    %c = array.min %ct, %k : f64
    array.yield %c : f64
  }
  %n = linear.rule (%dx : f64) : -> !linear.map<tuple<f64>, tuple<f64, f64>> {
    array.yield %dx, %k : f64, f64
  } transposed (%ct : f64, %cu : f64) {
    array.yield %ct : f64
  }
  func.return
}

// CHECK-LABEL: func.func @functions(%k: i64, %c: f64) {
// CHECK-NEXT: %f = linear.function (%a, %b: f64) : -> !linear.map<f64, !linear.power<tuple<i64, f64>, f64>> {
// CHECK-NEXT: %s = linear.scale %b : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: array.yield %s : !linear.map<f64, f64>
// CHECK-NEXT: }
// CHECK-NEXT: %l = linear.eliminate (%a) : -> !linear.map<!linear.copower<i64, f64>, tensor<3xf64>> {
// CHECK-NEXT: %h = linear.one_hot[%a] : -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT: array.yield %h : !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT: }
// CHECK-NEXT: %e = linear.evaluate %k, %c : i64, f64 -> !linear.map<!linear.power<tuple<i64, f64>, f64>, f64>
// CHECK-NEXT: %s = linear.single %k : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
// CHECK-NEXT: %t = linear.transpose %f : !linear.map<f64, !linear.power<tuple<i64, f64>, f64>> -> !linear.map<!linear.copower<tuple<i64, f64>, f64>, f64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @functions(%k: i64, %c: f64) {
  %f = linear.function (%a, %b : f64) : -> !linear.map<f64, !linear.power<tuple<i64, f64>, f64>> {
    %s = linear.scale %b : f64 -> !linear.map<f64, f64>
    array.yield %s : !linear.map<f64, f64>
  }
  %l = linear.eliminate (%a) : -> !linear.map<!linear.copower<i64, f64>, tensor<3xf64>> {
    %h = linear.one_hot [%a] : -> !linear.map<f64, tensor<3xf64>>
    array.yield %h : !linear.map<f64, tensor<3xf64>>
  }
  %e = linear.evaluate %k, %c : i64, f64 -> !linear.map<!linear.power<tuple<i64, f64>, f64>, f64>
  %s = linear.single %k : i64 -> !linear.map<f64, !linear.copower<i64, f64>>
  %t = linear.transpose %f : !linear.map<f64, !linear.power<tuple<i64, f64>, f64>> -> !linear.map<!linear.copower<tuple<i64, f64>, f64>, f64>
  func.return
}
