// Scores of any number of points: two layers and softmax.
func.func public @main(%x: tensor<?x4xf32> loc("points")) -> (tensor<?x3xf32> {jax.result_info = "result['scores']"}) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = call @layers(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x3xf32>
  return %rows : tensor<?x3xf32>
}
func.func private @layers(%n: tensor<i32> {jax.global_constant = "batch"}, %x: tensor<?x4xf32>) -> tensor<?x3xf32> {
  %w = stablehlo.constant dense<[[0.5, -1.0], [0.25, 2.0], [-0.75, 0.5], [1.5, -0.25]]> : tensor<4x2xf32>
  %v = stablehlo.constant dense<[[1.0, -0.5, 0.25], [-2.0, 0.75, 1.0]]> : tensor<2x3xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %batch = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %batch, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %1 = stablehlo.tanh %0 : tensor<?x2xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<?x2xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %3 = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = stablehlo.dynamic_broadcast_in_dim %3, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<?x3xf32>
  %6 = stablehlo.exponential %5 : tensor<?x3xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %8 = stablehlo.dynamic_broadcast_in_dim %7, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %9 = stablehlo.divide %6, %8 : tensor<?x3xf32>
  return %9 : tensor<?x3xf32>
}
