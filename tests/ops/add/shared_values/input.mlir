// ulp: 4
// plain
func.func public @main(%p: tensor<35x67xf32>, %g: tensor<35x67xf32>, %m: tensor<35x67xf32>, %b: tensor<67xf32>)
    -> (tensor<35x67xf32>, tensor<35x67xf32>, tensor<35x67xf32>, tensor<35xf32>) {
  // Values with several users, some of them results; one is read by a sum first, so that its nest cannot wait.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<0.5> : tensor<35x67xf32>
  %0 = stablehlo.multiply %m, %c : tensor<35x67xf32>
  %1 = stablehlo.add %0, %g : tensor<35x67xf32>
  %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<67xf32>) -> tensor<35x67xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<35x67xf32>
  %4 = stablehlo.subtract %p, %3 : tensor<35x67xf32>
  %5 = stablehlo.maximum %4, %2 : tensor<35x67xf32>
  %6 = stablehlo.abs %5 : tensor<35x67xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.maximum across dimensions = [1]
      : (tensor<35x67xf32>, tensor<f32>) -> tensor<35xf32>
  %8 = stablehlo.add %6, %1 : tensor<35x67xf32>
  return %1, %4, %8, %7 : tensor<35x67xf32>, tensor<35x67xf32>, tensor<35x67xf32>, tensor<35xf32>
}
