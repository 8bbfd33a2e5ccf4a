// Devices have terms of sums: of an argument, which are added, of results, and of a value inside.
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], unreduced={"x"}>},
                         %n: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>})
      -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>},
          tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) {
    %0 = stablehlo.multiply %x, %x : tensor<3x4xf32>
    %1 = stablehlo.add %n, %n : tensor<5xi32>
    %2 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.tanh %2 : tensor<4x4xf32>
    return %0, %1, %3 : tensor<3x4xf32>, tensor<5xi32>, tensor<4x4xf32>
  }
}
