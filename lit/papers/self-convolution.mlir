// RUN: mlirad-opt %s -p bulk-operations | filecheck --check-prefix=BULK %s
// RUN: mlirad-opt %s -p bulk-operations,linearize,mlirad-dce | filecheck --check-prefix=LINEAR %s
// RUN: mlirad-opt %s -p bulk-operations,linearize,apply-linear-maps,mlirad-dce | filecheck --check-prefix=APPLIED %s
// RUN: mlirad-run %s --pipeline=expand --entry pullback --args '[1.0, 2.0, 3.0, 4.0]' 3.0 | filecheck --check-prefix=VALUE %s
// RUN: mlirad-run %s --interpret --pipeline=expand --entry pullback --args '[1.0, 2.0, 3.0, 4.0]' 3.0 | filecheck --check-prefix=VALUE %s

// One element of the self-convolution of an array, and its pullback: the example by which the dual-arrays
// paper shows its pipeline (section 7.1 and figure 18). Stage by stage, in the paper's notation,
//
//    source          sumOuter (build1 n (\i. index a i * index a (n - 1 - i)))
//    bulk            sumOuter (gather [n] a (\i. i) * gather [n] a (\i. n - 1 - i))
//    linear          SumOuter (Add (Scale x2 (Gather da (\i. i))) (Scale x1 (Gather da (\i. n - 1 - i))))
//    transposed      scatter (x2 * s) (\i. i) + scatter (x1 * s) (\i. n - 1 - i)  where s = replicate n c
//
// except for the gather and the scatter along \i. i, which are the array itself.

func.func @convolution(%a: tensor<4xf64>) -> f64 {
  %last = array.constant 3 : i64
  %products = array.build (%i) : -> tensor<4xf64> {
    %x1 = array.index %a[%i] : tensor<4xf64> -> f64
    %j = array.sub %last, %i : i64
    %x2 = array.index %a[%j] : tensor<4xf64> -> f64
    %product = array.mul %x1, %x2 : f64
    array.yield %product : f64
  }
  %result = array.sum %products {dims = [0]} : tensor<4xf64> -> f64
  func.return %result : f64
}

func.func @pullback(%a: tensor<4xf64>, %c: f64) -> (f64, tensor<4xf64>) {
  %y, %d = linear.linearize %a {callee = @convolution, wrt = [0]} : tensor<4xf64> -> (f64, !linear.map<tensor<4xf64>, f64>)
  %g = linear.apply_transpose %d, %c : !linear.map<tensor<4xf64>, f64>, f64 -> tensor<4xf64>
  func.return %y, %g : f64, tensor<4xf64>
}

// The build is gone: indexing is a gather, and the product is one of arrays.

// BULK-LABEL: func.func @convolution(
// BULK-NEXT:    %last = array.constant 3 : i64
// BULK-NEXT:    %x2 = array.gather %a (%i) : tensor<4xf64> -> tensor<4xf64> {
// BULK-NEXT:      %j = array.sub %last, %i : i64
// BULK-NEXT:      array.yield %j : i64
// BULK-NEXT:    }
// BULK-NEXT:    %product = array.mul %a, %x2 : tensor<4xf64>
// BULK-NEXT:    %result = array.sum %product {dims = [0]} : tensor<4xf64> -> f64
// BULK-NEXT:    func.return %result : f64

// The primal part reads no map; the map is a sum over two scalings, one of them after the gather.

// LINEAR-LABEL: func.func @pullback(
// LINEAR-NEXT:    %last = array.constant 3 : i64
// LINEAR-NEXT:    %x2 = array.gather %a (%i) : tensor<4xf64> -> tensor<4xf64> {
// LINEAR-NEXT:      %j = array.sub %last, %i : i64
// LINEAR-NEXT:      array.yield %j : i64
// LINEAR-NEXT:    }
// LINEAR-NEXT:    %d_x2 = linear.gather (%i) : -> !linear.map<tensor<4xf64>, tensor<4xf64>> {
// LINEAR-NEXT:      %j = array.sub %last, %i : i64
// LINEAR-NEXT:      array.yield %j : i64
// LINEAR-NEXT:    }
// LINEAR-NEXT:    %product = array.mul %a, %x2 : tensor<4xf64>
// LINEAR-NEXT:    %[[BY_X2:.*]] = linear.scale %x2 : tensor<4xf64> -> !linear.map<tensor<4xf64>, tensor<4xf64>>
// LINEAR-NEXT:    %[[BY_X1:.*]] = linear.scale %a : tensor<4xf64> -> !linear.map<tensor<4xf64>, tensor<4xf64>>
// LINEAR-NEXT:    %[[SECOND:.*]] = linear.compose %[[BY_X1]], %d_x2 :
// LINEAR-NEXT:    %d_product = linear.add %[[BY_X2]], %[[SECOND]] : !linear.map<tensor<4xf64>, tensor<4xf64>>
// LINEAR-NEXT:    %result = array.sum %product {dims = [0]} : tensor<4xf64> -> f64
// LINEAR-NEXT:    %[[SUM:.*]] = linear.sum {dims = [0]} : -> !linear.map<tensor<4xf64>, f64>
// LINEAR-NEXT:    %d_result = linear.compose %[[SUM]], %d_product :
// LINEAR-NEXT:    %[[GRADIENT:.*]] = linear.apply_transpose %d_result, %c :
// LINEAR-NEXT:    func.return %result, %[[GRADIENT]] : f64, tensor<4xf64>

// The cotangent is replicated once, scaled by each factor, and scattered along the gather's positions.

// APPLIED-LABEL: func.func @pullback(
// APPLIED:         %result = array.sum %product {dims = [0]} : tensor<4xf64> -> f64
// APPLIED-NEXT:    %[[S:.*]] = array.broadcast %c {dims = []} : f64 -> tensor<4xf64>
// APPLIED-NEXT:    %[[CT2:.*]] = array.absorbing_mul %a, %[[S]] : tensor<4xf64>
// APPLIED-NEXT:    %[[BACK:.*]] = array.scatter %[[CT2]] (%i) : tensor<4xf64> -> tensor<4xf64> {
// APPLIED-NEXT:      %j = array.sub %last, %i : i64
// APPLIED-NEXT:      array.yield %j : i64
// APPLIED-NEXT:    }
// APPLIED-NEXT:    %[[CT1:.*]] = array.absorbing_mul %x2, %[[S]] : tensor<4xf64>
// APPLIED-NEXT:    %[[SUM:.*]] = array.add %[[BACK]], %[[CT1]] : tensor<4xf64>
// APPLIED-NEXT:    func.return %result, %[[SUM]] : f64, tensor<4xf64>

// At a = [1, 2, 3, 4] the result is 20, and 3 times its gradient is 6 times a reversed.

// VALUE: 20
// VALUE-NEXT: [24. 18. 12.  6.]
