// mixes: x.0 it computes with the number of rows
func.func public @main(%x: tensor<?x4xi32> loc("x")) -> tensor<?x4xi1> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xi32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %at = stablehlo.constant dense<[[-3]]> : tensor<1x1xi32>
  %size = "stablehlo.gather"(%shape, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xi32>, tensor<1x1xi32>) -> tensor<1xi32>
  %most = stablehlo.dynamic_broadcast_in_dim %size, %shape, dims = [1] : (tensor<1xi32>, tensor<2xi32>) -> tensor<?x4xi32>
  %0 = stablehlo.compare LT, %x, %most, SIGNED : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi1>
  return %0 : tensor<?x4xi1>
}
