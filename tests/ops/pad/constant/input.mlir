// plain
func.func public @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %c = stablehlo.constant dense<[[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]> : tensor<2x3xf32>
  %fill = stablehlo.constant dense<-5.0> : tensor<f32>
  %p = stablehlo.pad %c, %fill, low = [1, -1], high = [0, 3], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x9xf32>
  %s = stablehlo.slice %p [0:3, 1:9] : (tensor<3x9xf32>) -> tensor<3x8xf32>
  %a = stablehlo.add %x, %s : tensor<3x8xf32>
  return %a : tensor<3x8xf32>
}
