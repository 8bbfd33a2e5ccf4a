// Rows of a table by split indices; a table that is split along its columns; updates that are added.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%t: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %i: tensor<5x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %at: tensor<i32>) -> (tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<6x4xi32>, tensor<5x1xi32>) -> tensor<5x4xi32>
    %1 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<6x4xi32>, tensor<5x1xi32>) -> tensor<5x4xi32>
    %2 = "stablehlo.scatter"(%t, %i, %u) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %5 = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %5 : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<6x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<6x4xi32>
    %3 = stablehlo.dynamic_slice %t, %at, %zero, sizes = [2, 4] : (tensor<6x4xi32>, tensor<i32>, tensor<i32>) -> tensor<2x4xi32>
    %4 = stablehlo.dynamic_update_slice %t, %3, %at, %zero : (tensor<6x4xi32>, tensor<2x4xi32>, tensor<i32>, tensor<i32>) -> tensor<6x4xi32>
    return %0, %1, %2, %3, %4 : tensor<5x4xi32>, tensor<5x4xi32>, tensor<6x4xi32>, tensor<2x4xi32>, tensor<6x4xi32>
  }
}
