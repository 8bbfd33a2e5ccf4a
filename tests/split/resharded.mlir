// Each exchange between layouts: all_to_all, all_gather, collective_permute, and none where a part is taken; devices in another order.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=2], device_ids=[7, 6, 5, 4, 0, 1, 2, 3]>
  func.func public @main(%a: tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}, tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {"y"}]>}, tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}) {
    %0 = sdy.sharding_constraint %a <@m, [{}, {"x"}]> : tensor<8x12xi32>
    %1 = sdy.sharding_constraint %a <@m, [{"y"}, {"x"}]> : tensor<8x12xi32>
    %2 = sdy.sharding_constraint %a <@m, [{"x"}, {}]> : tensor<8x12xi32>
    %3 = sdy.sharding_constraint %a <@m, [{"x", "z"}, {"y"}]> : tensor<8x12xi32>
    %4 = sdy.sharding_constraint %a <@m, [{"x", "y"}, {}]> : tensor<8x12xi32>
    %5 = sdy.sharding_constraint %4 <@m, [{"y", "x"}, {}]> : tensor<8x12xi32>
    return %0, %1, %2, %3, %5 : tensor<8x12xi32>, tensor<8x12xi32>, tensor<8x12xi32>, tensor<8x12xi32>, tensor<8x12xi32>
  }
}
