// Custom calls and composites. The file is printed as it is written.
module {
  func.func private @body(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
  func.func @f(%arg0: tensor<3xf32>) {
    %0 = stablehlo.composite "my.op" %arg0 {composite_attributes = {k = 1 : i64}, decomposition = @body, version = 2 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.custom_call @foo(%arg0) {backend_config = "bar", called_computations = [@body], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<3xf32>) -> tensor<3xf32>
    %2 = stablehlo.custom_call @"foo-bar"() {api_version = 4 : i32, backend_config = {n = 3 : i64}, mhlo.note = "kept"} : () -> tensor<3xf32>
    return
  }
}
