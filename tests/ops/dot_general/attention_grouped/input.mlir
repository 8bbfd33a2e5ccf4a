// expect: schedule "attention 190x191"
// plain
// absolute: 1e-5
func.func public @main(%q: tensor<190x6x5xf32>, %k: tensor<191x2x5xf32>, %v: tensor<191x2x4xf32>, %bias: tensor<3x190x191xf32>) -> tensor<190x6x4xf32> {
  // Three heads share their keys and values, as in jax.nn.dot_product_attention; one block has all of them.
  %qg = stablehlo.reshape %q : (tensor<190x6x5xf32>) -> tensor<190x2x3x5xf32>
  %dot = stablehlo.dot_general %qg, %k, batching_dims = [1] x [1], contracting_dims = [3] x [2] : (tensor<190x2x3x5xf32>, tensor<191x2x5xf32>) -> tensor<2x190x3x191xf32>
  %turned = stablehlo.transpose %dot, dims = [2, 0, 1, 3] : (tensor<2x190x3x191xf32>) -> tensor<3x2x190x191xf32>
  %b = stablehlo.broadcast_in_dim %bias, dims = [0, 2, 3] : (tensor<3x190x191xf32>) -> tensor<3x2x190x191xf32>
  %by = stablehlo.constant dense<0.0625> : tensor<3x2x190x191xf32>
  %scaled = stablehlo.multiply %turned, %by : tensor<3x2x190x191xf32>
  %s = stablehlo.add %scaled, %b : tensor<3x2x190x191xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<3x2x190x191xf32>, tensor<f32>) -> tensor<3x2x190xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<3x2x190xf32>) -> tensor<3x2x190x191xf32>
  %d = stablehlo.subtract %s, %mb : tensor<3x2x190x191xf32>
  %e = stablehlo.exponential %d : tensor<3x2x190x191xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<3x2x190x191xf32>, tensor<f32>) -> tensor<3x2x190xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1, 2] : (tensor<3x2x190xf32>) -> tensor<3x2x190x191xf32>
  %p = stablehlo.divide %e, %lb : tensor<3x2x190x191xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [1] x [1], contracting_dims = [0] x [3] : (tensor<191x2x4xf32>, tensor<3x2x190x191xf32>) -> tensor<2x4x3x190xf32>
  %heads = stablehlo.transpose %o, dims = [3, 0, 2, 1] : (tensor<2x4x3x190xf32>) -> tensor<190x2x3x4xf32>
  %r = stablehlo.reshape %heads : (tensor<190x2x3x4xf32>) -> tensor<190x6x4xf32>
  return %r : tensor<190x6x4xf32>
}
