// expect: schedule "attention 200x128"
// plain
// absolute: 1e-5
func.func public @main(%q: tensor<400x6xf32>, %k: tensor<389x6xf32>, %v: tensor<389x7xf32>, %mask: tensor<400x389xi1>) -> tensor<400x7xf32> {
  // The mask is an operand, and the division comes after the second dot. Row 5 sees no key.
  %by = stablehlo.constant dense<0.0625> : tensor<400x6xf32>
  %qs = stablehlo.multiply %q, %by : tensor<400x6xf32>
  %s = stablehlo.dot_general %qs, %k, contracting_dims = [1] x [1] : (tensor<400x6xf32>, tensor<389x6xf32>) -> tensor<400x389xf32>
  %i = stablehlo.iota dim = 0 : tensor<400x389xi32>
  %five = stablehlo.constant dense<5> : tensor<400x389xi32>
  %other = stablehlo.compare NE, %i, %five, SIGNED : (tensor<400x389xi32>, tensor<400x389xi32>) -> tensor<400x389xi1>
  %sees = stablehlo.and %mask, %other : tensor<400x389xi1>
  %fill = stablehlo.constant dense<0xFF800000> : tensor<400x389xf32>
  %t = stablehlo.select %sees, %s, %fill : tensor<400x389xi1>, tensor<400x389xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<400x389xf32>, tensor<f32>) -> tensor<400xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<400xf32>) -> tensor<400x389xf32>
  %d = stablehlo.subtract %t, %mb : tensor<400x389xf32>
  %e = stablehlo.exponential %d : tensor<400x389xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<400x389xf32>, tensor<f32>) -> tensor<400xf32>
  %sum = stablehlo.dot_general %e, %v, contracting_dims = [1] x [0] : (tensor<400x389xf32>, tensor<389x7xf32>) -> tensor<400x7xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<400xf32>) -> tensor<400x7xf32>
  %r = stablehlo.divide %sum, %lb : tensor<400x7xf32>
  return %r : tensor<400x7xf32>
}
