// Transposes stay split; along dimensions that are sliced, padded, reversed and concatenated devices get what they lack of their part.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %p: tensor<i32>) -> (tensor<4x5xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<2x4xi32>, tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<10x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<5x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<5x4xi32>) -> tensor<4x5xi32>
    %1 = stablehlo.slice %a [0:5, 1:3] : (tensor<5x4xi32>) -> tensor<5x2xi32>
    %2 = stablehlo.slice %a [1:5:3, 0:4] : (tensor<5x4xi32>) -> tensor<2x4xi32>
    %3 = stablehlo.pad %a, %p, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<5x4xi32>, tensor<i32>) -> tensor<7x4xi32>
    %4 = stablehlo.reverse %a, dims = [0] : tensor<5x4xi32>
    %5 = stablehlo.concatenate %a, %4, dim = 0 : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<10x4xi32>
    %6 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<5x8xi32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<4x5xi32>, tensor<5x2xi32>, tensor<2x4xi32>, tensor<7x4xi32>, tensor<5x4xi32>, tensor<10x4xi32>, tensor<5x8xi32>
  }
}
