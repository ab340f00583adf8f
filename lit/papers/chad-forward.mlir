// RUN: mlirad-opt %s -p "chad{function=straight mode=forward},chad{function=higher mode=forward},mlirad-dce" | filecheck --check-prefix=CHAD %s
// RUN: mlirad-opt %s -p "differentiate{function=straight wrt=0 mode=forward},differentiate{function=higher wrt=0 mode=forward},chad,maps-to-closures,eliminate-functions,mlirad-inline,apply-linear-maps,bulk-operations,mlirad-canonicalize,mlirad-dce" | filecheck --check-prefix=ARRAYS %s

// Figure 1 (a) and figure 2 (a) of the CHAD paper, forward: as CHAD makes them, and as arrays after maps-to-closures.
//
//    straight    y' = 2 x'    z' = x' y + x y'    w' = -sin z z'
//    higher      f' = \z. x' z    zs' = replicate x'    ys' = map f' zs + zipWith (\z. snd (f z)) zs zs'
//
// The tangent of the function f is d_f, an element of a power, evaluated at each z.

// CHAD-LABEL: func.func @straight_chad(%x: f64) -> (f64, f64, f64, !linear.map<f64, tuple<f64, f64, f64>>) {
// CHAD-NEXT: %two = array.constant 2.000000e+00 : f64
// CHAD-NEXT: %y = array.mul %two, %x : f64
// CHAD-NEXT: %z = array.mul %x, %y : f64
// CHAD-NEXT: %w = array.cos %z : f64
// CHAD-NEXT: %0 = linear.lambda (%d_x: f64) : -> !linear.map<f64, tuple<f64, f64, f64>> {
// CHAD-NEXT: %1 = linear.scale %two : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %d_y = linear.apply %1, %d_x : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %2 = linear.scale %y : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %d_z = linear.apply %2, %d_x : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %3 = linear.scale %x : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %4 = linear.apply %3, %d_y : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %d_z_1 = array.add %d_z, %4 : f64
// CHAD-NEXT: %5 = array.sin %z : f64
// CHAD-NEXT: %6 = array.neg %5 : f64
// CHAD-NEXT: %7 = linear.scale %6 : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %d_w = linear.apply %7, %d_z_1 : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: array.yield %d_y, %d_z_1, %d_w : f64, f64, f64
// CHAD-NEXT: }
// CHAD-NEXT: func.return %y, %z, %w, %0 : f64, f64, f64, !linear.map<f64, tuple<f64, f64, f64>>
// CHAD-NEXT: }

// ARRAYS-LABEL: func.func @straight_jvp(%x: f64, %d_x: f64) -> (f64, f64, f64, f64, f64, f64) {
// ARRAYS-NEXT: %two = array.constant 2.000000e+00 : f64
// ARRAYS-NEXT: %y = array.mul %two, %x : f64
// ARRAYS-NEXT: %z = array.mul %x, %y : f64
// ARRAYS-NEXT: %w = array.cos %z : f64
// ARRAYS-NEXT: %d_y = array.mul %two, %d_x : f64
// ARRAYS-NEXT: %d_z = array.absorbing_mul %y, %d_x : f64
// ARRAYS-NEXT: %0 = array.absorbing_mul %x, %d_y : f64
// ARRAYS-NEXT: %d_z_1 = array.add %d_z, %0 : f64
// ARRAYS-NEXT: %1 = array.sin %z : f64
// ARRAYS-NEXT: %2 = array.absorbing_mul %1, %d_z_1 : f64
// ARRAYS-NEXT: %d_w = array.neg %2 : f64
// ARRAYS-NEXT: func.return %y, %z, %w, %d_y, %d_z_1, %d_w : f64, f64, f64, f64, f64, f64
// ARRAYS-NEXT: }

func.func @straight(%x: f64) -> (f64, f64, f64) {
  %two = array.constant 2.0 : f64
  %y = array.mul %two, %x : f64
  %z = array.mul %x, %y : f64
  %w = array.cos %z : f64
  func.return %y, %z, %w : f64, f64, f64
}

