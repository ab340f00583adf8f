// RUN: mlirad-opt %s -p drop-unused-rules --split-input-file | filecheck %s

// A function that nothing differentiates needs no rule.

// CHECK-LABEL: func.func @value
// CHECK-NEXT:    [[E:%.*]] = array.exp %x : f64
// CHECK-NEXT:    func.return [[E]]
func.func @value(%x: f64) -> f64 {
  %y = array.custom %x (%a : f64) : f64 -> f64 {
    %e = array.exp %a : f64
    array.yield %e : f64
  } derivative (%a : f64, %da : f64) {
    %e = array.exp %a : f64
    %d = array.mul %e, %da : f64
    array.yield %d : f64
  }
  func.return %y : f64
}

// -----

// One that is differentiated once needs its own rule, and no rule of the code in that rule; what is applied
// to a tangent keeps its own, by which it is transposed.

// CHECK-LABEL: func.func @once
// CHECK:         array.custom %x
// CHECK:         derivative ({{.*}}, [[T:%.*]]: f64) {
// CHECK-NEXT:      [[S:%.*]] = array.sin
// CHECK-NEXT:      [[R:%.*]] = array.mul [[S]]
// CHECK-NEXT:      array.custom [[T]]
func.func @once(%x: f64) -> f64 {
  %y = array.custom %x (%a : f64) : f64 -> f64 {
    %e = array.exp %a : f64
    array.yield %e : f64
  } derivative (%a : f64, %da : f64) {
    %s = array.custom %a (%c : f64) : f64 -> f64 {
      %e = array.sin %c : f64
      array.yield %e : f64
    } derivative (%c : f64, %dc : f64) {
      array.yield %dc : f64
    }
    %r = array.mul %s, %s : f64
    %t = array.custom %da (%c : f64) {transposed} : f64 -> f64 {
      array.yield %c : f64
    } derivative (%c : f64, %dc : f64) {
      array.yield %dc : f64
    }
    %d = array.mul %r, %t : f64
    array.yield %d : f64
  }
  func.return %y : f64
}

func.func @gradient(%x: f64) -> f64 {
  %one = array.constant 1.0 : f64
  %y, %g = linear.pullback %x {callee = @once, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %r = linear.apply %g, %one : !linear.map<f64, f64>, f64 -> f64
  func.return %r : f64
}

// -----

// Where functions are values no caller is known, so all rules stay.

// CHECK-LABEL: func.func @closure
// CHECK:         array.custom
func.func @closure(%x: f64) -> f64 {
  %f = function.lambda (%a : f64) : -> !function.closure<(f64) -> f64> {
    %y = array.custom %a (%b : f64) : f64 -> f64 {
      array.yield %b : f64
    } derivative (%b : f64, %db : f64) {
      array.yield %db : f64
    }
    array.yield %y : f64
  }
  %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}
