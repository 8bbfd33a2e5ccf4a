// ulp: 4
// plain
func.func public @main(%x: tensor<13xcomplex<f32>>, %y: tensor<11xcomplex<f64>>) -> (tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<11xcomplex<f64>>) {
  %scale = stablehlo.constant dense<(1.0e-06, 0.0)> : tensor<13xcomplex<f32>>
  %small = stablehlo.multiply %x, %scale : tensor<13xcomplex<f32>>
  %0 = stablehlo.cosine %x : tensor<13xcomplex<f32>>
  %1 = stablehlo.cosine %small : tensor<13xcomplex<f32>>
  %2 = stablehlo.cosine %y : tensor<11xcomplex<f64>>
  return %0, %1, %2 : tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<11xcomplex<f64>>
}