// CHAD-LABEL: func.func @higher_chad(%x: f64) -> (tensor<5xf64>, !linear.map<f64, tensor<5xf64>>) {
// CHAD-NEXT: %f_both = function.lambda (%z: f64) : -> !function.closure<(f64) -> (f64, !linear.map<tuple<f64, f64>, f64>)> {
// CHAD-NEXT: %p = array.mul %x, %z : f64
// CHAD-NEXT: %one = array.constant 1.000000e+00 : f64
// CHAD-NEXT: %q = array.add %p, %one : f64
// CHAD-NEXT: %0 = linear.lambda (%d_x: f64, %d_z: f64) : -> !linear.map<tuple<f64, f64>, f64> {
// CHAD-NEXT: %1 = linear.scale %z : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %d_p = linear.apply %1, %d_x : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %2 = linear.scale %x : f64 -> !linear.map<f64, f64>
// CHAD-NEXT: %3 = linear.apply %2, %d_z : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %d_p_1 = array.add %d_p, %3 : f64
// CHAD-NEXT: array.yield %d_p_1 : f64
// CHAD-NEXT: }
// CHAD-NEXT: array.yield %q, %0 : f64, !linear.map<tuple<f64, f64>, f64>
// CHAD-NEXT: }
// CHAD-NEXT: %f = function.lambda (%z: f64) : -> !function.closure<(f64) -> (f64, !linear.map<f64, f64>)> {
// CHAD-NEXT: %0, %1 = function.apply %f_both, %z : !function.closure<(f64) -> (f64, !linear.map<tuple<f64, f64>, f64>)>, f64 -> (f64, !linear.map<tuple<f64, f64>, f64>)
// CHAD-NEXT: %2 = linear.inject {index = 1} : -> !linear.map<f64, tuple<f64, f64>>
// CHAD-NEXT: %3 = linear.compose %1, %2 : !linear.map<tuple<f64, f64>, f64>, !linear.map<f64, tuple<f64, f64>> -> !linear.map<f64, f64>
// CHAD-NEXT: array.yield %0, %3 : f64, !linear.map<f64, f64>
// CHAD-NEXT: }
// CHAD-NEXT: %zs = array.broadcast %x {dims = []} : f64 -> tensor<5xf64>
// CHAD-NEXT: %ys = array.build (%i) : -> tensor<5xf64> {
// CHAD-NEXT: %y, %0 = function.apply %f, %x : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64 -> (f64, !linear.map<f64, f64>)
// CHAD-NEXT: array.yield %y : f64
// CHAD-NEXT: }
// CHAD-NEXT: %0 = linear.lambda (%d_x: f64) : -> !linear.map<f64, tensor<5xf64>> {
// CHAD-NEXT: %1 = linear.function (%z: f64) : -> !linear.map<f64, !linear.power<f64, f64>> {
// CHAD-NEXT: %2, %3 = function.apply %f_both, %z : !function.closure<(f64) -> (f64, !linear.map<tuple<f64, f64>, f64>)>, f64 -> (f64, !linear.map<tuple<f64, f64>, f64>)
// CHAD-NEXT: %4 = linear.inject {index = 0} : -> !linear.map<f64, tuple<f64, f64>>
// CHAD-NEXT: %5 = linear.compose %3, %4 : !linear.map<tuple<f64, f64>, f64>, !linear.map<f64, tuple<f64, f64>> -> !linear.map<f64, f64>
// CHAD-NEXT: array.yield %5 : !linear.map<f64, f64>
// CHAD-NEXT: }
// CHAD-NEXT: %d_f = linear.apply %1, %d_x : !linear.map<f64, !linear.power<f64, f64>>, f64 -> !linear.power<f64, f64>
// CHAD-NEXT: %2 = linear.broadcast {dims = []} : -> !linear.map<f64, tensor<5xf64>>
// CHAD-NEXT: %d_zs = linear.apply %2, %d_x : !linear.map<f64, tensor<5xf64>>, f64 -> tensor<5xf64>
// CHAD-NEXT: %3 = linear.build (%4) {extents = [5]} : -> !linear.map<tuple<tensor<5xf64>, !linear.power<f64, f64>>, tensor<5xf64>> {
// CHAD-NEXT: %z = array.index %zs[%4] : tensor<5xf64> -> f64
// CHAD-NEXT: %y, %5 = function.apply %f, %z : !function.closure<(f64) -> (f64, !linear.map<f64, f64>)>, f64 -> (f64, !linear.map<f64, f64>)
// CHAD-NEXT: %6 = linear.lambda (%d_zs_1: tensor<5xf64>, %d_f_1: !linear.power<f64, f64>) : -> !linear.map<tuple<tensor<5xf64>, !linear.power<f64, f64>>, f64> {
// CHAD-NEXT: %7 = linear.index[%4] : -> !linear.map<tensor<5xf64>, f64>
// CHAD-NEXT: %d_z = linear.apply %7, %d_zs_1 : !linear.map<tensor<5xf64>, f64>, tensor<5xf64> -> f64
// CHAD-NEXT: %8 = linear.evaluate %z : f64 -> !linear.map<!linear.power<f64, f64>, f64>
// CHAD-NEXT: %d_y = linear.apply %8, %d_f_1 : !linear.map<!linear.power<f64, f64>, f64>, !linear.power<f64, f64> -> f64
// CHAD-NEXT: %9 = linear.apply %5, %d_z : !linear.map<f64, f64>, f64 -> f64
// CHAD-NEXT: %d_y_1 = array.add %d_y, %9 : f64
// CHAD-NEXT: array.yield %d_y_1 : f64
// CHAD-NEXT: }
// CHAD-NEXT: array.yield %6 : !linear.map<tuple<tensor<5xf64>, !linear.power<f64, f64>>, f64>
// CHAD-NEXT: }
// CHAD-NEXT: %d_ys = linear.apply %3, %d_zs, %d_f : !linear.map<tuple<tensor<5xf64>, !linear.power<f64, f64>>, tensor<5xf64>>, tensor<5xf64>, !linear.power<f64, f64> -> tensor<5xf64>
// CHAD-NEXT: array.yield %d_ys : tensor<5xf64>
// CHAD-NEXT: }
// CHAD-NEXT: func.return %ys, %0 : tensor<5xf64>, !linear.map<f64, tensor<5xf64>>
// CHAD-NEXT: }

