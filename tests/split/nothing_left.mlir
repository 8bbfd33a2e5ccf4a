// What is split is not used: nothing is left to split, and each device computes the whole.
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 3 : i32} {
  sdy.mesh @mesh = <["x"=3], device_ids=[2, 0, 1]>
  func.func public @main(%x: tensor<5xf32>) -> tensor<5xf32> {
    %unused = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
    %0 = stablehlo.negate %x : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
