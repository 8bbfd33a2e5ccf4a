// sizes: v.0=5
// open: v.0=40
// A dot whose right operand is packed: its panels end where its sums do.
func.func public @main(%v: tensor<?x4x64xf32> loc("v"), %p: tensor<4x?x?xf32>) -> tensor<4x64x?xf32> {
  %rows = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?x4x64xf32>) -> tensor<i32>
  %others = stablehlo.get_dimension_size %p, dim = 1 : (tensor<4x?x?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %rows, %others : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same) {has_side_effect = true} : (tensor<i1>) -> ()
  %0 = stablehlo.dot_general %v, %p, batching_dims = [1] x [0], contracting_dims = [0] x [2] : (tensor<?x4x64xf32>, tensor<4x?x?xf32>) -> tensor<4x64x?xf32>
  return %0 : tensor<4x64x?xf32>
}
