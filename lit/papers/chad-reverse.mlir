// RUN: mlirad-opt %s -p "chad{function=straight},chad{function=higher},mlirad-dce" | filecheck --check-prefix=CHAD %s
// RUN: mlirad-opt %s -p "differentiate{function=straight wrt=0,1,2,3},differentiate{function=higher wrt=0,1},chad,maps-to-closures,eliminate-functions,mlirad-inline,apply-linear-maps,bulk-operations,mlirad-canonicalize,mlirad-dce" | filecheck --check-prefix=ARRAYS %s

// Figure 1 (b) and figure 2 (b) of the CHAD paper, in reverse: as CHAD makes them, and as arrays after maps-to-closures.
//
//    straight    w' = cos w v'    z' = w'    y' = x3 z'
//                x1' = x4 y'      x2' = 2 y'    x3' = y z'    x4' = x1 y' + w'
//    higher      ys' = replicate w'             x1' = sum (map (\(x2i, y'). x2i y') f')
//                f'  = zip x2 ys'               x2' = zipWith (\x2i. snd (f x2i)) x2 ys'
//
// The cotangent of the function f is ct_f, a collection of the pairs (x2i, y'), which eliminate sums over: as arrays,
// a loop makes a cell of each pair, and another one adds up what becomes of them.

// CHAD-LABEL: func.func @straight_chad(%x1: f64, %x2: f64, %x3: f64, %x4: f64) -> (f64, !linear.map<f64, tuple<f64, f64, f64, f64>>) {
// CHAD-NEXT: %a = array.mul %x1, %x4 : f64
// CHAD-NEXT: %two = array.constant 2.000000e+00 : f64
// CHAD-NEXT: %c = array.mul %two, %x2 : f64
// CHAD-NEXT: %y = array.add %a, %c : f64
// CHAD-NEXT: %z = array.mul %y, %x3 : f64
// CHAD-NEXT: %w = array.add %z, %x4 : f64
// CHAD-NEXT: %v = array.sin %w : f64
// CHAD-NEXT: %0 = linear.lambda (%ct_v: f64) : -> !linear.map<f64, tuple<f64, f64, f64, f64>> {
// CHAD-NEXT: %1 = array.cos %w : f64
// CHAD-NEXT: %2 = linear.scale %1 : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_w = linear.apply_transpose %2, %ct_v : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %3 = linear.scale %x3 : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_y = linear.apply_transpose %3, %ct_w : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %4 = linear.scale %y : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_x3 = linear.apply_transpose %4, %ct_w : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %5 = linear.scale %two : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_x2 = linear.apply_transpose %5, %ct_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %6 = linear.scale %x4 : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_x1 = linear.apply_transpose %6, %ct_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %7 = linear.scale %x1 : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %8 = linear.apply_transpose %7, %ct_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %ct_x4 = array.add %ct_w, %8 : f64
// CHAD-NEXT: array.yield %ct_x1, %ct_x2, %ct_x3, %ct_x4 : f64, f64, f64, f64
// CHAD-NEXT: }
// CHAD-NEXT: func.return %v, %0 : f64, !linear.map<f64, tuple<f64, f64, f64, f64>>
// CHAD-NEXT: }

// ARRAYS-LABEL: func.func @straight_grad(%x1: f64, %x2: f64, %x3: f64, %x4: f64) -> (f64, f64, f64, f64, f64) {
// ARRAYS-NEXT: %a = array.mul %x1, %x4 : f64
// ARRAYS-NEXT: %two = array.constant 2.000000e+00 : f64
// ARRAYS-NEXT: %c = array.mul %two, %x2 : f64
// ARRAYS-NEXT: %y = array.add %a, %c : f64
// ARRAYS-NEXT: %z = array.mul %y, %x3 : f64
// ARRAYS-NEXT: %w = array.add %z, %x4 : f64
// ARRAYS-NEXT: %v = array.sin %w : f64
// ARRAYS-NEXT: %0 = array.cos %w : f64
// ARRAYS-NEXT: %ct_y = array.absorbing_mul %x3, %0 : f64
// ARRAYS-NEXT: %ct_x3 = array.absorbing_mul %y, %0 : f64
// ARRAYS-NEXT: %ct_x2 = array.mul %two, %ct_y : f64
// ARRAYS-NEXT: %ct_x1 = array.absorbing_mul %x4, %ct_y : f64
// ARRAYS-NEXT: %1 = array.absorbing_mul %x1, %ct_y : f64
// ARRAYS-NEXT: %ct_x4 = array.add %0, %1 : f64
// ARRAYS-NEXT: func.return %v, %ct_x1, %ct_x2, %ct_x3, %ct_x4 : f64, f64, f64, f64, f64
// ARRAYS-NEXT: }

