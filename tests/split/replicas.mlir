// Two replicas, each on a mesh of its own: values are split over partitions, and summed and moved between replicas part by part.
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func public @main(%x: tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<5x6xi32>, tensor<3x6xi32>, tensor<10x6xi32>, tensor<ui32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x6xi32>, tensor<6x3xi32>) -> tensor<5x3xi32>
    %1 = "stablehlo.all_reduce"(%0) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5x3xi32>) -> tensor<5x3xi32>
    %2 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<5x6xi32>) -> tensor<5x6xi32>
    %3 = stablehlo.transpose %w, dims = [1, 0] : (tensor<6x3xi32>) -> tensor<3x6xi32>
    %4 = stablehlo.replica_id : tensor<ui32>
    %5 = stablehlo.convert %4 : (tensor<ui32>) -> tensor<i32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<5x6xi32>
    %7 = stablehlo.add %x, %6 : tensor<5x6xi32>
    %8 = "stablehlo.all_gather"(%7) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<5x6xi32>) -> tensor<10x6xi32>
    %9 = sdy.sharding_constraint %3 <@mesh, [{}, {"x", "y"}]> : tensor<3x6xi32>
    %10 = sdy.manual_computation(%9) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%a: tensor<3x3xi32>) {
      %11 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0], [2, 3], [3, 2]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<3x3xi32>) -> tensor<3x3xi32>
      sdy.return %11 : tensor<3x3xi32>
    } : (tensor<3x6xi32>) -> tensor<3x6xi32>
    return %1, %2, %10, %8, %4 : tensor<5x3xi32>, tensor<5x6xi32>, tensor<3x6xi32>, tensor<10x6xi32>, tensor<ui32>
  }
}
