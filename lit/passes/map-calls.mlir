// RUN: mlirad-opt --split-input-file -p apply-linear-maps %s | filecheck %s --check-prefixes=CHECK,APPLY
// RUN: mlirad-opt --split-input-file -p mlirad-inline,apply-linear-maps,mlirad-canonicalize %s | filecheck %s --check-prefixes=CHECK,INLINE

// Applied, the map that a function makes is a call of a function that applies it; inlined, it is code.

func.func private @product_map(%a: f64, %b: f64) -> !linear.map<tuple<f64, f64>, f64> {
  %by_a = linear.scale %b : f64 -> !linear.map<f64, f64>
  %by_b = linear.scale %a : f64 -> !linear.map<f64, f64>
  %m = linear.hcat %by_a, %by_b : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<tuple<f64, f64>, f64>
  func.return %m : !linear.map<tuple<f64, f64>, f64>
}

// CHECK-LABEL: func.func @both(
// APPLY-NEXT: %dy = func.call @product_map_apply(%a, %b, %da, %db) : (f64, f64, f64, f64) -> f64
// APPLY-NEXT: %0, %1 = func.call @product_map_apply_transpose(%a, %b, %dy) : (f64, f64, f64) -> (f64, f64)
// APPLY-NEXT: func.return %0, %1 : f64, f64
// APPLY: func.func private @product_map_apply(%a: f64, %b: f64, %0: f64, %1: f64) -> f64 {
// APPLY-NEXT: %2 = array.absorbing_mul %b, %0 : f64
// APPLY-NEXT: %3 = array.absorbing_mul %a, %1 : f64
// APPLY-NEXT: %4 = array.add %2, %3 : f64
// APPLY-NEXT: func.return %4 : f64
// APPLY: func.func private @product_map_apply_transpose(%a: f64, %b: f64, %0: f64) -> (f64, f64) {
// APPLY-NEXT: %1 = array.absorbing_mul %b, %0 : f64
// APPLY-NEXT: %2 = array.absorbing_mul %a, %0 : f64
// APPLY-NEXT: func.return %1, %2 : f64, f64
// INLINE-NEXT: %dy = array.absorbing_mul %b, %da : f64
// INLINE-NEXT: %dy_1 = array.absorbing_mul %a, %db : f64
// INLINE-NEXT: %dy_2 = array.add %dy, %dy_1 : f64
// INLINE-NEXT: %ca = array.absorbing_mul %b, %dy_2 : f64
// INLINE-NEXT: %ca_1 = array.absorbing_mul %a, %dy_2 : f64
// INLINE-NEXT: func.return %ca, %ca_1 : f64, f64
// CHECK-NOT: linear
func.func @both(%a: f64, %b: f64, %da: f64, %db: f64) -> (f64, f64) {
  %m = linear.call %a, %b {callee = @product_map} : f64, f64 -> !linear.map<tuple<f64, f64>, f64>
  %dy = linear.apply %m, %da, %db : !linear.map<tuple<f64, f64>, f64>, f64, f64 -> f64
  %ca, %cb = linear.apply_transpose %m, %dy : !linear.map<tuple<f64, f64>, f64>, f64 -> (f64, f64)
  func.return %ca, %cb : f64, f64
}
