// RUN: mlirad-opt %s -p 'name-ops,linearize,apply-linear-maps,check-absorbed' --split-input-file | filecheck %s

// The factor that is 0 is computed, so it is reported where it meets the pole, by the name of the op and its line.

// CHECK-LABEL: func.func @gradient(
// CHECK:         %[[t:.*]] = array.constant 0 : i64
// CHECK:         %a = array.acos %x : f64
// CHECK:         %[[k:.*]] = array.rsqrt
// CHECK:         %[[f:.*]] = array.add %a, %a : f64
// CHECK:         array.absorbing_mul %[[k]], %[[f]] : f64
// CHECK:         %[[infinite:.*]] = array.not
// CHECK:         %[[zero:.*]] = array.compare eq %[[f]]
// CHECK-NEXT:    %[[absorbs:.*]] = array.and %[[infinite]], %[[zero]] : i1
// CHECK-NEXT:    %[[u:.*]] = array.report pole %[[t]], %[[absorbs]] {message = "the derivative of acos is not finite, and a zero absorbs it", source = {{.*}}, batch_rank = 0} : i64, i1 -> i64
// CHECK:         %[[never:.*]] = array.compare eq %{{.*}} : i64, i64 -> i1
// CHECK-NEXT:    array.select %[[never]]
func.func @angle(%x: f64) -> f64 {
  %a = array.acos %x : f64
  %r = array.mul %a, %a : f64
  func.return %r : f64
}

func.func @gradient(%x: f64) -> f64 {
  %y, %d = linear.linearize %x {callee = @angle, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %o = array.constant 1.0 : f64
  %g = linear.apply_transpose %d, %o : !linear.map<f64, f64>, f64 -> f64
  func.return %g : f64
}

// -----

// A zero that says that something is not taken does not count: only where %c holds could that of a cotangent
// be one. A product that absorbs by itself is not reported.

// CHECK-LABEL: func.func @gradient(
// CHECK:         %[[ct:.*]] = array.select %c, %o, %{{.*}} : i1, f64, f64 -> f64
// CHECK:         %[[d:.*]] = array.absorbing_mul %{{.*}}, %[[ct]] : f64
// CHECK:         %[[zero:.*]] = array.compare eq %[[ct]]
// CHECK-NEXT:    %[[absorbs:.*]] = array.and %{{.*}}, %[[zero]] : i1
// CHECK-NEXT:    %[[found:.*]] = array.and %[[absorbs]], %c : i1
// CHECK-NEXT:    array.report pole %{{.*}}, %[[found]] {message = "the derivative of sqrt is not finite
// CHECK-NOT:     the derivative of absorbing_mul
func.func @branch(%x: f64, %c: i1) -> f64 {
  %r = array.sqrt %x : f64
  %y = array.select %c, %r, %x : i1, f64, f64 -> f64
  func.return %y : f64
}

func.func @gradient(%x: f64, %c: i1, %o: f64) -> f64 {
  %y, %d = linear.linearize %x, %c {callee = @branch, wrt = [0]} : f64, i1 -> (f64, !linear.map<f64, f64>)
  %g = linear.apply_transpose %d, %o : !linear.map<f64, f64>, f64 -> f64
  %p = array.absorbing_mul %g, %y : f64
  func.return %p : f64
}
