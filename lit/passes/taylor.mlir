// RUN: mlirad-opt %s -p 'taylor{function=f order=2}' | filecheck %s --check-prefix ADDED
// RUN: mlirad-opt %s -p 'taylor{function=f order=2},linearize,mlirad-canonicalize' | filecheck %s --check-prefix EXPANDED
// RUN: mlirad-opt %s -p 'taylor{function=g order=1},linearize,mlirad-canonicalize' | filecheck %s --check-prefix LOOP

// The op takes the coefficients of the argument, and gives those of the result.

// ADDED-LABEL: func.func @f_taylor(%x: f64, %x_1: f64, %x_2: f64) -> (f64, f64, f64) {
// ADDED-NEXT:    [[y:%.*]], [[y1:%.*]], [[y2:%.*]] = linear.jet %x, %x_1, %x_2 {callee = @f, wrt = [0], order = 2} : f64, f64, f64 -> (f64, f64, f64)
// ADDED-NEXT:    func.return [[y]], [[y1]], [[y2]] : f64, f64, f64

// The factor of exp is its result: 2 y2 = 2 x2 y + x1 y1.

// EXPANDED-LABEL: func.func @f_taylor(%x: f64, %x_1: f64, %x_2: f64) -> (f64, f64, f64) {
// EXPANDED-NEXT:    [[y:%.*]] = array.exp %x : f64
// EXPANDED-NEXT:    [[y1:%.*]] = array.absorbing_mul [[y]], %x_1 : f64
// EXPANDED-NEXT:    [[lower:%.*]] = array.absorbing_mul [[y1]], %x_1 : f64
// EXPANDED-NEXT:    [[last:%.*]] = array.absorbing_mul [[y]], %x_2 : f64
// EXPANDED-NEXT:    [[half:%.*]] = array.constant 5.000000e-01 : f64
// EXPANDED-NEXT:    [[part:%.*]] = array.mul [[half]], [[lower]] : f64
// EXPANDED-NEXT:    [[y2:%.*]] = array.add [[last]], [[part]] : f64
// EXPANDED-NEXT:    func.return [[y]], [[y1]], [[y2]] : f64, f64, f64
func.func @f(%x: f64) -> f64 {
  %y = array.exp %x : f64
  func.return %y : f64
}

// Loops carry coefficients.

// LOOP-LABEL: func.func @g_taylor(%x: f64, %n: i64, %x_1: f64) -> (f64, f64) {
// LOOP:         [[y:%.*]], [[m:%.*]], [[y1:%.*]] = array.while %x, %n, %x_1 ([[a:%.*]]: f64, [[k:%.*]], [[a1:%.*]]: f64) : f64, i64, f64 -> (f64, i64, f64) {
// LOOP:           [[one:%.*]] = array.mul [[a]], %x_1 : f64
// LOOP-NEXT:      [[other:%.*]] = array.mul [[a1]], %x : f64
// LOOP-NEXT:      array.add [[one]], [[other]] : f64
// LOOP:         func.return [[y]], [[y1]] : f64, f64
func.func @g(%x: f64, %n: i64) -> f64 {
  %one = array.constant 1 : i64
  %none = array.constant 0 : i64
  %y, %m = array.while %x, %n (%a : f64, %k) : f64, i64 -> (f64, i64) {
    %more = array.compare gt %k, %none : i64, i64 -> i1
    array.yield %more : i1
  } do (%a : f64, %k) {
    %p = array.mul %a, %x : f64
    %l = array.sub %k, %one : i64
    array.yield %p, %l : f64, i64
  }
  func.return %y : f64
}
