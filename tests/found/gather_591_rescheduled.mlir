// gather, seed 591, rescheduled:
// A gather of nothing was filled with an integer where elements are complex.
module {
  func.func public @main(%arg0: tensor<2x0x5x3xcomplex<f32>>, %arg1: tensor<1x3x0xi4>) -> tensor<3x1x0xcomplex<f32>> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [1, 3], start_indices_batching_dims = [2, 1], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 0, 1, 1>}> : (tensor<2x0x5x3xcomplex<f32>>, tensor<1x3x0xi4>) -> tensor<3x1x0xcomplex<f32>>
    return %0 : tensor<3x1x0xcomplex<f32>>
  }
}
