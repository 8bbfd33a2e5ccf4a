// Parts of 5 and of 3 of 10 elements do not nest; parts of an axis.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10xi32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}]>}) -> (tensor<10xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<10xi32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)2}]>}) {
    %0 = sdy.sharding_constraint %a <@m, [{"x"}]> : tensor<10xi32>
    %1 = stablehlo.add %0, %a : tensor<10xi32>
    return %1, %0 : tensor<10xi32>, tensor<10xi32>
  }
}
