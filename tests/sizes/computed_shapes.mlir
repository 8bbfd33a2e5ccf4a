// sizes: x.0=2
// sizes: x.0=7
// sizes: x.0=16
// Padding, slices, gathers and convolutions whose attributes are operands.
func.func public @main(%x: tensor<?x6xf32> loc("x"), %k: tensor<3x2x4xf32>, %i: tensor<2x1xi32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x?xf32>, tensor<1x?x4xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c6 = stablehlo.constant dense<6> : tensor<1xi32>
  %minus = stablehlo.constant dense<-1> : tensor<1xi32>
  %value = stablehlo.constant dense<9.0> : tensor<f32>
  %low = stablehlo.concatenate %rows, %minus, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %c1, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %interior = stablehlo.concatenate %c2, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %value, %low, %high, %interior : (tensor<?x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %start = stablehlo.concatenate %c1, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limit = stablehlo.concatenate %rows, %c6, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %strides = stablehlo.concatenate %c2, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.real_dynamic_slice %x, %start, %limit, %strides : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %sizes = stablehlo.concatenate %rows, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>} : (tensor<?x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %thrice = stablehlo.multiply %rows, %c3 : tensor<1xi32>
  %shape = stablehlo.concatenate %c1, %thrice, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %y = stablehlo.dynamic_reshape %x, %shape : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<1x?x2xf32>
  %pads = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %3 = "stablehlo.dynamic_conv"(%y, %k, %pads) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x?x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi32>) -> tensor<1x?x4xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x?xf32>, tensor<1x?x4xf32>
}
