// sizes: x.1=4
// every: x.1=35
// open: x.1=100
// Squares whose rows and columns have one size, as a line: returned, computed, repeated and summed.
func.func public @main(%x: tensor<2x?x?xf32> loc("x")) -> (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<?x?xf32>, tensor<2xf32>) {
  %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x?x?xf32>) -> tensor<i32>
  %e = stablehlo.compare EQ, %r, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e, %r, %s) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %n = stablehlo.multiply %s, %s : tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r1 = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %r2 = stablehlo.multiply %r1, %two : tensor<1xi32>
  %r3 = stablehlo.multiply %r1, %three : tensor<1xi32>
  %shape = stablehlo.concatenate %two, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %wide = stablehlo.concatenate %two, %r1, %three, %r1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %tiled = stablehlo.concatenate %r2, %r3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %f = stablehlo.dynamic_reshape %x, %shape : (tensor<2x?x?xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  %t = stablehlo.tanh %f : tensor<2x?xf32>
  %sum = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2xf32>
  %again = stablehlo.dynamic_broadcast_in_dim %x, %wide, dims = [0, 1, 3] : (tensor<2x?x?xf32>, tensor<4xi32>) -> tensor<2x?x3x?xf32>
  %tile = stablehlo.dynamic_reshape %again, %tiled : (tensor<2x?x3x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %most = stablehlo.reduce(%t init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2xf32>
  return %f, %t, %sum, %tile, %most : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<?x?xf32>, tensor<2xf32>
}
