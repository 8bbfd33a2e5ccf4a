func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>, %m: tensor<2x3xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xi32>) {
  %sum = stablehlo.add %x, %y : tensor<3xf32>
  %0 = stablehlo.custom_call @weigh(%sum, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1:2 = stablehlo.custom_call @halves(%0) {api_version = 2 : i32}
    : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  %2 = stablehlo.custom_call @letters() {api_version = 3 : i32, backend_config = "ab"}
    : () -> tuple<tensor<3xi32>>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<3xi32>>) -> tensor<3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %4 = stablehlo.custom_call @scaled(%m, %c) {api_version = 4 : i32,
    backend_config = {by = 2.0 : f32, half = 1.5 : f16, inner = {n = 3 : ui8}, label = "hi",
      limits = array<f32: 1.0, 0x7F800000>, order = array<i64: 5, 7>},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
      operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  %5 = stablehlo.custom_call @pairs(%1#1)
    : (tensor<3xi32>) -> tuple<tensor<3xi32>, tuple<tensor<3xf32>, tensor<3xi32>>>
  %6 = stablehlo.get_tuple_element %5[1]
    : (tuple<tensor<3xi32>, tuple<tensor<3xf32>, tensor<3xi32>>>) -> tuple<tensor<3xf32>, tensor<3xi32>>
  %7 = stablehlo.get_tuple_element %6[1] : (tuple<tensor<3xf32>, tensor<3xi32>>) -> tensor<3xi32>
  return %0, %1#0, %1#1, %3, %4, %m, %7
    : tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xi32>
}
