func.func public @main(%x: tensor<5xcomplex<f32>>) -> tensor<5xf32> {
  %0 = stablehlo.imag %x : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
