// Sizes that axes do not divide; a value that is split otherwise is brought into place.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}, %c: tensor<5x3xi32>) -> (tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, tensor<5x3xi32>) {
    %0 = stablehlo.add %a, %b : tensor<5x3xi32>
    %1 = stablehlo.multiply %0, %c : tensor<5x3xi32>
    return %1, %0 : tensor<5x3xi32>, tensor<5x3xi32>
  }
}
