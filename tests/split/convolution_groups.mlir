// Each device has whole groups of a convolution, of features or of the batch, where the devices divide them; otherwise features are gathered. Batches
// and windows are split as in other convolutions, and so are input features where groups are of the batch.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<3x6x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %k: tensor<3x2x12xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"y"}]>}, %d: tensor<2x1x16xi32>, %b: tensor<6x5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}, {"x"}]>}, %l: tensor<2x4x10xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %o: tensor<2x4x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, %p: tensor<3x2x9xi32>) -> (tensor<3x4x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}, tensor<3x6x16xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}, tensor<3x4x10xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"y"}]>}, tensor<2x2x9xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<3x6x8xi32>, tensor<3x2x12xi32>) -> tensor<3x4x12xi32>
    %1 = stablehlo.convolution(%a, %d) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<3x6x8xi32>, tensor<2x1x16xi32>) -> tensor<3x6x16xi32>
    %2 = stablehlo.convolution(%b, %l) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<6x5x4xi32>, tensor<2x4x10xi32>) -> tensor<3x4x10xi32>
    %3 = stablehlo.convolution(%o, %p) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x4x6xi32>, tensor<3x2x9xi32>) -> tensor<2x2x9xi32>
    return %0, %1, %2, %3 : tensor<3x4x12xi32>, tensor<3x6x16xi32>, tensor<3x4x10xi32>, tensor<2x2x9xi32>
  }
}
