// ulp: 1
// plain

// The products of a group are summed in f32 and rounded once; a sum of products of numbers below four has about eight bits.
func.func public @main(%lhs: tensor<5x3xbf16>, %rhs: tensor<2x3x7xbf16>) -> tensor<5x7xbf16> {
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  }> : (tensor<5x3xbf16>, tensor<2x3x7xbf16>, tensor<2xi64>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}
