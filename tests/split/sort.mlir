// Rows are sorted where they are; a split dimension that is sorted changes places with another one.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = "stablehlo.sort"(%a) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %2 = stablehlo.compare LT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 1 : i64} : (tensor<5x4xi32>) -> tensor<5x4xi32>
    %1 = "stablehlo.sort"(%a) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %2 = stablehlo.compare GT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<5x4xi32>) -> tensor<5x4xi32>
    return %0, %1 : tensor<5x4xi32>, tensor<5x4xi32>
  }
}
