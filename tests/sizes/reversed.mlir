// sizes: x.0=3,x.1=5,b.1=4
// every: x.0=3,x.1=35,b.1=4
// open: x.0=67,x.1=5,b.1=70
// Inputs and what is computed, from the end of what is valid backwards.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %b: tensor<3x?xi1> loc("b")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x?xi1>, tensor<3x?xi1>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<?x?xf32>
  %1 = stablehlo.reverse %x, dims = [1] : tensor<?x?xf32>
  %2 = stablehlo.reverse %x, dims = [1, 0] : tensor<?x?xf32>
  %t = stablehlo.tanh %x : tensor<?x?xf32>
  %r = stablehlo.reverse %t, dims = [1] : tensor<?x?xf32>
  %3 = stablehlo.multiply %r, %t : tensor<?x?xf32>
  %s = stablehlo.reverse %0, dims = [0] : tensor<?x?xf32>
  %4 = stablehlo.subtract %s, %1 : tensor<?x?xf32>
  %5 = stablehlo.reverse %b, dims = [1] : tensor<3x?xi1>
  %6 = stablehlo.reverse %b, dims = [0, 1] : tensor<3x?xi1>
  // All of what is reversed, in a loop that no other operand gives its extent.
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %7 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  %back = stablehlo.reverse %t, dims = [0, 1] : tensor<?x?xf32>
  %8 = stablehlo.reduce(%back init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x?xi1>, tensor<3x?xi1>, tensor<f32>, tensor<f32>
}
