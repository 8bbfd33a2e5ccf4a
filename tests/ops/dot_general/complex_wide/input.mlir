// plain
// absolute: 1e-9
func.func public @main(%a: tensor<2x3xcomplex<f32>>, %b: tensor<3x5xcomplex<f32>>) -> tensor<2x5xcomplex<f64>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xcomplex<f32>>, tensor<3x5xcomplex<f32>>) -> tensor<2x5xcomplex<f64>>
  return %0 : tensor<2x5xcomplex<f64>>
}
