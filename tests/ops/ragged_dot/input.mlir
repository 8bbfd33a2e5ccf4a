// absolute: 1e-5
// plain

// The group sizes are constants: those of random inputs would not fit. One group has no rows, and a
// row belongs to no group.
func.func public @main(%lhs: tensor<4x5xf32>, %rhs: tensor<3x5x2xf32>) -> tensor<4x2xf32> {
  %sizes = stablehlo.constant dense<[2, 0, 1]> : tensor<3xi32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  }> : (tensor<4x5xf32>, tensor<3x5x2xf32>, tensor<3xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
