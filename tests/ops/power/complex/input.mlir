// ulp: 64
// plain
func.func public @main(%a: tensor<7xcomplex<f32>>, %b: tensor<7xcomplex<f32>>, %c: tensor<7xcomplex<f64>>, %d: tensor<7xcomplex<f64>>) -> (tensor<7xcomplex<f32>>, tensor<7xcomplex<f64>>, tensor<3x7xcomplex<f64>>) {
  %0 = stablehlo.power %a, %b : tensor<7xcomplex<f32>>
  %1 = stablehlo.power %c, %d : tensor<7xcomplex<f64>>
  %bases = stablehlo.constant dense<[[(0.0, 0.0)], [(1.0, 0.0)], [(0x7FF0000000000000, 0x7FF8000000000000)]]> : tensor<3x1xcomplex<f64>>
  %x = stablehlo.broadcast_in_dim %bases, dims = [0, 1] : (tensor<3x1xcomplex<f64>>) -> tensor<3x7xcomplex<f64>>
  %exponents = stablehlo.constant dense<[(0.0, 0.0), (2.0, 1.0), (-1.0, 0.0), (0x7FF0000000000000, 1.0), (0x7FF8000000000000, 0.0), (0.5, -0.0), (1.0, 0x7FF0000000000000)]> : tensor<7xcomplex<f64>>
  %y = stablehlo.broadcast_in_dim %exponents, dims = [1] : (tensor<7xcomplex<f64>>) -> tensor<3x7xcomplex<f64>>
  %2 = stablehlo.power %x, %y : tensor<3x7xcomplex<f64>>
  return %0, %1, %2 : tensor<7xcomplex<f32>>, tensor<7xcomplex<f64>>, tensor<3x7xcomplex<f64>>
}
