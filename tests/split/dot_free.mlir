// Batches and free dimensions stay split; weights that are split along the axis of the batch are gathered.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %w: tensor<3x6xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x3xi32>, tensor<3x6xi32>) -> tensor<4x6xi32>
    return %0 : tensor<4x6xi32>
  }
}
