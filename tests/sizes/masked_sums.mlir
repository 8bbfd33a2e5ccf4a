// sizes: x.0=3,x.1=5
// open: x.0=17 x.1=9
// Sums, extrema, means and dots over dimensions of open size. Exponentials of padding are not zero, and quotients are infinite.
func.func public @main(%x: tensor<?x?xf32> loc("x")) -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<?x?xf32>
  %0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.reduce(%e init: %none) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  %inverse = stablehlo.divide %x, %e : tensor<?x?xf32>
  %3 = stablehlo.dot_general %e, %inverse, contracting_dims = [1] x [1] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = stablehlo.dot_general %e, %x, contracting_dims = [0] x [0] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %e, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %count = stablehlo.convert %rows : (tensor<i32>) -> tensor<f32>
  %length = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %counts = stablehlo.dynamic_broadcast_in_dim %count, %length, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %5 = stablehlo.divide %0, %counts : tensor<?xf32>
  %shape = stablehlo.concatenate %length, dim = 0 : (tensor<1xi32>) -> tensor<1xi32>
  %6 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %7 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<f32>
}
