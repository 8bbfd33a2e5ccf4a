// Batches and features of convolutions are split, sums over input features are added; windows get what is beside parts.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<3x6x5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {"y"}]>}, %k: tensor<3x3x4x6xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"y"}, {}]>}, %b: tensor<6x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<3x4x3x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, tensor<5x5xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x6x5x4xi32>, tensor<3x3x4x6xi32>) -> tensor<3x4x3x6xi32>
    %1 = "stablehlo.reduce_window"(%b, %zero) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %2 = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) {window_dimensions = array<i64: 2, 1>} : (tensor<6x5xi32>, tensor<i32>) -> tensor<5x5xi32>
    return %0, %1 : tensor<3x4x3x6xi32>, tensor<5x5xi32>
  }
}
