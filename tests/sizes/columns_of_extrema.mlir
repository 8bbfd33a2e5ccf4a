// sizes: x.1=3
// every: x.1=70
// Extrema of rows, whose masks leave the input as it is up to the size; also where the input is returned, and its copy read whole.
func.func public @main(%x: tensor<4x?x16xf32> loc("x")) -> (tensor<4x16xf32>, tensor<4x?x16xf32>, tensor<4x16xf32>, tensor<4x16xi32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x?x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %1 = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<4x?x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %i = stablehlo.convert %x : (tensor<4x?x16xf32>) -> tensor<4x?x16xi32>
  %2 = stablehlo.reduce(%i init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x?x16xi32>, tensor<i32>) -> tensor<4x16xi32>
  %3 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<4x?x16xf32>, tensor<f32>) -> tensor<f32>
  return %0, %x, %1, %2, %3 : tensor<4x16xf32>, tensor<4x?x16xf32>, tensor<4x16xf32>, tensor<4x16xi32>, tensor<f32>
}
