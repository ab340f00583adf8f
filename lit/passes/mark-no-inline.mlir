// RUN: mlirad-opt -p mark-no-inline %s | filecheck %s
// RUN: mlirad-opt -p mlirad-inline %s | filecheck %s --check-prefix INLINE

// A marked function keeps its calls, a small one is left to be inlined.

// CHECK: func.func private @kept(%x: f64) -> f64 attributes {no_inline} {
// CHECK: func.func private @small(%x: f64) -> f64 {

// INLINE: func.func private @kept(%x: f64) -> f64 attributes {no_inline} {
// INLINE-NOT: @small
// INLINE: func.func @main(%x: f64) -> f64 {
// INLINE-NEXT: %a = func.call @kept(%x) : (f64) -> f64
// INLINE-NEXT: %y = array.sin %a : f64
// INLINE-NEXT: %c = func.call @kept(%y) : (f64) -> f64
// INLINE-NEXT: func.return %c : f64
func.func private @kept(%x: f64) -> f64 attributes {no_inline} {
  %y = array.cos %x : f64
  func.return %y : f64
}
func.func private @small(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @main(%x: f64) -> f64 {
  %a = func.call @kept(%x) : (f64) -> f64
  %b = func.call @small(%a) : (f64) -> f64
  %c = func.call @kept(%b) : (f64) -> f64
  func.return %c : f64
}
