// sizes:
// The entry is static; sizes of the body follow from it.
func.func public @main(%x: tensor<3x8xf32>, %s: tensor<8xi8>) -> (tensor<12xf32>, tensor<?xf32>, tensor<?x2xi4>, tensor<?xf32>, tensor<2x?xf32>) {
  %w = stablehlo.constant dense<1.5> : tensor<8x4xf32>
  %c = stablehlo.constant dense<12> : tensor<1xi32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %1 = stablehlo.dynamic_reshape %0, %c : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<12xf32>
  %2 = stablehlo.convert %s : (tensor<8xi8>) -> tensor<?xf32>
  %3 = stablehlo.bitcast_convert %s : (tensor<8xi8>) -> tensor<?x2xi4>
  %4 = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%1, %c) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<12xf32>, tensor<1xi32>) -> tensor<?xf32>
  %5 = stablehlo.add %4, %4 : tensor<?xf32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %6 = stablehlo.set_dimension_size %x, %two, dim = 0 : (tensor<3x8xf32>, tensor<i32>) -> tensor<2x8xf32>
  %7 = stablehlo.convert %6 : (tensor<2x8xf32>) -> tensor<2x?xf32>
  return %1, %2, %3, %5, %7 : tensor<12xf32>, tensor<?xf32>, tensor<?x2xi4>, tensor<?xf32>, tensor<2x?xf32>
}
