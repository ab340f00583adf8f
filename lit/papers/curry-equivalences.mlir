// Figure 4 of the curry paper: two programs in each column, equal forward and in their back-propagators.
//
//    partial application     foo1 (a, b) = (\xb -> f (a, xb)) b          foo2 (a, b) = f (a, b)
//    forgetting results      foo1 (f, g) x = fst (f x, g x)              foo2 (f, g) x = f x
//    summing results         foo1 f x = f x + f x                        foo2 f x = let y = f x in y + y
//
// with f (a, b) = a sin b, and below f x = a sin x, g x = b x. By every method, specifications interpreted and
// compiled: the value a sin b at (2, 0.5), and its gradient (sin b, a cos b); then 2 a sin b and twice that.

// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1 method=jacobian}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1 method=chad}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1 method=curry}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=partial1 wrt=0,1 method=curry-calls}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1 method=curry-calls}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=partial1 wrt=0,1 method=curry-environment}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1 method=curry-environment}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=partial1 wrt=0,1 method=chad-copower}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial1 wrt=0,1 method=chad-copower}' --entry partial1_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial2 wrt=0,1 method=curry}' --entry partial2_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=partial2 wrt=0,1 method=curry-calls}' --entry partial2_grad --args 2.0 0.5 | filecheck %s
// RUN: mlirad-run %s --pipeline='grad{function=partial2 wrt=0,1 method=curry-calls}' --entry partial2_grad --args 2.0 0.5 | filecheck %s
// CHECK: 0.95885107720840{{[0-9]*}}
// CHECK-NEXT: 0.47942553860420{{[0-9]*}}
// CHECK-NEXT: 1.75516512378074{{[0-9]*}}

// RUN: mlirad-run %s --pipeline='grad{function=forgetting1 wrt=0,1,2 method=curry}' --entry forgetting1_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --pipeline='grad{function=forgetting1 wrt=0,1,2}' --entry forgetting1_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=forgetting1 wrt=0,1,2 method=curry-calls}' --entry forgetting1_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --pipeline='grad{function=forgetting1 wrt=0,1,2 method=curry-calls}' --entry forgetting1_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=forgetting1 wrt=0,1,2 method=curry-environment}' --entry forgetting1_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --pipeline='grad{function=forgetting1 wrt=0,1,2 method=curry-environment}' --entry forgetting1_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --pipeline='grad{function=forgetting2 wrt=0,1,2 method=curry}' --entry forgetting2_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=forgetting2 wrt=0,1,2 method=curry-calls}' --entry forgetting2_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// RUN: mlirad-run %s --pipeline='grad{function=forgetting2 wrt=0,1,2 method=curry-calls}' --entry forgetting2_grad --args 2.0 3.0 0.5 | filecheck --check-prefix=FORGET %s
// FORGET: 0.95885107720840{{[0-9]*}}
// FORGET-NEXT: 0.47942553860420{{[0-9]*}}
// FORGET-NEXT: {{^0\.0$}}
// FORGET-NEXT: 1.75516512378074{{[0-9]*}}

// RUN: mlirad-run %s --pipeline='grad{function=summing1 wrt=0,1 method=curry}' --entry summing1_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --pipeline='grad{function=summing1 wrt=0,1}' --entry summing1_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=summing1 wrt=0,1 method=curry-calls}' --entry summing1_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --pipeline='grad{function=summing1 wrt=0,1 method=curry-calls}' --entry summing1_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=summing1 wrt=0,1 method=curry-environment}' --entry summing1_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --pipeline='grad{function=summing1 wrt=0,1 method=curry-environment}' --entry summing1_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --pipeline='grad{function=summing2 wrt=0,1 method=curry}' --entry summing2_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=summing2 wrt=0,1 method=curry-calls}' --entry summing2_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// RUN: mlirad-run %s --pipeline='grad{function=summing2 wrt=0,1 method=curry-calls}' --entry summing2_grad --args 2.0 0.5 | filecheck --check-prefix=SUM %s
// SUM: 1.91770215441681{{[0-9]*}}
// SUM-NEXT: 0.95885107720840{{[0-9]*}}
// SUM-NEXT: 3.51033024756149{{[0-9]*}}

// The two partial applications are one code once closures are gone.
// RUN: mlirad-opt %s -p eliminate-functions,mlirad-inline,mlirad-canonicalize | filecheck --check-prefix=EQUAL %s
// EQUAL-LABEL: func.func @partial1(%a: f64, %b: f64) -> f64 {
// EQUAL-NEXT: %s = array.sin %b : f64
// EQUAL-NEXT: %y = array.mul %a, %s : f64
// EQUAL-NEXT: func.return %y : f64

func.func @partial1(%a: f64, %b: f64) -> f64 {
  %g = function.lambda (%xb: f64) : -> !function.closure<(f64) -> f64> {
    %s = array.sin %xb : f64
    %y = array.mul %a, %s : f64
    array.yield %y : f64
  }
  %r = function.apply %g, %b : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

func.func @partial2(%a: f64, %b: f64) -> f64 {
  %s = array.sin %b : f64
  %y = array.mul %a, %s : f64
  func.return %y : f64
}

func.func @forgetting1(%a: f64, %b: f64, %x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %s = array.sin %z : f64
    %y = array.mul %a, %s : f64
    array.yield %y : f64
  }
  %g = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %y = array.mul %b, %z : f64
    array.yield %y : f64
  }
  %fx = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %gx = function.apply %g, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %pair = function.tuple %fx, %gx : f64, f64 -> tuple<f64, f64>
  %r = function.get %pair {index = 0} : tuple<f64, f64> -> f64
  func.return %r : f64
}

func.func @forgetting2(%a: f64, %b: f64, %x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %s = array.sin %z : f64
    %y = array.mul %a, %s : f64
    array.yield %y : f64
  }
  %r = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  func.return %r : f64
}

func.func @summing1(%a: f64, %x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %s = array.sin %z : f64
    %y = array.mul %a, %s : f64
    array.yield %y : f64
  }
  %y1 = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %y2 = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %r = array.add %y1, %y2 : f64
  func.return %r : f64
}

func.func @summing2(%a: f64, %x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> f64> {
    %s = array.sin %z : f64
    %y = array.mul %a, %s : f64
    array.yield %y : f64
  }
  %y = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
  %r = array.add %y, %y : f64
  func.return %r : f64
}
