// RUN: mlirad-opt %s -p mlirad-inline | filecheck %s --check-prefix INLINE
// RUN: mlirad-opt %s -p mlirad-cse | filecheck %s --check-prefix CSE
// RUN: mlirad-opt %s -p mlirad-dce | filecheck %s --check-prefix DCE
// RUN: mlirad-opt %s -p mlirad-canonicalize | filecheck %s --check-prefix CANON

// INLINE-LABEL: func.func @main
// INLINE-NOT:     func.call
// INLINE:         array.mul %x, %x : f64
// INLINE:         func.return

// CSE-LABEL: func.func @main
// CSE-NEXT:    %a = func.call @square(%x)
// CSE-NEXT:    %c = array.exp %a : f64
// CSE-NEXT:    %one = array.constant 1.000000e+00 : f64
// CSE-NEXT:    %d = array.mul %c, %one : f64
// CSE-NEXT:    %dead = array.log %c : f64
// CSE-NEXT:    func.return %d, %c : f64, f64

// DCE-LABEL: func.func @main
// DCE-NOT:     %dead
// DCE:         func.return %d, %e : f64, f64

// CANON-LABEL: func.func @main
// CANON-NEXT:    %a = func.call @square(%x)
// CANON-NEXT:    %c = array.exp %a : f64
// CANON-NEXT:    func.return %c, %c : f64, f64
func.func @main(%x: f64) -> (f64, f64) {
  %a = func.call @square(%x) : (f64) -> f64
  %b = func.call @square(%x) : (f64) -> f64
  %c = array.exp %a : f64
  %one = array.constant 1.0 : f64
  %d = array.mul %c, %one : f64
  %e = array.exp %b : f64
  %dead = array.log %e : f64
  func.return %d, %e : f64, f64
}
func.func @square(%x: f64) -> f64 {
  %y = array.mul %x, %x : f64
  func.return %y : f64
}
