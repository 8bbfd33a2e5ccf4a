// sizes: x.1=21
// every: x.1=70
// Extrema of rows that the loop before has written, all of one sign: nothing beyond the size is met, and no element is missing.
func.func public @main(%x: tensor<5x?xf32> loc("x"), %i: tensor<5x?xi32> loc("i")) -> (tensor<5xf32>, tensor<5x?xf32>, tensor<5xi32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %i, dim = 1 : (tensor<5x?xi32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %n, %m) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<2147483647> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %length = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %five, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %e = stablehlo.exponential %x : tensor<5x?xf32>
  %0 = stablehlo.negate %e : tensor<5x?xf32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<5x?xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %1, %shape, dims = [0] : (tensor<5xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<5x?xf32>
  %4 = stablehlo.exponential %3 : tensor<5x?xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x?xf32>, tensor<f32>) -> tensor<5xf32>
  %6 = stablehlo.dynamic_broadcast_in_dim %5, %shape, dims = [0] : (tensor<5xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  %7 = stablehlo.divide %4, %6 : tensor<5x?xf32>
  %8 = stablehlo.multiply %i, %i : tensor<5x?xi32>
  %9 = stablehlo.or %8, %i : tensor<5x?xi32>
  %10 = stablehlo.reduce(%9 init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<5x?xi32>, tensor<i32>) -> tensor<5xi32>
  return %1, %7, %10 : tensor<5xf32>, tensor<5x?xf32>, tensor<5xi32>
}
