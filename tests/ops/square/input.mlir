// ulp: 3
// plain
func.func public @main(%x: tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %0 = chlo.square %x : tensor<5xcomplex<f32>> -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
