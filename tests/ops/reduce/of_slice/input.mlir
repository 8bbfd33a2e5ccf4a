// plain
// absolute: 1e-4
func.func public @main(%x: tensor<6x61xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6x24xf32>) {
  // Rows whose last vector ends before the row that they are a part of.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.negate %x : tensor<6x61xf32>
  %s = stablehlo.slice %p [0:6, 3:40] : (tensor<6x61xf32>) -> tensor<6x37xf32>
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x37xf32>, tensor<f32>) -> tensor<6xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x37xf32>, tensor<f32>) -> tensor<6xf32>
  %t = stablehlo.slice %p [0:6, 11:22] : (tensor<6x61xf32>) -> tensor<6x11xf32>
  %u = stablehlo.slice %p [0:6, 40:53] : (tensor<6x61xf32>) -> tensor<6x13xf32>
  %e = stablehlo.exponential %t : tensor<6x11xf32>
  %f = stablehlo.tanh %u : tensor<6x13xf32>
  %both = stablehlo.concatenate %e, %f, dim = 1 : (tensor<6x11xf32>, tensor<6x13xf32>) -> tensor<6x24xf32>
  return %sum, %max, %both : tensor<6xf32>, tensor<6xf32>, tensor<6x24xf32>
}
