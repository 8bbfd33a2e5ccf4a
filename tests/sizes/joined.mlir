// sizes: x.1=3
// every: x.1=70
// Rows of open length after each other: of inputs, of what is computed, the same row again and again.
func.func public @main(%x: tensor<5x?xf32> loc("x")) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x3xf32>, tensor<2x?xf32>, tensor<?xi1>, tensor<?xcomplex<f32>>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %ns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %zero_1 = stablehlo.constant dense<0> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %n2 = stablehlo.multiply %ns, %two : tensor<1xi32>
  %n3 = stablehlo.multiply %ns, %three : tensor<1xi32>
  %n5 = stablehlo.multiply %ns, %five : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %n5 : (tensor<5x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %t = stablehlo.tanh %x : tensor<5x?xf32>
  %f = stablehlo.dynamic_reshape %t, %n5 : (tensor<5x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.subtract %f, %0 : tensor<?xf32>
  // A row three times, then columns of it.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %row = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<5x?xf32>, tensor<f32>) -> tensor<?xf32>
  %s3n = stablehlo.concatenate %three, %ns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %rows = stablehlo.dynamic_broadcast_in_dim %row, %s3n, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %2 = stablehlo.dynamic_reshape %rows, %n3 : (tensor<3x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  // Rows of rows.
  %s2n3 = stablehlo.concatenate %two, %ns, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %wide = stablehlo.dynamic_broadcast_in_dim %row, %s2n3, dims = [1] : (tensor<?xf32>, tensor<3xi32>) -> tensor<2x?x3xf32>
  %s2n_3 = stablehlo.concatenate %n2, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %3 = stablehlo.dynamic_reshape %wide, %s2n_3 : (tensor<2x?x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  // And apart again.
  %some = stablehlo.real_dynamic_slice %0, %zero_1, %n2, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %s2n = stablehlo.concatenate %two, %ns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %4 = stablehlo.dynamic_reshape %some, %s2n : (tensor<?xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  %c = stablehlo.compare LT, %x, %t : (tensor<5x?xf32>, tensor<5x?xf32>) -> tensor<5x?xi1>
  %5 = stablehlo.dynamic_reshape %c, %n5 : (tensor<5x?xi1>, tensor<1xi32>) -> tensor<?xi1>
  // Complex numbers.
  %z = stablehlo.complex %rows, %rows : tensor<3x?xcomplex<f32>>
  %6 = stablehlo.dynamic_reshape %z, %n3 : (tensor<3x?xcomplex<f32>>, tensor<1xi32>) -> tensor<?xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x3xf32>, tensor<2x?xf32>, tensor<?xi1>, tensor<?xcomplex<f32>>
}