func.func @straight(%x1: f64, %x2: f64, %x3: f64, %x4: f64) -> f64 {
  %a = array.mul %x1, %x4 : f64
  %two = array.constant 2.0 : f64
  %c = array.mul %two, %x2 : f64
  %y = array.add %a, %c : f64
  %z = array.mul %y, %x3 : f64
  %w = array.add %z, %x4 : f64
  %v = array.sin %w : f64
  func.return %v : f64
}

// CHAD-LABEL: func.func @higher_chad(%x1: f64, %x2: tensor<5xf64>) -> (f64, !linear.map<f64, tuple<f64, tensor<5xf64>>>) {
// CHAD-NEXT: %f_both = function.lambda (%x2i: f64) : -> !function.closure<(f64) -> (f64, !linear.map<f64, tuple<f64, f64>>)> {
// CHAD-NEXT: %y = array.mul %x1, %x2i : f64
// CHAD-NEXT: %0 = linear.lambda (%ct_y: f64) : -> !linear.map<f64, tuple<f64, f64>> {
// CHAD-NEXT: %1 = linear.scale %x2i : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_x1 = linear.apply_transpose %1, %ct_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %2 = linear.scale %x1 : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %ct_x2i = linear.apply_transpose %2, %ct_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: array.yield %ct_x1, %ct_x2i : f64, f64
// CHAD-NEXT: }
// CHAD-NEXT: array.yield %y, %0 : f64, !linear.map<f64, tuple<f64, f64>>
// CHAD-NEXT: }
// CHAD-NEXT: %f = function.lambda (%x2i: f64) : -> !function.closure<(f64) -> (f64, !linear.map<f64, f64>)> {
// CHAD-NEXT: %0, %1 = function.apply %f_both, %x2i : !function.closure<(f64) -> (f64, !linear.map<f64, tuple<f64, f64>>)>, f64 -> (f64, !linear.map<f64, tuple<f64, f64>>)
// CHAD-NEXT: %2 = linear.project {index = 1} : -> !linear.map<tuple<f64, f64>, f64>
// CHAD-NEXT: %3 = linear.compose %2, %1 : !linear.map<tuple<f64, f64>, f64>, !linear.map<f64, tuple<f64, f64>> -> !linear.map<f64, f64>
// CHAD-NEXT: array.yield %0, %3 : f64, !linear.map<f64, f64>
// CHAD-NEXT: }
// CHAD-NEXT: %ys = array.build (%i) : -> tensor<5xf64> {
// CHAD-NEXT: %x2i = array.index %x2[%i] : tensor<5xf64> -> f64
// CHAD-NEXT: %y, %0 = function.apply %f, %x2i : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64 -> (f64, !linear.map<f64, f64>)
// CHAD-NEXT: array.yield %y : f64
// CHAD-NEXT: }
// CHAD-NEXT: %w = array.sum %ys {dims = [0]} : tensor<5xf64> -> f64
// CHAD-NEXT: %0 = linear.lambda (%ct_w: f64) : -> !linear.map<f64, tuple<f64, tensor<5xf64>>> {
// CHAD-NEXT: %1 = linear.sum {dims = [0]} : -> !linear.map<tensor<5xf64>, f64>
// CHAD-NEXT: %ct_ys = linear.apply_transpose %1, %ct_w : !linear.map<tensor<5xf64>, f64>, f64 -> tensor<5xf64>
// CHAD-NEXT: %2 = linear.build_transpose (%3) {extents = [5]} : -> !linear.map<tensor<5xf64>, tuple<tensor<5xf64>, !linear.copower<f64, f64>>> {
// CHAD-NEXT: %x2i = array.index %x2[%3] : tensor<5xf64> -> f64
// CHAD-NEXT: %y, %4 = function.apply %f, %x2i : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64 -> (f64, !linear.map<f64, f64>)
// CHAD-NEXT: %5 = linear.lambda (%ct_y: f64) : -> !linear.map<f64, tuple<tensor<5xf64>, !linear.copower<f64, f64>>> {
// CHAD-NEXT: %6 = linear.single %x2i : f64 -> !linear.map<f64, !linear.copower<f64, f64>>
// CHAD-NEXT: %ct_f = linear.apply %6, %ct_y : !linear.map<f64, !linear.copower<f64, f64>>, f64 -> !linear.copower<f64, f64>
// CHAD-NEXT: %ct_x2i = linear.apply %4, %ct_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %7 = linear.index[%3] : -> !linear.map<tensor<5xf64>, f64>
// CHAD-NEXT: %ct_x2 = linear.apply_transpose %7, %ct_x2i : !linear.map<tensor<5xf64>, f64>, f64 -> tensor<5xf64>
// CHAD-NEXT: array.yield %ct_x2, %ct_f : tensor<5xf64>, !linear.copower<f64, f64>
// CHAD-NEXT: }
// CHAD-NEXT: array.yield %5 : !linear.map<f64, tuple<tensor<5xf64>, !linear.copower<f64, f64>>>
// CHAD-NEXT: }
// CHAD-NEXT: %ct_x2, %ct_f = linear.apply %2, %ct_ys : !linear.map<tensor<5xf64>, tuple<tensor<5xf64>, !linear.copower<f64, f64>>>, tensor<5xf64> -> (tensor<5xf64>, !linear.copower<f64, f64>)
// CHAD-NEXT: %3 = linear.eliminate (%x2i: f64) : -> !linear.map<!linear.copower<f64, f64>, f64> {
// CHAD-NEXT: %4, %5 = function.apply %f_both, %x2i : !function.closure<(f64) -> (f64, !linear.map<f64, tuple<f64, f64>>)>, f64 -> (f64, !linear.map<f64, tuple<f64, f64>>)
// CHAD-NEXT: %6 = linear.project {index = 0} : -> !linear.map<tuple<f64, f64>, f64>
// CHAD-NEXT: %7 = linear.compose %6, %5 : !linear.map<tuple<f64, f64>, f64>, !linear.map<f64, tuple<f64, f64>> -> !linear.map<f64, f64>
// CHAD-NEXT: array.yield %7 : !linear.map<f64, f64>
// CHAD-NEXT: }
// CHAD-NEXT: %ct_x1 = linear.apply %3, %ct_f : !linear.map<!linear.copower<f64, f64>, f64>, !linear.copower<f64, f64> -> f64
// CHAD-NEXT: array.yield %ct_x1, %ct_x2 : f64, tensor<5xf64>
// CHAD-NEXT: }
// CHAD-NEXT: func.return %w, %0 : f64, !linear.map<f64, tuple<f64, tensor<5xf64>>>
// CHAD-NEXT: }

