// Products over a split dimension are added; 7 indices on 2 devices.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<6x7xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x7xi32>, tensor<7x4xi32>) -> tensor<6x4xi32>
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<6x7xi32>, tensor<7x4xi32>) -> tensor<6x4xi32>
    return %0, %1 : tensor<6x4xi32>, tensor<6x4xi32>
  }
}
