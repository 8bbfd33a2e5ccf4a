// plain
// absolute: 3e-4

// Rows of the result read nothing together: one row after the other, in panels of columns, a large one in blocks of rows of the input.
func.func public @main(%large: tensor<3x69x137xf32>, %small: tensor<5x7x300xf32>, %stack: tensor<2x3x33x290xf32>, %vectors: tensor<5x129xf32>, %matrices: tensor<5x129x131xf32>, %image: tensor<2x9x11x70xf32>)
    -> (tensor<3x137xf32>, tensor<5x300xf32>, tensor<2x3x290xf32>, tensor<5x131xf32>, tensor<2x70xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%large init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x69x137xf32>, tensor<f32>) -> tensor<3x137xf32>
  %count = stablehlo.constant dense<69.0> : tensor<3x137xf32>
  %mean = stablehlo.divide %0, %count : tensor<3x137xf32>
  %1 = stablehlo.reduce(%small init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7x300xf32>, tensor<f32>) -> tensor<5x300xf32>
  %2 = stablehlo.reduce(%stack init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x33x290xf32>, tensor<f32>) -> tensor<2x3x290xf32>
  %3 = stablehlo.dot_general %vectors, %matrices, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<5x129xf32>, tensor<5x129x131xf32>) -> tensor<5x131xf32>
  %4 = stablehlo.reduce(%image init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x9x11x70xf32>, tensor<f32>) -> tensor<2x70xf32>
  return %mean, %1, %2, %3, %4 : tensor<3x137xf32>, tensor<5x300xf32>, tensor<2x3x290xf32>, tensor<5x131xf32>, tensor<2x70xf32>
}
