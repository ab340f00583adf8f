// RUN: mlirad-opt %s -p bulk-operations,mlirad-dce --split-input-file | filecheck %s

// Loops and branches inside builds become one loop or branch over the batch.

// Sorting and prefix reductions move one dimension inwards.

// CHECK-LABEL: func.func @ordering(
// CHECK-NEXT:      %s = array.sort %a {dim = 1} : tensor<3x4xf64>
// CHECK-NEXT:      %c = array.cumulative sum %s {dim = 1, reverse} : tensor<3x4xf64>
// CHECK-NEXT:      func.return %c : tensor<3x4xf64>
func.func @ordering(%a: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = array.build (%i) : -> tensor<3x4xf64> {
    %x = array.index %a[%i] : tensor<3x4xf64> -> tensor<4xf64>
    %s = array.sort %x {dim = 0} : tensor<4xf64>
    %c = array.cumulative sum %s {dim = 0, reverse} : tensor<4xf64>
    array.yield %c : tensor<4xf64>
  }
  func.return %r : tensor<3x4xf64>
}

// -----

// Only the carry that a batch axis reaches is bulk; slices come with the dimension of the iterations in front.

// CHECK-LABEL: func.func @scan(
// CHECK-NEXT:      %0 = array.broadcast %x {dims = [1, 0]} : tensor<3x5xf64> -> tensor<5x3xf64>
// CHECK-NEXT:      %c, %d = array.scan %a, %n, %0 (%k, %u: tensor<3xf64>, %v: f64, %e: tensor<3xf64>) {carries = 2, length = 5} : tensor<3xf64>, f64, tensor<5x3xf64> -> (tensor<3xf64>, f64) {
// CHECK-NEXT:        %p = array.mul %u, %e : tensor<3xf64>
// CHECK-NEXT:        %w = array.sin %v : f64
// CHECK-NEXT:        %1 = array.broadcast %w {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:        %q = array.add %p, %1 : tensor<3xf64>
// CHECK-NEXT:        array.yield %q, %w : tensor<3xf64>, f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %c_1, %1 = array.scan %a (%k, %u: tensor<3xf64>) {carries = 1, length = 5} : tensor<3xf64> -> (tensor<3xf64>, tensor<5x3xf64>) {
// CHECK-NEXT:        %w = array.sin %u : tensor<3xf64>
// CHECK-NEXT:        array.yield %w, %u : tensor<3xf64>, tensor<3xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %ys = array.broadcast %1 {dims = [1, 0]} : tensor<5x3xf64> -> tensor<3x5xf64>
// CHECK-NEXT:      func.return %c, %ys : tensor<3xf64>, tensor<3x5xf64>
func.func @scan(%a: tensor<3xf64>, %x: tensor<3x5xf64>, %n: f64) -> (tensor<3xf64>, tensor<3x5xf64>) {
  %r = array.build (%i) : -> tensor<3xf64> {
    %init = array.index %a[%i] : tensor<3xf64> -> f64
    %xs = array.index %x[%i] : tensor<3x5xf64> -> tensor<5xf64>
    %c, %d = array.scan %init, %n, %xs (%k, %u: f64, %v: f64, %e: f64) {carries = 2, length = 5} : f64, f64, tensor<5xf64> -> (f64, f64) {
      %p = array.mul %u, %e : f64
      %w = array.sin %v : f64
      %q = array.add %p, %w : f64
      array.yield %q, %w : f64, f64
    }
    array.yield %c : f64
  }
  %s = array.build (%i) : -> tensor<3x5xf64> {
    %init = array.index %a[%i] : tensor<3xf64> -> f64
    %c, %ys = array.scan %init (%k, %u: f64) {carries = 1, length = 5} : f64 -> (f64, tensor<5xf64>) {
      %w = array.sin %u : f64
      array.yield %w, %u : f64, f64
    }
    array.yield %ys : tensor<5xf64>
  }
  func.return %r, %s : tensor<3xf64>, tensor<3x5xf64>
}

// -----

// A condition that is the same for the whole batch is asked once.

// CHECK-LABEL: func.func @if(
// CHECK-NEXT:      %y = array.if %p : i1 -> tensor<3xf64> {
// CHECK-NEXT:        %e = array.exp %a : tensor<3xf64>
// CHECK-NEXT:        array.yield %e : tensor<3xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        array.yield %a : tensor<3xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %y : tensor<3xf64>
func.func @if(%p: i1, %a: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %x = array.index %a[%i] : tensor<3xf64> -> f64
    %y = array.if %p : i1 -> f64 {
      %e = array.exp %x : f64
      array.yield %e : f64
    } else {
      array.yield %x : f64
    }
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}

