// plain
// absolute: 1e-3

// More than a cache holds: rows are read once, in stretches of a few at a time, with a rest in both directions.
func.func public @main(%x: tensor<1043x530xf32>, %y: tensor<2x601x450xf32>, %start: tensor<f32>) -> (tensor<530xf32>, tensor<2x450xf32>) {
  %0 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<1043x530xf32>, tensor<f32>) -> tensor<530xf32>
  %1 = stablehlo.reduce(%y init: %start) applies stablehlo.add across dimensions = [1] : (tensor<2x601x450xf32>, tensor<f32>) -> tensor<2x450xf32>
  return %0, %1 : tensor<530xf32>, tensor<2x450xf32>
}
