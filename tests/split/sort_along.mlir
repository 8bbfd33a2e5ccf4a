// A dimension that is sorted and split changes places with another one, which devices split instead; where none is divided it is gathered.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<7x4xi32>, tensor<6x3xi32>, tensor<6x3xi32>) {
    %0 = "stablehlo.sort"(%a) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %2 = stablehlo.compare LT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<7x4xi32>) -> tensor<7x4xi32>
    %i = stablehlo.iota dim = 0 : tensor<6x3xi32>
    %1:2 = "stablehlo.sort"(%b, %i) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
      %2 = stablehlo.compare GT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<6x3xi32>, tensor<6x3xi32>) -> (tensor<6x3xi32>, tensor<6x3xi32>)
    return %0, %1#0, %1#1 : tensor<7x4xi32>, tensor<6x3xi32>, tensor<6x3xi32>
  }
}
