func.func public @main(%x: tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %0 = chlo.conj %x : tensor<5xcomplex<f32>> -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