// ARRAYS-LABEL: func.func @higher_grad(%x1: f64, %x2: tensor<5xf64>) -> (f64, f64, tensor<5xf64>) {
// ARRAYS: %ct_x2, %6 = array.scan %2, %5 (%7, %8: tensor<5xf64>, %9: !array.frame<collection>) {carries = 2, length = 5} : tensor<5xf64>, !array.frame<collection> -> (tensor<5xf64>, !array.frame<collection>) {
// ARRAYS: %ct_f = array.save %10, %x2i, %ct_w, %3, %3 : i64, f64, f64, !array.frame<collection>, !array.frame<collection> -> !array.frame<collection>
// ARRAYS: %ct_x2_1 = array.scatter %x1 () : f64 -> tensor<5xf64> {
// ARRAYS: %9, %ct_x1 = array.while %8, %1 (%10: !array.frame<collection>, %11: f64) : !array.frame<collection>, f64 -> (!array.frame<collection>, f64) {
// ARRAYS: %ct_x1_1 = array.absorbing_mul %20, %ct_y : f64
// ARRAYS: func.return %w, %ct_x1, %ct_x2 : f64, f64, tensor<5xf64>

func.func @higher(%x1: f64, %x2: tensor<5xf64>) -> f64 {
  %f = function.lambda (%x2i : f64) : -> !function.closure<(f64) -> f64> {
    %y = array.mul %x1, %x2i : f64
    array.yield %y : f64
  }
  %ys = array.build (%i) : -> tensor<5xf64> {
    %x2i = array.index %x2[%i] : tensor<5xf64> -> f64
    %y = function.apply %f, %x2i : !function.closure<(f64) -> f64>, f64 -> f64
    array.yield %y : f64
  }
  %w = array.sum %ys {dims = [0]} : tensor<5xf64> -> f64
  func.return %w : f64
}

// By every method, and by specifications interpreted and compiled.
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=dual-arrays}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=jacobian}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=chad}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=curry}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=straight wrt=0,1,2,3 method=chad-copower}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=chad-copower}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=chad-copower}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=straight wrt=0,1,2,3 method=curry-calls}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=curry-calls}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=straight wrt=0,1,2,3 method=curry-environment}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0,1,2,3 method=curry-environment}' --entry straight_grad --args 1.0 2.0 0.5 0.25 | filecheck --check-prefix=STRAIGHT %s
// STRAIGHT: 0.69368503195327{{[0-9]*}}
// STRAIGHT-NEXT: -0.09003480893208{{[0-9]*}}
// STRAIGHT-NEXT: -0.72027847145669{{[0-9]*}}
// STRAIGHT-NEXT: -3.0611835036909{{[0-9]*}}
// STRAIGHT-NEXT: -1.0804177071850{{[0-9]*}}

// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=dual-arrays}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=jacobian}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=chad}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=curry}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=higher wrt=0,1 method=chad-copower}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=chad-copower}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=chad-copower}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=higher wrt=0,1 method=curry-calls}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=curry-calls}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=higher wrt=0,1 method=curry-environment}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0,1 method=curry-environment}' --entry higher_grad --args 3.0 '[1.0, 2.0, 3.0, 4.0, 5.0]' | filecheck --check-prefix=HIGHER %s
// HIGHER: {{^45\.0$}}
// HIGHER-NEXT: {{^15\.0$}}
// HIGHER-NEXT: {{^\[3\. 3\. 3\. 3\. 3\.\]$}}
