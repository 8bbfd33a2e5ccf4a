// sizes:
// A size that a value sets, which is cut to the bound: what follows is not seen.
func.func public @main(%x: tensor<8x3xf32>, %k: tensor<i32>) -> (tensor<f32>, tensor<3xf32>, tensor<i32>, tensor<3x3xf32>) {
  %least = stablehlo.constant dense<0> : tensor<i32>
  %most = stablehlo.constant dense<8> : tensor<i32>
  %n = stablehlo.clamp %least, %k, %most : tensor<i32>
  %0 = "stablehlo.set_dimension_size"(%x, %n) {dimension = 0 : i64} : (tensor<8x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  %e = stablehlo.exponential %0 : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%e init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<3xf32>
  %3 = "stablehlo.get_dimension_size"(%e) {dimension = 0 : i64} : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
  %4 = stablehlo.dot_general %e, %0, contracting_dims = [0] x [0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<3x3xf32>
  return %1, %2, %3, %4 : tensor<f32>, tensor<3xf32>, tensor<i32>, tensor<3x3xf32>
}
