// expect: schedule "attention 131x128"
// plain
// absolute: 1e-5
func.func public @main(%q: tensor<391x6xf32>, %k: tensor<397x6xf32>, %v: tensor<397x7xf32>) -> tensor<391x7xf32> {
  // Neither the rows nor the keys fill their blocks.
  %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<391x6xf32>, tensor<397x6xf32>) -> tensor<391x397xf32>
  %by = stablehlo.constant dense<0.0625> : tensor<391x397xf32>
  %s = stablehlo.multiply %dot, %by : tensor<391x397xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<391x397xf32>, tensor<f32>) -> tensor<391xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<391xf32>) -> tensor<391x397xf32>
  %d = stablehlo.subtract %s, %mb : tensor<391x397xf32>
  %e = stablehlo.exponential %d : tensor<391x397xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<391x397xf32>, tensor<f32>) -> tensor<391xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<391xf32>) -> tensor<391x397xf32>
  %p = stablehlo.divide %e, %lb : tensor<391x397xf32>
  %r = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<391x397xf32>, tensor<397x7xf32>) -> tensor<391x7xf32>
  return %r : tensor<391x7xf32>
}
