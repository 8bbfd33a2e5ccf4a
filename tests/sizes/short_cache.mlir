// sizes: keys.0=5
// open: keys.0=40
// A step of decoding: its weights are most of the work at short sizes, so that rows of scores shorter than a vector have no code of their own.
func.func public @main(%x: tensor<1x192xf32> loc("x"), %q: tensor<192x192xf32>, %o: tensor<192x192xf32>, %keys: tensor<?x2x96xf32> loc("keys"), %values: tensor<?x2x96xf32> loc("values")) -> tensor<1x192xf32> {
  %rows = stablehlo.get_dimension_size %keys, dim = 0 : (tensor<?x2x96xf32>) -> tensor<i32>
  %others = stablehlo.get_dimension_size %values, dim = 0 : (tensor<?x2x96xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %rows, %others : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same) {has_side_effect = true} : (tensor<i1>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<1x192xf32>, tensor<192x192xf32>) -> tensor<1x192xf32>
  %scale = stablehlo.constant dense<0.0078125> : tensor<1x192xf32>
  %scaled = stablehlo.multiply %0, %scale : tensor<1x192xf32>
  %query = stablehlo.reshape %scaled : (tensor<1x192xf32>) -> tensor<2x96xf32>
  %scores = stablehlo.dot_general %query, %keys, batching_dims = [0] x [1], contracting_dims = [1] x [2] : (tensor<2x96xf32>, tensor<?x2x96xf32>) -> tensor<2x?xf32>
  %max = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2xf32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %heads = stablehlo.reshape %two : (tensor<i32>) -> tensor<1xi32>
  %length = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %heads, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %largest = stablehlo.dynamic_broadcast_in_dim %max, %shape, dims = [0] : (tensor<2xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  %differences = stablehlo.subtract %scores, %largest : tensor<2x?xf32>
  %parts = stablehlo.exponential %differences : tensor<2x?xf32>
  %sum = stablehlo.reduce(%parts init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.dot_general %parts, %values, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<2x?xf32>, tensor<?x2x96xf32>) -> tensor<2x96xf32>
  %whole = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<2xf32>) -> tensor<2x96xf32>
  %2 = stablehlo.divide %1, %whole : tensor<2x96xf32>
  %row = stablehlo.reshape %2 : (tensor<2x96xf32>) -> tensor<1x192xf32>
  %3 = stablehlo.dot_general %row, %o, contracting_dims = [1] x [0] : (tensor<1x192xf32>, tensor<192x192xf32>) -> tensor<1x192xf32>
  %4 = stablehlo.add %x, %3 : tensor<1x192xf32>
  return %4 : tensor<1x192xf32>
}
