// absolute: 1e-4
// plain
func.func public @main(%x: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
    : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %c = stablehlo.constant dense<[[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]> : tensor<3x3xf32>
  %1 = stablehlo.add %0, %c : tensor<3x3xf32>
  %2:2 = stablehlo.custom_call @lapack_spotrf_ffi(%1) {
    mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0],
      operand_index = 0, operand_tuple_indices = []>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}
    : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %2#0, %2#1 : tensor<3x3xf32>, tensor<i32>
}
