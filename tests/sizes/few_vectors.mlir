// sizes: x.1=3
// every: x.1=150
// Rows with several loops along them, which have code for few vectors: an odd number of rows, a reduction after another, rows of rows.
func.func public @main(%x: tensor<7x?xf32> loc("x"), %y: tensor<3x5x?xf32> loc("y")) -> (tensor<7x?xf32>, tensor<7x?xf32>, tensor<7xf32>, tensor<3x5x?xf32>, tensor<3x5xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<7x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 2 : (tensor<3x5x?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %n, %m) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<-0.5> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %seven = stablehlo.constant dense<7> : tensor<1xi32>
  %length = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %seven, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %batch = stablehlo.concatenate %three, %five, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<7x?xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %shape, dims = [0] : (tensor<7xf32>, tensor<2xi32>) -> tensor<7x?xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<7x?xf32>
  %3 = stablehlo.exponential %2 : tensor<7x?xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x?xf32>, tensor<f32>) -> tensor<7xf32>
  %5 = stablehlo.dynamic_broadcast_in_dim %4, %shape, dims = [0] : (tensor<7xf32>, tensor<2xi32>) -> tensor<7x?xf32>
  %6 = stablehlo.divide %3, %5 : tensor<7x?xf32>
  %7 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1] : (tensor<7x?xf32>, tensor<f32>) -> tensor<7xf32>
  %8 = stablehlo.dynamic_broadcast_in_dim %7, %shape, dims = [0] : (tensor<7xf32>, tensor<2xi32>) -> tensor<7x?xf32>
  %9 = stablehlo.subtract %x, %8 : tensor<7x?xf32>
  %10 = stablehlo.multiply %9, %9 : tensor<7x?xf32>
  %11 = stablehlo.reduce(%10 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x?xf32>, tensor<f32>) -> tensor<7xf32>
  %12 = stablehlo.sqrt %11 : tensor<7xf32>
  %13 = stablehlo.dynamic_broadcast_in_dim %12, %shape, dims = [0] : (tensor<7xf32>, tensor<2xi32>) -> tensor<7x?xf32>
  %14 = stablehlo.divide %9, %13 : tensor<7x?xf32>
  %15 = stablehlo.reduce(%y init: %high) applies stablehlo.minimum across dimensions = [2] : (tensor<3x5x?xf32>, tensor<f32>) -> tensor<3x5xf32>
  %16 = stablehlo.dynamic_broadcast_in_dim %15, %batch, dims = [0, 1] : (tensor<3x5xf32>, tensor<3xi32>) -> tensor<3x5x?xf32>
  %17 = stablehlo.subtract %y, %16 : tensor<3x5x?xf32>
  %18 = stablehlo.reduce(%17 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x?xf32>, tensor<f32>) -> tensor<3x5xf32>
  %19 = stablehlo.dynamic_broadcast_in_dim %18, %batch, dims = [0, 1] : (tensor<3x5xf32>, tensor<3xi32>) -> tensor<3x5x?xf32>
  %20 = stablehlo.subtract %17, %19 : tensor<3x5x?xf32>
  %21 = stablehlo.reduce(%20 init: %high) applies stablehlo.minimum across dimensions = [2] : (tensor<3x5x?xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %6, %14, %12, %20, %21 : tensor<7x?xf32>, tensor<7x?xf32>, tensor<7xf32>, tensor<3x5x?xf32>, tensor<3x5xf32>
}
