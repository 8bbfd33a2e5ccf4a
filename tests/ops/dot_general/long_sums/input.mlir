// plain
// absolute: 5e-3
func.func public @main(%a: tensor<7x1301xf32>, %b: tensor<1301x19xf32>, %c: tensor<1301xf32>, %d: tensor<11x2053xf64>, %e: tensor<2053x9xf64>, %f: tensor<5x700xcomplex<f32>>, %g: tensor<700x3xcomplex<f32>>)
    -> (tensor<7x19xf32>, tensor<7xf32>, tensor<19xf32>, tensor<f32>, tensor<11x9xf64>, tensor<5x3xcomplex<f32>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<7x1301xf32>, tensor<1301x19xf32>) -> tensor<7x19xf32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<7x1301xf32>, tensor<1301xf32>) -> tensor<7xf32>
  %2 = stablehlo.dot_general %c, %b, contracting_dims = [0] x [0] : (tensor<1301xf32>, tensor<1301x19xf32>) -> tensor<19xf32>
  %3 = stablehlo.dot_general %c, %c, contracting_dims = [0] x [0] : (tensor<1301xf32>, tensor<1301xf32>) -> tensor<f32>
  %4 = stablehlo.dot_general %d, %e, contracting_dims = [1] x [0] : (tensor<11x2053xf64>, tensor<2053x9xf64>) -> tensor<11x9xf64>
  %5 = stablehlo.dot_general %f, %g, contracting_dims = [1] x [0] : (tensor<5x700xcomplex<f32>>, tensor<700x3xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5 : tensor<7x19xf32>, tensor<7xf32>, tensor<19xf32>, tensor<f32>, tensor<11x9xf64>, tensor<5x3xcomplex<f32>>
}
