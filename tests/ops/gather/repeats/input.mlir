// plain
func.func public @main(%x: tensor<2x5x7x3xf32>, %y: tensor<9xi8>) -> (tensor<2x15x7x3xf32>, tensor<2x5x14x3xf32>, tensor<8xi8>, tensor<7xi8>, tensor<6xi8>) {
  %half = stablehlo.constant dense<0.5> : tensor<15xf32>
  %five = stablehlo.constant dense<5.0> : tensor<15xf32>
  %fifteen = stablehlo.constant dense<15.0> : tensor<15xf32>
  %i = stablehlo.iota dim = 0 : tensor<15xf32>
  %middle = stablehlo.add %i, %half : tensor<15xf32>
  %scaled = stablehlo.multiply %middle, %five : tensor<15xf32>
  %part = stablehlo.divide %scaled, %fifteen : tensor<15xf32>
  %down = stablehlo.floor %part : tensor<15xf32>
  %rows = stablehlo.convert %down : (tensor<15xf32>) -> tensor<15xi32>
  %rows1 = stablehlo.broadcast_in_dim %rows, dims = [0] : (tensor<15xi32>) -> tensor<15x1xi32>
  %0 = "stablehlo.gather"(%x, %rows1) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 2, 3], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1, 7, 3>} : (tensor<2x5x7x3xf32>, tensor<15x1xi32>) -> tensor<2x15x7x3xf32>
  %j = stablehlo.iota dim = 0 : tensor<14x1xi64>
  %two = stablehlo.constant dense<2> : tensor<14x1xi64>
  %columns = stablehlo.divide %j, %two : tensor<14x1xi64>
  %1 = "stablehlo.gather"(%x, %columns) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 3], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 2, 5, 1, 3>} : (tensor<2x5x7x3xf32>, tensor<14x1xi64>) -> tensor<2x5x14x3xf32>
  %outside = stablehlo.constant dense<[[-3], [0], [2], [2], [4], [4], [6], [6]]> : tensor<8x1xi32>
  %2 = "stablehlo.gather"(%y, %outside) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<9xi8>, tensor<8x1xi32>) -> tensor<8xi8>
  %uneven = stablehlo.constant dense<[[0], [0], [1], [1], [1], [2], [2]]> : tensor<7x1xi32>
  %3 = "stablehlo.gather"(%y, %uneven) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<9xi8>, tensor<7x1xi32>) -> tensor<7xi8>
  %back = stablehlo.constant dense<[[8], [8], [20], [20], [4], [4]]> : tensor<6x1xi32>
  %4 = "stablehlo.gather"(%y, %back) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<9xi8>, tensor<6x1xi32>) -> tensor<6xi8>
  return %0, %1, %2, %3, %4 : tensor<2x15x7x3xf32>, tensor<2x5x14x3xf32>, tensor<8xi8>, tensor<7xi8>, tensor<6xi8>
}
