// RUN: mlirad-opt -p "differentiate{function=f},linearize,apply-linear-maps" %s | filecheck %s --check-prefix=MAPS
// RUN: mlirad-opt -p "differentiate{function=f},linearize,apply-linear-maps,outline-derivatives,mlirad-dce" %s | filecheck %s

// The gradient of a recursive function: first an op that names it, then functions that record and go back.

func.func private @power(%x: f64, %n: i64) -> f64 {
  %one = array.constant 1 : i64
  %ends = array.compare lt %n, %one : i64, i64 -> i1
  %y = array.if %ends : i1 -> f64 {
    %u = array.constant 1.0 : f64
    array.yield %u : f64
  } else {
    %m = array.sub %n, %one : i64
    %z = func.call @power(%x, %m) : (f64, i64) -> f64
    %r = array.mul %x, %z : f64
    array.yield %r : f64
  }
  func.return %y : f64
}

// MAPS-LABEL: func.func @f_grad(%x: f64, %n: i64) -> (f64, f64) {
// MAPS: linear.pull %x, %n, {{.*}} {callee = @power, wrt = [0], results = [0]} : f64, i64, f64, f64 -> f64

// A pull that stands alone.
// CHECK-LABEL: func.func @alone
// CHECK: func.call @power_vjp(%x, %n, {{.*}}) : (f64, i64, f64, f64) -> f64
func.func @alone(%x: f64, %n: i64, %ct: f64) -> f64 {
  %0 = array.constant 0.0 : f64
  %s = linear.pull %x, %n, %ct, %0 {callee = @power, wrt = [0], results = [0]} : f64, i64, f64, f64 -> f64
  func.return %s : f64
}

// The value is that of the call that records.
// CHECK-LABEL: func.func @f_grad(%x: f64, %n: i64) -> (f64, f64) {
// CHECK: [[Y:%.*]], [[H:%.*]] = func.call @power_record(%x, %n) : (f64, i64) -> (f64, !array.frame<power_record>)
// CHECK-NOT: func.call @power(
// CHECK: func.call @power_reverse([[H]], %x, {{.*}}) : (!array.frame<power_record>, f64, f64, f64) -> f64

// CHECK-LABEL: func.func private @power_re
// CHECK: array.{{save|restore}}
// CHECK-LABEL: func.func private @power_vjp(%x: f64, %n: i64, {{.*}}: f64, {{.*}}: f64) -> f64 {
// CHECK-NEXT: {{.*}} = func.call @power_record(%x, %n) : (f64, i64) -> (f64, !array.frame<power_record>)
// CHECK-NEXT: {{.*}} = func.call @power_reverse({{.*}}, %x, {{.*}}) : (!array.frame<power_record>, f64, f64, f64) -> f64
func.func @f(%x: f64, %n: i64) -> f64 {
  %y = func.call @power(%x, %n) : (f64, i64) -> f64
  func.return %y : f64
}
