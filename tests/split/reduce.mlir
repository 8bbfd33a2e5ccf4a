// Sums, products and maxima over a split dimension, from other initial values than the neutral ones.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<10xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %low = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : (tensor<10x3xi32>, tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<10x3xi32>, tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.reduce(%a init: %c) applies stablehlo.multiply across dimensions = [1] : (tensor<10x3xi32>, tensor<i32>) -> tensor<10xi32>
    return %0, %1, %2 : tensor<3xi32>, tensor<3xi32>, tensor<10xi32>
  }
}
