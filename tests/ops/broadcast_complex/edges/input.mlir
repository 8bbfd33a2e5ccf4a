func.func public @main(%x0_0: tensor<3xf64>, %x0_1: tensor<5x1xf64>, %x1_0: tensor<0xf32>, %x1_1: tensor<f32>) -> (tensor<5x3xcomplex<f64>>, tensor<0xcomplex<f32>>) {
  %r0 = chlo.broadcast_complex %x0_0, %x0_1 : (tensor<3xf64>, tensor<5x1xf64>) -> tensor<5x3xcomplex<f64>>
  %r1 = chlo.broadcast_complex %x1_0, %x1_1 : (tensor<0xf32>, tensor<f32>) -> tensor<0xcomplex<f32>>
  return %r0, %r1 : tensor<5x3xcomplex<f64>>, tensor<0xcomplex<f32>>
}