// -----

// Else both sides are computed. A contraction gets zeros for members that do not take its side.

// CHECK-LABEL: func.func @select(
// CHECK-NEXT:      %zero = array.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = array.broadcast %p {dims = [0]} : tensor<3xi1> -> tensor<3x2xi1>
// CHECK-NEXT:      %1 = array.broadcast %zero {dims = []} : f64 -> tensor<3x2xf64>
// CHECK-NEXT:      %2 = array.select %0, %a, %1 : tensor<3x2xi1>, tensor<3x2xf64>, tensor<3x2xf64> -> tensor<3x2xf64>
// CHECK-NEXT:      %e = array.dot %2, %w {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : tensor<3x2xf64>, tensor<2xf64> -> tensor<3xf64>
// CHECK-NEXT:      %3 = array.broadcast %zero {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:      %y = array.select %p, %e, %3 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT:      func.return %y : tensor<3xf64>
func.func @select(%p: tensor<3xi1>, %a: tensor<3x2xf64>, %w: tensor<2xf64>) -> tensor<3xf64> {
  %zero = array.constant 0.0 : f64
  %r = array.build (%i) : -> tensor<3xf64> {
    %x = array.index %a[%i] : tensor<3x2xf64> -> tensor<2xf64>
    %q = array.index %p[%i] : tensor<3xi1> -> i1
    %y = array.if %q : i1 -> f64 {
      %e = array.dot %x, %w {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : tensor<2xf64>, tensor<2xf64> -> f64
      array.yield %e : f64
    } else {
      array.yield %zero : f64
    }
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}

// -----

// A loop on data goes on while any member does; a member that is finished keeps its carry.

// CHECK-LABEL: func.func @while(
// CHECK-NEXT:      %0 = array.broadcast %one {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:      %more = array.compare lt %0, %a : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK-NEXT:      %y, %1 = array.while %a, %more (%2: tensor<3xf64>, %active: tensor<3xi1>) : tensor<3xf64>, tensor<3xi1> -> (tensor<3xf64>, tensor<3xi1>) {
// CHECK-NEXT:        %3 = array.reduce or %active {dims = [0]} : tensor<3xi1> -> i1
// CHECK-NEXT:        array.yield %3 : i1
// CHECK-NEXT:      } do (%u: tensor<3xf64>, %active: tensor<3xi1>) {
// CHECK-NEXT:        %v = array.sub %u, %0 : tensor<3xf64>
// CHECK-NEXT:        %y_1 = array.select %active, %v, %u : tensor<3xi1>, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT:        %more_1 = array.compare lt %0, %y_1 : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK-NEXT:        %y_2 = array.and %active, %more_1 : tensor<3xi1>
// CHECK-NEXT:        array.yield %y_1, %y_2 : tensor<3xf64>, tensor<3xi1>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %y : tensor<3xf64>
func.func @while(%a: tensor<3xf64>, %one: f64) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %x = array.index %a[%i] : tensor<3xf64> -> f64
    %y = array.while %x (%u: f64) : f64 -> f64 {
      %more = array.compare lt %one, %u : f64, f64 -> i1
      array.yield %more : i1
    } do (%u: f64) {
      %v = array.sub %u, %one : f64
      array.yield %v : f64
    }
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}

// -----

// A recursive function is made for this batch. Its mask ends the recursion.

// CHECK-LABEL: func.func @recursive(
// CHECK-NEXT:      %p = array.constant true
// CHECK-NEXT:      %p_1 = array.broadcast %p {dims = []} : i1 -> tensor<3xi1>
// CHECK-NEXT:      %p_2 = func.call @halved_batched(%x, %p_1) : (tensor<3xf64>, tensor<3xi1>) -> tensor<3xf64>
// CHECK-NEXT:      func.return %p_2 : tensor<3xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @halved(%x: f64) -> f64 {
// CHECK-NEXT:      %one = array.constant 1.000000e+00 : f64
// CHECK-NEXT:      %c = array.compare lt %x, %one : f64, f64 -> i1
// CHECK-NEXT:      %r = array.if %c : i1 -> f64 {
// CHECK-NEXT:        array.yield %x : f64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %half = array.constant 5.000000e-01 : f64
// CHECK-NEXT:        %y = array.mul %half, %x : f64
// CHECK-NEXT:        %p = func.call @halved(%y) : (f64) -> f64
// CHECK-NEXT:        array.yield %p : f64
// CHECK-LABEL: func.func private @halved_batched(
// CHECK-NEXT:      %one = array.constant 1.000000e+00 : f64
// CHECK-NEXT:      %0 = array.broadcast %one {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:      %c = array.compare lt %x, %0 : tensor<3xf64>, tensor<3xf64> -> tensor<3xi1>
// CHECK-NEXT:      %half = array.constant 5.000000e-01 : f64
// CHECK-NEXT:      %1 = array.broadcast %half {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:      %y = array.mul %1, %x : tensor<3xf64>
// CHECK-NEXT:      %r = array.not %c : tensor<3xi1>
// CHECK-NEXT:      %r_1 = array.and %active, %r : tensor<3xi1>
// CHECK-NEXT:      %2 = array.reduce or %r_1 {dims = [0]} : tensor<3xi1> -> i1
// CHECK-NEXT:      %p = array.if %2 : i1 -> tensor<3xf64> {
// CHECK-NEXT:        %p_1 = func.call @halved_batched(%y, %r_1) : (tensor<3xf64>, tensor<3xi1>) -> tensor<3xf64>
// CHECK-NEXT:        array.yield %p_1 : tensor<3xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %p_1 = array.constant 0.000000e+00 : f64
// CHECK-NEXT:        %p_2 = array.broadcast %p_1 {dims = []} : f64 -> tensor<3xf64>
// CHECK-NEXT:        array.yield %p_2 : tensor<3xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r_2 = array.select %c, %x, %p : tensor<3xi1>, tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
// CHECK-NEXT:      func.return %r_2 : tensor<3xf64>
func.func @recursive(%x: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %u = array.index %x[%i] : tensor<3xf64> -> f64
    %p = func.call @halved(%u) : (f64) -> f64
    array.yield %p : f64
  }
  func.return %r : tensor<3xf64>
}
func.func private @halved(%x: f64) -> f64 {
  %one = array.constant 1.0 : f64
  %c = array.compare lt %x, %one : f64, f64 -> i1
  %r = array.if %c : i1 -> f64 {
    array.yield %x : f64
  } else {
    %half = array.constant 0.5 : f64
    %y = array.mul %half, %x : f64
    %p = func.call @halved(%y) : (f64) -> f64
    array.yield %p : f64
  }
  func.return %r : f64
}

