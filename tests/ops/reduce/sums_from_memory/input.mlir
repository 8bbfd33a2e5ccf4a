// plain
// absolute: 1e-3

// More than a cache holds: rows are read once, in stretches of a few at a time, with a rest in both directions.
func.func public @main(%x: tensor<1043x530xf32>, %start: tensor<f32>) -> tensor<530xf32> {
  %0 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<1043x530xf32>, tensor<f32>) -> tensor<530xf32>
  return %0 : tensor<530xf32>
}
