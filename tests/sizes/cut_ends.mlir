// sizes: x.1=5
// every: x.1=21
// Negative padding cuts off the last elements of an input: what is left of them after the size enters no sum, nor a dot.
func.func public @main(%x: tensor<8x?xf32> loc("x"), %i: tensor<3x?xi32> loc("i")) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<3xi32>, tensor<8x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<8x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %i, dim = 1 : (tensor<3x?xi32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %some = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %equal = stablehlo.compare EQ, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%equal, %m, %n) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %cut = stablehlo.pad %x, %zero, low = [0, 0], high = [0, -1], interior = [0, 0] : (tensor<8x?xf32>, tensor<f32>) -> tensor<8x?xf32>
  %0 = stablehlo.dot_general %cut, %cut, contracting_dims = [1] x [1] : (tensor<8x?xf32>, tensor<8x?xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.reduce(%cut init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x?xf32>, tensor<f32>) -> tensor<8xf32>
  %moved = stablehlo.pad %i, %none, low = [0, 1], high = [0, -2], interior = [0, 0] : (tensor<3x?xi32>, tensor<i32>) -> tensor<3x?xi32>
  %2 = stablehlo.reduce(%moved init: %none) applies stablehlo.add across dimensions = [1] : (tensor<3x?xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %1, %2, %cut : tensor<8x8xf32>, tensor<8xf32>, tensor<3xi32>, tensor<8x?xf32>
}
