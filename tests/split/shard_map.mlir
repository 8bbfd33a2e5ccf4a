// A body that works on parts takes what devices have.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x3xi32>) {
      %2 = "stablehlo.collective_permute"(%b) {source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
      sdy.return %2 : tensor<2x3xi32>
    } : (tensor<4x6xi32>) -> tensor<4x6xi32>
    %1 = stablehlo.add %0, %a : tensor<4x6xi32>
    return %1 : tensor<4x6xi32>
  }
}
