// expect: schedule "attention 260x264"
// plain
// absolute: 1e-5
func.func public @main(%q: tensor<520x6xf32>, %k: tensor<528x6xf32>, %v: tensor<528x7xf32>) -> tensor<520x7xf32> {
  // The first three rows see no key: they are NaN. The second half of the keys is hidden from the first half of the rows.
  %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<520x6xf32>, tensor<528x6xf32>) -> tensor<520x528xf32>
  %by = stablehlo.constant dense<0.0625> : tensor<520x528xf32>
  %s = stablehlo.multiply %dot, %by : tensor<520x528xf32>
  %i = stablehlo.iota dim = 0 : tensor<520x528xi32>
  %j = stablehlo.iota dim = 1 : tensor<520x528xi32>
  %three = stablehlo.constant dense<3> : tensor<520x528xi32>
  %back = stablehlo.subtract %i, %three : tensor<520x528xi32>
  %sees = stablehlo.compare GE, %back, %j, SIGNED : (tensor<520x528xi32>, tensor<520x528xi32>) -> tensor<520x528xi1>
  %fill = stablehlo.constant dense<0xFF800000> : tensor<520x528xf32>
  %t = stablehlo.select %sees, %s, %fill : tensor<520x528xi1>, tensor<520x528xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<520x528xf32>, tensor<f32>) -> tensor<520xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<520xf32>) -> tensor<520x528xf32>
  %d = stablehlo.subtract %t, %mb : tensor<520x528xf32>
  %e = stablehlo.exponential %d : tensor<520x528xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<520x528xf32>, tensor<f32>) -> tensor<520xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<520xf32>) -> tensor<520x528xf32>
  %p = stablehlo.divide %e, %lb : tensor<520x528xf32>
  %r = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<520x528xf32>, tensor<528x7xf32>) -> tensor<520x7xf32>
  return %r : tensor<520x7xf32>
}
