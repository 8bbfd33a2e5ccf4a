// A step of a layer: features are split over 8 devices, the loss is a mean.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["data"=2, "model"=4]>
  func.func public @main(%x: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}]>}, %w: tensor<5x11xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"model"}]>}, %v: tensor<11x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"model"}, {}]>}, %y: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}]>}) -> (tensor<f32>, tensor<5x11xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"model"}]>}, tensor<11x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"model"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<6x11xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x11xf32>) -> tensor<6x11xf32>
    %1 = stablehlo.maximum %0, %zeros : tensor<6x11xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<6x11xf32>, tensor<11x3xf32>) -> tensor<6x3xf32>
    %3 = stablehlo.subtract %2, %y : tensor<6x3xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<6x3xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.dot_general %1, %3, contracting_dims = [0] x [0] : (tensor<6x11xf32>, tensor<6x3xf32>) -> tensor<11x3xf32>
    %7 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [1] : (tensor<6x3xf32>, tensor<11x3xf32>) -> tensor<6x11xf32>
    %8 = stablehlo.compare GT, %0, %zeros : (tensor<6x11xf32>, tensor<6x11xf32>) -> tensor<6x11xi1>
    %9 = stablehlo.select %8, %7, %zeros : tensor<6x11xi1>, tensor<6x11xf32>
    %10 = stablehlo.dot_general %x, %9, contracting_dims = [0] x [0] : (tensor<6x5xf32>, tensor<6x11xf32>) -> tensor<5x11xf32>
    return %5, %10, %6 : tensor<f32>, tensor<5x11xf32>, tensor<11x3xf32>
  }
}
