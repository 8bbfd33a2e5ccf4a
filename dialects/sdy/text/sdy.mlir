// Shardings. The file is printed as it is written.
module {
  sdy.mesh @mesh = <["a"=2, "b"=4]> {stablehlo.mesh = {axes = []}}
  sdy.mesh @one = <[], device_ids=[3]>
  func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {"b":(1)2}], replicated={"b":(2)2}>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}, {}], unreduced={"a"}> : tensor<8x8xf32>
    %1 = sdy.reshard %arg0 <mesh<["c"=2]>, [{"c"}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %arg0 group_id=21 : tensor<8x8xf32>
    %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
      sdy.return %arg1 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = sdy.named_computation<"g">(%arg0) in_shardings=[<@mesh, [{}, {}]>] (%arg1: tensor<8x8xf32>) {
      sdy.return %arg1 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, l]) {i=2, j=4, k=8, l=8} reduction={j} need_replication={k}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8x8xf32>
    %6 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<[1, 2]> : tensor<2xi32>
    %7 = sdy.all_gather [{"a"}, {"b":(2)2}] %arg0 out_sharding=<@mesh, [{}, {"b":(1)2}]> : tensor<8x8xf32>
    %8 = sdy.all_slice [{"a", "b"}, {}] %arg0 out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<8x8xf32>
    %9 = sdy.all_to_all [{"a"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"b", "a"}]> : tensor<8x8xf32>
    %10 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"b"}, {"a"}]> : tensor<8x8xf32>
    %11 = sdy.all_reduce {"a", "b":(1)2} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %12 = sdy.reduce_scatter [{}, {"a"}] %arg0 out_sharding=<@mesh, [{}, {"a"}]> : tensor<8x8xf32>
    %13 = sdy.sharded_to_unreduced [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
    %14 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<8x8xf32>
    return
  }
}
