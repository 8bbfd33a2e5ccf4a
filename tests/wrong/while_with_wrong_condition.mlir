func.func public @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%i = %x) : tensor<f32> cond {
    stablehlo.return %i : tensor<f32>
  } do {
    stablehlo.return %i : tensor<f32>
  }
  return %0 : tensor<f32>
}
