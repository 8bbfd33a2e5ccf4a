func.func public @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sqrt %x : tensor<f32>
  return %0 : tensor<f32>
}
