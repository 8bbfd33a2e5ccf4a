// every: x.0=59
// open: x.0=400
// Long sums of columns, whose blocks end at the size: of floats in vectors and a rest of them, and of a few.
func.func public @main(%x: tensor<?x60xf32> loc("x"), %y: tensor<?x3xf32> loc("y")) -> (tensor<60xf32>, tensor<3xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x60xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %n, %m) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x60xf32>, tensor<f32>) -> tensor<60xf32>
  %b = stablehlo.reduce(%y init: %one) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %a, %b : tensor<60xf32>, tensor<3xf32>
}
