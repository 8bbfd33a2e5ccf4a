// plain
func.func public @main(%l: tensor<f32>, %x: tensor<11xf32>, %h: tensor<f32>) -> tensor<11xf32> {
  %0 = stablehlo.clamp %l, %x, %h : (tensor<f32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
  return %0 : tensor<11xf32>
}
