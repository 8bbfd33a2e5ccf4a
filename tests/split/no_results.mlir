// Calls without results, on split values: of a function of the client by one device and by each, of an external one, and of one for
// each element of a batch.
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @second = <[], device_ids=[1]>
  func.func public @main(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    stablehlo.custom_call @strata_host_callback(%x) {has_side_effect = true, mhlo.backend_config = {device = 1 : i64, number = 7 : i64}, sdy.sharding = #sdy.sharding_per_value<[<@second, []>]>} : (tensor<6xf32>) -> ()
    stablehlo.custom_call @strata_host_callback(%x) {has_side_effect = true, mhlo.backend_config = {number = 8 : i64}} : (tensor<6xf32>) -> ()
    stablehlo.custom_call @seen(%x) {has_side_effect = true} : (tensor<6xf32>) -> ()
    stablehlo.custom_call @each(%x) {has_side_effect = true, mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<6xf32>) -> ()
    return %x : tensor<6xf32>
  }
}
