// What one body gives as terms another takes as such: nothing is added between them. Of a result of terms the first device has all.
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%x: tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
      -> (tensor<2x3xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}, tensor<2x3xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{}, {}], unreduced={"x"}>] manual_axes={"x"} (%a: tensor<2x3xi32>) {
      %3 = stablehlo.add %a, %a : tensor<2x3xi32>
      sdy.return %3 : tensor<2x3xi32>
    } : (tensor<4x3xi32>) -> tensor<2x3xi32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{}, {}], unreduced={"x"}>] out_shardings=[<@m, [{}, {}]>] manual_axes={"x"} (%a: tensor<2x3xi32>) {
      %3 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %4 = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2x3xi32>) -> tensor<2x3xi32>
      sdy.return %3 : tensor<2x3xi32>
    } : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0, %1 : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
