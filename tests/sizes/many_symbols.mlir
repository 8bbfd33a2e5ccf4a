// open: a.0=5 b.0=5 c.0=5 d.0=5 e.0=5
// More symbols than there is code for with three sizes of each.
func.func public @main(%a: tensor<?xf32> loc("a"), %b: tensor<?xf32> loc("b"), %c: tensor<?xf32> loc("c"), %d: tensor<?xf32> loc("d"), %e: tensor<?xf32> loc("e")) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%b init: %0) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%c init: %1) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.reduce(%d init: %2) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%e init: %3) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
