// range: -15 15
func.func public @main(%table: tensor<11x70xf32>, %ids: tensor<9x1xi32>) -> tensor<9x70xf32> {
  %0 = stablehlo.constant dense<0> : tensor<9x1xi32>
  %1 = stablehlo.constant dense<10> : tensor<9x1xi32>
  %2 = stablehlo.compare GE, %ids, %0, SIGNED : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
  %3 = stablehlo.compare LE, %ids, %1, SIGNED : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
  %4 = stablehlo.and %2, %3 : tensor<9x1xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %5 = stablehlo.reduce(%4 init: %true) applies stablehlo.and across dimensions = [1] : (tensor<9x1xi1>, tensor<i1>) -> tensor<9xi1>
  %6 = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 70>}> : (tensor<11x70xf32>, tensor<9x1xi32>) -> tensor<9x70xf32>
  %7 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<9xi1>) -> tensor<9x70xi1>
  %8 = stablehlo.constant dense<-7.5> : tensor<9x70xf32>
  %9 = stablehlo.select %7, %6, %8 : tensor<9x70xi1>, tensor<9x70xf32>
  %10 = stablehlo.add %9, %9 : tensor<9x70xf32>
  return %10 : tensor<9x70xf32>
}
