// RUN: mlirad-opt %s -p expand-inner-derivatives | filecheck %s

// @slope is differentiated and takes a derivative: that is expanded, and the one of @slope stays.

// CHECK-LABEL: func.func private @slope(
// CHECK-NEXT:    %[[D:.*]] = array.cos %x : f64
// CHECK-NEXT:    func.return %[[D]] : f64
// CHECK-LABEL: func.func @main(
// CHECK:         linear.linearize %x {callee = @slope, wrt = [0]}
func.func private @sine(%x: f64) -> f64 {
  %s = array.sin %x : f64
  func.return %s : f64
}

func.func private @slope(%x: f64) -> f64 {
  %s, %d = linear.linearize %x {callee = @sine, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %o = array.constant 1.0 : f64
  %r = linear.apply %d, %o : !linear.map<f64, f64>, f64 -> f64
  func.return %r : f64
}

func.func @main(%x: f64) -> f64 {
  %s, %d = linear.linearize %x {callee = @slope, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %r = linear.apply %d, %x : !linear.map<f64, f64>, f64 -> f64
  func.return %r : f64
}
