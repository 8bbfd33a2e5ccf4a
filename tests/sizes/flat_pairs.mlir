// sizes: x.0=3,x.1=4
// every: x.0=4,x.1=18
// open: x.0=70 x.1=90
// Reductions of all elements of inputs whose sizes are both open are one loop over as many as the sizes' product.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<?x?xf32> loc("y")) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %least_size = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %some = stablehlo.compare GE, %r, %least_size : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some) {has_side_effect = true} : (tensor<i1>) -> ()
  %more = stablehlo.compare GE, %s, %least_size : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%more) {has_side_effect = true} : (tensor<i1>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %d = stablehlo.subtract %x, %y : tensor<?x?xf32>
  %square = stablehlo.multiply %d, %d : tensor<?x?xf32>
  %both = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  %least = stablehlo.reduce(%x init: %one) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  // Elements beyond the end would count: they are not below zero.
  %n = stablehlo.negate %square : tensor<?x?xf32>
  %max = stablehlo.reduce(%n init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %both, %least, %max : tensor<f32>, tensor<f32>, tensor<f32>
}
