func.func public @main(%x: tensor<2x1xf32>, %y: tensor<f32>) -> tensor<2x1xcomplex<f32>> {
  %0 = chlo.broadcast_complex %x, %y : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xcomplex<f32>>
  return %0 : tensor<2x1xcomplex<f32>>
}
