// every: x.1=127
// Masks that end before the size: at the smaller one of it and a number, and at half of it.
func.func public @main(%x: tensor<5x?xf32> loc("x")) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %size = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %least = stablehlo.minimum %size, %five : tensor<i32>
  %half = stablehlo.divide %size, %two : tensor<i32>
  %rows = stablehlo.constant dense<5> : tensor<1xi32>
  %length = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %places = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<5x?xi32>
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<5x?xf32>
  %nones = stablehlo.dynamic_broadcast_in_dim %none, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<5x?xf32>
  %leasts = stablehlo.dynamic_broadcast_in_dim %least, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<5x?xi32>
  %halves = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<5x?xi32>
  %is_first = stablehlo.compare LT, %places, %leasts : (tensor<5x?xi32>, tensor<5x?xi32>) -> tensor<5x?xi1>
  %is_half = stablehlo.compare LT, %places, %halves : (tensor<5x?xi32>, tensor<5x?xi32>) -> tensor<5x?xi1>
  %first = stablehlo.select %is_first, %x, %zeros : tensor<5x?xi1>, tensor<5x?xf32>
  %left = stablehlo.select %is_half, %x, %zeros : tensor<5x?xi1>, tensor<5x?xf32>
  %most = stablehlo.select %is_half, %x, %nones : tensor<5x?xi1>, tensor<5x?xf32>
  %0 = stablehlo.reduce(%first init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x?xf32>, tensor<f32>) -> tensor<5xf32>
  %1 = stablehlo.reduce(%left init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x?xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.reduce(%most init: %none) applies stablehlo.maximum across dimensions = [1] : (tensor<5x?xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
