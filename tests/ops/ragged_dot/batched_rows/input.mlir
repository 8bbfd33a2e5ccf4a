// absolute: 1e-5
// plain

// The group sizes are constants: those of random inputs would not fit. One group has no rows, and a
// row belongs to no group.
func.func public @main(%lhs: tensor<2x4x5xf32>, %rhs: tensor<2x5x3x7xf32>) -> tensor<2x4x7xf32> {
  %sizes = stablehlo.constant dense<[2, 0, 1]> : tensor<3xi32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [2]>
  }> : (tensor<2x4x5xf32>, tensor<2x5x3x7xf32>, tensor<3xi32>) -> tensor<2x4x7xf32>
  return %0 : tensor<2x4x7xf32>
}
