// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Maps made of other maps, and those that every space has.

// CHECK-LABEL: func.func @constants() {
// CHECK-NEXT: %v0 = linear.zero : -> !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT: %v1 = linear.identity : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
// CHECK-NEXT: %v2 = linear.identity : -> !linear.map<tuple<>, tuple<>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @constants() {
  %v0 = linear.zero : -> !linear.map<f64, tensor<3xf64>>
  %v1 = linear.identity : -> !linear.map<tensor<3xf64>, tensor<3xf64>>
  %v2 = linear.identity : -> !linear.map<tuple<>, tuple<>>
  func.return
}

// CHECK-LABEL: func.func @combinations(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<tensor<3xf64>, tensor<2x3xf64>>, %h: !linear.map<f64, f64>) {
// CHECK-NEXT: %v0 = linear.compose %g, %f : !linear.map<tensor<3xf64>, tensor<2x3xf64>>, !linear.map<f64, tensor<3xf64>> -> !linear.map<f64, tensor<2x3xf64>>
// CHECK-NEXT: %v1 = linear.add %f, %f : !linear.map<f64, tensor<3xf64>>
// CHECK-NEXT: %v2 = linear.vcat %f, %h : !linear.map<f64, tensor<3xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tuple<tensor<3xf64>, f64>>
// CHECK-NEXT: %v3 = linear.vcat : -> !linear.map<f64, tuple<>>
// CHECK-NEXT: %v4 = linear.hcat %h, %h : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<tuple<f64, f64>, f64>
// CHECK-NEXT: %v5 = linear.transpose %f : !linear.map<f64, tensor<3xf64>> -> !linear.map<tensor<3xf64>, f64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @combinations(%f: !linear.map<f64, tensor<3xf64>>, %g: !linear.map<tensor<3xf64>, tensor<2x3xf64>>, %h: !linear.map<f64, f64>) {
  %v0 = linear.compose %g, %f : !linear.map<tensor<3xf64>, tensor<2x3xf64>>, !linear.map<f64, tensor<3xf64>> -> !linear.map<f64, tensor<2x3xf64>>
  %v1 = linear.add %f, %f : !linear.map<f64, tensor<3xf64>>
  %v2 = linear.vcat %f, %h : !linear.map<f64, tensor<3xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tuple<tensor<3xf64>, f64>>
  %v3 = linear.vcat : -> !linear.map<f64, tuple<>>
  %v4 = linear.hcat %h, %h : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<tuple<f64, f64>, f64>
  %v5 = linear.transpose %f : !linear.map<f64, tensor<3xf64>> -> !linear.map<tensor<3xf64>, f64>
  func.return
}

// CHECK-LABEL: func.func @components() {
// CHECK-NEXT: %v0 = linear.project {index = 1} : -> !linear.map<tuple<f64, tensor<3xf64>>, tensor<3xf64>>
// CHECK-NEXT: %v1 = linear.inject {index = 0} : -> !linear.map<f64, tuple<f64, tensor<3xf64>>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @components() {
  %v0 = linear.project {index = 1} : -> !linear.map<tuple<f64, tensor<3xf64>>, tensor<3xf64>>
  %v1 = linear.inject {index = 0} : -> !linear.map<f64, tuple<f64, tensor<3xf64>>>
  func.return
}
