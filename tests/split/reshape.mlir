// Dimensions are split and merged on parts where the outermost factor is split.
module attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=3]>
  func.func public @main(%a: tensor<12x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}, %b: tensor<4x9xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<6x2x5xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}, {}]>}, tensor<60xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<36xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, tensor<1x4x9xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}) {
    %0 = stablehlo.reshape %a : (tensor<12x5xi32>) -> tensor<6x2x5xi32>
    %1 = stablehlo.reshape %a : (tensor<12x5xi32>) -> tensor<60xi32>
    %2 = stablehlo.reshape %b : (tensor<4x9xi32>) -> tensor<36xi32>
    %3 = stablehlo.reshape %b : (tensor<4x9xi32>) -> tensor<1x4x9xi32>
    return %0, %1, %2, %3 : tensor<6x2x5xi32>, tensor<60xi32>, tensor<36xi32>, tensor<1x4x9xi32>
  }
}
