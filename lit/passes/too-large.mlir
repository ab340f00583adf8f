// RUN: mlirad-opt --split-input-file --verify-diagnostics -p linearize %s

// A pass that needs more than any machine holds is an error that names the op and the pass.

func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  // expected-error @below {{pass 'linearize' makes an array that is too large: array.scan: result 1 has type tensor<9223372036854775807x2xf64>, of more than 281474976710656 elements}}
  %y = array.scan %x (%i, %c: tensor<2xf64>) {carries = 1, length = 9223372036854775807, checkpoint = store} : tensor<2xf64> -> tensor<2xf64> {
    %s = array.sin %c : tensor<2xf64>
    array.yield %s : tensor<2xf64>
  }
  func.return %y : tensor<2xf64>
}

func.func @main(%x: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<2xf64> {
  %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : tensor<2xf64> -> (tensor<2xf64>, !linear.map<tensor<2xf64>, tensor<2xf64>>)
  %z = linear.apply_transpose %d, %t : !linear.map<tensor<2xf64>, tensor<2xf64>>, tensor<2xf64> -> tensor<2xf64>
  func.return %z : tensor<2xf64>
}
