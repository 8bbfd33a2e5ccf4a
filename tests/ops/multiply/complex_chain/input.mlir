func.func public @main(%x: tensor<19xcomplex<f32>>, %y: tensor<3x5xcomplex<f64>>) -> (tensor<19xcomplex<f32>>, tensor<3x5xcomplex<f64>>) {
  // Horner's rule with constant coefficients, all of which are merged into one nest.
  %c = stablehlo.constant dense<[(1.25, -0.5), (-2.0, 3.5), (0.75, 0.125)]> : tensor<3xcomplex<f32>>
  %c0 = stablehlo.slice %c [0:1] : (tensor<3xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  %c1 = stablehlo.slice %c [1:2] : (tensor<3xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  %c2 = stablehlo.slice %c [2:3] : (tensor<3xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  %b0 = stablehlo.broadcast_in_dim %c0, dims = [0] : (tensor<1xcomplex<f32>>) -> tensor<19xcomplex<f32>>
  %b1 = stablehlo.broadcast_in_dim %c1, dims = [0] : (tensor<1xcomplex<f32>>) -> tensor<19xcomplex<f32>>
  %b2 = stablehlo.broadcast_in_dim %c2, dims = [0] : (tensor<1xcomplex<f32>>) -> tensor<19xcomplex<f32>>
  %0 = stablehlo.multiply %b0, %x : tensor<19xcomplex<f32>>
  %1 = stablehlo.add %0, %b1 : tensor<19xcomplex<f32>>
  %2 = stablehlo.multiply %1, %x : tensor<19xcomplex<f32>>
  %3 = stablehlo.add %2, %b2 : tensor<19xcomplex<f32>>
  %d = stablehlo.constant dense<(0.5, 2.0)> : tensor<complex<f64>>
  %b3 = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<complex<f64>>) -> tensor<3x5xcomplex<f64>>
  %4 = stablehlo.multiply %y, %y : tensor<3x5xcomplex<f64>>
  %5 = stablehlo.add %4, %b3 : tensor<3x5xcomplex<f64>>
  %6 = stablehlo.multiply %5, %b3 : tensor<3x5xcomplex<f64>>
  return %3, %6 : tensor<19xcomplex<f32>>, tensor<3x5xcomplex<f64>>
}