// -----

// A report of all members, of those on the path: one token for all of them.

// CHECK-LABEL: func.func @report(
// CHECK:           %u = array.report print %t, %{{.*}}, %x {message = "x = {}", batch_rank = 1} : i64, tensor<3xi1>, tensor<3xf64> -> i64
func.func @report(%t: i64, %x: tensor<3xf64>, %p: tensor<3xi1>) -> i64 {
  %r = array.build (%i) : -> tensor<3xi64> {
    %e = array.index %x[%i] : tensor<3xf64> -> f64
    %c = array.index %p[%i] : tensor<3xi1> -> i1
    %s = array.if %c : i1 -> i64 {
      %true = array.constant true
      %u = array.report print %t, %true, %e {message = "x = {}", batch_rank = 0} : i64, i1, f64 -> i64
      array.yield %u : i64
    } else {
      array.yield %t : i64
    }
    array.yield %s : i64
  }
  %last = array.reduce max %r {dims = [0]} : tensor<3xi64> -> i64
  func.return %last : i64
}

// -----

// A Python function is called for the members that run it.

// CHECK-LABEL: func.func @callback(
// CHECK:           %p = array.compare gt %x, %0 : tensor<4xf64>, tensor<4xf64> -> tensor<4xi1>
// CHECK-NEXT:      %c = array.callback %p, %x {function = "m.f", batch_rank = 1} : tensor<4xi1>, tensor<4xf64> -> tensor<4xf64>
// CHECK-NEXT:      %r = array.select %p, %c, %x : tensor<4xi1>, tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
func.func @callback(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = array.build (%i) : -> tensor<4xf64> {
    %e = array.index %x[%i] : tensor<4xf64> -> f64
    %z = array.constant 0.0 : f64
    %p = array.compare gt %e, %z : f64, f64 -> i1
    %r = array.if %p : i1 -> f64 {
      %t = array.constant true
      %c = array.callback %t, %e {function = "m.f", batch_rank = 0} : i1, f64 -> f64
      array.yield %c : f64
    } else {
      array.yield %e : f64
    }
    array.yield %r : f64
  }
  func.return %y : tensor<4xf64>
}
