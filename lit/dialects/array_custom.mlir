// RUN: mlirad-opt %s | mlirad-opt | filecheck %s
// RUN: mlirad-opt --emit=generic %s | mlirad-opt | filecheck %s

// Code with a derivative of its own, and code whose derivative keeps nothing of it.

// CHECK-LABEL: func.func @custom(%x: tensor<3xf64>, %k: i64) -> (tensor<3xf64>, i64) {
// CHECK-NEXT: %y, %n = array.custom %x, %k (%a: tensor<3xf64>, %i) : tensor<3xf64>, i64 -> (tensor<3xf64>, i64) {
// CHECK-NEXT: %e = array.exp %a : tensor<3xf64>
// CHECK-NEXT: array.yield %e, %i : tensor<3xf64>, i64
// CHECK-NEXT: } derivative (%a: tensor<3xf64>, %i, %da: tensor<3xf64>) {
// CHECK-NEXT: %e = array.exp %a : tensor<3xf64>
// CHECK-NEXT: %d = array.mul %e, %da : tensor<3xf64>
// CHECK-NEXT: array.yield %d : tensor<3xf64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y, %n : tensor<3xf64>, i64
// CHECK-NEXT: }
func.func @custom(%x: tensor<3xf64>, %k: i64) -> (tensor<3xf64>, i64) {
  %y, %n = array.custom %x, %k (%a : tensor<3xf64>, %i) : tensor<3xf64>, i64 -> (tensor<3xf64>, i64) {
    %e = array.exp %a : tensor<3xf64>
    array.yield %e, %i : tensor<3xf64>, i64
  } derivative (%a : tensor<3xf64>, %i, %da : tensor<3xf64>) {
    %e = array.exp %a : tensor<3xf64>
    %d = array.mul %e, %da : tensor<3xf64>
    array.yield %d : tensor<3xf64>
  }
  func.return %y, %n : tensor<3xf64>, i64
}

// CHECK-LABEL: func.func @transposed(%x: f64) -> f64 {
// CHECK-NEXT: %y = array.custom %x (%a: f64) {transposed} : f64 -> f64 {
// CHECK-NEXT: array.yield %a : f64
// CHECK-NEXT: } derivative (%a: f64, %ct: f64) {
// CHECK-NEXT: %s = array.sign %ct : f64
// CHECK-NEXT: array.yield %s : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @transposed(%x: f64) -> f64 {
  %y = array.custom %x (%a : f64) {transposed} : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %ct : f64) {
    %s = array.sign %ct : f64
    array.yield %s : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func @both(%x: f64) -> f64 {
// CHECK-NEXT: %y = array.custom %x (%a: f64) : f64 -> f64 {
// CHECK-NEXT: array.yield %a : f64
// CHECK-NEXT: } derivative (%a: f64, %da: f64) {
// CHECK-NEXT: array.yield %da : f64
// CHECK-NEXT: } transposed (%a: f64, %ct: f64) {
// CHECK-NEXT: array.yield %ct : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @both(%x: f64) -> f64 {
  %y = array.custom %x (%a : f64) : f64 -> f64 {
    array.yield %a : f64
  } derivative (%a : f64, %da : f64) {
    array.yield %da : f64
  } transposed (%a : f64, %ct : f64) {
    array.yield %ct : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func @of_result(%x: f64) -> f64 {
// CHECK-NEXT: %y = array.custom %x (%a: f64) {results} : f64 -> f64 {
// CHECK-NEXT: %e = array.exp %a : f64
// CHECK-NEXT: array.yield %e : f64
// CHECK-NEXT: } derivative (%a: f64, %e: f64, %da: f64) {
// CHECK-NEXT: %d = array.mul %e, %da : f64
// CHECK-NEXT: array.yield %d : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @of_result(%x: f64) -> f64 {
  %y = array.custom %x (%a : f64) {results} : f64 -> f64 {
    %e = array.exp %a : f64
    array.yield %e : f64
  } derivative (%a : f64, %e : f64, %da : f64) {
    %d = array.mul %e, %da : f64
    array.yield %d : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func @with_square(%x: f64) -> f64 {
// CHECK-NEXT: %y, %s = array.custom %x (%a: f64) {results, squared} : f64 -> (f64, f64) {
func.func @with_square(%x: f64) -> f64 {
  %y, %s = array.custom %x (%a : f64) {results, squared} : f64 -> (f64, f64) {
    %n = array.abs %a : f64
    %b = array.mul %a, %a : f64
    array.yield %n, %b : f64, f64
  } derivative (%a : f64, %n : f64, %b : f64, %da : f64) {
    %i = array.sign %a : f64
    %d = array.mul %i, %da : f64
    %c = array.mul %a, %da : f64
    %t = array.add %c, %c : f64
    array.yield %d, %t : f64, f64
  }
  func.return %y : f64
}

// CHECK-LABEL: func.func @checkpoint(%x: f64) -> f64 {
// CHECK-NEXT: %y = array.checkpoint : -> f64 {
// CHECK-NEXT: %e = array.exp %x : f64
// CHECK-NEXT: array.yield %e : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : f64
// CHECK-NEXT: }
func.func @checkpoint(%x: f64) -> f64 {
  %y = array.checkpoint : -> f64 {
    %e = array.exp %x : f64
    array.yield %e : f64
  }
  func.return %y : f64
}
