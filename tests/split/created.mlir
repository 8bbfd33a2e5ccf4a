// Constants, numbers of indices and broadcasts are made in parts.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<3xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, %s: tensor<i32>) -> (tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, tensor<5x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<3xi32>) -> tensor<5x3xi32>
    %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<5x3xf32>
    %2 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} dense<[3, 1, 4, 1]> : tensor<4xi32>
    %3 = stablehlo.constant dense<7> : tensor<5x3xi32>
    %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<i32>) -> tensor<5x3xi32>
    %5 = stablehlo.subtract %3, %4 : tensor<5x3xi32>
    return %0, %1, %2, %5 : tensor<5x3xi32>, tensor<5x3xf32>, tensor<4xi32>, tensor<5x3xi32>
  }
}
