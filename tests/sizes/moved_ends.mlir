// every: x.1=41
// open: x.1=100
// What ends with an open size: the last vector of a row, which begins earlier where the row is long enough, of several lengths of vectors;
// blocks that are turned; elements that are written twice, of which no vector may begin at an odd place; running sums, from both ends.
func.func public @main(%x: tensor<9x?xf32> loc("x"), %r: tensor<?xf32> loc("r"), %d: tensor<3x?xf64> loc("d"), %b: tensor<3x?xi8> loc("b"), %q: tensor<?x?xf32> loc("q")) -> (tensor<9x?xf32>, tensor<?x9xf32>, tensor<3x?xf64>, tensor<3x?xi8>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x?x2xi8>, tensor<9x?xf32>, tensor<9x?xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<9x?xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ones = stablehlo.constant dense<1> : tensor<1xi32>
  %nones = stablehlo.constant dense<0> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %nine = stablehlo.constant dense<9> : tensor<1xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  // Sizes that are equal.
  %r0 = stablehlo.get_dimension_size %r, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %d1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<3x?xf64>) -> tensor<i32>
  %b1 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<3x?xi8>) -> tensor<i32>
  %q0 = stablehlo.get_dimension_size %q, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %q1 = stablehlo.get_dimension_size %q, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %r0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %d1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e2 = stablehlo.compare EQ, %n, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e3 = stablehlo.compare EQ, %n, %q0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e4 = stablehlo.compare EQ, %n, %q1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %r0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %d1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e2, %n, %b1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e3, %n, %q0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e4, %n, %q1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  // A row for each.
  %rows = stablehlo.concatenate %nine, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %square = stablehlo.concatenate %s, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %added = stablehlo.dynamic_broadcast_in_dim %r, %rows, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<9x?xf32>
  %sum = stablehlo.add %x, %added : tensor<9x?xf32>
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<9x?xf32>) -> tensor<?x9xf32>
  %doubles = stablehlo.multiply %d, %d : tensor<3x?xf64>
  %bytes = stablehlo.add %b, %b : tensor<3x?xi8>
  %columns = stablehlo.dynamic_broadcast_in_dim %r, %square, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %squares = stablehlo.subtract %q, %columns : tensor<?x?xf32>
  %back = stablehlo.transpose %q, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // Each element twice.
  %pairs = stablehlo.concatenate %three, %s, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %twice = stablehlo.dynamic_broadcast_in_dim %b, %pairs, dims = [0, 1] : (tensor<3x?xi8>, tensor<3xi32>) -> tensor<3x?x2xi8>
  // Running sums.
  %m = stablehlo.subtract %n, %one : tensor<i32>
  %before = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %window = stablehlo.concatenate %ones, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %tall = stablehlo.concatenate %s, %ones, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %steps = stablehlo.constant dense<1> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<1x2xi32>
  %low = stablehlo.concatenate %before, %nones, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %lows = stablehlo.reshape %low : (tensor<2xi32>) -> tensor<1x2xi32>
  %high = stablehlo.concatenate %nones, %before, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %highs = stablehlo.reshape %high : (tensor<2xi32>) -> tensor<1x2xi32>
  %forward = stablehlo.concatenate %none, %lows, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %backward = stablehlo.concatenate %none, %highs, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %downward = stablehlo.concatenate %lows, %none, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %running = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %steps, %steps, %steps, %forward) {called_computations = [@add]} : (tensor<9x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<9x?xf32>
  %reversed = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %steps, %steps, %steps, %backward) {called_computations = [@add]} : (tensor<9x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<9x?xf32>
  %down = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%q, %zero, %tall, %steps, %steps, %steps, %downward) {called_computations = [@add]} : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %sum, %turned, %doubles, %bytes, %squares, %back, %twice, %running, %reversed, %down : tensor<9x?xf32>, tensor<?x9xf32>, tensor<3x?xf64>, tensor<3x?xi8>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x?x2xi8>, tensor<9x?xf32>, tensor<9x?xf32>, tensor<?x?xf32>
}
func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.add %a, %b : tensor<f32>
  return %c : tensor<f32>
}
