// sizes: x.0=5
// every: x.0=9
// The last two elements come first, and with one element the only one: what is cut off is never more than there is.
func.func public @main(%x: tensor<?xf32> loc("x")) -> (tensor<?xf32>, tensor<f32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %step = stablehlo.constant dense<1> : tensor<1xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %turned = stablehlo.remainder %two, %n : tensor<i32>
  %kept = stablehlo.subtract %n, %turned : tensor<i32>
  %end = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %at = stablehlo.reshape %kept : (tensor<i32>) -> tensor<1xi32>
  %last = stablehlo.real_dynamic_slice %x, %at, %end, %step : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %first = stablehlo.real_dynamic_slice %x, %none, %at, %step : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %both = stablehlo.concatenate %last, %first, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %both, %sum : tensor<?xf32>, tensor<f32>
}