// ARRAYS-LABEL: func.func @higher_jvp(%x: f64, %d_x: f64) -> (tensor<5xf64>, tensor<5xf64>) {
// ARRAYS-NEXT: %p = array.mul %x, %x : f64
// ARRAYS-NEXT: %one = array.constant 1.000000e+00 : f64
// ARRAYS-NEXT: %q = array.add %p, %one : f64
// ARRAYS-NEXT: %0 = array.broadcast %q {dims = []} : f64 -> tensor<5xf64>
// ARRAYS-NEXT: %d_z = array.constant 0.000000e+00 : f64
// ARRAYS-NEXT: %d_p = array.absorbing_mul %x, %d_x : f64
// ARRAYS-NEXT: %d_p_1 = array.add %d_p, %d_z : f64
// ARRAYS-NEXT: %d_p_2 = array.add %d_z, %d_p : f64
// ARRAYS-NEXT: %d_y = array.add %d_p_1, %d_p_2 : f64
// ARRAYS-NEXT: %1 = array.broadcast %d_y {dims = []} : f64 -> tensor<5xf64>
// ARRAYS-NEXT: func.return %0, %1 : tensor<5xf64>, tensor<5xf64>
// ARRAYS-NEXT: }

func.func @higher(%x: f64) -> tensor<5xf64> {
  %f = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {
    %p = array.mul %x, %z : f64
    %one = array.constant 1.0 : f64
    %q = array.add %p, %one : f64
    array.yield %q : f64
  }
  %zs = array.broadcast %x {dims = []} : f64 -> tensor<5xf64>
  %ys = array.build (%i) : -> tensor<5xf64> {
    %z = array.index %zs[%i] : tensor<5xf64> -> f64
    %y = function.apply %f, %z : !function.closure<(f64) -> f64>, f64 -> f64
    array.yield %y : f64
  }
  func.return %ys : tensor<5xf64>
}

// By every method with a forward mode, and by specifications interpreted and compiled.
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0 mode=forward method=dual-arrays}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0 mode=forward method=jacobian}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0 mode=forward method=chad}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0 mode=forward method=curry}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=straight wrt=0 mode=forward method=chad-copower}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0 mode=forward method=chad-copower}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// RUN: mlirad-run %s --pipeline='grad{function=straight wrt=0 mode=forward method=chad-copower}' --entry straight_jvp --args 0.5 2.0 | filecheck --check-prefix=STRAIGHT %s
// STRAIGHT: {{^1\.0$}}
// STRAIGHT-NEXT: {{^0\.5$}}
// STRAIGHT-NEXT: 0.87758256189037{{[0-9]*}}
// STRAIGHT-NEXT: {{^4\.0$}}
// STRAIGHT-NEXT: {{^4\.0$}}
// STRAIGHT-NEXT: -1.91770215441681{{[0-9]*}}

// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0 mode=forward method=dual-arrays}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0 mode=forward method=jacobian}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0 mode=forward method=chad}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0 mode=forward method=curry}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --interpret --pipeline='grad{function=higher wrt=0 mode=forward method=chad-copower}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0 mode=forward method=chad-copower}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// RUN: mlirad-run %s --pipeline='grad{function=higher wrt=0 mode=forward method=chad-copower}' --entry higher_jvp --args 3.0 2.0 | filecheck --check-prefix=HIGHER %s
// HIGHER: {{^\[10\. 10\. 10\. 10\. 10\.\]$}}
// HIGHER-NEXT: {{^\[12\. 12\. 12\. 12\. 12\.\]$}}
