// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Maps that functions make.

// CHECK-LABEL: func.func private @scaling(%k: f64, %n: i64) -> !linear.map<f64, f64> {
// CHECK-NEXT: %m = linear.scale %k : f64 -> !linear.map<f64, f64>
// CHECK-NEXT: func.return %m : !linear.map<f64, f64>
// CHECK-NEXT: }
func.func private @scaling(%k: f64, %n: i64) -> !linear.map<f64, f64> {
  %m = linear.scale %k : f64 -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}

// CHECK-LABEL: func.func private @unit() -> !linear.map<f64, f64> {
func.func private @unit() -> !linear.map<f64, f64> {
  %m = linear.identity : -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}

// CHECK-LABEL: func.func @calls(%x: f64, %n: i64) {
// CHECK-NEXT: %v0 = linear.call %x, %n {callee = @scaling} : f64, i64 -> !linear.map<f64, f64>
// CHECK-NEXT: %v1 = linear.call {callee = @unit} : -> !linear.map<f64, f64>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
func.func @calls(%x: f64, %n: i64) {
  %v0 = linear.call %x, %n {callee = @scaling} : f64, i64 -> !linear.map<f64, f64>
  %v1 = linear.call {callee = @unit} : -> !linear.map<f64, f64>
  func.return
}
